// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

#include "isa/machines/find_machine.h"
#include "isa/numerics/mma_peak.h"
#include "sim/functional/functional_device.h"
#include "tools/program/program.h"
#include "tools/run/launch.h"

namespace etalon::tools {
namespace {

constexpr const char* kExtent = "1024";
constexpr double kOperations = 2.0 * 1024 * 1024 * 1024;

RunRequest gemmRequest(unsigned cores) {
  RunRequest request;
  request.program = std::string(ETALON_KERNEL_DIR) + "/gemm_bf16.elf";
  request.cores = cores;
  request.inputs = {{"A", "random:1", std::nullopt}, {"B", "random:2", std::nullopt}};
  request.arguments = {{"M", kExtent}, {"K", kExtent}, {"N", kExtent}};
  return request;
}

/// The bf16 GEMM kernel, 1024^3, from launch to exit on the functional device, detectors at their
/// defaults. Peak and launches take turns, so that a slow spell of the host meets both; the counters
/// hold the best of each. The host uses one thread, however many cores the device has. The label
/// says which path of the race detector ran.
void launchGemm(benchmark::State& state) {
  const auto cores = static_cast<unsigned>(state.range(0));
  const RunRequest request = gemmRequest(cores);
  const Result<Program> program = openProgram(request.program);
  const Result<isa::Machine> machine = isa::openMachine("base", {});
  if (!program.ok() || !machine.ok()) return state.SkipWithError("no kernel or no machine");
  Result<std::unique_ptr<sim::FunctionalDevice>> device = sim::FunctionalDevice::create(*machine);
  if (!device.ok() || !(*device)->load(program->image).ok())
    return state.SkipWithError("the image does not load");
  const Result<PreparedLaunch> launch = prepareLaunch(**device, program->image, request);
  if (!launch.ok()) return state.SkipWithError("the arguments do not bind");
  sim::LaunchOptions options;
  options.cores = cores;
  options.arguments = launch->argument_block;
  double best_peak = 0, best_launch = 0;
  for (auto _ : state) {
    best_peak = std::max(best_peak, numerics::measureFmaPeak());
    const auto begin = std::chrono::steady_clock::now();
    const Result<sim::RunResult> result = (*device)->launch(options);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    if (!result.ok() || result->status != sim::RunStatus::exited || result->exit_code != 0)
      return state.SkipWithError("the kernel failed");
    best_launch = std::max(best_launch, kOperations / spent.count());
    state.SetIterationTime(spent.count());
  }
  if ((*device)->races().raceCount() != 0) return state.SkipWithError("the kernel raced");
  state.counters["GFLOPs"] = best_launch / 1e9;
  state.counters["peak_GFLOPs"] = best_peak / 1e9;
  state.counters["peak_share"] = best_launch / best_peak;
  state.SetLabel((*device)->races().singleCore() ? "single-core races" : "multi-core races");
}
BENCHMARK(launchGemm)
    ->ArgName("cores")
    ->Arg(1)
    ->Arg(4)
    ->UseManualTime()
    ->MinTime(3)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace etalon::tools
