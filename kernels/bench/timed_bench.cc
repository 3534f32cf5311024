// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <string>

#include "tools/run/session.h"

namespace etalon::tools {
namespace {

/// A run of the bf16 GEMM kernel, n^3, on the timing model. SystemC elaborates once in a process, so each has its own.
RunRequest gemmRequest(const char* machine, int64_t n, int64_t cores) {
  RunRequest request;
  request.program = std::string(ETALON_KERNEL_DIR) + "/gemm_bf16.elf";
  request.machine = machine;
  request.timed = true;
  request.cores = cores;
  request.inputs = {{"A", "random:1", std::nullopt}, {"B", "random:2", std::nullopt}};
  const std::string extent = std::to_string(n);
  request.arguments = {{"M", extent}, {"K", extent}, {"N", extent}};
  return request;
}

/// What a child process tells of its run, and what it cost.
struct Told {
  uint64_t cycles = 0, tiles = 0, bursts = 0;
};

Told runInChild(const RunRequest& request, uint64_t burst_bytes) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  if (fork() == 0) {
    const Result<RunReport> report = runProgram(request, {});
    Told told;
    if (report.ok() && report->timing) {
      told.cycles = report->timing->cycles;
      told.tiles = report->timing->tiles;
      for (const sim::PathBytes& level : report->timing->levels())
        if (level.path.level.starts_with("memory")) told.bursts += level.moved / burst_bytes;
    }
    _exit(write(ends[1], &told, sizeof told) == sizeof told ? 0 : 1);
  }
  close(ends[1]);
  Told told;
  if (read(ends[0], &told, sizeof told) != sizeof told) told = {};
  close(ends[0]);
  wait(nullptr);
  return told;
}

double childCpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// CPU time of whole runs; counters say what a tile instruction and a burst of 64 bytes come to, each as if it were alone.
void measure(benchmark::State& state, const RunRequest& request) {
  Told told;
  double best = 1e9;
  for (auto _ : state) {
    const double before = childCpuSeconds();
    told = runInChild(request, 64);
    const double spent = childCpuSeconds() - before;
    best = std::min(best, spent);
    state.SetIterationTime(spent);
  }
  if (told.cycles == 0) return state.SkipWithError("the run failed");
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  state.counters["cycles"] = static_cast<double>(told.cycles);
  state.counters["tiles"] = static_cast<double>(told.tiles);
  state.counters["bursts"] = static_cast<double>(told.bursts);
  state.counters["best_s"] = best;
  state.counters["us_a_tile"] = best * 1e6 / static_cast<double>(told.tiles);
  state.counters["us_a_burst"] = best * 1e6 / static_cast<double>(told.bursts);
}

/// Values and time, `tpuv4-like` with its DRAM: arguments n, cores.
void gemmWithValues(benchmark::State& state) {
  measure(state, gemmRequest("tpuv4-like", state.range(0), state.range(1)));
}
BENCHMARK(gemmWithValues)
    ->ArgNames({"n", "cores"})
    ->Args({1024, 4})
    ->Args({2048, 4})
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

/// Time alone.
void gemmTimingOnly(benchmark::State& state) {
  RunRequest request = gemmRequest("tpuv4-like", state.range(0), state.range(1));
  request.timing_only = true;
  measure(state, request);
}
BENCHMARK(gemmTimingOnly)
    ->ArgNames({"n", "cores"})
    ->Args({1024, 4})
    ->Args({2048, 4})
    ->Args({4096, 4})
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

/// Small tile instructions alone, memory of fixed latency: argument cores, each of which has the same work.
void tileInstructions(benchmark::State& state) {
  RunRequest request;
  request.program = ETALON_TILE_LOOP;
  request.machine = "base";
  request.overrides = {"memory.preset=fixed-100ns-64b", "local_bytes=1 MiB",
                       "cores=" + std::to_string(state.range(0))};
  request.timed = request.timing_only = true;
  measure(state, request);
}
BENCHMARK(tileInstructions)
    ->ArgName("cores")
    ->Arg(1)
    ->Arg(4)
    ->Arg(64)
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace etalon::tools
