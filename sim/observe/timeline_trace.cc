// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/timeline_trace.h"

#include <fmt/format.h>

#include <utility>

#include "isa/codec/codec.h"

namespace etalon::sim {
namespace {

/// One arrow an instruction.
uint64_t flowOf(const TileRecord& record) {
  return (uint64_t{record.core} + 1) << 48 | record.sequence;
}

std::string quantity(const PathInfo& path) {
  return fmt::format("{} {}, B a cycle", path.level, path.name);
}

}  // namespace

TimelineTrace::TimelineTrace(const RunShape& shape, std::unique_ptr<TraceSink> sink)
    : sink_(std::move(sink)) {
  for (unsigned c = 0; c < shape.cores; ++c) {
    Core core;
    core.group = sink_->addGroup(coreName(c, shape.cores, shape.devices));
    for (size_t t = 0; t < size_t{kTracks}; ++t) {
      const std::string_view name = trackName(static_cast<Track>(t));
      core.units[t] = sink_->addUnit(core.group, std::string(name));
      core.queues[t].name = fmt::format("{} queue", name);
      core.instructions[t].name = fmt::format("{} instructions", name);
      core.counters[t] = sink_->addCounter(core.group, t == Occupancy::kWindow
                                                           ? "in the window"
                                                           : fmt::format("in the {} queue", name));
    }
    const auto counters = core.counters;
    occupancies_.emplace_back([this, counters](size_t series, Cycles time, uint64_t value) {
      sink_->counter(counters[series], time, static_cast<double>(value));
    });
    cores_.push_back(std::move(core));
  }
  const TraceSink::TrackId chip = sink_->addGroup(
      fmt::format("chip (1 ns here is 1 cycle; the clock has {} MHz)", shape.clock_mhz));
  for (const PathInfo& path : shape.paths) {
    const TraceSink::TrackId counter = sink_->addCounter(chip, quantity(path));
    rates_.emplace_back(
        [this, counter](Cycles time, double value) { sink_->counter(counter, time, value); });
  }
}

void TimelineTrace::span(const TrackSpan& span) {
  const TraceArgument pc{"pc", span.pc, true};
  TraceSink::Event event;
  event.track = cores_.at(span.core).units.at(static_cast<size_t>(span.track));
  event.name = activityName(span.activity);
  event.begin = span.begin;
  event.end = span.end;
  if (span.pc != 0) event.arguments = {&pc, 1};
  sink_->event(event);
}

TraceSink::TrackId TimelineTrace::laneFor(const Core& core, Lanes& lanes, Cycles begin,
                                          Cycles end) {
  for (Lanes::Lane& lane : lanes.lanes)
    if (lane.end <= begin) {
      lane.end = end;
      return lane.track;
    }
  lanes.lanes.push_back({sink_->addLane(core.group, lanes.name), end});
  return lanes.lanes.back().track;
}

std::string_view TimelineTrace::text(uint32_t raw) {
  const auto [entry, added] = texts_.try_emplace(raw);
  if (added) entry->second = isa::disassemble(raw);
  return entry->second;
}

void TimelineTrace::tile(const TileRecord& record) {
  Core& core = cores_.at(record.core);
  const auto unit = static_cast<size_t>(record.track);
  TraceSink::Event event;
  event.name = text(record.instruction.raw);
  event.flow = flowOf(record);

  const std::array issued = {TraceArgument{"pc", record.pc, true},
                             TraceArgument{"sequence", record.sequence}};
  event.track = core.units[static_cast<size_t>(Track::scalar)];
  event.begin = event.end = record.issue;
  event.arguments = issued;
  event.flow_step = FlowStep::begin;
  sink_->event(event);

  const std::array waited = {issued[0], issued[1], TraceArgument{"ready", record.ready},
                             TraceArgument{"waited_for", record.waited_for}};
  event.track = laneFor(core, core.queues[unit], record.issue, record.taken);
  event.end = record.taken;
  event.arguments = waited;
  event.flow_step = FlowStep::step;
  sink_->event(event);

  const std::array done = {issued[0],
                           issued[1],
                           TraceArgument{"issue", record.issue},
                           TraceArgument{"start", record.start},
                           TraceArgument{"first_result", record.first_result},
                           TraceArgument{"read_done", record.read_done},
                           TraceArgument{"macs", record.macs},
                           TraceArgument{"elements", record.elements},
                           TraceArgument{"bytes", record.bytes}};
  event.track = laneFor(core, core.instructions[unit], record.taken, record.done);
  event.begin = record.taken;
  event.end = record.done;
  event.arguments = done;
  event.flow_step = FlowStep::end;
  sink_->event(event);

  occupancies_[record.core].add(record);
}

void TimelineTrace::transfer(const Transfer& transfer) { rates_.at(transfer.path).add(transfer); }

void TimelineTrace::finish(Cycles /*total*/) {
  for (Occupancy& occupancy : occupancies_) occupancy.finish();
  for (Rate& rate : rates_) rate.finish();
}

Status TimelineTrace::close() { return sink_->close(); }

}  // namespace etalon::sim
