// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/trace.h"

#include <utility>

#include "sim/observe/json_sink.h"
#include "sim/observe/konata_trace.h"
#include "sim/observe/perfetto_sink.h"
#include "sim/observe/timeline_trace.h"
#include "sim/observe/trace_output.h"

namespace etalon::sim {

Result<std::unique_ptr<TraceWriter>> openTrace(const std::string& path, TraceFormat format,
                                               const RunShape& shape, const TraceLimits& limits) {
  Result<std::unique_ptr<TraceOutput>> opened = TraceOutput::open(path);
  if (!opened.ok()) return opened.error();
  std::unique_ptr<TraceOutput> output = *std::move(opened);
  if (format == TraceFormat::konata)
    return std::unique_ptr<TraceWriter>(
        std::make_unique<KonataTrace>(std::move(output), limits.konata_instructions));
  std::unique_ptr<TraceSink> sink;
  if (format == TraceFormat::json)
    sink = std::make_unique<JsonSink>(std::move(output), limits.json_events);
  else
    sink = std::make_unique<PerfettoSink>(std::move(output));
  return std::unique_ptr<TraceWriter>(std::make_unique<TimelineTrace>(shape, std::move(sink)));
}

}  // namespace etalon::sim
