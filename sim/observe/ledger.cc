// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/ledger.h"

#include <algorithm>
#include <utility>

#include "isa/base/check.h"

namespace etalon::sim {

Ledger::Ledger(RunShape shape) : shape_(std::move(shape)), timeline_(shape_.cores) {
  for (unsigned core = 0; core < shape_.cores; ++core)
    for (int track = 0; track < kTracks; ++track)
      units_.push_back({static_cast<uint16_t>(core), static_cast<Track>(track), {}});
  ends_.resize(units_.size());
  for (const PathInfo& path : shape_.paths) paths_.push_back({path, 1, 0, 0, 0});
}

size_t Ledger::unitIndex(uint16_t core, Track track) const {
  ETALON_CHECK(core < shape_.cores, "a record of a core that did not run");
  const auto index = static_cast<size_t>(track);
  ETALON_CHECK(index < size_t{kTracks}, "a record of a unit that has no track");
  return size_t{core} * kTracks + index;
}

CodeCost& Ledger::codeOf(uint64_t pc) {
  Found& found = found_[pc / sizeof(uint32_t) % found_.size()];
  if (found.cost == nullptr || found.pc != pc) found = {pc, &code_[pc]};
  return *found.cost;
}

void Ledger::span(const TrackSpan& span) {
  ETALON_CHECK(!finished_, "a span after the end of the run");
  const size_t unit = unitIndex(span.core, span.track);
  ETALON_CHECK(span.begin == ends_[unit], "spans of a unit must follow without gap or overlap");
  ETALON_CHECK(span.end > span.begin, "a span without a cycle");
  const auto activity = static_cast<size_t>(span.activity);
  ETALON_CHECK(activity < size_t{kActivities}, "an activity outside of the closed list");
  const Cycles cycles = span.end - span.begin;
  ends_[unit] = span.end;
  units_[unit].cycles[activity] += cycles;
  codeOf(span.pc).cycles[static_cast<size_t>(span.track)][activity] += cycles;
  timeline_.add(span);
}

void Ledger::tile(const TileRecord& record) {
  ETALON_CHECK(!finished_, "a tile instruction after the end of the run");
  unitIndex(record.core, record.track);
  const bool in_order = record.issue <= record.ready && record.issue <= record.taken &&
                        record.taken <= record.start && record.start <= record.done;
  ETALON_CHECK(in_order, "times of a tile instruction must follow each other");
  CodeCost& cost = codeOf(record.pc);
  ++cost.tiles;
  cost.macs += record.macs;
  cost.elements += record.elements;
  cost.bytes += record.bytes;
  ++tiles_;
  macs_ += record.macs;
  elements_ += record.elements;
  bytes_ += record.bytes;
}

void Ledger::transfer(const Transfer& transfer) {
  ETALON_CHECK(!finished_, "a transfer after the end of the run");
  ETALON_CHECK(transfer.path < paths_.size(), "a transfer over a path that the run does not have");
  ETALON_CHECK(transfer.begin < transfer.end, "a transfer without a cycle");
  ETALON_CHECK(transfer.useful <= transfer.moved, "more useful bytes than moved");
  PathBytes& path = paths_[transfer.path];
  path.moved += transfer.moved;
  path.useful += transfer.useful;
  ++path.transfers;
}

void Ledger::finish(Cycles total) {
  ETALON_CHECK(!finished_, "a run ends once");
  for (const Cycles end : ends_)
    ETALON_CHECK(end == total, "the last span of a unit must end with the run");
  finished_ = true;
  total_ = total;
}

TimedReport Ledger::report() const {
  ETALON_CHECK(finished_, "the run is not over");
  TimedReport report;
  report.cycles = total_;
  report.clock_mhz = shape_.clock_mhz;
  report.cores = shape_.cores;
  report.devices = shape_.devices;
  report.units = units_;
  report.paths = paths_;
  report.tiles = tiles_;
  report.macs = macs_;
  report.elements = elements_;
  report.bytes = bytes_;
  for (const auto& [pc, cost] : code_) report.code.push_back({pc, cost});
  std::ranges::sort(report.code, {}, &PcCost::pc);
  report.timeline = timeline_.timeline();
  for (const UnitCycles& unit : units_)
    ETALON_CHECK(sum(unit.cycles) == total_, "a unit's ledger must sum up to the run's cycles");
  return report;
}

}  // namespace etalon::sim
