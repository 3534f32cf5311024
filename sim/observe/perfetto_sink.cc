// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/perfetto_sink.h"

namespace etalon::sim {
namespace {

// Field numbers, from the files of github.com/google/perfetto, protos/perfetto/trace. They never change there.
namespace trace {
constexpr uint32_t kPacket = 1;
}
namespace trace_packet {  // trace_packet.proto
constexpr uint32_t kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11, kInternedData = 12,
                   kSequenceFlags = 13, kTrackDescriptor = 60;
constexpr uint64_t kStateCleared = 1, kNeedsState = 2;  // SequenceFlags
}  // namespace trace_packet
namespace track_descriptor {  // track_event/track_descriptor.proto
constexpr uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParentUuid = 5, kCounter = 8;
}
namespace process_descriptor {  // track_event/process_descriptor.proto
constexpr uint32_t kPid = 1, kName = 6;
}
namespace thread_descriptor {  // track_event/thread_descriptor.proto
constexpr uint32_t kPid = 1, kTid = 2, kName = 5;
}
namespace track_event {  // track_event/track_event.proto
constexpr uint32_t kDebugAnnotations = 4, kType = 9, kNameIid = 10, kTrackUuid = 11,
                   kDoubleCounterValue = 44, kFlowIds = 47, kTerminatingFlowIds = 48;
constexpr uint64_t kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounterType = 4;  // Type
}  // namespace track_event
namespace debug_annotation {  // track_event/debug_annotation.proto
constexpr uint32_t kNameIid = 1, kUint = 3, kPointer = 7;
}
namespace interned_data {  // interned_data/interned_data.proto
constexpr uint32_t kEventNames = 2, kDebugAnnotationNames = 3;
}
namespace interned_name {  // EventName and DebugAnnotationName
constexpr uint32_t kIid = 1, kName = 2;
}

constexpr uint64_t kSequence = 1;  // not 0

}  // namespace

uint64_t PerfettoSink::intern(Names& names, uint32_t field, std::string_view name) {
  if (const auto known = names.find(name); known != names.end()) return known->second;
  const uint64_t number = names.size() + 1;
  names.emplace(name, number);
  ProtoWriter item;
  item.integer(interned_name::kIid, number);
  item.text(interned_name::kName, name);
  interned_.message(field, item);
  return number;
}

void PerfettoSink::writePacket() {
  packet_.integer(trace_packet::kSequenceId, kSequence);
  packet_.integer(trace_packet::kSequenceFlags,
                  (begun_ ? 0 : trace_packet::kStateCleared) | trace_packet::kNeedsState);
  begun_ = true;
  if (!interned_.empty()) packet_.message(trace_packet::kInternedData, interned_);
  interned_.clear();
  file_.clear();
  file_.message(trace::kPacket, packet_);
  output_->write(file_.bytes());
  packet_.clear();
}

TraceSink::TrackId PerfettoSink::addTrack(ProtoWriter& descriptor) {
  descriptor.integer(track_descriptor::kUuid, ++tracks_);
  packet_.message(trace_packet::kTrackDescriptor, descriptor);
  writePacket();
  return tracks_;
}

// Uuid, pid and tid of a track are one number: unique, as each has to be.
TraceSink::TrackId PerfettoSink::addGroup(const std::string& name) {
  ProtoWriter process, descriptor;
  process.integer(process_descriptor::kPid, tracks_ + 1);
  process.text(process_descriptor::kName, name);
  descriptor.message(track_descriptor::kProcess, process);
  return addTrack(descriptor);
}

TraceSink::TrackId PerfettoSink::addUnit(TrackId group, const std::string& name) {
  ProtoWriter thread, descriptor;
  thread.integer(thread_descriptor::kPid, group);
  thread.integer(thread_descriptor::kTid, tracks_ + 1);
  thread.text(thread_descriptor::kName, name);
  descriptor.message(track_descriptor::kThread, thread);
  descriptor.integer(track_descriptor::kParentUuid, group);
  return addTrack(descriptor);
}

TraceSink::TrackId PerfettoSink::addLane(TrackId group, const std::string& name) {
  ProtoWriter descriptor;
  descriptor.text(track_descriptor::kName, name);
  descriptor.integer(track_descriptor::kParentUuid, group);
  return addTrack(descriptor);
}

TraceSink::TrackId PerfettoSink::addCounter(TrackId group, const std::string& name) {
  ProtoWriter descriptor;
  descriptor.text(track_descriptor::kName, name);
  descriptor.integer(track_descriptor::kParentUuid, group);
  descriptor.message(track_descriptor::kCounter, ProtoWriter());
  return addTrack(descriptor);
}

void PerfettoSink::writeEvent(Cycles time) {
  packet_.integer(trace_packet::kTimestamp, time);
  packet_.message(trace_packet::kTrackEvent, event_);
  event_.clear();
  writePacket();
}

void PerfettoSink::event(const Event& event) {
  const bool instant = event.begin == event.end;
  event_.integer(track_event::kType, instant ? track_event::kInstant : track_event::kSliceBegin);
  event_.integer(track_event::kTrackUuid, event.track);
  event_.integer(track_event::kNameIid,
                 intern(event_names_, interned_data::kEventNames, event.name));
  for (const TraceArgument& argument : event.arguments) {
    annotation_.clear();
    annotation_.integer(
        debug_annotation::kNameIid,
        intern(argument_names_, interned_data::kDebugAnnotationNames, argument.name));
    annotation_.integer(argument.address ? debug_annotation::kPointer : debug_annotation::kUint,
                        argument.value);
    event_.message(track_event::kDebugAnnotations, annotation_);
  }
  if (event.flow_step != FlowStep::none)
    event_.fixed64(
        event.flow_step == FlowStep::end ? track_event::kTerminatingFlowIds : track_event::kFlowIds,
        event.flow);
  writeEvent(event.begin);
  if (instant) return;
  event_.integer(track_event::kType, track_event::kSliceEnd);
  event_.integer(track_event::kTrackUuid, event.track);
  writeEvent(event.end);
}

void PerfettoSink::counter(TrackId track, Cycles time, double value) {
  event_.integer(track_event::kType, track_event::kCounterType);
  event_.integer(track_event::kTrackUuid, track);
  event_.real(track_event::kDoubleCounterValue, value);
  writeEvent(time);
}

}  // namespace etalon::sim
