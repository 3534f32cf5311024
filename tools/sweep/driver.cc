// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/driver.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <deque>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "tools/sweep/worker.h"

namespace etalon::tools {
namespace {

constexpr int kAttempts = 2;  // of a run whose worker is lost

/// Signals that the driver waits for instead of being interrupted by them; the mask is put back at the end.
class AwaitedSignals {
 public:
  AwaitedSignals() {
    ::sigemptyset(&set_);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set_, signal);
    ::sigprocmask(SIG_BLOCK, &set_, &before_);
  }
  AwaitedSignals(const AwaitedSignals&) = delete;
  AwaitedSignals& operator=(const AwaitedSignals&) = delete;
  ~AwaitedSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

  /// The next one, or 0 after half a second without.
  int next() const {
    const timespec limit{0, 500'000'000};
    const int signal = ::sigtimedwait(&set_, nullptr, &limit);
    return signal < 0 ? 0 : signal;
  }

 private:
  sigset_t set_{}, before_{};
};

struct Running {
  Worker worker;
  std::string key;
};

class Driver {
 public:
  Driver(const Study& study, const ResultStore& store, const DriverOptions& options,
         SweepResults& results)
      : study_(study), store_(store), options_(options), results_(results) {}

  Status prepare(const std::vector<BuiltProgram>& programs);
  /// True when all is done, false when it was interrupted.
  Result<bool> run();

 private:
  /// One key, all rows that wait for it, and how often it was tried.
  struct Job {
    std::vector<size_t> rows;
    int attempts = 0;
  };

  Status startOne();
  Status collect();
  Status finish(Running& running, int status);
  Status addRows(const std::string& key, const FinishedRun& run);
  void lose(const std::string& key, int status);
  void report() const {
    if (options_.progress) options_.progress(progress_);
  }

