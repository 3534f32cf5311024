// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "isa/base/status.h"
#include "sim/observe/events.h"

namespace etalon::sim {

/// A trace of a run, written while the run goes on.
class TraceWriter : public RunObserver {
 public:
  /// After finish(), or instead of it where the run broke off: the file is whole, or gone and the error says why.
  virtual Status close() = 0;
};

enum class TraceFormat : uint8_t {
  perfetto,  // protobuf that ui.perfetto.dev and trace_processor read; runs of any length
  json,      // Chrome trace events
  konata,    // Kanata 0004, the pipeline text that Konata shows: tile instructions alone
};

/// Events of a json trace, instructions of a konata trace: more end the trace in an error.
inline constexpr uint64_t kMostJsonEvents = 2'000'000;
inline constexpr uint64_t kMostKonataInstructions = 200'000;

struct TraceLimits {
  uint64_t json_events = kMostJsonEvents;
  uint64_t konata_instructions = kMostKonataInstructions;
};

/// One nanosecond of a perfetto or json trace is one cycle, whatever the clock, so that cycles stay exact.
/// Memory is bounded by the window of the cores and the number of different instructions, of konata by its limit.
/// Errors: the file cannot be written.
Result<std::unique_ptr<TraceWriter>> openTrace(const std::string& path, TraceFormat format,
                                               const RunShape& shape,
                                               const TraceLimits& limits = {});

}  // namespace etalon::sim
