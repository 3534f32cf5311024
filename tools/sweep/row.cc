// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "isa/base/text.h"
#include "tools/sweep/result_path.h"
#include "tools/sweep/study_parts.h"

namespace etalon::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMachinePrefix = "machine.";
constexpr size_t kMostReason = 400;  // bytes

Status readMetrics(const Study& study, const SweepPoint& point, const Json& result, Row& row) {
  for (size_t m = 0; m < study.metrics.size(); ++m) {
    const Metric& metric = study.metrics[m];
    std::string missing;
    bool unknown = false;  // an earlier metric has no finite value
    const Result<double> value =
        metric.value.evaluate([&](std::string_view name) -> std::optional<double> {
          for (size_t e = 0; e < m; ++e)
            if (study.metrics[e].name == name) {
              unknown |= !row.metrics[e];
              return row.metrics[e].value_or(0);
            }
          if (name.starts_with(kMachinePrefix))
            return machineNumber(point.machine, name.substr(kMachinePrefix.size()));
          std::optional<double> number = numberAt(result, name);
          if (!number) missing = name;
          return number;
        });
    if (!value.ok())
      return metric.place.error(fmt::format(
          "the result of the run has no number {}; {}. Give another path; what has run is kept",
          quote(missing), whatIsThere(result, missing)));
    row.metrics[m] = unknown || !std::isfinite(*value) ? std::nullopt : std::optional(*value);
  }
  return {};
}

Status readLedgers(const Study& study, const Json& result, Row& row) {
  for (size_t l = 0; l < study.ledgers.size(); ++l) {
    const Ledger& ledger = study.ledgers[l];
    const std::vector<std::pair<std::string, double>> all = numbersAt(result, ledger.path);
    if (all.empty())
      return ledger.place.error(fmt::format("the result of the run has no object {} of numbers; {}",
                                            quote(ledger.path), whatIsThere(result, ledger.path)));
    if (ledger.parts.empty()) row.ledgers[l] = all;
    for (const std::string& part : ledger.parts) {
      const std::optional<double> value = numberAt(result, ledger.path + "." + part);
      if (!value)
        return ledger.place.error(fmt::format("{} has no number {}; {}", quote(ledger.path),
                                              quote(part),
                                              whatIsThere(result, ledger.path + "." + part)));
      row.ledgers[l].emplace_back(part, *value);
    }
  }
  return {};
}

std::string textAt(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : "";
}

/// The last line with something on it.
std::string lastLine(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  const size_t begin = text.rfind('\n');
  return begin == std::string::npos ? text : text.substr(begin + 1);
}

/// The text without what is only true of where the study lies: program and files as the study writes them.
std::string asWritten(const Study& study, const Workload& workload, std::string text) {
  std::error_code ignored;
  const std::filesystem::path folder =
      std::filesystem::canonical(study.folder.empty() ? "." : study.folder, ignored);
  const std::string program =
      std::filesystem::canonical(inFolder(study, workload.program), ignored).string();
  for (const auto& [from, to] :
       {std::pair{program, workload.program}, std::pair{folder.string() + "/", std::string()}})
    if (from.size() > 1)
      for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
  return text.substr(0, kMostReason);
}

/// Why a run that ended is none: what it says, and what tells most about the first thing wrong.
std::string reasonOf(const Json& result) {
  std::vector<std::string> parts;
  for (const Json& failure : result["failures"])
    if (failure.is_string()) parts.push_back(failure.get<std::string>());
  std::string reason = fmt::format("{}", fmt::join(parts, ", "));
  if (result.contains("faults") && !result["faults"].empty() && result["status"] == "fault") {
    const Json& fault = result["faults"].back();  // the one that ended the run
    const std::string detail = textAt(fault, "detail");
    reason += fmt::format(": {}, {}", textAt(fault, "cause"),
                          detail.empty() ? textAt(fault, "rule_text") : detail);
    if (const std::string operand = textAt(fault, "operand"); !operand.empty())
      reason += fmt::format(" ({})", operand);
    reason += fmt::format(" in {}", textAt(fault, "disassembly"));
    if (fault.contains("line"))
      reason += fmt::format(" at {}:{}", textAt(fault, "file"), fault["line"].get<int>());
    if (const std::string hint = textAt(fault, "hint"); !hint.empty()) reason += "; " + hint;
  } else if (const std::string line = lastLine(textAt(result, "console")); !line.empty()) {
    reason += ": " + line;
  }
  return reason;
}

}  // namespace

std::string_view rowStatusName(RowStatus status) {
  switch (status) {
    case RowStatus::ok: return "ok";
    case RowStatus::failed: return "failed";
    case RowStatus::excluded: break;
  }
  return "excluded";
}

bool isRunResult(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  return json.is_object() && json.contains("success") && json["success"].is_boolean() &&
         json.contains("failures") && json["failures"].is_array() && json.contains("status");
}

Row rowWithout(const Study& study, RowStatus status, std::string reason) {
  Row row;
  row.status = status;
  row.reason = std::move(reason);
  row.metrics.resize(study.metrics.size());
  row.ledgers.resize(study.ledgers.size());
  return row;
}

Result<Row> makeRow(const Study& study, const Workload& workload, const SweepPoint& point,
                    const FinishedRun& run) {
  if (run.result.empty())
    return rowWithout(study, RowStatus::failed, asWritten(study, workload, run.message));
  const Json result = Json::parse(run.result, nullptr, false);
  ETALON_CHECK(result.is_object(), "the driver keeps what isRunResult() took");
  if (!result["success"].get<bool>())
    return rowWithout(study, RowStatus::failed, asWritten(study, workload, reasonOf(result)));
  Row row = rowWithout(study, RowStatus::ok, "");
  ETALON_RETURN_IF_ERROR(readMetrics(study, point, result, row));
  ETALON_RETURN_IF_ERROR(readLedgers(study, result, row));
  return row;
}

}  // namespace etalon::tools
