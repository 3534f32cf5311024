// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "isa/base/status.h"
#include "tools/run/report.h"
#include "tools/run/request.h"

namespace etalon::tools {

/// What a run tells while it goes on; each may be empty.
struct RunHooks {
  std::function<void(std::string_view)> warning;      // of the compiler, before the run
  std::function<void(std::string_view)> console;      // what the program prints
  std::function<void(std::string_view)> commit_line;  // of the commit log, newline included
  std::function<bool(uint64_t)> progress;             // instructions so far; false ends the run
  std::function<bool()> keep_going;  // of plug-ins, asked often; false ends the run
  /// Runs a launch of the model that was started to its end, in place of the model itself.
  std::function<Result<sim::RunResult>(sim::FunctionalDevice&, SourceLines&)> debugger;
};

/// Opens the program, builds it if it is a source, runs it on the functional model or on the plug-in of the request, and
/// writes the outputs asked for.
///
/// Whatever the program or the plug-in does wrong is in the report. Errors: bad input, as openProgram(), openMachine(), prepareLaunch() say
/// it; more cores than the machine has; a check that the image does not name or that has no reference; an output file that
/// cannot be written; a plug-in that is none; options that a plug-in has no use for.
Result<RunReport> runProgram(const RunRequest& request, const RunHooks& hooks);

}  // namespace etalon::tools
