// SPDX-License-Identifier: Apache-2.0
#include "tools/timing/timing_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tools/timing/json_members.h"

namespace etalon::tools {
namespace {

using Json = nlohmann::ordered_json;
using sim::ActivityCycles;
using sim::CodeCost;
using sim::kActivities;
using sim::kTracks;

/// Causes that cost nothing are left out.
Json cyclesJson(const ActivityCycles& cycles) {
  Json json = Json::object();
  for (size_t a = 0; a < cycles.size(); ++a)
    if (cycles[a] != 0) json[std::string(activityName(static_cast<sim::Activity>(a)))] = cycles[a];
  return json;
}

ActivityCycles readCycles(JsonMembers& of, const char* name) {
  ActivityCycles cycles{};
  for (const auto& [cause, count] : of.counts(name)) {
    size_t a = 0;
    while (a < kActivities && activityName(static_cast<sim::Activity>(a)) != cause) ++a;
    if (a == kActivities)
      of.wrong(name, fmt::format("has '{}', which is no activity of a unit", cause));
    else
      cycles[a] = count;
  }
  return cycles;
}

Json placeJson(const sim::PlaceCost& line) {
  const CodeCost& cost = line.cost;
  Json units = Json::object();
  for (size_t t = 0; t < size_t{kTracks}; ++t)
    if (sim::sum(cost.cycles[t]) != 0)
      units[std::string(trackName(static_cast<sim::Track>(t)))] = cyclesJson(cost.cycles[t]);
  return {{"file", line.place.file}, {"line", line.place.line},   {"function", line.place.function},
          {"cycles", cost.total()},  {"critical", cost.critical}, {"units", units},
          {"tiles", cost.tiles},     {"macs", cost.macs},         {"elements", cost.elements},
          {"bytes", cost.bytes}};
}

sim::PlaceCost readPlace(JsonMembers& json) {
  sim::PlaceCost line;
  line.place = {json.text("file"), static_cast<int>(json.count("line")), json.text("function")};
  JsonMembers units = json.object("units");
  for (size_t t = 0; t < size_t{kTracks}; ++t) {
    const std::string unit(trackName(static_cast<sim::Track>(t)));
    if (units.has(unit.c_str())) line.cost.cycles[t] = readCycles(units, unit.c_str());
  }
  line.cost.critical = json.count("critical");
  line.cost.tiles = json.count("tiles");
  line.cost.macs = json.count("macs");
  line.cost.elements = json.count("elements");
  line.cost.bytes = json.count("bytes");
  if (json.count("cycles") != line.cost.total())
    json.wrong("cycles", "is not the sum of its units");
  return line;
}

std::vector<sim::PlaceCost> readPlaces(JsonMembers& json, const char* name) {
  std::vector<sim::PlaceCost> places;
  for (JsonMembers& place : json.objects(name)) places.push_back(readPlace(place));
  return places;
}

template <class T, class F>
Json listOf(const std::vector<T>& values, F toJson) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(toJson(value));
  return list;
}

/// Parts that take no cycle are left out.
Json criticalJson(const sim::TimedReport& report) {
  if (!report.critical) return nullptr;
  Json json = Json::object();
  for (size_t p = 0; p < report.critical->size(); ++p)
    if ((*report.critical)[p] != 0)
      json[std::string(pathPartName(static_cast<sim::PathPart>(p)))] = (*report.critical)[p];
  return json;
}

void readCritical(JsonMembers& json, sim::TimedReport& report) {
  if (!json.has("critical_path")) return;
  Cycles all = 0;
  auto& parts = report.critical.emplace();
  for (const auto& [name, cycles] : json.counts("critical_path")) {
    size_t p = 0;
    while (p < parts.size() && pathPartName(static_cast<sim::PathPart>(p)) != name) ++p;
    if (p == parts.size())
      json.wrong("critical_path", fmt::format("has '{}', which is no part of one", name));
    else
      parts[p] = cycles;
    all += cycles;
  }
  if (all != report.cycles) json.wrong("critical_path", "does not sum up to the cycles of the run");
}

Json unitJson(const sim::UnitCycles& unit) {
  return {
      {"core", unit.core}, {"unit", trackName(unit.track)}, {"cycles", cyclesJson(unit.cycles)}};
}

Json pathJson(const sim::PathBytes& path) {
  return {{"level", path.path.level},    {"name", path.path.name},
          {"moved", path.moved},         {"useful", path.useful},
          {"transfers", path.transfers}, {"peak_thousandths", path.path.peak}};
}

Json boundJson(const sim::Bound& bound) {
  return {{"name", bound.name},       {"unit", bound.unit},
          {"work", bound.work},       {"peak_thousandths", bound.peak},
          {"cycles", bound.cycles()}, {"source", bound.source}};
}

Json energyJson(const sim::EnergyRow& row) {
  Json json{{"action", row.action}, {"count", row.count}};
  if (!row.source.empty()) {
    json["low_fj"] = row.low_fj;
    json["nominal_fj"] = row.nominal_fj;
    json["high_fj"] = row.high_fj;
    json["source"] = row.source;
  }
  return json;
}

std::vector<sim::UnitCycles> readUnits(JsonMembers& json, Cycles cycles) {
  std::vector<sim::UnitCycles> units;
  for (JsonMembers& unit : json.objects("units")) {
    sim::UnitCycles read;
    read.core = static_cast<uint16_t>(unit.count("core"));
    const std::string name = unit.text("unit");
    size_t t = 0;
    while (t < kTracks && trackName(static_cast<sim::Track>(t)) != name) ++t;
    if (t == kTracks)
      unit.wrong("unit", fmt::format("is '{}', which is no unit", name));
    else
      read.track = static_cast<sim::Track>(t);
    read.cycles = readCycles(unit, "cycles");
    if (sim::sum(read.cycles) != cycles)
      unit.wrong("cycles", "do not sum up to the cycles of the run");
    units.push_back(read);
  }
  return units;
}

}  // namespace

