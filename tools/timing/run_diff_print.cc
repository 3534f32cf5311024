// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "tools/timing/run_diff.h"

namespace etalon::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostLines = 10, kCauses = 4;

uint64_t sizeOf(const Change& c) {
  return c.before > c.after ? c.before - c.after : c.after - c.before;
}

/// `+1 234`, `-5`, `0`.
std::string signedText(const Change& c) {
  if (c.none()) return "0";
  return (c.after > c.before ? "+" : "-") + sim::grouped(sizeOf(c));
}

/// `, 21.8 % less`; empty where there is nothing to compare with.
std::string shareText(const Change& c) {
  if (c.none()) return ", the same";
  if (c.before == 0) return "";
  return fmt::format(", {} {}", sim::percent(sizeOf(c), c.before),
                     c.after > c.before ? "more" : "less");
}

/// The largest changes by activity.
std::string causes(const ActivityChanges& changes) {
  std::vector<size_t> order(changes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::erase_if(order, [&](size_t a) { return changes[a].none(); });
  std::ranges::sort(order, [&](size_t a, size_t b) {
    return sizeOf(changes[a]) != sizeOf(changes[b]) ? sizeOf(changes[a]) > sizeOf(changes[b])
                                                    : a < b;
  });
  std::string text;
  for (size_t i = 0; i < std::min(order.size(), kCauses); ++i)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        activityName(static_cast<sim::Activity>(order[i])),
                        signedText(changes[order[i]]));
  return text;
}

Change totalOf(const ActivityChanges& changes) {
  Change total;
  for (const Change& c : changes) {
    total.before += c.before;
    total.after += c.after;
  }
  return total;
}

std::string runText(const char* what, const RunResult& run) {
  return fmt::format("{:<7} {}: {}{} on {}{}\n", what, run.file, run.program,
                     run.machine.empty() ? "" : ", machine " + run.machine, run.device,
                     run.success ? "" : ", FAILED (" + run.status + ")");
}

std::string unitsText(const RunDiff& diff) {
  std::string text = "units, change of the cycles of all cores by what they did\n";
  for (const UnitChange& unit : diff.units)
    text += fmt::format("  {:<7} {:>14}  {}{}\n", trackName(unit.track),
                        signedText(totalOf(unit.cycles)), causes(unit.cycles),
                        unit.track == diff.busiest ? "  <- the busiest before" : "");
  return text;
}

std::string levelsText(const RunDiff& diff) {
  std::string text;
  for (const LevelChange& level : diff.levels)
    text +=
        fmt::format("  {:<16} {} -> {}{}; useful {} -> {}\n", level.level,
                    sim::bytesText(level.moved.before), sim::bytesText(level.moved.after),
                    shareText(level.moved), sim::percent(level.useful.before, level.moved.before),
                    sim::percent(level.useful.after, level.moved.after));
  return text.empty() ? "" : "bytes\n" + text;
}

std::string boundsText(const RunDiff& diff) {
  std::string text;
  for (const BoundChange& bound : diff.bounds)
    text += fmt::format("  {:<7} {} -> {} cycles; reached {} -> {}\n", bound.name,
                        sim::grouped(bound.cycles.before), sim::grouped(bound.cycles.after),
                        sim::percent(bound.cycles.before, diff.cycles.before),
                        sim::percent(bound.cycles.after, diff.cycles.after));
  return text.empty() ? "" : "bounds\n" + text;
}

std::string placeText(const sim::CodePlace& place) {
  if (place.line != 0) return fmt::format("{}:{}", place.file, place.line);
  return place.function.empty() ? "(about no line)" : place.function;
}

std::string linesText(const RunDiff& diff) {
  if (diff.lines.empty()) return "";
  std::string text = "lines, cycles of all units\n";
  for (size_t i = 0; i < std::min(kMostLines, diff.lines.size()); ++i) {
    const LineChange& line = diff.lines[i];
    text += fmt::format("  {:<28} {} -> {}: {}  {}\n", placeText(line.place),
                        sim::grouped(line.cycles.before), sim::grouped(line.cycles.after),
                        signedText(line.cycles), causes(line.activities));
  }
  if (diff.lines.size() > kMostLines)
    text += fmt::format("  ... and {} more (see --json)\n", diff.lines.size() - kMostLines);
  return text;
}

