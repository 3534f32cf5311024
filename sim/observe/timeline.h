// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/observe/timed_report.h"

namespace etalon::sim {

/// Collects a Timeline of a run whose length nobody knows yet: pieces double when they would become too many.
class TimelineBuilder {
 public:
  static constexpr size_t kMostPieces = 256;

  explicit TimelineBuilder(unsigned cores);
  void add(const TrackSpan& span);
  /// What has been added; memory does not grow with the run.
  const Timeline& timeline() const { return timeline_; }

 private:
  void widen();

  Timeline timeline_;
  unsigned piece_log2_ = 0;  // of timeline_.piece_cycles
};

}  // namespace etalon::sim
