// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/json_sink.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace etalon::sim {
namespace {

std::string jsonText(std::string_view text) { return nlohmann::json(text).dump(); }

std::string microseconds(Cycles cycles) {
  return fmt::format("{}.{:03}", cycles / 1000, cycles % 1000);
}

}  // namespace

JsonSink::JsonSink(std::unique_ptr<TraceOutput> output, uint64_t most_events)
    : output_(std::move(output)), most_events_(most_events) {
  output_->write("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
}

void JsonSink::write(const std::string& members) {
  if (events_ == most_events_)
    output_->fail(
        Error{fmt::format("a json trace has {} events at most, and this run has more; the perfetto "
                          "format has no limit",
                          most_events_)});
  output_->write(fmt::format("{}\n{{{}}}", events_ == 0 ? "" : ",", members));
  ++events_;
}

TraceSink::TrackId JsonSink::addTrack(TrackId group, const std::string& name) {
  tracks_.push_back({group, name});
  const auto track = static_cast<TrackId>(tracks_.size());
  if (group == 0) tracks_.back().group = track;
  write(fmt::format(R"("ph": "M", "name": "{}", "pid": {}, "tid": {}, "args": {{"name": {}}})",
                    group == 0 ? "process_name" : "thread_name", tracks_.back().group, track,
                    jsonText(name)));
  return track;
}

TraceSink::TrackId JsonSink::addGroup(const std::string& name) { return addTrack(0, name); }

TraceSink::TrackId JsonSink::addUnit(TrackId group, const std::string& name) {
  return addTrack(group, name);
}

TraceSink::TrackId JsonSink::addLane(TrackId group, const std::string& name) {
  return addTrack(group, name);
}

TraceSink::TrackId JsonSink::addCounter(TrackId group, const std::string& name) {
  tracks_.push_back({group, name});  // known by its name alone
  return static_cast<TrackId>(tracks_.size());
}

void JsonSink::event(const Event& event) {
  const Track& track = tracks_.at(event.track - 1);
  const std::string place = fmt::format(R"("pid": {}, "tid": {}, "ts": {})", track.group,
                                        event.track, microseconds(event.begin));
  std::string arguments;
  for (const TraceArgument& a : event.arguments)
    arguments +=
        fmt::format("{}\"{}\": {}", arguments.empty() ? "" : ", ", a.name,
                    a.address ? fmt::format("\"{:#x}\"", a.value) : std::to_string(a.value));
  write(fmt::format(R"("ph": "{}", "name": {}, {}, {}, "args": {{{}}})",
                    event.begin == event.end ? 'i' : 'X', jsonText(event.name), place,
                    event.begin == event.end
                        ? std::string(R"("s": "t")")
                        : fmt::format(R"("dur": {})", microseconds(event.end - event.begin)),
                    arguments));
  if (event.flow_step == FlowStep::none) return;
  const char phase = event.flow_step == FlowStep::begin  ? 's'
                     : event.flow_step == FlowStep::step ? 't'
                                                         : 'f';
  write(fmt::format(R"("ph": "{}", "bp": "e", "cat": "flow", "name": "instruction", "id": {}, {})",
                    phase, event.flow, place));
}

void JsonSink::counter(TrackId track, Cycles time, double value) {
  const Track& counter = tracks_.at(track - 1);
  write(fmt::format(R"("ph": "C", "name": {}, "pid": {}, "ts": {}, "args": {{"value": {}}})",
                    jsonText(counter.name), counter.group, microseconds(time), value));
}

Status JsonSink::close() {
  output_->write("\n]}\n");
  return output_->close();
}

}  // namespace etalon::sim
