// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <queue>
#include <utility>
#include <vector>

#include "isa/base/check.h"
#include "isa/base/units.h"

namespace etalon::sim {

/// Small numbers that are due at points in time. Within kSlots cycles of the last time drained it costs a few ns; later
/// ones wait in a heap. What is due at one time comes out in an order of no meaning.
class EventWheel {
 public:
  static constexpr Cycles kSlots = 64;

  /// `time` is later than everything drained.
  void add(Cycles time, uint32_t event) {
    ETALON_CHECK(time > drained_, "an event in the past");
    if (time - drained_ > kSlots) {
      later_.emplace(time, event);
      return;
    }
    slots_[time % kSlots].push_back(event);
    used_ |= uint64_t{1} << (time % kSlots);
  }

  /// The next time at which something is due; kNever if nothing is.
  Cycles nextTime() const {
    const Cycles later = later_.empty() ? kNever : later_.top().first;
    if (used_ == 0) return later;
    const Cycles first = drained_ + 1;
    const Cycles soon =
        first +
        static_cast<Cycles>(std::countr_zero(std::rotr(used_, static_cast<int>(first % kSlots))));
    return soon < later ? soon : later;
  }

  /// What is due at nextTime(), which is passed as `time`. Valid until the next call.
  const std::vector<uint32_t>& drain(Cycles time) {
    due_.clear();
    drained_ = time;
    std::swap(due_, slots_[time % kSlots]);
    used_ &= ~(uint64_t{1} << (time % kSlots));
    for (; !later_.empty() && later_.top().first == time; later_.pop())
      due_.push_back(later_.top().second);
    return due_;
  }

  /// Nothing is due up to `now`: keeps what comes next within reach of the slots.
  void skip(Cycles now) {
    if (now > drained_) drained_ = now;
  }

 private:
  using Later = std::pair<Cycles, uint32_t>;

  std::array<std::vector<uint32_t>, kSlots> slots_;
  uint64_t used_ = 0;  // slots with something in them
  Cycles drained_ = 0;
  std::vector<uint32_t> due_;
  std::priority_queue<Later, std::vector<Later>, std::greater<>> later_;
};

}  // namespace etalon::sim
