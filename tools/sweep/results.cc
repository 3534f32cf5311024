// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "tools/sweep/result_path.h"

namespace etalon::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kExact = 9007199254740992.0;  // 2^53: whole numbers below are exact in a double

bool isWhole(double value) { return std::abs(value) < kExact && value == std::trunc(value); }

/// Whole numbers without a fraction: 3, not 3.0.
Json numberJson(double value) {
  return isWhole(value) ? Json(static_cast<int64_t>(value)) : Json(value);
}
Json numberJson(const std::optional<double>& value) {
  return value ? numberJson(*value) : Json(nullptr);
}

Json axisJson(const Axis& axis) {
  Json numbers = Json::array();
  for (const auto& step : axis.steps) numbers.push_back(numberJson(numberOf(step[0])));
  return {{"keys", axis.keys},   {"title", axis.title}, {"unit", axis.unit},
          {"steps", axis.steps}, {"numbers", numbers},  {"base", axis.base}};
}

Json plotJson(const Plot& plot) {
  Json json{{"kind", plotKindName(plot.kind)}};
  for (const auto& [key, text] :
       {std::pair{"title", &plot.title}, std::pair{"x", &plot.x}, std::pair{"y", &plot.y},
        std::pair{"by", &plot.by}, std::pair{"metric", &plot.metric},
        std::pair{"ledger", &plot.ledger}})
    if (!text->empty()) json[key] = *text;
  if (!plot.at.empty()) {
    json["at"] = Json::object();
    for (const auto& [key, value] : plot.at) json["at"][key] = value;
  }
  return json;
}

/// Key of each axis and its value at a point.
Json valuesJson(const Study& study, const SweepPoint& point) {
  Json values = Json::object();
  for (size_t a = 0; a < study.axes.size(); ++a)
    for (size_t k = 0; k < study.axes[a].keys.size(); ++k)
      values[study.axes[a].keys[k]] = study.axes[a].steps[point.steps[a]][k];
  return values;
}

Json rowJson(const Study& study, const SweepResults& results, size_t index) {
  const PlannedRun& run = results.runs[index];
  const SweepPoint& point = results.points[run.point];
  const Row& row = results.rows[index];
  Json metrics = Json::object(), ledgers = Json::object();
  for (size_t m = 0; m < study.metrics.size(); ++m)
    metrics[study.metrics[m].name] = numberJson(row.metrics[m]);
  for (size_t l = 0; l < study.ledgers.size(); ++l) {
    Json parts = Json::object();
    for (const auto& [name, value] : row.ledgers[l]) parts[name] = numberJson(value);
    ledgers[study.ledgers[l].name] = row.ledgers[l].empty() ? Json(nullptr) : parts;
  }
  return {{"workload", study.workloads[run.workload].name},
          {"steps", point.steps},
          {"values", valuesJson(study, point)},
          {"machine", point.machine.displayName()},
          {"status", rowStatusName(row.status)},
          {"reason", row.reason.empty() ? Json(nullptr) : Json(row.reason)},
          {"metrics", metrics},
          {"ledgers", ledgers},
          {"command", commandLine(study, study.workloads[run.workload], point)}};
}

/// A field of CSV (RFC 4180).
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string withUnit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

std::string line(const std::vector<std::string>& fields) {
  std::string text;
  for (size_t i = 0; i < fields.size(); ++i) text += (i == 0 ? "" : ",") + field(fields[i]);
  return text + "\n";
}

/// Parts of a ledger that any row has, in its order.
std::vector<std::string> partsOf(const SweepResults& results, size_t ledger) {
  std::vector<std::string> names, ordered;
  int last = 0;
  for (const Row& row : results.rows)
    for (const auto& [name, value] : row.ledgers[ledger]) {
      if (std::ranges::find(names, name) != names.end()) continue;
      names.push_back(name);
      last = std::max(last, ledgerRank(name));
    }
  for (int rank = 0; rank <= last; ++rank)
    for (const std::string& name : names)
      if (ledgerRank(name) == rank) ordered.push_back(name);
  return ordered;
}

