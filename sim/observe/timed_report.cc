// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/timed_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "isa/base/check.h"

namespace etalon::sim {
namespace {

// Products of two 64-bit numbers.
__extension__ typedef unsigned __int128 Wide;

/// Dearest first; equal ones in the order of the source, so that reports do not depend on a hash.
void sortByCost(std::vector<PlaceCost>& places) {
  std::ranges::sort(places, [](const PlaceCost& a, const PlaceCost& b) {
    const auto key = [](const PlaceCost& p) {
      return std::tie(p.place.file, p.place.line, p.place.function);
    };
    const Cycles left = a.cost.total(), right = b.cost.total();
    return left != right ? left > right : key(a) < key(b);
  });
}

std::string scaled(uint64_t value, uint64_t step, std::initializer_list<const char*> units) {
  uint64_t unit = 1;
  auto name = units.begin();
  while (name + 1 != units.end() && value / unit >= step) {
    unit *= step;
    ++name;
  }
  if (unit == 1) return fmt::format("{} {}", value, *name);
  // Three significant digits; 999.6 of a unit stays one of it.
  const uint64_t whole = value / unit;
  const uint64_t digits = whole >= 100 ? 1 : whole >= 10 ? 10 : 100;
  const uint64_t parts = partOf(value, unit, digits);
  if (digits == 1) return fmt::format("{} {}", parts, *name);
  return fmt::format("{}.{:0{}} {}", parts / digits, parts % digits, digits == 10 ? 1 : 2, *name);
}

}  // namespace

Cycles sum(const ActivityCycles& cycles) {
  return std::accumulate(cycles.begin(), cycles.end(), Cycles{0});
}

Cycles CodeCost::total() const {
  Cycles all = 0;
  for (const ActivityCycles& of_track : cycles) all += sum(of_track);
  return all;
}

Cycles CodeCost::lost() const {
  Cycles busy = 0;
  for (const ActivityCycles& of_track : cycles) busy += cyclesOf(of_track, Activity::busy);
  return total() - busy;
}

CodeCost& CodeCost::operator+=(const CodeCost& other) {
  for (size_t t = 0; t < cycles.size(); ++t)
    for (size_t a = 0; a < cycles[t].size(); ++a) cycles[t][a] += other.cycles[t][a];
  tiles += other.tiles;
  macs += other.macs;
  elements += other.elements;
  bytes += other.bytes;
  critical += other.critical;
  return *this;
}

Cycles Bound::cycles() const {
  ETALON_CHECK(peak != 0, "a bound wants a peak");
  return static_cast<Cycles>((Wide{work} * 1000 + peak - 1) / peak);
}

ActivityCycles TimedReport::unitCycles(Track track) const {
  ActivityCycles all{};
  for (const UnitCycles& unit : units)
    if (unit.track == track)
      for (size_t a = 0; a < all.size(); ++a) all[a] += unit.cycles[a];
  return all;
}

std::vector<PathBytes> TimedReport::levels() const {
  std::vector<PathBytes> levels;
  for (const PathBytes& path : paths) {
    auto level = std::ranges::find_if(
        levels, [&](const PathBytes& l) { return l.path.level == path.path.level; });
    if (level == levels.end()) {
      levels.push_back({{path.path.level, "", 0}, 0, 0, 0, 0});
      level = levels.end() - 1;
    }
    level->path.peak += path.path.peak;
    ++level->paths;
    level->moved += path.moved;
    level->useful += path.useful;
    level->transfers += path.transfers;
  }
  return levels;
}

const Bound* TimedReport::tightest() const {
  const auto found = std::ranges::max_element(bounds, {}, &Bound::cycles);
  return found == bounds.end() ? nullptr : &*found;
}

const Bound* TimedReport::boundNamed(std::string_view name) const {
  const auto found = std::ranges::find(bounds, name, &Bound::name);
  return found == bounds.end() ? nullptr : &*found;
}

uint64_t TimedReport::picoseconds() const {
  ETALON_CHECK(clock_mhz != 0, "a machine wants a clock");
  return static_cast<uint64_t>((Wide{cycles} * 1'000'000 + clock_mhz / 2) / clock_mhz);
}

EnergyTotal energyTotal(const std::vector<EnergyRow>& rows) {
  EnergyTotal total;
  for (const EnergyRow& row : rows) {
    if (row.source.empty()) continue;
    ++total.counted;
    total.low_fj += row.count * row.low_fj;
    total.nominal_fj += row.count * row.nominal_fj;
    total.high_fj += row.count * row.high_fj;
  }
  return total;
}

void locateCode(TimedReport& report, const Locate& locate) {
  std::map<std::tuple<std::string, int, std::string>, CodeCost> lines, functions;
  for (const PcCost& code : report.code) {
    const CodePlace place = code.pc == 0 ? CodePlace{} : locate(code.pc);
    lines[{place.file, place.line, place.function}] += code.cost;
    functions[{place.function.empty() ? "" : place.file, 0, place.function}] += code.cost;
  }
  const auto listed = [](const auto& costs) {
    std::vector<PlaceCost> places;
    places.reserve(costs.size());
    for (const auto& [place, cost] : costs)
      places.push_back({{std::get<0>(place), std::get<1>(place), std::get<2>(place)}, cost});
    sortByCost(places);
    return places;
  };
  report.lines = listed(lines);
  report.functions = listed(functions);
}

uint64_t partOf(uint64_t part, uint64_t whole, uint64_t scale) {
  if (whole == 0) return 0;
  return static_cast<uint64_t>((Wide{part} * scale + whole / 2) / whole);
}

std::string percent(uint64_t part, uint64_t whole) {
  const uint64_t permille = partOf(part, whole, 1000);
  return fmt::format("{}.{} %", permille / 10, permille % 10);
}

std::string grouped(uint64_t value) {
  std::string text = std::to_string(value);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, " ");
  return text;
}

std::string bytesText(uint64_t bytes) {
  return scaled(bytes, 1000, {"B", "kB", "MB", "GB", "TB", "PB", "EB"});
}

std::string timeText(uint64_t picoseconds) {
  return scaled(picoseconds, 1000, {"ps", "ns", "us", "ms", "s"});
}

std::string energyText(uint64_t femtojoules) {
  return scaled(femtojoules, 1000, {"fJ", "pJ", "nJ", "uJ", "mJ", "J", "kJ"});
}

std::string thousandths(uint64_t value) {
  std::string text = fmt::format("{}.{:03}", value / 1000, value % 1000);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace etalon::sim
