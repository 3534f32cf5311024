// SPDX-License-Identifier: Apache-2.0
// etalon sweep STUDY: a what-if study over machines, a process a point.
#include <fmt/format.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "isa/base/number.h"
#include "isa/base/text.h"
#include "tools/command.h"
#include "tools/sweep/driver.h"
#include "tools/sweep/page.h"
#include "tools/sweep/results.h"
#include "tools/sweep/store.h"
#include "tools/sweep/study.h"

namespace etalon::tools {
namespace {

constexpr const char* kFooter =
    R"(A study names a machine, axes over its keys, workloads, and metrics of each run (isa/schema/study.schema.json). Results go
to a folder: results.json, results.csv, and a file a finished run, which the same command does not run again; so a sweep
that was interrupted, or killed, goes on where it was. Exit status 1: some points failed; their rows say why.
Examples:
  etalon sweep study.yaml --dry-run
  etalon sweep study.yaml --plots
  etalon sweep study.yaml --output results --jobs 8 --json > results.json)";

constexpr uint64_t kMostJobs = 4096;

struct SweepOptions {
  std::string study, output, jobs, device;
  bool dry_run = false;
  bool plots = false;
  bool json = false;
};

size_t hostCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<size_t>(CPU_COUNT(&set)) : 1;
}

/// "2 h 05 min", "3 min 20 s", "12 s".
std::string durationText(double seconds) {
  const auto whole = static_cast<uint64_t>(std::llround(seconds));
  if (whole >= 3600) return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
  if (whole >= 60) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} s", whole);
}

/// One line on stderr: overwritten on a terminal, else a new one now and then.
class ProgressLine {
 public:
  void show(const SweepProgress& now) {
    using namespace std::chrono;
    const auto time = steady_clock::now();
    const bool last = now.finished == now.runs;
    if (!on_terminal_ && !last && time - shown_ < kBetweenLines) return;
    shown_ = time;
    std::string line = fmt::format("etalon sweep: {} of {} runs done", now.finished, now.runs);
    if (now.kept != 0) line += fmt::format(", {} of them before", now.kept);
    if (now.failed != 0) line += fmt::format(", {} failed", now.failed);
    if (const size_t here = now.finished - now.kept; here != 0 && !last) {
      const double elapsed = duration<double>(time - began_).count();
      const auto left = static_cast<double>(now.runs - now.finished);
      line += fmt::format(", {} left", durationText(elapsed * left / static_cast<double>(here)));
    }
    fmt::print(stderr, "{}{}{}", on_terminal_ ? "\r\033[K" : "", line, on_terminal_ ? "" : "\n");
    std::fflush(stderr);
    open_ = on_terminal_;
  }
  /// Before other lines on stderr.
  void end() {
    if (open_) std::fputs("\n", stderr);
    open_ = false;
  }

 private:
  static constexpr std::chrono::seconds kBetweenLines{10};
  bool on_terminal_ = isatty(STDERR_FILENO) != 0;
  bool open_ = false;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point shown_{};
};

int dryRun(const SweepOptions& options, const Study& study,
           const std::vector<BuiltProgram>& programs, const ToolVersion& version) {
  SweepResults plan;
  plan.points = planPoints(study);
  Result<std::vector<PlannedRun>> runs = planRuns(study, plan.points, programs, version);
  if (!runs.ok()) return complain("sweep", runs.error());
  plan.runs = *std::move(runs);
  std::vector<bool> done;
  for (const PlannedRun& run : plan.runs)
    done.push_back(!run.key.empty() && findRun(options.output, run.key).has_value());
  printOut(options.json ? planJson(study, plan, done) : planText(study, plan, done));
  return kSuccess;
}

