// SPDX-License-Identifier: Apache-2.0
#include "tools/timing/report_html.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/observe/ledger_text.h"
#include "tools/timing/html_parts.h"

namespace etalon::tools {
namespace {

using sim::Activity;
using sim::ActivityCycles;
using sim::kTracks;
using sim::Track;

constexpr size_t kMostPlaces = 20, kMostPaths = 256, kCauses = 4;

std::string section(const char* title, const std::string& body) {
  return body.empty() ? "" : fmt::format("<section><h2>{}</h2>\n{}</section>\n", title, body);
}

std::string details(const std::string& title, const std::string& body) {
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", title, body);
}

std::string card(const std::string& value, const std::string& what) {
  return fmt::format("<div class=\"card\"><b>{}</b><span>{}</span></div>\n", value, what);
}

Cycles wholeOf(const sim::TimedReport& report) { return report.cycles * report.cores; }

std::string headline(const sim::TimedReport& report) {
  std::string cards =
      card(sim::grouped(report.cycles), "cycles on " + sim::coresText(report)) +
      card(sim::timeText(report.picoseconds()), fmt::format("at {} MHz", report.clock_mhz));
  if (const sim::Bound* matrix = report.boundNamed("matrix");
      matrix != nullptr && matrix->work != 0)
    cards += card(sim::percent(matrix->cycles(), report.cycles), "of the matrix units' peak");
  if (const sim::Bound* bound = report.tightest())
    cards += card(sim::percent(bound->cycles(), report.cycles),
                  fmt::format("of the tightest bound, {}", escaped(bound->name)));
  if (const sim::EnergyTotal energy = energyTotal(report.energy); energy.counted != 0)
    cards += card(sim::energyText(energy.nominal_fj),
                  fmt::format("energy, {} to {}", sim::energyText(energy.low_fj),
                              sim::energyText(energy.high_fj)));
  const std::string machine =
      report.machine.empty() ? "" : "machine <b>" + escaped(report.machine) + "</b>";
  return fmt::format(
      "<header><h1>{}</h1>\n<p class=\"under\">{}{}{}</p></header>\n"
      "<div class=\"cards\">\n{}</div>\n",
      escaped(report.program.empty() ? "A timed run" : report.program), machine,
      report.machine_title.empty() ? "" : ": " + escaped(report.machine_title),
      report.device.empty() ? "" : " (" + escaped(report.device) + ")", cards);
}

/// The largest causes of lost cycles, in words.
std::string causes(const ActivityCycles& cycles, Cycles whole) {
  std::vector<size_t> order;
  for (size_t a = 0; a < cycles.size(); ++a)
    if (cycles[a] != 0 && static_cast<Activity>(a) != Activity::busy) order.push_back(a);
  std::ranges::sort(order, [&](size_t a, size_t b) {
    return cycles[a] != cycles[b] ? cycles[a] > cycles[b] : a < b;
  });
  std::string text;
  for (size_t i = 0; i < std::min(order.size(), kCauses); ++i) {
    std::string name(activityName(static_cast<Activity>(order[i])));
    std::ranges::replace(name, '_', ' ');
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name,
                        sim::percent(cycles[order[i]], whole));
  }
  // A number keeps its sign of percent.
  for (size_t at = 0; (at = text.find(" %", at)) != std::string::npos;)
    text.replace(at, 1, "&nbsp;");
  return text;
}

std::string unitsTable(const sim::TimedReport& report) {
  std::vector<std::string> head = {"cycles of"};
  std::vector<size_t> shown;
  for (size_t a = 0; a < size_t{sim::kActivities}; ++a)
    if (std::ranges::any_of(report.units, [&](const auto& u) { return u.cycles[a] != 0; })) {
      shown.push_back(a);
      std::string name(activityName(static_cast<Activity>(a)));
      std::ranges::replace(name, '_', ' ');
      head.push_back(name);
    }
  std::vector<std::vector<std::string>> rows;
  for (const sim::UnitCycles& unit : report.units) {
    rows.push_back({fmt::format("{}, {}", report.coreName(unit.core), trackName(unit.track))});
    for (const size_t a : shown)
      rows.back().push_back(unit.cycles[a] == 0 ? "" : sim::grouped(unit.cycles[a]));
  }
  return table(head, rows, 1);
}

std::string unitsSection(const sim::TimedReport& report) {
  std::string html;
  std::vector<ActivityCycles> ledgers;
  for (int t = 0; t < kTracks; ++t) {
    const auto track = static_cast<Track>(t);
    ledgers.push_back(report.unitCycles(track));
    const ActivityCycles& cycles = ledgers.back();
    html += fmt::format(
        "<div class=\"unit\"><span class=\"name\">{}</span>{}<span class=\"share\">{}</span>"
        "<span class=\"why\">{}</span></div>\n",
        trackName(track), activityBar(cycles, wholeOf(report)),
        sim::percent(cyclesOf(cycles, Activity::busy), wholeOf(report)),
        causes(cycles, wholeOf(report)));
  }
  return "<p class=\"faint\">Every cycle of every unit, busy or why not; the number is the busy "
         "share.</p>\n" +
         html + activityLegend(ledgers) +
         details(report.cores == 1 ? "In cycles" : "In cycles, core by core", unitsTable(report));
}

std::string criticalSection(const sim::TimedReport& report) {
  if (!report.critical || report.cycles == 0) return "";
  const auto& parts = *report.critical;
  std::vector<size_t> order;
  for (size_t p = 0; p < parts.size(); ++p)
    if (parts[p] != 0) order.push_back(p);
  std::ranges::sort(order, [&](size_t a, size_t b) {
    return parts[a] != parts[b] ? parts[a] > parts[b] : a < b;
  });
  std::vector<std::vector<std::string>> rows;
  for (const size_t p : order) {
    std::string name(pathPartName(static_cast<sim::PathPart>(p)));
    std::ranges::replace(name, '_', ' ');
    rows.push_back({name, plainBar(parts[p], report.cycles), sim::grouped(parts[p]),
                    sim::percent(parts[p], report.cycles)});
  }
  return "<p class=\"faint\">The chain of events that the length of the run hangs on, by what its "
         "cycles "
         "pass in. Were that free, the run would gain so much at most.</p>\n" +
         table({"part", "of the path", "cycles", "share"}, rows, 2);
}

std::string whatIfSection(const sim::TimedReport& report) {
  if (report.what_if.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const sim::WhatIf& one : report.what_if)
    rows.push_back({escaped(one.resource), plainBar(one.cycles, report.cycles),
                    sim::grouped(one.cycles), sim::percent(one.cycles, report.cycles)});
  return "<p class=\"faint\">The same run on a machine with one resource that costs next to "
         "nothing.</p>\n" +
         table({"resource", "of this run", "cycles", "share"}, rows, 2);
}

std::string boundsSection(const sim::TimedReport& report) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(report.bounds.size());
  for (const sim::Bound& bound : report.bounds)
    rows.push_back({escaped(bound.name) +
                        (bound.source.empty()
                             ? ""
                             : "<br><span class=\"faint\">" + escaped(bound.source) + "</span>"),
                    fmt::format("{} {}", sim::grouped(bound.work), escaped(bound.unit)),
                    fmt::format("{} a cycle", sim::thousandths(bound.peak)),
                    sim::grouped(bound.cycles()), sim::percent(bound.cycles(), report.cycles)});
  return rows.empty() ? ""
                      : table({"bound", "work", "peak", "cycles at least", "reached"}, rows, 1);
}

