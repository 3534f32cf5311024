// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "isa/base/status.h"
#include "isa/machines/machine.h"
#include "tools/sweep/study.h"

namespace etalon::tools {

/// The image of a workload, built once for all points.
struct BuiltProgram {
  std::string bytes;     // ELF
  std::string warnings;  // of the compiler
};

/// Builds or reads the program of every workload, in their order, and holds the names of inputs and arguments against
/// its launch note. Errors: at the place in the study.
Result<std::vector<BuiltProgram>> buildPrograms(const Study& study);

/// One machine of a study.
struct SweepPoint {
  std::vector<size_t> steps;           // of each axis
  std::vector<std::string> overrides;  // key=value, as behind --set
  isa::Machine machine;
  std::string excluded;    // constraint that it breaks, as written; empty: none
  std::string impossible;  // why there is no such machine; empty: there is
};

/// The points in the order of the results: the last axis changes fastest; one at a time, the base comes first.
std::vector<SweepPoint> planPoints(const Study& study);

/// What makes up the version of a result: the same inputs under another version are run again.
struct ToolVersion {
  std::string number;    // 0.1.0
  std::string build_id;  // of the linker, hexadecimal
};
/// Build id of the running program. Errors: it was linked without one.
Result<std::string> ownBuildId();

/// A workload at a point.
struct PlannedRun {
  size_t workload = 0;
  size_t point = 0;
  std::string key;  // SHA-256 in hexadecimal; empty: not to be run, the point says why
};

/// All runs, workload by workload. The key is of everything that a result depends on, and of nothing else: tool version,
/// device, resolved machine, image, inputs (files by their content), arguments, cores, limits; not of the study.
/// Errors: an input file that cannot be read.
Result<std::vector<PlannedRun>> planRuns(const Study& study, const std::vector<SweepPoint>& points,
                                         const std::vector<BuiltProgram>& programs,
                                         const ToolVersion& version);

/// Arguments of `etalon` for a run: `run IMAGE --device npu ... --json`. `folder` is put before relative paths of the
/// study's machine and inputs; empty: as they stand in the study.
std::vector<std::string> runArguments(const Study& study, const Workload& workload,
                                      const SweepPoint& point, const std::string& image,
                                      const std::string& folder);
/// The same as a line for a shell in the study's folder, without --json.
std::string commandLine(const Study& study, const Workload& workload, const SweepPoint& point);

}  // namespace etalon::tools
