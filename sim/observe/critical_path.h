// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "sim/observe/events.h"
#include "sim/observe/timed_report.h"

namespace etalon::sim {

/// Finds the chain of events that the length of a run hangs on: from the last one back, each time to what it had waited for,
/// until cycle 0. Every cycle of the run is charged to one part, so the parts sum up to the run. A resource that took no time
/// would shorten this chain by its part; another chain may then be the longest, so a run gains that much at most.
///
/// A tile instruction had waited for the instruction whose event ended its wait, else for its unit, else for its issue; the
/// scalar core, where it was held up, for the instruction that made room or was the last of those it fenced, else for itself.
/// Between cores nothing is followed: a core waits for a semaphore or a barrier.
///
/// Holds all records of the run, 80 bytes each, up to a limit; of a longer run it says nothing.
class CriticalPath final : public RunObserver {
 public:
  static constexpr uint64_t kMostRecords = 4'000'000;

  explicit CriticalPath(const RunShape& shape, uint64_t most_records = kMostRecords)
      : most_records_(most_records), cores_(shape.cores) {}

  void span(const TrackSpan& span) override;
  void tile(const TileRecord& record) override;
  void transfer(const Transfer& /*transfer*/) override {}
  void finish(Cycles total) override;

  /// After finish(), if the run was not too long.
  bool known() const { return records_ <= most_records_; }
  const std::array<Cycles, kPathParts>& parts() const { return parts_; }
  /// Puts the path into a report that is not located yet: its parts, and by instruction address.
  void addTo(TimedReport& report) const;

 private:
  struct Tile {
    uint64_t pc = 0, waited_for = 0;
    Cycles issue = 0, ready = 0, taken = 0, read_done = 0, done = 0;
    Track track = Track::scalar;  // scalar: the run ended before it was done
    uint64_t previous = 0;        // sequence of the one before in the same unit; 0: none
  };
  /// The scalar core did one thing up to `end`, from the end of the stretch before.
  struct Stretch {
    Activity activity = Activity::busy;
    Cycles end = 0;
  };
  struct Core {
    std::deque<Tile> tiles;  // by sequence - 1
    std::vector<Stretch> scalar;
    std::vector<uint64_t> by_done;  // sequences, in order of time
  };
  /// Where the walk stands: what lies behind `time` is charged.
  struct Place {
    Cycles time = 0;
    uint64_t sequence = 0;  // in this tile instruction; 0: in the scalar core
  };

  /// False if it is one too many.
  bool mayHold();
  void prepare(Core& core);
  void charge(Place& place, Cycles from, PathPart part, uint64_t pc);
  Place walkTile(const Core& core, Place place);
  Place walkScalar(const Core& core, Place place);
  uint64_t releaser(const Core& core, Activity activity, Cycles begin, Cycles end) const;

  uint64_t most_records_ = 0, records_ = 0;
  std::vector<Core> cores_;
  std::array<Cycles, kPathParts> parts_{};
  std::map<uint64_t, Cycles> by_pc_;
};

}  // namespace etalon::sim
