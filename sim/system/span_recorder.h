// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>

#include "sim/observe/events.h"

namespace etalon::sim {

/// Puts the spans of one track of one core one behind the other, without a gap, and joins neighbours that are alike. Spans
/// may reach into the future; they are handed over once they are past, so that a run that ends before cuts them off.
class SpanRecorder {
 public:
  SpanRecorder(uint16_t core, Track track, RunObserver* observer)
      : observer_(observer), core_(core), track_(track) {}

  /// First cycle that nothing is said about yet.
  Cycles end() const { return end_; }
  /// The track did this from end() to `until`; nothing if that is not later.
  void extend(Activity activity, Cycles until, uint64_t pc = 0) {
    if (until <= end_) return;
    if (!spans_.empty() && spans_.back().activity == activity && spans_.back().pc == pc)
      spans_.back().end = until;
    else
      spans_.push_back({core_, track_, activity, end_, until, pc});
    end_ = until;
  }
  /// Hands over what ended before `now`.
  void release(Cycles now) {
    while (!spans_.empty() && spans_.front().end < now) handOver();
  }
  /// Nothing happened after `total`; hands over the rest.
  void close(Cycles total) {
    while (!spans_.empty() && spans_.front().begin < total) {
      spans_.front().end = std::min(spans_.front().end, total);
      handOver();
    }
    spans_.clear();
  }

 private:
  void handOver() {
    if (observer_) observer_->span(spans_.front());
    spans_.pop_front();
  }

  RunObserver* observer_;
  uint16_t core_;
  Track track_;
  Cycles end_ = 0;
  std::deque<TrackSpan> spans_;  // not handed over
};

}  // namespace etalon::sim
