// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <unordered_map>
#include <vector>

#include "sim/observe/events.h"
#include "sim/observe/timed_report.h"
#include "sim/observe/timeline.h"

namespace etalon::sim {

/// Accounts for every cycle of every unit, for bytes of every path, and for both by instruction address.
///
/// It checks what the model says: spans of a unit follow each other without gap, overlap or emptiness from cycle 0 to the
/// end of the run, so that each ledger sums up to exactly all cycles and no cycle is without a cause. A model that breaks
/// this is our own bug and ends the process. Memory grows with the number of different instruction addresses alone.
class Ledger final : public RunObserver {
 public:
  explicit Ledger(RunShape shape);

  void span(const TrackSpan& span) override;
  void tile(const TileRecord& record) override;
  void transfer(const Transfer& transfer) override;
  void finish(Cycles total) override;

  /// After finish(): everything that stems from the records. Lines, bounds, energy and provenance are the caller's.
  TimedReport report() const;

 private:
  size_t unitIndex(uint16_t core, Track track) const;
  CodeCost& codeOf(uint64_t pc);

  RunShape shape_;
  std::vector<UnitCycles> units_;
  std::vector<Cycles> ends_;  // of the last span, by unit
  std::vector<PathBytes> paths_;
  std::unordered_map<uint64_t, CodeCost> code_;
  /// Where the last ones looked for stand, by the low bits of their address.
  struct Found {
    uint64_t pc = 0;
    CodeCost* cost = nullptr;
  };
  std::array<Found, 64> found_;
  TimelineBuilder timeline_;
  uint64_t tiles_ = 0, macs_ = 0, elements_ = 0, bytes_ = 0;
  Cycles total_ = 0;
  bool finished_ = false;
};

}  // namespace etalon::sim
