// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "isa/base/status.h"
#include "tools/sweep/plan.h"
#include "tools/sweep/store.h"
#include "tools/sweep/study.h"

namespace etalon::tools {

enum class RowStatus : uint8_t { ok, failed, excluded };
std::string_view rowStatusName(RowStatus status);

/// What came of a workload at a point.
struct Row {
  RowStatus status = RowStatus::failed;
  std::string reason;  // empty for ok
  std::vector<std::optional<double>>
      metrics;  // in the study's order; none where the run failed, or not finite
  std::vector<std::vector<std::pair<std::string, double>>> ledgers;  // in the study's order; parts
};

/// The row of a finished run.
///
/// Errors: a metric or ledger of the study that is not in the result, at its place in the study with what is there.
Result<Row> makeRow(const Study& study, const Workload& workload, const SweepPoint& point,
                    const FinishedRun& run);

/// A row for what was not run: a broken constraint, an impossible machine, a lost process.
Row rowWithout(const Study& study, RowStatus status, std::string reason);

/// Whether a text is the result of a run: JSON that says how the run ended.
bool isRunResult(const std::string& text);

}  // namespace etalon::tools
