// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "sim/functional/functional_device.h"
#include "tools/program/source_lines.h"
#include "tools/run/launch.h"
#include "tools/run/request.h"
#include "tools/run/session.h"

namespace etalon::tools {

/// What a snapshot keeps to be told from those of other runs: cores, seed, program, arguments and inputs, a line each.
std::string snapshotLabel(const sim::ElfImage& image, const PreparedLaunch& launch,
                          const sim::LaunchOptions& options);

/// Runs a prepared launch on the model to its end: from its begin or, by --restore, from a snapshot, in which case another
/// device takes the place of `device`; on the way writes the snapshot of --snapshot; under the debugger that `hooks` may
/// have.
/// Errors: a file that cannot be read or written; a snapshot of something else; a run that ended before --snapshot-at.
Result<sim::RunResult> runLaunch(std::unique_ptr<sim::FunctionalDevice>& device,
                                 const RunRequest& request, const RunHooks& hooks,
                                 const sim::LaunchOptions& options, const std::string& label,
                                 SourceLines& lines);

}  // namespace etalon::tools
