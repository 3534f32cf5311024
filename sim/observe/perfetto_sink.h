// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "sim/observe/proto_writer.h"
#include "sim/observe/trace_output.h"
#include "sim/observe/trace_sink.h"

namespace etalon::sim {

/// A Perfetto trace: message Trace of protos/perfetto/trace/trace.proto. A group is a process, a unit one of its threads.
/// All packets are of one sequence; names are interned in the packet that first uses them.
class PerfettoSink final : public TraceSink {
 public:
  explicit PerfettoSink(std::unique_ptr<TraceOutput> output) : output_(std::move(output)) {}

  TrackId addGroup(const std::string& name) override;
  TrackId addUnit(TrackId group, const std::string& name) override;
  TrackId addLane(TrackId group, const std::string& name) override;
  TrackId addCounter(TrackId group, const std::string& name) override;
  void event(const Event& event) override;
  void counter(TrackId track, Cycles time, double value) override;
  Status close() override { return output_->close(); }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };
  using Names = std::unordered_map<std::string, uint64_t, Hash, std::equal_to<>>;

  /// Number of a name; a new one is put into interned_, for the packet about to be written.
  uint64_t intern(Names& names, uint32_t field, std::string_view name);
  TrackId addTrack(ProtoWriter& descriptor);
  /// Writes event_.
  void writeEvent(Cycles time);
  /// Writes packet_.
  void writePacket();

  std::unique_ptr<TraceOutput> output_;
  Names event_names_, argument_names_;
  ProtoWriter interned_;
  ProtoWriter event_, annotation_, packet_, file_;  // of the moment; kept for their memory
  TrackId tracks_ = 0;
  bool begun_ = false;
};

}  // namespace etalon::sim
