// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "sim/observe/trace.h"
#include "sim/observe/trace_output.h"

namespace etalon::sim {

/// Tile instructions in the log format "Kanata 0004" (github.com/shioyadan/Konata, docs/kanata-log-format.md), a thread a
/// core. Stages: Is from issue, Rd once hazards are over, Tk once its unit has taken it, St once it streams; done retires.
/// Arrows go from the instruction that it waited for.
class KonataTrace final : public TraceWriter {
 public:
  KonataTrace(std::unique_ptr<TraceOutput> output, uint64_t most_instructions)
      : output_(std::move(output)), most_(most_instructions) {}

  void span(const TrackSpan& /*span*/) override {}
  void tile(const TileRecord& record) override;
  void transfer(const Transfer& /*transfer*/) override {}
  void finish(Cycles total) override;
  Status close() override { return output_->close(); }

 private:
  std::unique_ptr<TraceOutput> output_;
  uint64_t most_ = 0;
  std::vector<TileRecord> records_;  // the format wants all commands in order of time
};

}  // namespace etalon::sim
