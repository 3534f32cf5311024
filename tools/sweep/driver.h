// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "isa/base/status.h"
#include "tools/sweep/plan.h"
#include "tools/sweep/results.h"
#include "tools/sweep/store.h"
#include "tools/sweep/study.h"

namespace etalon::tools {

struct SweepProgress {
  size_t runs = 0;      // that a point of the study has, duplicates once
  size_t finished = 0;  // of them
  size_t kept = 0;      // of these, found in the folder
  size_t failed = 0;    // of `finished`
  size_t running = 0;
};

struct DriverOptions {
  std::string program;  // path of the `etalon` that workers run
  size_t jobs = 1;      // workers at a time
  ToolVersion version;
  std::function<void(const SweepProgress&)> progress;  // after every change, and twice a second
  std::function<void(std::string_view)> warning;       // whole lines
};

struct SweepEnd {
  bool interrupted =
      false;             // by SIGINT, SIGTERM or SIGHUP: workers are ended, results not complete
  SweepResults results;  // all rows, unless interrupted
};

/// Runs what is not in the store yet, one process a run, and makes the rows.
///
/// A worker that ends by a signal is started once more; if it is lost again, the row says so and nothing is kept, so that
/// the next sweep tries it again. Takes the three signals and SIGCHLD while it runs: one driver a process, no threads.
/// Errors: the store cannot be written, a worker cannot be started, a metric that results do not have.
Result<SweepEnd> runSweep(const Study& study, const std::vector<BuiltProgram>& programs,
                          const ResultStore& store, const DriverOptions& options);

}  // namespace etalon::tools
