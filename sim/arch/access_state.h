// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sim/arch/happens_before.h"
#include "sim/arch/race_report.h"

namespace etalon::sim {

/// A point that an access is known to happen before: an access of the same byte, or a range fence.
struct OrderPoint {
  uint16_t core = 0;
  AccessKind kind = AccessKind::kLoad;  ///< of the access; unused for a range fence
  bool range_fence = false;             ///< `time` counts et.fence.t/.v of the core
  Time time = 0;

  auto operator<=>(const OrderPoint&) const = default;
  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);
};

/// One access that later accesses of the same byte have to be held against. A state holds at most
/// one of each core and kind.
struct AccessRecord {
  uint64_t pc = 0;
  uint32_t insn = 0;
  uint16_t core = 0;
  AccessKind kind = AccessKind::kLoad;
  ReleaseId release = 0;  ///< what a reader of this store or atomic acquires
  Time time = 0;          ///< of its core
  /// Later points of this byte that this access happens before, sorted, the earliest of each core
  /// and kind. Needed because order of one byte (a load reads this store; same address within a
  /// core; interlock in own local memory; a range fence) is finer than the clocks.
  std::vector<OrderPoint> after;

  OrderPoint point() const { return {core, kind, false, time}; }
  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);
  /// Adds a point to `after` unless an earlier one of its kind is there; true if added.
  bool addPoint(OrderPoint point);
  bool operator==(const AccessRecord&) const = default;
};

/// What the detector remembers of a byte: its records in the order they were executed.
using AccessState = std::vector<AccessRecord>;

/// The last write of a state, or null if none is remembered.
const AccessRecord* lastWrite(const AccessState& state);

using StateId = uint32_t;

/// Every distinct state once, numbered; 0 is the empty state.
class StatePool {
 public:
  StatePool();

  const AccessState& operator[](StateId id) const { return states_[id]; }
  StateId intern(AccessState state);

  size_t live() const { return states_.size() - free_.size(); }
  /// Numbers in use are below this.
  size_t capacity() const { return states_.size(); }

  /// Frees every state that is not marked. `marked` has capacity() entries.
  void sweep(const std::vector<bool>& marked);

  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);

 private:
  void addToHash(StateId id);

  std::vector<AccessState> states_;
  std::vector<StateId> free_;  // descending
  std::unordered_multimap<uint64_t, StateId> by_hash_;
};

}  // namespace etalon::sim
