// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/base/status.h"
#include "sim/arch/backing.h"

namespace etalon::sim {

/// Scalar stores of a single core to global memory that no tile instruction has met yet, in order.
///
/// With one agent, a scalar store races only with a tile access, younger (without et.fence between)
/// or older and not yet fenced. So stores to pages without unfenced tile accesses are only noted
/// here, and go to the detector when a tile instruction or a partial order comes; a full fence
/// forgets them. A store that repeats one of the same order point says nothing new and is skipped.
class StoreLog {
 public:
  struct Entry {
    uint64_t pc;
    uint64_t offset;
    uint32_t length;
    uint32_t insn;

    template <class Archive, class Self>
    static void transfer(Archive& archive, Self& self);
  };

  static Result<StoreLog> create(uint64_t global_bytes);
  /// A log that is never used.
  StoreLog() = default;

  /// True if the page of any of the bytes had a tile access since the last full fence.
  bool pageHasTiles(uint64_t offset, uint32_t size) const {
    const auto* pages = pages_.as<uint32_t>();
    return pages[offset / kPageBytes] == fences_ ||
           pages[(offset + size - 1) / kPageBytes] == fences_;
  }
  void noteTile(uint64_t offset, uint64_t length) {
    auto* pages = pages_.as<uint32_t>();
    const uint64_t last = (offset + length - 1) / kPageBytes;
    for (uint64_t page = offset / kPageBytes; page <= last; ++page) pages[page] = fences_;
  }

  /// Notes a store, size 1..8; true if the log is full and must be replayed before the next.
  bool add(uint64_t pc, uint32_t insn, uint64_t offset, uint32_t size) {
    Seen& seen = seen_[offset / 8 % kSeen];
    const uint32_t mask = ((1u << size) - 1) << offset % 8;
    if (seen.granule == offset / 8 && seen.epoch == epoch_ && (mask & ~seen.mask) == 0) {
      return false;
    }
    note(seen, offset / 8, mask);
    if (!entries_.empty()) {
      Entry& last = entries_.back();
      if (last.pc == pc && last.offset + last.length == offset && last.length < kMaxRun) {
        last.length += size;
        return false;
      }
    }
    entries_.push_back({pc, offset, size, insn});
    return entries_.size() == kEntries;
  }

  bool empty() const { return entries_.empty(); }
  std::span<const Entry> entries() const { return entries_; }
  /// After a replay.
  void clear() { entries_.clear(); }
  /// Stores from now on are ordered otherwise than those before, which have been replayed.
  void newEpoch() { ++epoch_; }
  /// All accesses so far are ordered before all from now on.
  void fullFence() {
    entries_.clear();
    newEpoch();
    ++fences_;
  }

  /// Snapshots. Which stores would repeat one is not kept: noted again they change nothing.
  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);

 private:
  static constexpr uint64_t kPageBytes = 4096;
  static constexpr size_t kEntries = 4096;
  static constexpr size_t kSeen = 4096;
  static constexpr uint32_t kMaxRun = 1u << 30;

  /// Bytes of an aligned group of 8 stored in an epoch.
  struct Seen {
    uint64_t granule = 0;
    uint64_t epoch = 0;
    uint32_t mask = 0;
  };

  void note(Seen& seen, uint64_t granule, uint32_t mask) {
    if (seen.granule == granule && seen.epoch == epoch_) {
      seen.mask |= mask & 0xFF;
    } else {
      seen = {granule, epoch_, mask & 0xFF};
    }
  }

  Backing pages_;  // by page: number of full fences before its last tile access, plus 1
  std::vector<Entry> entries_;
  std::vector<Seen> seen_;
  uint32_t fences_ = 1;
  uint64_t epoch_ = 1;
};

}  // namespace etalon::sim
