// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/memory/memory_channel.h"

namespace etalon::sim {

/// Completions that are known and not yet due, by time, then by the age of the request. Cheap if they come nearly in order.
class CompletionQueue {
 public:
  bool empty() const { return head_ == queue_.size(); }
  Cycles nextTime() const { return empty() ? kNever : queue_[head_].completion.time; }

  void add(uint64_t tag, uint64_t age, Cycles time) {
    queue_.push_back({{tag, time}, age});
    for (size_t i = queue_.size() - 1; i > head_ && before(queue_[i], queue_[i - 1]); --i)
      std::swap(queue_[i], queue_[i - 1]);
  }
  /// Appends what is due up to and at `now`.
  void take(Cycles now, std::vector<ChannelCompletion>& completed) {
    while (!empty() && queue_[head_].completion.time <= now)
      completed.push_back(queue_[head_++].completion);
    if (empty()) {
      queue_.clear();
      head_ = 0;
    } else if (head_ >= 64) {
      queue_.erase(queue_.begin(), queue_.begin() + static_cast<ptrdiff_t>(head_));
      head_ = 0;
    }
  }

 private:
  struct Entry {
    ChannelCompletion completion;
    uint64_t age;
  };
  static bool before(const Entry& a, const Entry& b) {
    return a.completion.time != b.completion.time ? a.completion.time < b.completion.time
                                                  : a.age < b.age;
  }
  std::vector<Entry> queue_;  // sorted from head_ on
  size_t head_ = 0;
};

}  // namespace etalon::sim
