// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sim/arch/access_kind.h"
#include "sim/arch/cluster.h"

namespace etalon::sim {

/// Where in the program an access comes from.
struct AccessSite {
  uint16_t core = 0;  ///< agent: number of the core over all devices, 0 .. cores-1 of the detector
  uint64_t pc = 0;
  uint32_t insn = 0;  ///< raw instruction word

  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);
};

/// A memory the detector watches: global memory of the first device, then the local memories of all agents, then global
/// memory of the other devices.
struct MemoryRegion {
  uint32_t index = 0;

  static constexpr MemoryRegion global() { return {0}; }
  static constexpr MemoryRegion global(const Cluster& cluster, unsigned device) {
    return {device == 0 ? 0 : cluster.devices * cluster.cores + device};
  }
  static constexpr MemoryRegion local(uint16_t agent) { return {1u + agent}; }
  static constexpr uint32_t count(const Cluster& cluster) {
    return cluster.devices * cluster.cores + cluster.devices;
  }
  /// True of global memory of the first device.
  constexpr bool isGlobal() const { return index == 0; }
  constexpr bool isGlobalOfAny(const Cluster& cluster) const {
    return index == 0 || index > cluster.devices * cluster.cores;
  }
  constexpr unsigned device(const Cluster& cluster) const {
    if (index == 0) return 0;
    const uint32_t agents = cluster.devices * cluster.cores;
    return index > agents ? index - agents : (index - 1) / cluster.cores;
  }
  /// True if this is the local memory of `agent`.
  constexpr bool isLocalOf(uint16_t agent) const { return index == 1u + agent; }
  bool operator==(const MemoryRegion&) const = default;
};

/// One side of a race.
struct RacingAccess {
  AccessSite site;
  AccessKind kind = AccessKind::kLoad;

  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);
};

/// Two accesses without happens-before between them, in the order they were executed: a race, or two atomic updates whose
/// result depends on that order (orderDependent() in access_kind.h).
struct RaceReport {
  RacingAccess first;
  RacingAccess second;
  MemoryRegion region;
  uint64_t offset = 0;  ///< first conflicting byte found, from the start of the region
  std::string text;     ///< both sides, the byte and the way out, in one line

  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);
};

/// The text of a report from its other fields: of a race, and of an order-dependent result.
std::string raceText(const RaceReport& report, const Cluster& cluster);
std::string orderText(const RaceReport& report, const Cluster& cluster);

}  // namespace etalon::sim
