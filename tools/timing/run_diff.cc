// SPDX-License-Identifier: Apache-2.0
#include "tools/timing/run_diff.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace etalon::tools {
namespace {

using sim::Activity;
using sim::ActivityCycles;
using sim::kTracks;
using sim::TimedReport;
using sim::Track;

ActivityChanges changesOf(const ActivityCycles& before, const ActivityCycles& after) {
  ActivityChanges changes;
  for (size_t a = 0; a < changes.size(); ++a) changes[a] = {before[a], after[a]};
  return changes;
}

/// Cycles of a line, whatever the unit.
ActivityCycles overUnits(const sim::CodeCost& cost) {
  ActivityCycles all{};
  for (const ActivityCycles& of_track : cost.cycles)
    for (size_t a = 0; a < all.size(); ++a) all[a] += of_track[a];
  return all;
}

using Named = std::vector<std::pair<std::string, uint64_t>>;

/// Names of both, in the order of the first run, then what only the second has; equal ones left out.
std::vector<CounterChange> changedCounters(const Named& before, const Named& after) {
  std::vector<CounterChange> changes;
  for (const auto& [name, value] : before) changes.push_back({name, {value, 0}});
  for (const auto& [name, value] : after) {
    const auto found = std::ranges::find(changes, name, &CounterChange::name);
    if (found == changes.end())
      changes.push_back({name, {0, value}});
    else
      found->change.after = value;
  }
  std::erase_if(changes, [](const CounterChange& c) { return c.change.none(); });
  return changes;
}

Named countersOf(const RunResult& run) {
  Named counters = run.counters;
  if (run.instructions) counters.insert(counters.begin(), {"instructions", *run.instructions});
  return counters;
}

Named criticalOf(const TimedReport& report) {
  Named parts;
  for (size_t p = 0; p < report.critical->size(); ++p)
    parts.emplace_back(pathPartName(static_cast<sim::PathPart>(p)), (*report.critical)[p]);
  return parts;
}

std::vector<LevelChange> levelChanges(const TimedReport& before, const TimedReport& after) {
  std::vector<LevelChange> changes;
  for (const sim::PathBytes& level : before.levels())
    changes.push_back({level.path.level, {level.moved, 0}, {level.useful, 0}});
  for (const sim::PathBytes& level : after.levels()) {
    auto found = std::ranges::find(changes, level.path.level, &LevelChange::level);
    if (found == changes.end()) found = changes.insert(found, {level.path.level, {}, {}});
    found->moved.after = level.moved;
    found->useful.after = level.useful;
  }
  return changes;
}

std::vector<LineChange> lineChanges(const TimedReport& before, const TimedReport& after) {
  using Key = std::tuple<std::string, int, std::string>;
  std::map<Key, std::pair<ActivityCycles, ActivityCycles>> lines;
  for (const sim::PlaceCost& line : before.lines)
    lines[{line.place.file, line.place.line, line.place.function}].first = overUnits(line.cost);
  for (const sim::PlaceCost& line : after.lines)
    lines[{line.place.file, line.place.line, line.place.function}].second = overUnits(line.cost);
  std::vector<LineChange> changes;
  for (const auto& [key, cycles] : lines) {
    const auto& [first, second] = cycles;
    if (first != second)
      changes.push_back({{std::get<0>(key), std::get<1>(key), std::get<2>(key)},
                         {sim::sum(first), sim::sum(second)},
                         changesOf(first, second)});
  }
  std::ranges::sort(changes, [](const LineChange& a, const LineChange& b) {
    const auto size = [](const LineChange& c) {
      return c.cycles.before > c.cycles.after ? c.cycles.before - c.cycles.after
                                              : c.cycles.after - c.cycles.before;
    };
    const auto key = [](const LineChange& c) {
      return std::tie(c.place.file, c.place.line, c.place.function);
    };
    return size(a) != size(b) ? size(a) > size(b) : key(a) < key(b);
  });
  return changes;
}

void compareTiming(const TimedReport& before, const TimedReport& after, RunDiff& diff) {
  diff.timed = true;
  diff.cycles = {before.cycles, after.cycles};
  diff.picoseconds = {before.picoseconds(), after.picoseconds()};
  diff.cores = {before.cores, after.cores};
  diff.work = changedCounters({{"tile instructions", before.tiles},
                               {"multiply-accumulates", before.macs},
                               {"vector elements", before.elements},
                               {"DMA bytes", before.bytes}},
                              {{"tile instructions", after.tiles},
                               {"multiply-accumulates", after.macs},
                               {"vector elements", after.elements},
                               {"DMA bytes", after.bytes}});
  Cycles most = 0;
  for (int t = 0; t < kTracks; ++t) {
    const auto track = static_cast<Track>(t);
    const ActivityCycles cycles = before.unitCycles(track);
    diff.units.push_back({track, changesOf(cycles, after.unitCycles(track))});
    if (cyclesOf(cycles, Activity::busy) > most) {
      most = cyclesOf(cycles, Activity::busy);
      diff.busiest = track;
    }
  }
  if (before.critical && after.critical)
    diff.critical = changedCounters(criticalOf(before), criticalOf(after));
  diff.levels = levelChanges(before, after);
  for (const sim::Bound& bound : before.bounds)
    if (const sim::Bound* other = after.boundNamed(bound.name))
      diff.bounds.push_back({bound.name, {bound.cycles(), other->cycles()}});
  diff.lines = lineChanges(before, after);
}

}  // namespace

RunDiff compareRuns(RunResult before, RunResult after) {
  RunDiff diff;
  diff.counters = changedCounters(countersOf(before), countersOf(after));
  if (before.timing && after.timing) compareTiming(*before.timing, *after.timing, diff);
  diff.before = std::move(before);
  diff.after = std::move(after);
  return diff;
}

}  // namespace etalon::tools