std::vector<std::string> pathRow(const sim::TimedReport& report, const sim::PathBytes& path,
                                 const std::string& name) {
  return {name, sim::bytesText(path.moved), sim::percent(path.useful, path.moved),
          path.path.peak == 0 ? "" : sim::thousandths(path.path.peak) + " B a cycle",
          path.path.peak == 0
              ? ""
              : sim::percent(sim::partOf(path.moved, report.cycles, 1000), path.path.peak)};
}

std::string bytesSection(const sim::TimedReport& report) {
  if (report.paths.empty()) return "";
  std::vector<std::vector<std::string>> rows, single;
  for (const sim::PathBytes& level : report.levels())
    rows.push_back(pathRow(report, level,
                           escaped(level.path.level) +
                               (level.paths == 1 ? "" : fmt::format(", {} paths", level.paths))));
  for (const sim::PathBytes& path : report.paths)
    if (single.size() < kMostPaths)
      single.push_back(pathRow(report, path, escaped(path.path.level + ", " + path.path.name)));
  const std::vector<std::string> head = {"path", "moved", "useful", "peak", "of the peak"};
  const std::string title =
      single.size() < report.paths.size()
          ? fmt::format("Path by path, the first {} of {}", single.size(), report.paths.size())
          : "Path by path";
  return table(head, rows, 1) + details(title, table(head, single, 1));
}

/// A path that breaks between its parts, so that a line's number stays whole.
std::string pathHtml(const std::string& path) {
  std::string html = escaped(path);
  for (size_t at = 0; (at = html.find('/', at)) != std::string::npos; at += 6)
    html.insert(at + 1, "<wbr>");
  return html;
}

