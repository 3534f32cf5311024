// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "isa/base/status.h"
#include "isa/base/units.h"

namespace etalon::sim {

/// A named number of an event. Names are string literals: sinks may keep them.
struct TraceArgument {
  std::string_view name;
  uint64_t value = 0;
  bool address = false;  // to be shown in hexadecimal
};

/// Where an event stands in the arrow that follows an instruction from its issue to its unit.
enum class FlowStep : uint8_t { none, begin, step, end };

/// What a timeline format has to be able to say. Events of one track come such that each format's rules hold: a slice begins
/// where or after the one before on its track ends; counters go forward.
class TraceSink {
 public:
  using TrackId = uint32_t;

  virtual ~TraceSink() = default;
  /// A box of tracks: a core, or the chip.
  virtual TrackId addGroup(const std::string& name) = 0;
  /// The track of a unit: one thing at a time, all the time.
  virtual TrackId addUnit(TrackId group, const std::string& name) = 0;
  /// A further track of a group; those of one name are shown as one.
  virtual TrackId addLane(TrackId group, const std::string& name) = 0;
  virtual TrackId addCounter(TrackId group, const std::string& name) = 0;

  struct Event {
    TrackId track = 0;
    std::string_view name;
    Cycles begin = 0, end = 0;  // equal: an instant
    std::span<const TraceArgument> arguments;
    uint64_t flow = 0;
    FlowStep flow_step = FlowStep::none;
  };
  virtual void event(const Event& event) = 0;
  virtual void counter(TrackId track, Cycles time, double value) = 0;
  /// Nothing follows.
  virtual Status close() = 0;
};

}  // namespace etalon::sim
