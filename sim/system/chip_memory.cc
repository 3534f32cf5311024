// SPDX-License-Identifier: Apache-2.0
#include "sim/system/chip_memory.h"

#include "sim/memory/dram_channel.h"

namespace etalon::sim {

Result<isa::DramPreset> chipMemory(const isa::Machine& machine) {
  return isa::openDramPreset(machine.timing->memory.preset, machine.folder);
}

std::vector<std::unique_ptr<MemoryChannel>> makeChannels(const isa::Machine& machine,
                                                         const isa::DramPreset& preset,
                                                         unsigned devices) {
  std::vector<std::unique_ptr<MemoryChannel>> channels;
  for (uint64_t i = 0; i < devices * machine.timing->memory.channels; ++i)
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

}  // namespace etalon::sim