std::string countersText(const char* title, const std::vector<CounterChange>& counters) {
  std::string text;
  for (const CounterChange& counter : counters)
    text += fmt::format("  {:<24} {} -> {}{}\n", counter.name, sim::grouped(counter.change.before),
                        sim::grouped(counter.change.after), shareText(counter.change));
  return text.empty() ? "" : fmt::format("{}\n{}", title, text);
}

std::vector<const RunResult*> untimed(const RunDiff& diff) {
  std::vector<const RunResult*> runs;
  for (const RunResult* run : {&diff.before, &diff.after})
    if (!run->timing) runs.push_back(run);
  return runs;
}

Json changeJson(const Change& c) { return {{"before", c.before}, {"after", c.after}}; }

/// Only what differs.
Json activitiesJson(const ActivityChanges& changes) {
  Json json = Json::object();
  for (size_t a = 0; a < changes.size(); ++a)
    if (!changes[a].none())
      json[std::string(activityName(static_cast<sim::Activity>(a)))] = changeJson(changes[a]);
  return json;
}

Json runJson(const RunResult& run) {
  return {{"file", run.file},     {"program", run.program}, {"machine", run.machine},
          {"device", run.device}, {"success", run.success}, {"timed", run.timing.has_value()}};
}

Json countersJson(const std::vector<CounterChange>& counters) {
  Json json = Json::object();
  for (const CounterChange& counter : counters) json[counter.name] = changeJson(counter.change);
  return json;
}

Json timingChangesJson(const RunDiff& diff) {
  Json units = Json::object(), levels = Json::object(), bounds = Json::object(),
       lines = Json::array();
  for (const UnitChange& unit : diff.units)
    units[std::string(trackName(unit.track))] = activitiesJson(unit.cycles);
  for (const LevelChange& level : diff.levels)
    levels[level.level] = {{"moved", changeJson(level.moved)},
                           {"useful", changeJson(level.useful)}};
  for (const BoundChange& bound : diff.bounds) bounds[bound.name] = changeJson(bound.cycles);
  for (const LineChange& line : diff.lines)
    lines.push_back({{"file", line.place.file},
                     {"line", line.place.line},
                     {"function", line.place.function},
                     {"cycles", changeJson(line.cycles)},
                     {"activities", activitiesJson(line.activities)}});
  return {{"cycles", changeJson(diff.cycles)},
          {"picoseconds", changeJson(diff.picoseconds)},
          {"cores", changeJson(diff.cores)},
          {"work", countersJson(diff.work)},
          {"busiest_before", trackName(diff.busiest)},
          {"units", units},
          {"critical_path", countersJson(diff.critical)},
          {"levels", levels},
          {"bounds", bounds},
          {"lines", lines}};
}

}  // namespace

std::string diffText(const RunDiff& diff) {
  std::string text = runText("before", diff.before) + runText("after", diff.after);
  if (diff.timed) {
    text += fmt::format("cycles  {} -> {}{}\n", sim::grouped(diff.cycles.before),
                        sim::grouped(diff.cycles.after), shareText(diff.cycles));
    text += fmt::format("time    {} -> {}{}\n", sim::timeText(diff.picoseconds.before),
                        sim::timeText(diff.picoseconds.after), shareText(diff.picoseconds));
    if (!diff.cores.none())
      text += fmt::format("cores   {} -> {}\n", diff.cores.before, diff.cores.after);
    text += countersText("not the same work", diff.work) + unitsText(diff) +
            countersText("critical path", diff.critical) + boundsText(diff) + levelsText(diff) +
            linesText(diff);
  }
  text += countersText("counters that differ", diff.counters);
  for (const RunResult* run : untimed(diff))
    text += fmt::format("no timing in {}: its device, {}, keeps no time\n", run->file, run->device);
  if (!diff.timed && diff.counters.empty()) text += "no counter differs\n";
  return text;
}

std::string diffJson(const RunDiff& diff) {
  const Json json{{"before", runJson(diff.before)},
                  {"after", runJson(diff.after)},
                  {"counters", countersJson(diff.counters)},
                  {"timing", diff.timed ? timingChangesJson(diff) : Json(nullptr)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace etalon::tools
