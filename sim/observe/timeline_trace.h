// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sim/observe/occupancy.h"
#include "sim/observe/rate.h"
#include "sim/observe/trace.h"
#include "sim/observe/trace_sink.h"

namespace etalon::sim {

/// Turns records into tracks and events of a timeline, whatever its format. A core is a group with
/// * a track for each unit: its spans, named by what it did; on the scalar one an instant for each issue;
/// * lanes `matrix queue` (issue to taken) and `matrix instructions` (taken to done) for each unit that has a queue, as many
///   as it takes for slices of one lane not to overlap; an arrow follows each instruction through these three;
/// * counters of window and queues.
/// A last group has a counter for each path.
class TimelineTrace final : public TraceWriter {
 public:
  TimelineTrace(const RunShape& shape, std::unique_ptr<TraceSink> sink);

  void span(const TrackSpan& span) override;
  void tile(const TileRecord& record) override;
  void transfer(const Transfer& transfer) override;
  void finish(Cycles total) override;
  Status close() override;

 private:
  /// Lanes of one name; slices must come in order of their ends.
  struct Lanes {
    struct Lane {
      TraceSink::TrackId track = 0;
      Cycles end = 0;
    };
    std::string name;
    std::vector<Lane> lanes;
  };
  struct Core {
    TraceSink::TrackId group = 0;
    std::array<TraceSink::TrackId, kTracks> units{};
    std::array<Lanes, kTracks> queues, instructions;
    std::array<TraceSink::TrackId, Occupancy::kSeries> counters{};
  };
  TraceSink::TrackId laneFor(const Core& core, Lanes& lanes, Cycles begin, Cycles end);
  /// The instruction as it is written; valid until the trace ends.
  std::string_view text(uint32_t raw);

  std::unique_ptr<TraceSink> sink_;
  std::vector<Core> cores_;
  std::vector<Occupancy> occupancies_;
  std::vector<Rate> rates_;
  std::unordered_map<uint32_t, std::string> texts_;
};

}  // namespace etalon::sim
