// SPDX-License-Identifier: Apache-2.0
// Cost of a burst in the DRAM controller, and of a request through the channel.
#include <benchmark/benchmark.h>

#include "sim/memory/dram_channel.h"
#include "sim/memory/dram_runs.h"

namespace etalon::sim {
namespace {

void perBurst(benchmark::State& state, double bursts) {
  state.counters["bursts_per_s"] =
      benchmark::Counter(bursts, benchmark::Counter::kIsIterationInvariantRate);
}

/// A controller alone, kept full.
void controller(benchmark::State& state, const char* preset_name, const char* pattern) {
  const isa::DramPreset preset = shippedPreset(preset_name);
  const auto accesses = dramPattern(pattern, 50000);
  for (auto _ : state) benchmark::DoNotOptimize(runAccesses(preset, accesses).cycles);
  perBurst(state, 50000.0 * 64 / static_cast<double>(preset.burst_bytes));
}

/// The channel as the fabric drives it: requests of 64 bytes, woken when the channel says so.
void channel(benchmark::State& state, const char* preset_name, const char* pattern) {
  const isa::DramPreset preset = shippedPreset(preset_name);
  const auto accesses = dramPattern(pattern, 50000);
  uint64_t wakes = 0;
  for (auto _ : state) {
    DramChannel channel(preset, 1000);
    std::vector<ChannelCompletion> completed;
    Cycles now = 0;
    size_t next = 0;
    while (true) {
      for (; next < accesses.size() && channel.accepts(accesses[next].write, 64); ++next)
        channel.submit({next, accesses[next].address, 64, accesses[next].write}, now);
      const Cycles due = channel.nextTime();
      if (due == kNever) break;
      now = std::max(now + 1, due);
      completed.clear();
      channel.advance(now, completed);
      ++wakes;
    }
  }
  perBurst(state, 50000.0 * 64 / static_cast<double>(preset.burst_bytes));
  state.counters["wakes_per_request"] =
      static_cast<double>(wakes) / 50000 / static_cast<double>(state.iterations());
}

BENCHMARK_CAPTURE(controller, hbm2_2400_stream, "hbm2-2400", "sequential_read");
BENCHMARK_CAPTURE(controller, hbm2_2400_copy_4k, "hbm2-2400", "copy_4k");
BENCHMARK_CAPTURE(controller, hbm2_2400_random_64, "hbm2-2400", "random_64");
BENCHMARK_CAPTURE(controller, hbm2_2400_wide_stream, "hbm2-2400-wide", "sequential_read");
BENCHMARK_CAPTURE(controller, hbm3_6400_stream, "hbm3-6400", "sequential_read");
BENCHMARK_CAPTURE(controller, lpddr5_6400_stream, "lpddr5-6400", "sequential_read");
BENCHMARK_CAPTURE(controller, ddr5_6400_stream, "ddr5-6400", "sequential_read");
BENCHMARK_CAPTURE(controller, ddr5_6400_random_64_rw, "ddr5-6400", "random_64_rw");
BENCHMARK_CAPTURE(channel, hbm2_2400_stream, "hbm2-2400", "sequential_read");
BENCHMARK_CAPTURE(channel, hbm2_2400_copy_4k, "hbm2-2400", "copy_4k");
BENCHMARK_CAPTURE(channel, hbm2_2400_random_64, "hbm2-2400", "random_64");

}  // namespace
}  // namespace etalon::sim
