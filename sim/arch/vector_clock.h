// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/arch/access_kind.h"

namespace etalon::sim {

/// Time of one core: advances whenever accesses up to now become ordered before something.
using Time = uint64_t;
inline constexpr Time kNeverFenced = ~Time{0};

/// Accesses of one core become ordered before others in these groups.
enum class Component : uint8_t {
  kLoads,     ///< loads and LR
  kStores,    ///< plain stores
  kAtomics,   ///< AMO and SC without .aq
  kAcquires,  ///< accesses with .aq: ordered before all that is younger, hence one time for all
  kTiles,     ///< tile accesses
  kFenced,    ///< accesses covered by et.fence.t/.v: counts such fences, not time
};
inline constexpr uint32_t kComponents = 6;

constexpr Component componentOf(AccessKind kind) {
  switch (kind) {
    case AccessKind::kLoad:
    case AccessKind::kLoadReserved: return Component::kLoads;
    case AccessKind::kStore: return Component::kStores;
    case AccessKind::kAtomic: return Component::kAtomics;
    case AccessKind::kLoadAcquire:
    case AccessKind::kAtomicAcquire: return Component::kAcquires;
    default: return Component::kTiles;
  }
}

/// For every core and component the latest time that happens before something.
class VectorClock {
 public:
  explicit VectorClock(uint32_t cores) : times_(size_t{cores} * kComponents) {}

  Time at(uint16_t core, Component component) const { return times_[index(core, component)]; }
  void raise(uint16_t core, Component component, Time time) {
    Time& mine = times_[index(core, component)];
    if (mine < time) mine = time;
  }
  /// Takes the later of both in every entry; true if any entry changed.
  bool join(const VectorClock& other) {
    Time changed = 0;
    for (size_t i = 0; i < times_.size(); ++i) {
      const Time later = times_[i] < other.times_[i] ? other.times_[i] : times_[i];
      changed |= later ^ times_[i];
      times_[i] = later;
    }
    return changed != 0;
  }
  void clear() { times_.assign(times_.size(), 0); }
  bool operator==(const VectorClock&) const = default;
  const std::vector<Time>& times() const { return times_; }

  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self) {
    for (auto& time : self.times_) archive(time);
  }

 private:
  static size_t index(uint16_t core, Component component) {
    return size_t{core} * kComponents + static_cast<size_t>(component);
  }
  std::vector<Time> times_;
};

}  // namespace etalon::sim
