// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "isa/base/status.h"

namespace etalon::tools {

/// What a program wrote and how it ended.
struct ProgramOutput {
  int exit_status = 0;  ///< 128 + signal if a signal ended it
  std::string out;
  std::string err;
};

/// Runs a program (looked for in PATH if the name has no slash; no shell) with stdin empty and
/// collects its output, at most 256 MiB. The program is killed after `wall_seconds`.
///
/// Errors: it cannot be started (the system's reason, then `if_missing`, the way out), took too
/// long, wrote too much. A program that ran and failed is not an error here: look at exit_status.
Result<ProgramOutput> runProgram(const std::vector<std::string>& argv, int wall_seconds,
                                 const std::string& if_missing);

}  // namespace etalon::tools
