// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/page.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <optional>
#include <vector>

#include "isa/base/file.h"
#include "isa/base/share_folder.h"
#include "isa/base/text.h"
#include "tools/sweep/worker.h"

namespace etalon::tools {
namespace {

std::string scriptPath() {
  const std::optional<std::string> share = installedShare();
  return (share ? *share + "/plots" : std::string(ETALON_PLOTS_SOURCE)) + "/sweep_plots.py";
}

Status runScript(const std::string& argument) {
  const std::string script = scriptPath();
  if (const Result<std::string> content = readFile(script); !content.ok())
    return Error{"--plots: " + content.error().message};
  Result<Worker> worker = Worker::start(script, {script, argument});
  if (!worker.ok()) return worker.error();
  const int status = worker->wait();
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  std::string said = worker->errors();
  while (said.ends_with('\n')) said.pop_back();
  return Error{fmt::format("--plots: {}", said.empty() ? script + ": " + endText(status) : said)};
}

}  // namespace

Status checkPlots() { return runScript("--check"); }

Status makePage(const std::string& folder) { return runScript(folder); }

}  // namespace etalon::tools
