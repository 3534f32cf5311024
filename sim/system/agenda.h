// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <tuple>
#include <vector>

#include "isa/base/units.h"

namespace etalon::sim {

/// When each of a number of components is due. Times that are near cost a few ns, others wait in a heap; a component that is
/// due at another time by now leaves a stale entry behind, which is passed over.
class Agenda {
 public:
  explicit Agenda(unsigned components) : due_(components, kNever) {}

  /// The component is due at `at`, if not before; not before what was taken last.
  void wake(unsigned component, Cycles at) {
    if (at >= due_[component]) return;
    due_[component] = at;
    if (at - taken_ < kSlots) {
      slots_[at % kSlots].push_back(component);
      used_ |= uint64_t{1} << at % kSlots;
    } else {
      later_.push_back({at, component});
      std::ranges::push_heap(later_, std::greater<>());
    }
  }
  /// kNever if nobody is.
  Cycles nextTime() { return std::min(nextSlot(), nextLater()); }
  /// Takes a component that is due at nextTime() off the agenda; which of several depends on the run alone.
  unsigned take() {
    const Cycles slot = nextSlot(), later = nextLater();
    taken_ = std::min(slot, later);
    unsigned component;
    if (slot <= later) {
      component = slots_[slot % kSlots].back();
      slots_[slot % kSlots].pop_back();
    } else {
      component = later_.front().component;
      dropLater();
    }
    due_[component] = kNever;
    return component;
  }

 private:
  static constexpr Cycles kSlots = 64;
  struct Entry {
    Cycles at;
    unsigned component;

    bool operator>(const Entry& other) const {
      return std::tie(at, component) > std::tie(other.at, other.component);
    }
  };

  /// The first time in the slots at which somebody is due; stale entries before it go.
  Cycles nextSlot() {
    while (used_ != 0) {
      const auto first = static_cast<int>(taken_ % kSlots);
      const Cycles at = taken_ + static_cast<Cycles>(std::countr_zero(std::rotr(used_, first)));
      std::vector<unsigned>& slot = slots_[at % kSlots];
      while (!slot.empty() && due_[slot.back()] != at) slot.pop_back();
      if (!slot.empty()) return at;
      used_ &= ~(uint64_t{1} << at % kSlots);
    }
    return kNever;
  }
  Cycles nextLater() {
    while (!later_.empty() && later_.front().at != due_[later_.front().component]) dropLater();
    return later_.empty() ? kNever : later_.front().at;
  }
  void dropLater() {
    std::ranges::pop_heap(later_, std::greater<>());
    later_.pop_back();
  }

  std::vector<Cycles> due_;
  Cycles taken_ = 0;   // when the last one was due: no slot holds anything before
  uint64_t used_ = 0;  // bit i: slot i has entries
  std::array<std::vector<unsigned>, kSlots> slots_;  // of taken_ to taken_ + kSlots - 1
  std::vector<Entry> later_;                         // a heap
};

}  // namespace etalon::sim
