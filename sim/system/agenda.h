// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <tuple>
#include <vector>

#include "isa/base/units.h"

namespace etalon::sim {

/// When each of a number of components is due.
class Agenda {
 public:
  explicit Agenda(unsigned components) : due_(components, kNever) {}

  /// The component is due at `at`, if not before.
  void wake(unsigned component, Cycles at) {
    if (at >= due_[component]) return;
    due_[component] = at;
    entries_.push_back({at, component});
    std::ranges::push_heap(entries_, std::greater<>());
  }
  /// kNever if nobody is.
  Cycles nextTime() {
    while (!entries_.empty() && entries_.front().at != due_[entries_.front().component]) drop();
    return entries_.empty() ? kNever : entries_.front().at;
  }
  /// Takes the first component that is due at nextTime() off the agenda, of several the one with the lowest number.
  unsigned take() {
    const unsigned component = entries_.front().component;
    due_[component] = kNever;
    drop();
    return component;
  }

 private:
  struct Entry {
    Cycles at;
    unsigned component;

    bool operator>(const Entry& other) const {
      return std::tie(at, component) > std::tie(other.at, other.component);
    }
  };

  void drop() {
    std::ranges::pop_heap(entries_, std::greater<>());
    entries_.pop_back();
  }

  std::vector<Cycles> due_;
  std::vector<Entry>
      entries_;  // a heap; those of a component that is due at another time are stale
};

}  // namespace etalon::sim
