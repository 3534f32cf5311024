// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace etalon::sim {

/// Devices that are joined, all of as many cores. Their cores are counted through: an agent is a core by this number. Devices
/// count from 0; programs and reports name them by their id, which is one more (map.device-field).
struct Cluster {
  unsigned devices = 1;
  unsigned cores = 1;  // of each device

  unsigned agents() const { return devices * cores; }
  unsigned device(unsigned agent) const { return devices == 1 ? 0 : agent / cores; }
  unsigned core(unsigned agent) const { return devices == 1 ? agent : agent % cores; }
  unsigned agent(unsigned device, unsigned core) const { return device * cores + core; }

  static unsigned id(unsigned device) { return device + 1; }
  /// ` of device 2`; nothing where there is one device.
  std::string deviceSuffix(unsigned device) const {
    return devices == 1 ? "" : " of device " + std::to_string(id(device));
  }
  /// `core 3`, or `core 3 of device 2`.
  std::string coreName(unsigned agent) const {
    return "core " + std::to_string(core(agent)) + deviceSuffix(device(agent));
  }

  bool operator==(const Cluster&) const = default;
};

}  // namespace etalon::sim
