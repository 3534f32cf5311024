// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/ledger_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace etalon::sim {
namespace {

constexpr size_t kBar = 24;    // characters
constexpr size_t kCauses = 3;  // of a unit or line
constexpr size_t kMostLines = 10;

/// The largest causes of lost cycles; of equal ones the first of the list of activities.
std::string causes(const ActivityCycles& cycles, Cycles whole) {
  std::vector<size_t> order;
  for (size_t a = 0; a < cycles.size(); ++a)
    if (cycles[a] != 0 && static_cast<Activity>(a) != Activity::busy) order.push_back(a);
  std::ranges::sort(order, [&](size_t a, size_t b) {
    return cycles[a] != cycles[b] ? cycles[a] > cycles[b] : a < b;
  });
  std::string text;
  for (size_t i = 0; i < std::min(order.size(), kCauses); ++i)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        activityName(static_cast<Activity>(order[i])),
                        percent(cycles[order[i]], whole));
  return text;
}

std::string unitLine(const TimedReport& report, Track track) {
  const ActivityCycles cycles = report.unitCycles(track);
  const Cycles whole = report.cycles * report.cores;
  const Cycles busy = cyclesOf(cycles, Activity::busy);
  const uint64_t filled = partOf(busy, whole, kBar);
  return fmt::format("  {:<7} {}{} {:>7}  {}\n", trackName(track), std::string(filled, '#'),
                     std::string(kBar - filled, '.'), percent(busy, whole), causes(cycles, whole));
}

std::string boundsText(const TimedReport& report) {
  std::string text;
  const Bound* tightest = report.tightest();
  for (const Bound& bound : report.bounds)
    text += fmt::format("  {:<7} {:>16} cycles for {} {}s at {} a cycle: {} reached{}\n",
                        bound.name, grouped(bound.cycles()), grouped(bound.work), bound.unit,
                        thousandths(bound.peak), percent(bound.cycles(), report.cycles),
                        &bound == tightest ? "  <- the tightest" : "");
  return text.empty() ? "" : "bounds\n" + text;
}

std::string levelsText(const TimedReport& report) {
  std::string text;
  for (const PathBytes& level : report.levels()) {
    text += fmt::format("  {:<16} {:>9}, {} useful", level.path.level, bytesText(level.moved),
                        percent(level.useful, level.moved));
    if (level.path.peak != 0 && report.cycles != 0)
      text += fmt::format(", {} of {} B a cycle",
                          percent(partOf(level.moved, report.cycles, 1000), level.path.peak),
                          thousandths(level.path.peak));
    text += "\n";
  }
  return text.empty() ? "" : "bytes\n" + text;
}

std::string energyLine(const TimedReport& report) {
  const EnergyTotal total = energyTotal(report.energy);
  if (report.energy.empty() || total.counted == 0) return "";
  return fmt::format("energy {} ({} to {}), {} of {} actions have a figure\n",
                     energyText(total.nominal_fj), energyText(total.low_fj),
                     energyText(total.high_fj), total.counted, report.energy.size());
}

std::string criticalText(const TimedReport& report) {
  if (!report.critical) return "";
  const auto& parts = *report.critical;
  std::vector<size_t> order;
  for (size_t p = 0; p < parts.size(); ++p)
    if (parts[p] != 0) order.push_back(p);
  std::ranges::sort(order, [&](size_t a, size_t b) {
    return parts[a] != parts[b] ? parts[a] > parts[b] : a < b;
  });
  std::string text;
  for (const size_t p : order)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", pathPartName(static_cast<PathPart>(p)),
                        percent(parts[p], report.cycles));
  return "critical path, what a free one would gain at most: " + text + "\n";
}

std::string placeText(const CodePlace& place) {
  if (place.line != 0) return fmt::format("{}:{}", place.file, place.line);
  if (!place.function.empty()) return place.function;
  return "(no line)";
}

std::string linesText(const TimedReport& report) {
  std::string text;
  const Cycles whole = report.cycles * report.cores * kTracks;
  size_t shown = 0;
  for (const PlaceCost& line : report.lines) {
    if (line.place.file.empty() && line.place.function.empty()) continue;
    if (shown++ == kMostLines) {
      text += "  ...\n";
      break;
    }
    ActivityCycles all{};
    for (const ActivityCycles& of_track : line.cost.cycles)
      for (size_t a = 0; a < all.size(); ++a) all[a] += of_track[a];
    const Cycles total = line.cost.total();
    text +=
        fmt::format("  {:>7} {:<28} busy {:>7}  {}\n", percent(total, whole), placeText(line.place),
                    percent(cyclesOf(all, Activity::busy), total), causes(all, total));
  }
  return text.empty() ? "" : "lines, by their share of the cycles of all units\n" + text;
}

std::string whatIfText(const TimedReport& report) {
  if (report.what_if.empty()) return "";
  std::string text = "were it free\n";
  for (const WhatIf& one : report.what_if)
    text += fmt::format("  {:<10} {:>12} cycles, {} of the run\n", one.resource,
                        grouped(one.cycles), percent(one.cycles, report.cycles));
  return text;
}

}  // namespace

std::string coresText(const TimedReport& report) {
  std::string text = fmt::format("{} core{}", report.cores, report.cores == 1 ? "" : "s");
  if (report.devices > 1) text += fmt::format(" on {} devices", report.devices);
  return text;
}

std::string ledgerText(const TimedReport& report) {
  std::string text =
      fmt::format("{} cycles, {} at {} MHz, {}\n", grouped(report.cycles),
                  timeText(report.picoseconds()), report.clock_mhz, coresText(report));
  text += boundsText(report);
  text += "units, busy and why not\n";
  for (int track = 0; track < kTracks; ++track) text += unitLine(report, static_cast<Track>(track));
  return text + criticalText(report) + whatIfText(report) + levelsText(report) +
         energyLine(report) + linesText(report);
}

}  // namespace etalon::sim
