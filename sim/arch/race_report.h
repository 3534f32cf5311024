// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sim/arch/access_kind.h"

namespace etalon::sim {

/// Where in the program an access comes from.
struct AccessSite {
  uint16_t core = 0;  ///< index of the core, 0 .. cores-1 of the detector
  uint64_t pc = 0;
  uint32_t insn = 0;  ///< raw instruction word

  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);
};

/// A memory the detector watches.
struct MemoryRegion {
  uint32_t index = 0;

  static constexpr MemoryRegion global() { return {0}; }
  static constexpr MemoryRegion local(uint16_t core) { return {1u + core}; }
  constexpr bool isGlobal() const { return index == 0; }
  /// True if this is the local memory of `core`.
  constexpr bool isLocalOf(uint16_t core) const { return index == 1u + core; }
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
std::string raceText(const RaceReport& report);
std::string orderText(const RaceReport& report);

}  // namespace etalon::sim
