// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <map>

#include "sim/observe/events.h"

namespace etalon::sim {

/// How many tile instructions of one core are in its window and in each queue, from records that come when instructions are
/// done. Changes are told in order of time, as soon as no record still to come can precede them: once all older
/// instructions are done. So it holds no more than a window of instructions.
class Occupancy {
 public:
  static constexpr size_t kWindow =
      0;  // issue to done; series of Track t: its queue, issue to taken
  static constexpr size_t kSeries = kTracks;
  using Emit = std::function<void(size_t series, Cycles time, uint64_t value)>;

  explicit Occupancy(Emit emit) : emit_(std::move(emit)) {}
  /// Sequence numbers of the core are 1, 2, 3... in any order, each once.
  void add(const TileRecord& record);
  void finish() { flush(kNever); }

 private:
  void flush(Cycles before);

  Emit emit_;
  uint64_t next_ = 1;                 // the oldest instruction not yet told of
  std::map<uint64_t, Cycles> ahead_;  // sequence -> issue of younger ones
  std::map<Cycles, std::array<int64_t, kSeries>> changes_;
  std::array<int64_t, kSeries> values_{};
};

}  // namespace etalon::sim
