// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/machines/dram_preset.h"
#include "isa/machines/machine.h"
#include "sim/observe/events.h"

namespace etalon::sim {

/// Numbers of the paths that bytes take in a run: of each device the reads and writes of each memory channel, then of the
/// network ports of each core, then, if there are several devices, what it sends to others.
class RunPaths {
 public:
  /// `cores` of each device take part.
  RunPaths(const isa::Machine& machine, unsigned cores, unsigned devices)
      : channels_(static_cast<unsigned>(machine.timing->memory.channels)),
        device_paths_(2 * (channels_ + cores) + (devices > 1 ? 1 : 0)) {}

  uint16_t channel(unsigned device, unsigned channel, bool write) const {
    return number(device, 2 * channel + (write ? 1 : 0));
  }
  uint16_t network(unsigned device, unsigned core, bool write) const {
    return number(device, 2 * (channels_ + core) + (write ? 1 : 0));
  }
  uint16_t links(unsigned device) const { return number(device, device_paths_ - 1); }

 private:
  uint16_t number(unsigned device, unsigned path) const {
    return static_cast<uint16_t>(device * device_paths_ + path);
  }

  unsigned channels_, device_paths_;
};

/// Of a launch on so many cores of each of so many devices: its paths are those of RunPaths, its cores count through all
/// devices.
RunShape runShape(const isa::Machine& machine, const isa::DramPreset& preset, unsigned cores,
                  unsigned devices = 1);

}  // namespace etalon::sim
