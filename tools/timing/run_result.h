// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isa/base/status.h"
#include "sim/observe/timed_report.h"

namespace etalon::tools {

/// What a comparison wants to know of a result of `etalon run --json`.
struct RunResult {
  std::string file, program, device, status;
  std::string machine;  // empty: a plug-in
  bool success = false;
  std::optional<uint64_t> instructions;
  std::vector<std::pair<std::string, uint64_t>> counters;
  std::optional<sim::TimedReport> timing;  // none: the device keeps no time
};

/// Errors: a file that cannot be read or is no such result; they say what is missing in it.
Result<RunResult> readRunResult(const std::string& path);

}  // namespace etalon::tools
