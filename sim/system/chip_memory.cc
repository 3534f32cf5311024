// SPDX-License-Identifier: Apache-2.0
#include "sim/system/chip_memory.h"

#include <fmt/format.h>

#include "sim/memory/dram_channel.h"

namespace etalon::sim {

Result<isa::DramPreset> chipMemory(const isa::Machine& machine) {
  return isa::openDramPreset(machine.timing->memory.preset, machine.folder);
}

std::vector<std::unique_ptr<MemoryChannel>> makeChannels(const isa::Machine& machine,
                                                         const isa::DramPreset& preset) {
  std::vector<std::unique_ptr<MemoryChannel>> channels;
  for (uint64_t i = 0; i < machine.timing->memory.channels; ++i)
    channels.push_back(makeChannel(preset, machine.timing->clock_mhz));
  return channels;
}

uint64_t channelPeak(const isa::Machine& machine, const isa::DramPreset& preset) {
  if (preset.bytes_per_cycle != 0) return preset.bytes_per_cycle * 1000;
  const uint64_t megabytes = preset.kind == isa::DramPreset::Kind::Dram
                                 ? preset.peakMegabytesPerSecond()
                                 : preset.megabytes_per_second;
  return megabytes * 1000 / machine.timing->clock_mhz;
}

RunShape chipShape(const isa::Machine& machine, const isa::DramPreset& preset, unsigned cores) {
  const isa::Timing& timing = *machine.timing;
  RunShape shape{.cores = cores, .clock_mhz = timing.clock_mhz, .paths = {}};
  const uint64_t channel = channelPeak(machine, preset);
  const uint64_t network = timing.network.ports * timing.network.port_bytes * 1000;
  for (unsigned i = 0; i < timing.memory.channels; ++i)
    for (const char* way : {"memory read", "memory write"})
      shape.paths.push_back({way, fmt::format("channel {}", i), channel});
  for (unsigned i = 0; i < cores; ++i)
    for (const char* way : {"network read", "network write"})
      shape.paths.push_back({way, fmt::format("core {}", i), network});
  return shape;
}

}  // namespace etalon::sim
