// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/functional/functional_device.h"
#include "sim/observe/timed_report.h"
#include "tools/program/source_lines.h"
#include "tools/run/request.h"
#include "tools/run/session.h"

namespace etalon::tools {

struct TimedOutcome {
  sim::RunResult run;
  sim::TimedReport report;
};

/// Runs a prepared launch on the timing model to its end, writing the trace that was asked for on the way.
/// Errors: a machine without timing; options that only the functional model has; a trace that cannot be written.
Result<TimedOutcome> runTimedLaunch(sim::FunctionalDevice& device, const RunRequest& request,
                                    const RunHooks& hooks, const sim::LaunchOptions& options,
                                    SourceLines& lines);

}  // namespace etalon::tools
