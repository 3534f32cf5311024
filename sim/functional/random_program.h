// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/functional/functional_device.h"
#include "sim/functional/garbage_state.h"

namespace etalon::sim {

/// A device with a random program that goes on after its traps: a handler continues at the next instruction,
/// and at the first one after the last. Half of the instructions access memory or synchronise, at few addresses, code among them; so cores
/// race, read what nobody wrote, execute stale code and wait for each other. Same seed, same device.
std::unique_ptr<FunctionalDevice> randomProgram(uint64_t seed);

/// A device whose cores run `chains` random chains on random tiles each. Same seed, same device.
std::unique_ptr<FunctionalDevice> randomChainProgram(uint64_t seed, int chains);

/// Everything a device shows through its public interface, hashed where it is long: registers, memories, what was written
/// of them, counters, findings. Equal texts are what "ends the same" means in tests.
std::string describeDevice(FunctionalDevice& device);
std::string describeResult(const RunResult& result);

}  // namespace etalon::sim
