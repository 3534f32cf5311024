// SPDX-License-Identifier: Apache-2.0
// What a study came to, for people.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tools/sweep/results.h"

namespace etalon::tools {
namespace {

constexpr size_t kMostReasons = 5;

/// `local_bytes=4 MiB clock_mhz=1000`.
std::string pointText(const Study& study, const SweepPoint& point) {
  std::vector<std::string> parts;
  for (size_t a = 0; a < study.axes.size(); ++a)
    for (size_t k = 0; k < study.axes[a].keys.size(); ++k)
      parts.push_back(
          fmt::format("{}={}", study.axes[a].keys[k], study.axes[a].steps[point.steps[a]][k]));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// The row with the best value of a metric for a workload, the first of equals; nullopt if none has one.
std::optional<size_t> bestRow(const Study& study, const SweepResults& results, size_t workload,
                              size_t metric) {
  const bool less = study.metrics[metric].better == Better::less;
  std::optional<size_t> best;
  for (size_t i = 0; i < results.rows.size(); ++i) {
    const std::optional<double>& value = results.rows[i].metrics[metric];
    if (results.runs[i].workload != workload || !value) continue;
    if (!best || (less ? *value < *results.rows[*best].metrics[metric]
                       : *value > *results.rows[*best].metrics[metric]))
      best = i;
  }
  return best;
}

/// Six digits with the unit; bytes in KiB, MiB, GiB.
std::string valueText(double value, const std::string& unit) {
  if (unit != "B") return fmt::format("{:.6g}{}{}", value, unit.empty() ? "" : " ", unit);
  for (const auto& [name, size] :
       {std::pair{"GiB", 0x1p30}, std::pair{"MiB", 0x1p20}, std::pair{"KiB", 0x1p10}})
    if (value >= size) return fmt::format("{:.6g} {}", value / size, name);
  return fmt::format("{:.6g} B", value);
}

/// Whether a metric says anything about runs, and not of the machine alone.
bool isOfRuns(const Study& study, const Metric& metric) {
  return std::ranges::any_of(metric.value.names(), [&](const std::string& name) {
    const auto earlier = std::ranges::find(study.metrics, name, &Metric::name);
    if (earlier != study.metrics.end() && &*earlier < &metric) return isOfRuns(study, *earlier);
    return !name.starts_with("machine.");
  });
}

}  // namespace

std::string planState(const SweepResults& plan, const std::vector<bool>& done, size_t index) {
  const SweepPoint& point = plan.points[plan.runs[index].point];
  if (!point.excluded.empty()) return "excluded: " + point.excluded;
  if (!point.impossible.empty()) return "impossible: " + point.impossible;
  return done[index] ? "done" : "to do";
}

std::string planText(const Study& study, const SweepResults& plan, const std::vector<bool>& done) {
  std::string text;
  std::map<std::string, size_t> counts;
  for (size_t i = 0; i < plan.runs.size(); ++i) {
    const std::string state = planState(plan, done, i);
    ++counts[state.substr(0, state.find(':'))];
    text += fmt::format("{:>5}  {}  {}  {}\n", i + 1, study.workloads[plan.runs[i].workload].name,
                        pointText(study, plan.points[plan.runs[i].point]), state);
  }
  std::vector<std::string> parts;
  for (const auto& [state, count] : counts) parts.push_back(fmt::format("{} {}", count, state));
  return text +
         fmt::format("{}: {} runs: {}\n", study.name, plan.runs.size(), fmt::join(parts, ", "));
}

std::string summaryText(const Study& study, const SweepResults& results) {
  std::map<RowStatus, size_t> counts;
  for (const Row& row : results.rows) ++counts[row.status];
  std::string text =
      fmt::format("{}: {} runs: {} ok, {} failed, {} excluded\n", study.name, results.rows.size(),
                  counts[RowStatus::ok], counts[RowStatus::failed], counts[RowStatus::excluded]);
  for (size_t m = 0; m < study.metrics.size(); ++m) {
    const Metric& metric = study.metrics[m];
    if (metric.better == Better::unknown || !isOfRuns(study, metric)) continue;
    for (size_t w = 0; w < study.workloads.size(); ++w)
      if (const std::optional<size_t> best = bestRow(study, results, w, m))
        text += fmt::format("  {} {} of {}: {} at {}\n",
                            metric.better == Better::less ? "least" : "most", metric.name,
                            study.workloads[w].name,
                            valueText(*results.rows[*best].metrics[m], metric.unit),
                            pointText(study, results.points[results.runs[*best].point]));
  }
  std::map<std::string, std::vector<size_t>> failed;  // by reason
  for (size_t i = 0; i < results.rows.size(); ++i)
    if (results.rows[i].status == RowStatus::failed) failed[results.rows[i].reason].push_back(i);
  size_t said = 0;
  for (const auto& [reason, rows] : failed) {
    if (said++ == kMostReasons) {
      text += fmt::format("  and {} more reasons; each row has its own\n",
                          failed.size() - kMostReasons);
      break;
    }
    const PlannedRun& first = results.runs[rows[0]];
    text +=
        fmt::format("  failed: {} at {}{}: {}\n", study.workloads[first.workload].name,
                    pointText(study, results.points[first.point]),
                    rows.size() == 1 ? "" : fmt::format(" and {} more", rows.size() - 1), reason);
  }
  return text;
}

}  // namespace etalon::tools