  const Study& study_;
  const ResultStore& store_;
  const DriverOptions& options_;
  SweepResults& results_;
  std::vector<std::string> images_;
  std::map<std::string, Job> jobs_;
  std::deque<std::string> waiting_;
  std::vector<Running> running_;
  SweepProgress progress_;
};

Status Driver::prepare(const std::vector<BuiltProgram>& programs) {
  for (size_t w = 0; w < programs.size(); ++w) {
    Result<std::string> image = store_.addProgram(study_.workloads[w].name, programs[w].bytes);
    if (!image.ok()) return image.error();
    images_.push_back(*std::move(image));
  }
  for (size_t i = 0; i < results_.runs.size(); ++i) {
    const PlannedRun& run = results_.runs[i];
    const SweepPoint& point = results_.points[run.point];
    results_.rows.push_back(
        rowWithout(study_, point.excluded.empty() ? RowStatus::failed : RowStatus::excluded,
                   point.excluded.empty() ? point.impossible : "constraint " + point.excluded));
    if (run.key.empty()) continue;
    Job& job = jobs_[run.key];
    if (job.rows.empty()) waiting_.push_back(run.key);
    job.rows.push_back(i);
  }
  progress_.runs = jobs_.size();
  std::deque<std::string> missing;
  for (const std::string& key : waiting_) {
    const std::optional<FinishedRun> kept = store_.find(key);
    if (!kept) {
      missing.push_back(key);
      continue;
    }
    ++progress_.kept;
    ETALON_RETURN_IF_ERROR(addRows(key, *kept));
  }
  waiting_ = std::move(missing);
  return {};
}

Result<bool> Driver::run() {
  const AwaitedSignals signals;
  report();
  while (!waiting_.empty() || !running_.empty()) {
    while (!waiting_.empty() && running_.size() < options_.jobs) ETALON_RETURN_IF_ERROR(startOne());
    const int signal = signals.next();
    if (signal != 0 && signal != SIGCHLD) {
      running_.clear();  // ends them
      return false;
    }
    ETALON_RETURN_IF_ERROR(collect());
    report();
  }
  return true;
}

Status Driver::startOne() {
  const std::string key = waiting_.front();
  waiting_.pop_front();
  Job& job = jobs_[key];
  ++job.attempts;
  const PlannedRun& run = results_.runs[job.rows[0]];
  std::error_code ignored;
  const std::string folder =
      std::filesystem::absolute(study_.folder.empty() ? "." : study_.folder, ignored).string();
  std::vector<std::string> words{"etalon"};
  for (std::string& word : runArguments(study_, study_.workloads[run.workload],
                                        results_.points[run.point], images_[run.workload], folder))
    words.push_back(std::move(word));
  Result<Worker> worker = Worker::start(options_.program, words);
  if (!worker.ok()) return worker.error();
  running_.push_back({*std::move(worker), key});
  progress_.running = running_.size();
  return {};
}

Status Driver::collect() {
  for (size_t i = 0; i < running_.size();) {
    int status = 0;
    if (!running_[i].worker.ended(status)) {
      ++i;
      continue;
    }
    Running ended = std::move(running_[i]);
    running_.erase(running_.begin() + static_cast<ptrdiff_t>(i));
    progress_.running = running_.size();
    ETALON_RETURN_IF_ERROR(finish(ended, status));
  }
  return {};
}

Status Driver::finish(Running& running, int status) {
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  FinishedRun run{code, "", ""};
  if (code == 0 || code == 1) run.result = running.worker.output();
  const bool whole = (code == 2 || ((code == 0 || code == 1) && isRunResult(run.result)));
  if (!whole) {
    lose(running.key, status);
    return {};
  }
  if (code == 2) {
    run.message = running.worker.errors();
    const PlannedRun& planned = results_.runs[jobs_[running.key].rows[0]];
    const std::string& image = images_[planned.workload];
    const std::string& program = study_.workloads[planned.workload].program;
    for (size_t at = 0; (at = run.message.find(image, at)) != std::string::npos;
         at += program.size())
      run.message.replace(at, image.size(), program);
    while (run.message.ends_with('\n')) run.message.pop_back();
    if (run.message.starts_with("etalon run: ")) run.message.erase(0, 12);
  }
  // Kept first: a metric that is not there ends the sweep, and what has run need not be run again.
  ETALON_RETURN_IF_ERROR(store_.keep(running.key, run));
  return addRows(running.key, run);
}

Status Driver::addRows(const std::string& key, const FinishedRun& run) {
  for (const size_t index : jobs_[key].rows) {
    const PlannedRun& planned = results_.runs[index];
    Result<Row> row =
        makeRow(study_, study_.workloads[planned.workload], results_.points[planned.point], run);
    if (!row.ok()) return row.error();
    results_.rows[index] = *std::move(row);
  }
  ++progress_.finished;
  if (results_.rows[jobs_[key].rows[0]].status == RowStatus::failed) ++progress_.failed;
  return {};
}

void Driver::lose(const std::string& key, int status) {
  const std::string end = endText(status);
  Job& job = jobs_[key];
  if (job.attempts < kAttempts) {
    if (options_.warning)
      options_.warning(fmt::format("a worker was lost by {}; its run is tried once more\n", end));
    waiting_.push_front(key);
    return;
  }
  for (const size_t index : job.rows)
    results_.rows[index] = rowWithout(
        study_, RowStatus::failed,
        fmt::format("its process was lost {} times, the last time by {}", kAttempts, end));
  ++progress_.finished;
  ++progress_.failed;
}

}  // namespace

Result<SweepEnd> runSweep(const Study& study, const std::vector<BuiltProgram>& programs,
                          const ResultStore& store, const DriverOptions& options) {
  SweepEnd end;
  end.results.points = planPoints(study);
  Result<std::vector<PlannedRun>> runs =
      planRuns(study, end.results.points, programs, options.version);
  if (!runs.ok()) return runs.error();
  end.results.runs = *std::move(runs);
  Driver driver(study, store, options, end.results);
  ETALON_RETURN_IF_ERROR(driver.prepare(programs));
  const Result<bool> all = driver.run();
  if (!all.ok()) return all.error();
  end.interrupted = !*all;
  return end;
}

}  // namespace etalon::tools