std::string partText(const Row& row, size_t ledger, const std::string& part) {
  for (const auto& [name, value] : row.ledgers[ledger])
    if (name == part) return numberJson(value).dump();
  return "";
}

}  // namespace

std::string resultsJson(const Study& study, const SweepResults& results,
                        const std::string& version) {
  Json axes = Json::array(), metrics = Json::array(), ledgers = Json::array(),
       plots = Json::array(), rows = Json::array(), constraints = Json::array(),
       workloads = Json::array();
  for (const Axis& axis : study.axes) axes.push_back(axisJson(axis));
  for (const Expression& constraint : study.constraints) constraints.push_back(constraint.text());
  for (const Workload& workload : study.workloads)
    workloads.push_back({{"name", workload.name}, {"program", workload.program}});
  for (const Metric& metric : study.metrics)
    metrics.push_back(
        {{"name", metric.name},
         {"value", metric.value.text()},
         {"unit", metric.unit},
         {"better",
          metric.better == Better::unknown ? Json(nullptr) : Json(betterName(metric.better))}});
  for (size_t l = 0; l < study.ledgers.size(); ++l) {
    const Ledger& ledger = study.ledgers[l];
    ledgers.push_back({{"name", ledger.name},
                       {"path", ledger.path},
                       {"unit", ledger.unit},
                       {"parts", partsOf(results, l)}});
  }
  for (const Plot& plot : study.plots) plots.push_back(plotJson(plot));
  for (size_t i = 0; i < results.rows.size(); ++i) rows.push_back(rowJson(study, results, i));
  const Json json{{"study", study.name},
                  {"title", study.title},
                  {"version", version},
                  {"device", study.device},
                  {"machine", study.base.displayName()},
                  {"combine", study.one_at_a_time ? "one_at_a_time" : "product"},
                  {"axes", axes},
                  {"constraints", constraints},
                  {"workloads", workloads},
                  {"metrics", metrics},
                  {"ledgers", ledgers},
                  {"plots", plots},
                  {"rows", rows}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string resultsCsv(const Study& study, const SweepResults& results) {
  std::vector<std::string> head{"workload"};
  for (const Axis& axis : study.axes) head.insert(head.end(), axis.keys.begin(), axis.keys.end());
  head.insert(head.end(), {"status", "reason"});
  for (const Metric& metric : study.metrics) head.push_back(withUnit(metric.name, metric.unit));
  std::vector<std::vector<std::string>> parts;
  for (size_t l = 0; l < study.ledgers.size(); ++l) {
    parts.push_back(partsOf(results, l));
    for (const std::string& part : parts[l])
      head.push_back(withUnit(study.ledgers[l].name + "." + part, study.ledgers[l].unit));
  }
  std::string text = line(head);
  for (size_t i = 0; i < results.rows.size(); ++i) {
    const Row& row = results.rows[i];
    const SweepPoint& point = results.points[results.runs[i].point];
    std::vector<std::string> fields{study.workloads[results.runs[i].workload].name};
    for (size_t a = 0; a < study.axes.size(); ++a)
      for (const std::string& value : study.axes[a].steps[point.steps[a]]) fields.push_back(value);
    fields.insert(fields.end(), {std::string(rowStatusName(row.status)), row.reason});
    for (const std::optional<double>& value : row.metrics)
      fields.push_back(value ? numberJson(*value).dump() : "");
    for (size_t l = 0; l < study.ledgers.size(); ++l)
      for (const std::string& part : parts[l]) fields.push_back(partText(row, l, part));
    text += line(fields);
  }
  return text;
}

std::string planJson(const Study& study, const SweepResults& plan, const std::vector<bool>& done) {
  Json rows = Json::array();
  for (size_t i = 0; i < plan.runs.size(); ++i) {
    const SweepPoint& point = plan.points[plan.runs[i].point];
    const Workload& workload = study.workloads[plan.runs[i].workload];
    rows.push_back({{"workload", workload.name},
                    {"values", valuesJson(study, point)},
                    {"state", planState(plan, done, i)},
                    {"command", commandLine(study, workload, point)}});
  }
  return Json{{"study", study.name}, {"runs", rows}}.dump(1) + "\n";
}

}  // namespace etalon::tools
