// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "isa/base/status.h"
#include "isa/machines/dram_preset.h"
#include "isa/machines/machine.h"
#include "sim/memory/memory_channel.h"

namespace etalon::sim {

/// The global memory of a machine with timing: what one of its channels is.
Result<isa::DramPreset> chipMemory(const isa::Machine& machine);

/// A channel for each that the machine has; of several devices those of one after the other.
std::vector<std::unique_ptr<MemoryChannel>> makeChannels(const isa::Machine& machine,
                                                         const isa::DramPreset& preset,
                                                         unsigned devices = 1);

/// Thousandths of a byte that one channel moves in a cycle of the core's clock at most.
uint64_t channelPeak(const isa::Machine& machine, const isa::DramPreset& preset);

}  // namespace etalon::sim
