// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tools/sweep/plan.h"
#include "tools/sweep/row.h"
#include "tools/sweep/study.h"

namespace etalon::tools {

/// A study with a row for each of its runs, in their order.
struct SweepResults {
  std::vector<SweepPoint> points;
  std::vector<PlannedRun> runs;
  std::vector<Row> rows;
};

// The same bytes for the same study and version, whatever happened on the way: no times of day, nothing of the host.

/// isa/schema/sweep_result.schema.json.
std::string resultsJson(const Study& study, const SweepResults& results,
                        const std::string& version);
/// A line a run: workload, a column for each key of the axes, status, reason, metrics and ledgers with their units.
std::string resultsCsv(const Study& study, const SweepResults& results);
/// How many rows there are of each status, why some failed, and where each metric is best.
std::string summaryText(const Study& study, const SweepResults& results);
/// `done`, `to do`, `excluded: CONSTRAINT` or `impossible: why`.
std::string planState(const SweepResults& plan, const std::vector<bool>& done, size_t index);
/// The runs and what would become of each; `done[i]` says that run i need not be run.
std::string planText(const Study& study, const SweepResults& plan, const std::vector<bool>& done);
std::string planJson(const Study& study, const SweepResults& plan, const std::vector<bool>& done);

}  // namespace etalon::tools