std::string placeName(const sim::CodePlace& place) {
  if (place.line != 0)
    return fmt::format("{}:{}{}", pathHtml(place.file), place.line,
                       place.function.empty()
                           ? ""
                           : " <span class=\"faint\">" + escaped(place.function) + "</span>");
  if (!place.function.empty()) return escaped(place.function);
  return "<span class=\"faint\">about no instruction, or none of a known place</span>";
}

std::vector<std::string> placeRow(const sim::TimedReport& report, const sim::PlaceCost& place) {
  ActivityCycles all{};
  for (const ActivityCycles& of_track : place.cost.cycles)
    for (size_t a = 0; a < all.size(); ++a) all[a] += of_track[a];
  const Cycles total = place.cost.total();
  std::string bar = activityBar(all, total);
  bar.replace(bar.find("\"bar\""), 5, "\"small bar\"");
  return {placeName(place.place),
          bar,
          causes(all, total),
          sim::percent(total, wholeOf(report) * kTracks),
          sim::grouped(total),
          report.critical ? sim::grouped(place.cost.critical) : "",
          sim::grouped(place.cost.tiles)};
}

/// Dearest first; what has no place stands last.
std::string placesTable(const sim::TimedReport& report, const std::vector<sim::PlaceCost>& places,
                        const char* what) {
  std::vector<std::vector<std::string>> rows;
  const auto known = [](const sim::PlaceCost& p) {
    return p.place.line != 0 || !p.place.function.empty();
  };
  for (const sim::PlaceCost& place : places)
    if (known(place) && rows.size() < kMostPlaces) rows.push_back(placeRow(report, place));
  for (const sim::PlaceCost& place : places)
    if (!known(place)) rows.push_back(placeRow(report, place));
  return table(
      {what, "busy or why not", "most lost to", "share", "cycles", "critical", "tile instructions"},
      rows, 3);
}

std::string codeSection(const sim::TimedReport& report) {
  if (report.lines.empty()) return "";
  std::string html =
      "<p class=\"faint\">Cycles of all units that are about an instruction of the line, busy and "
      "lost; "
      "rows add up to all cycles of all units.</p>\n" +
      placesTable(report, report.lines, "line");
  if (report.lines.size() > kMostPlaces)
    html += fmt::format("<p class=\"faint\">The dearest {} of {}; --json has all.</p>\n",
                        kMostPlaces, report.lines.size());
  return html + details("By function", placesTable(report, report.functions, "function"));
}

std::string energySection(const sim::TimedReport& report) {
  std::vector<std::vector<std::string>> rows;
  for (const sim::EnergyRow& row : report.energy) {
    const bool known = !row.source.empty();
    const auto of = [&](uint64_t one) {
      return known ? sim::energyText(row.count * one) : std::string();
    };
    rows.push_back({escaped(row.action), known ? escaped(row.source) : "no figure",
                    sim::grouped(row.count), of(row.low_fj), of(row.nominal_fj), of(row.high_fj)});
  }
  return rows.empty() ? ""
                      : table({"action", "source", "count", "low", "nominal", "high"}, rows, 2);
}

std::string machineSection(const sim::TimedReport& report) {
  std::vector<std::vector<std::string>> rows;
  rows.reserve(report.machine_values.size());
  for (const isa::MachineValue& value : report.machine_values)
    rows.push_back(
        {"<code>" + escaped(value.key) + "</code>", escaped(value.value), escaped(value.source)});
  if (rows.empty()) return "";
  return details(fmt::format("{} numbers, each with its source", rows.size()),
                 table({"key", "value", "source"}, rows, 3));
}

}  // namespace

std::string reportHtml(const sim::TimedReport& report) {
  std::string body = headline(report);
  body += section("Where the cycles went", unitsSection(report));
  body += section("Over time", timelineSvg(report));
  body += section("Critical path", criticalSection(report));
  body += section("Were it free", whatIfSection(report));
  body += section("Bounds", boundsSection(report));
  body += section("Roofline", rooflineSvg(report));
  body += section("Bytes", bytesSection(report));
  body += section("Dearest lines", codeSection(report));
  body += section("Energy", energySection(report));
  body += section("Machine", machineSection(report));
  if (!report.command.empty())
    body += section("To repeat it", "<pre>" + escaped(report.command) + "</pre>\n");
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}: {} "
      "cycles</title>\n<style>{}</style>\n</head>\n<body>\n<main>\n{}</main>\n</body>\n</html>\n",
      escaped(report.program.empty() ? "A timed run" : report.program), sim::grouped(report.cycles),
      reportStyle(), body);
}

}  // namespace etalon::tools
