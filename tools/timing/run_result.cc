// SPDX-License-Identifier: Apache-2.0
#include "tools/timing/run_result.h"

#include <fmt/format.h>

#include "isa/base/file.h"
#include "isa/base/text.h"
#include "tools/timing/json_members.h"
#include "tools/timing/timing_json.h"

namespace etalon::tools {
namespace {

Error noResult(const std::string& path, const Error& why) {
  return Error{fmt::format("{} is no result of `etalon run --json`: {}", quote(path), why.message)};
}

}  // namespace

Result<RunResult> readRunResult(const std::string& path) {
  const Result<std::string> text = readFile(path);
  if (!text.ok()) return text.error();
  Result<JsonMembers> parsed = JsonMembers::parse(*text, "");
  if (!parsed.ok()) return noResult(path, parsed.error());
  JsonMembers& json = *parsed;
  RunResult result;
  result.file = path;
  result.success = json.flag("success");
  result.status = json.text("status");
  result.device = json.text("device");
  result.program = json.text("program");
  if (json.has("machine")) result.machine = json.object("machine").text("name");
  if (json.has("instructions")) result.instructions = json.count("instructions");
  result.counters = json.counts("counters");
  if (const Status status = json.status(); !status.ok()) return noResult(path, status.error());
  if (!json.has("timing")) return result;
  Result<sim::TimedReport> timing = readTimingJson(json.json("timing"));
  if (!timing.ok()) return noResult(path, timing.error());
  result.timing = *std::move(timing);
  return result;
}

}  // namespace etalon::tools
