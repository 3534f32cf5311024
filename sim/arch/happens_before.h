// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/arch/vector_clock.h"

namespace etalon::sim {

/// What a scalar store or atomic carries to whoever reads its value: the index of a clock. 0 is the
/// empty clock.
using ReleaseId = uint32_t;

/// Order of the accesses of all cores, as isa.md section 4 and RVWMO state it for an executed
/// order.
///
/// For every core, five clocks: what happens before its next load, its next store, its next tile
/// instruction; and what its loads, and its stores, executed so far stand after (that is what a
/// RISC-V fence carries over). Decisions where the ISA text is short:
///  * et.fence is a full fence of tile *and* scalar accesses; et.barrier releases on arrival all
///    that et.sig releases, so on completion a core's own older accesses are ordered, too.
///  * A scalar load returns before any younger tile instruction begins, so a tile instruction
///  stands
///    after what the load read from, without an acquire; scalar accesses need the acquire.
///  * RISC-V fences order scalar accesses. A store is ordered before a younger tile instruction
///    only by et.fence, or through a load or atomic that a fence orders after the store.
///  * Dependencies (address, data, control) are not counted as order: portable programs fence.
class HappensBefore {
 public:
  explicit HappensBefore(uint32_t cores);

  uint32_t cores() const { return static_cast<uint32_t>(cores_.size()); }

  /// Changes whenever the order of a next access of this core may differ; unique over all cores.
  uint64_t version(uint16_t core) const { return cores_[core].version; }
  Time now(uint16_t core) const { return cores_[core].now; }

  void fullFence(uint16_t core);
  /// Opens the order point of an et.fence.t/.v; accesses it covers get the returned number.
  Time rangeFence(uint16_t core);
  void scalarFence(uint16_t core, bool pred_read, bool pred_write, bool succ_read, bool succ_write);
  /// et.sig is issued: all that happens before its delivery.
  VectorClock issueSignal(uint16_t core);
  /// A signal that was issued with this clock is performed.
  void deliverSignal(uint64_t semaphore, const VectorClock& clock);
  void acquire(uint16_t core, uint64_t semaphore);
  void barrier(std::span<const uint16_t> cores);

  /// What happens before the next tile instruction, store or load of the core.
  const VectorClock& tileView(uint16_t core) const { return cores_[core].tile_view; }
  const VectorClock& storeView(uint16_t core) const { return cores_[core].store_view; }
  const VectorClock& loadView(uint16_t core) const { return cores_[core].load_view; }
  const VectorClock& released(ReleaseId id) const { return releases_[id]; }

  /// The store executes; the result is what a reader of its value acquires.
  ReleaseId storeDone(uint16_t core);
  /// A load that stands after `view` (its load view and what it read from) executes.
  void loadDone(uint16_t core, const VectorClock& view);
  /// What happens before an atomic of the core; `release`: all its older scalar accesses, too.
  VectorClock atomicView(uint16_t core, bool release);
  /// The atomic executes after `view`; `acquire` orders it before all that is younger.
  ReleaseId atomicDone(uint16_t core, const VectorClock& view, bool acquire);
  /// LR.aq: after loadDone, orders the load before all that is younger.
  void acquireDone(uint16_t core, const VectorClock& view);

  /// Frees releases that are neither marked nor current. `marked` has one entry an id.
  void sweepReleases(std::vector<bool> marked);
  size_t releaseCount() const { return releases_.size(); }
  size_t liveReleases() const { return releases_.size() - free_releases_.size(); }

  /// Snapshots. Versions are not kept: what they tell apart, remembered transitions, is not either. Which releases are free
  /// is found again by the next sweep.
  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);

 private:
  struct Core {
    explicit Core(uint32_t cores);
    VectorClock load_view, store_view, tile_view;
    VectorClock loads_after, stores_after;
    Time now = 1;
    Time range_fences = 0;
    uint64_t version = 0;
    ReleaseId store_release = 0;
    bool store_release_valid = true;  // the empty clock is the view of a store at the start

    template <class Archive, class Self>
    static void transfer(Archive& archive, Self& self);
  };

  void changed(uint16_t core);
  void advance(uint16_t core);
  VectorClock everything(uint16_t core) const;
  void orderAllAfter(uint16_t core, const VectorClock& clock);
  ReleaseId addRelease(const VectorClock& clock);

  std::vector<Core> cores_;
  std::vector<VectorClock> releases_;
  std::vector<ReleaseId> free_releases_;
  std::unordered_map<uint64_t, VectorClock> semaphores_;
  uint64_t last_version_ = 0;
};

}  // namespace etalon::sim
