// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/observe/trace_output.h"
#include "sim/observe/trace_sink.h"

namespace etalon::sim {

/// Chrome trace events ("Trace Event Format"), an object with `traceEvents`. A group is a process, everything else a thread;
/// times are microseconds of which a thousandth is a cycle.
class JsonSink final : public TraceSink {
 public:
  JsonSink(std::unique_ptr<TraceOutput> output, uint64_t most_events);

  TrackId addGroup(const std::string& name) override;
  TrackId addUnit(TrackId group, const std::string& name) override;
  TrackId addLane(TrackId group, const std::string& name) override;
  TrackId addCounter(TrackId group, const std::string& name) override;
  void event(const Event& event) override;
  void counter(TrackId track, Cycles time, double value) override;
  Status close() override;

 private:
  struct Track {
    TrackId group = 0;
    std::string name;
  };
  TrackId addTrack(TrackId group, const std::string& name);
  /// One element of traceEvents, given without braces.
  void write(const std::string& members);

  std::unique_ptr<TraceOutput> output_;
  uint64_t most_events_ = 0, events_ = 0;
  std::vector<Track> tracks_;  // by TrackId - 1
};

}  // namespace etalon::sim