Status writeResults(const SweepOptions& options, const Study& study, const SweepResults& results,
                    const ResultStore& store) {
  const std::string json = resultsJson(study, results, ETALON_VERSION);
  ETALON_RETURN_IF_ERROR(store.write("results.json", json));
  ETALON_RETURN_IF_ERROR(store.write("results.csv", resultsCsv(study, results)));
  if (options.plots) ETALON_RETURN_IF_ERROR(makePage(store.folder()));
  if (options.json) {
    printOut(json);
    return {};
  }
  std::string files = "results.json, results.csv";
  if (options.plots) files += ", index.html";
  printOut(summaryText(study, results) + fmt::format("  {}: {}\n", options.output, files));
  return {};
}

int sweep(SweepOptions& options) {
  DriverOptions driver;
  driver.program = "/proc/self/exe";
  driver.jobs = hostCores();
  if (!options.jobs.empty()) {
    const Result<uint64_t> jobs = parseUnsigned(options.jobs);
    if (!jobs.ok()) return complain("sweep", Error{"--jobs: " + jobs.error().message});
    if (*jobs < 1 || *jobs > kMostJobs)
      return complain("sweep", Error{fmt::format("--jobs {}: 1 to {}", *jobs, kMostJobs)});
    driver.jobs = *jobs;
  }
  Result<Study> study = loadStudy(options.study, options.device);
  if (!study.ok()) return complain("sweep", study.error());
  if (options.output.empty()) options.output = study->name + ".sweep";
  if (options.plots)
    if (const Status ready = checkPlots(); !ready.ok()) return complain("sweep", ready.error());
  const Result<std::string> build_id = ownBuildId();
  if (!build_id.ok()) return complain("sweep", build_id.error());
  driver.version = {ETALON_VERSION, *build_id};
  const Result<std::vector<BuiltProgram>> programs = buildPrograms(*study);
  if (!programs.ok()) return complain("sweep", programs.error());
  for (const BuiltProgram& program : *programs) fmt::print(stderr, "{}", program.warnings);
  if (options.dry_run) return dryRun(options, *study, *programs, driver.version);

  const Result<ResultStore> store = ResultStore::open(options.output);
  if (!store.ok()) return complain("sweep", store.error());
  ProgressLine progress;
  driver.progress = [&](const SweepProgress& now) { progress.show(now); };
  driver.warning = [&](std::string_view text) {
    progress.end();
    fmt::print(stderr, "etalon sweep: {}", text);
  };
  const Result<SweepEnd> end = runSweep(*study, *programs, *store, driver);
  progress.end();
  if (!end.ok()) return complain("sweep", end.error());
  if (end->interrupted) {
    std::fputs("etalon sweep: interrupted; the same command goes on from here\n", stderr);
    return kInterrupted;
  }
  if (const Status kept = writeResults(options, *study, end->results, *store); !kept.ok())
    return complain("sweep", kept.error());
  for (const Row& row : end->results.rows)
    if (row.status == RowStatus::failed) return kFailed;
  return kSuccess;
}

}  // namespace

void addSweep(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<SweepOptions>();
  CLI::App* sub = app.add_subcommand(
      "sweep", "Run workloads on many variants of a machine; tables, plots, one HTML page");
  sub->add_option("STUDY", options->study, "The study, a YAML file")->required()->type_name("FILE");
  sub->add_option("--output", options->output,
                  "Folder of the results (default: the study's name and .sweep, here)")
      ->type_name("FILE");
  sub->add_option("--jobs", options->jobs, "Processes at a time (default: the cores of this host)")
      ->type_name("N");
  sub->add_option("--device", options->device, "Run on this device, not on the one of the study")
      ->type_name("npu|npu-functional");
  sub->add_flag("--dry-run", options->dry_run, "List the runs, and which are done; run nothing");
  sub->add_flag("--plots", options->plots,
                "Also the plots of the study, and index.html with all of it (needs "
                "python3-matplotlib)");
  sub->add_flag("--json", options->json,
                "The results on stdout (isa/schema/sweep_result.schema.json)");
  sub->footer(kFooter);
  sub->callback([options, &exit_status] { exit_status = sweep(*options); });
}

}  // namespace etalon::tools
