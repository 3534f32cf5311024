// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/timing/run_result.h"

namespace etalon::tools {

struct Change {
  uint64_t before = 0, after = 0;

  bool none() const { return before == after; }
  /// Differences that do not fit wrap; cycles and bytes of a run are far from that.
  int64_t difference() const { return static_cast<int64_t>(after - before); }
};

struct CounterChange {
  std::string name;
  Change change;
};
struct LevelChange {
  std::string level;
  Change moved, useful;
};
struct BoundChange {
  std::string name;
  Change cycles;
};
using ActivityChanges = std::array<Change, sim::kActivities>;
struct UnitChange {
  sim::Track track = sim::Track::scalar;
  ActivityChanges cycles;  // over all cores
};
struct LineChange {
  sim::CodePlace place;
  Change cycles;               // of all units
  ActivityChanges activities;  // of all units
};

/// What differs between two runs.
struct RunDiff {
  RunResult before, after;
  std::vector<CounterChange> counters;  // instructions and architectural counters that differ

  // If both have timing:
  bool timed = false;
  Change cycles, picoseconds, cores;
  std::vector<CounterChange> work;  // tiles, macs, elements, bytes
  std::vector<UnitChange> units;
  sim::Track busiest = sim::Track::scalar;  // the unit with the largest busy share before
  std::vector<CounterChange> critical;  // parts of the critical path that differ, if both have one
  std::vector<LevelChange> levels;
  std::vector<BoundChange> bounds;  // that both have
  std::vector<LineChange> lines;    // that differ, the largest difference first
};

RunDiff compareRuns(RunResult before, RunResult after);

/// For people; ends in a newline.
std::string diffText(const RunDiff& diff);
/// One JSON object and a newline; schema in isa/schema/run_diff.schema.json.
std::string diffJson(const RunDiff& diff);

}  // namespace etalon::tools
