// SPDX-License-Identifier: Apache-2.0
// etalon diff RUN RUN: what changed between two runs, and why.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

#include "tools/command.h"
#include "tools/timing/run_diff.h"

namespace etalon::tools {
namespace {

constexpr const char* kFooter = R"(Examples:
  etalon run gemm.elf --machine base --json > before.json
  etalon run gemm.elf --machine base --set local_bytes='4 MiB' --json > after.json
  etalon diff before.json after.json
  etalon diff before.json after.json --json)";

struct DiffOptions {
  std::string before, after;
  bool json = false;
};

int diff(const DiffOptions& options) {
  Result<RunResult> before = readRunResult(options.before);
  if (!before.ok()) return complain("diff", before.error());
  Result<RunResult> after = readRunResult(options.after);
  if (!after.ok()) return complain("diff", after.error());
  const RunDiff changes = compareRuns(*std::move(before), *std::move(after));
  printOut(options.json ? diffJson(changes) : diffText(changes));
  return kSuccess;
}

}  // namespace

void addDiff(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App* sub = app.add_subcommand("diff", "Say what changed between two runs, and why");
  sub->add_option("BEFORE", options->before, "Result of `etalon run --json`")
      ->required()
      ->type_name("FILE");
  sub->add_option("AFTER", options->after, "The result to compare it with")
      ->required()
      ->type_name("FILE");
  sub->add_flag("--json", options->json, "JSON on stdout");
  sub->footer(kFooter);
  sub->callback([options, &exit_status] { exit_status = diff(*options); });
}

}  // namespace etalon::tools
