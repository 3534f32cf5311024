// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "isa/base/status.h"
#include "isa/machines/dram_preset.h"
#include "isa/machines/machine.h"
#include "sim/memory/memory_channel.h"
#include "sim/observe/events.h"

namespace etalon::sim {

/// The global memory of a machine with timing: what one of its channels is.
Result<isa::DramPreset> chipMemory(const isa::Machine& machine);

/// A channel for each that the machine has.
std::vector<std::unique_ptr<MemoryChannel>> makeChannels(const isa::Machine& machine,
                                                         const isa::DramPreset& preset);

/// Thousandths of a byte that one channel moves in a cycle of the core's clock at most.
uint64_t channelPeak(const isa::Machine& machine, const isa::DramPreset& preset);

/// The paths that bytes take in a launch on so many cores: reads and writes of each memory channel, then of the network
/// ports of each core.
RunShape chipShape(const isa::Machine& machine, const isa::DramPreset& preset, unsigned cores);
/// Numbers of the paths of a shape.
inline uint16_t channelPath(unsigned channel, bool write) {
  return static_cast<uint16_t>(2 * channel + (write ? 1 : 0));
}
inline uint16_t networkPath(uint64_t channels, unsigned core, bool write) {
  return static_cast<uint16_t>(2 * (channels + core) + (write ? 1 : 0));
}

}  // namespace etalon::sim