std::string timingJson(const sim::TimedReport& report) {
  const Json json{
      {"cycles", report.cycles},
      {"clock_mhz", report.clock_mhz},
      {"picoseconds", report.picoseconds()},
      {"cores", report.cores},
      {"devices", report.devices},
      {"work",
       {{"tiles", report.tiles},
        {"macs", report.macs},
        {"elements", report.elements},
        {"bytes", report.bytes}}},
      {"units", listOf(report.units, unitJson)},
      {"paths", listOf(report.paths, pathJson)},
      {"critical_path", criticalJson(report)},
      {"bounds", listOf(report.bounds, boundJson)},
      {"energy", listOf(report.energy, energyJson)},
      {"what_if", listOf(report.what_if,
                         [](const sim::WhatIf& one) {
                           return Json{{"resource", one.resource}, {"cycles", one.cycles}};
                         })},
      {"functions", listOf(report.functions, placeJson)},
      {"lines", listOf(report.lines, placeJson)},
  };
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<sim::TimedReport> readTimingJson(std::string_view text) {
  Result<JsonMembers> parsed = JsonMembers::parse(text, "timing");
  if (!parsed.ok()) return parsed.error();
  JsonMembers& json = *parsed;
  sim::TimedReport report;
  report.cycles = json.count("cycles");
  report.clock_mhz = json.count("clock_mhz");
  if (report.clock_mhz == 0) json.wrong("clock_mhz", "is 0");
  report.cores = static_cast<unsigned>(json.count("cores"));
  report.devices = static_cast<unsigned>(json.count("devices"));
  JsonMembers work = json.object("work");
  report.tiles = work.count("tiles");
  report.macs = work.count("macs");
  report.elements = work.count("elements");
  report.bytes = work.count("bytes");
  report.units = readUnits(json, report.cycles);
  readCritical(json, report);
  for (JsonMembers& one : json.objects("what_if"))
    report.what_if.push_back({one.text("resource"), one.count("cycles")});
  for (JsonMembers& path : json.objects("paths"))
    report.paths.push_back({{path.text("level"), path.text("name"), path.count("peak_thousandths")},
                            1,
                            path.count("moved"),
                            path.count("useful"),
                            path.count("transfers")});
  for (JsonMembers& bound : json.objects("bounds")) {
    report.bounds.push_back({bound.text("name"), bound.text("unit"), bound.count("work"),
                             bound.count("peak_thousandths"), bound.text("source")});
    if (report.bounds.back().peak == 0) bound.wrong("peak_thousandths", "is 0");
  }
  for (JsonMembers& row : json.objects("energy")) {
    sim::EnergyRow read{row.text("action"), row.count("count"), "", 0, 0, 0};
    if (row.has("source")) {
      read.source = row.text("source");
      read.low_fj = row.count("low_fj");
      read.nominal_fj = row.count("nominal_fj");
      read.high_fj = row.count("high_fj");
    }
    report.energy.push_back(read);
  }
  report.functions = readPlaces(json, "functions");
  report.lines = readPlaces(json, "lines");
  if (const Status status = json.status(); !status.ok()) return status.error();
  return report;
}

}  // namespace etalon::tools
