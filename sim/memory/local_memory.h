// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/base/units.h"
#include "isa/machines/timing.h"
#include "isa/state/tile_register.h"

namespace etalon::sim {

/// Banks of a core's local memory and who gets how much of them when (docs/spec/microarchitecture.md, section 6).
///
/// A bank serves one word of bank_bytes a cycle, read or write, so all of them serve banks * bank_bytes bytes a cycle. Units
/// book bytes over spans of time; a booking gets what older ones left, so whoever books first goes first. Callers book in a
/// fixed order of units within a cycle.
class LocalMemory {
 public:
  /// Banks and bank_bytes are powers of two.
  explicit LocalMemory(const isa::LocalTiming& timing);

  Bytes bytesPerCycle() const { return capacity_; }
  Bytes wordBytes() const { return timing_.bank_bytes; }

  /// Bank of a byte offset: consecutive words are in different banks, and so are words a row of banks apart.
  uint64_t bank(uint64_t offset) const;

  /// Words that a walk over a tile takes from banks. A row takes each word it touches; rows that leave gaps of less than a
  /// word and do not overlap are one run; overlapping and repeated rows are read again, unless all are in one word.
  uint64_t words(const isa::TileRegister& tile) const;

  /// Banks that the words at multiples of `stride` bytes are in, whatever word they count from: all, or fewer for large
  /// powers of two. A walk over rows a stride apart gets at most so many of them a cycle.
  uint64_t spread(uint64_t stride) const;

  /// Least cycles in which banks serve a walk over a tile that has nothing else to wait for.
  Cycles cycles(const isa::TileRegister& tile) const;

  /// Books `bytes` from `from` on: at most ceil(bytes / cycles) of them in a cycle. Returns the end: from + cycles, or later
  /// where banks are short. `from` is not before the last retire().
  Cycles book(Cycles from, Cycles cycles, Bytes bytes);

  /// Bytes booked in a cycle.
  Bytes booked(Cycles time) const;

  /// Bytes of all bookings so far.
  Bytes bookedInAll() const { return booked_in_all_; }

  /// Forgets what was before `now`; nothing will be booked there.
  void retire(Cycles now);

 private:
  /// From `begin` to the next span's begin, the last one for ever.
  struct Span {
    Cycles begin = 0;
    Bytes used = 0;  // of each cycle
  };
  uint64_t wordsOfRow(uint64_t offset, uint64_t width) const;
  uint64_t wordsOfBlock(const isa::CanonicalTile& tile, uint64_t offset) const;
  size_t find(Cycles time) const;
  size_t splitAt(size_t i, Cycles time);
  void merge(size_t first, size_t last);

  isa::LocalTiming timing_;
  Bytes capacity_;
  Bytes booked_in_all_ = 0;
  std::vector<Span> spans_;
  size_t first_ = 0;  // spans before this one are forgotten
};

}  // namespace etalon::sim
