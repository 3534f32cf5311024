// SPDX-License-Identifier: Apache-2.0
#include "sim/system/run_shape.h"

#include <fmt/format.h>

#include "sim/system/chip_memory.h"

namespace etalon::sim {

RunShape runShape(const isa::Machine& machine, const isa::DramPreset& preset, unsigned cores,
                  unsigned devices) {
  const isa::Timing& timing = *machine.timing;
  RunShape shape{
      .cores = cores * devices, .clock_mhz = timing.clock_mhz, .paths = {}, .devices = devices};
  const uint64_t channel = channelPeak(machine, preset);
  const uint64_t network = timing.network.ports * timing.network.port_bytes * 1000;
  const uint64_t links =
      timing.links.count * timing.links.megabytes_per_second * 1000 / timing.clock_mhz;
  for (unsigned device = 0; device < devices; ++device) {
    const std::string suffix = devices > 1 ? fmt::format(" of device {}", device + 1) : "";
    for (unsigned i = 0; i < timing.memory.channels; ++i)
      for (const char* way : {"memory read", "memory write"})
        shape.paths.push_back({way, fmt::format("channel {}{}", i, suffix), channel});
    for (unsigned i = 0; i < cores; ++i)
      for (const char* way : {"network read", "network write"})
        shape.paths.push_back({way, fmt::format("core {}{}", i, suffix), network});
    if (devices > 1) shape.paths.push_back({"links", fmt::format("device {}", device + 1), links});
  }
  return shape;
}

}  // namespace etalon::sim
