// SPDX-License-Identifier: Apache-2.0
// Cost of walking views of 128 rows: what a DMA instruction pays besides moving bytes.
#include <benchmark/benchmark.h>

#include "isa/state/view_walk.h"

namespace etalon::isa {
namespace {

/// 128 x 128 of a bf16 matrix, the last `outside` columns past its edge.
ViewDescriptor block(int64_t outside) {
  ViewDescriptor v;
  v.type = static_cast<uint8_t>(ElementType::bf16);
  v.base = 0x80000000;
  v.naxes = v.nbox = 2;
  v.ncol = 1;
  v.axes[0] = {1024, 2048, 128};
  v.axes[1] = {1024, 2, 1024 - 128 + outside};
  v.box[0] = {128, 0, 1};
  v.box[1] = {128, 1, 1};
  return v;
}

/// im2col of a 3 x 3 window over NHWC with 16 channels, a row of 128 output points at a border.
ViewDescriptor window() {
  ViewDescriptor v;
  v.type = static_cast<uint8_t>(ElementType::bf16);
  v.naxes = 3;
  v.axes = {{{128, 128 * 32, -1}, {128, 32, -1}, {16, 2, 0}}};
  v.nbox = 5;
  v.ncol = 3;
  v.box = {{{1, 0, 1}, {128, 1, 1}, {3, 0, 1}, {3, 1, 1}, {16, 2, 1}}};
  return v;
}

void walk(benchmark::State& state, const ViewDescriptor& view) {
  for (auto _ : state) {
    uint64_t sum = 0;
    walkView(view, [&](uint64_t, uint64_t, uint64_t count, const ViewRun& run) {
      sum += run.address + count;
    });
    benchmark::DoNotOptimize(sum);
  }
  state.counters["rows/s"] = benchmark::Counter(128, benchmark::Counter::kIsIterationInvariantRate);
}

void insideRows(benchmark::State& state) { walk(state, block(0)); }
void clippedRows(benchmark::State& state) { walk(state, block(5)); }
void im2colRows(benchmark::State& state) { walk(state, window()); }
void gatheredRows(benchmark::State& state) {
  for (auto _ : state) {
    uint64_t sum = 0;
    walkGather(
        block(0), 0, [](uint64_t i) { return static_cast<int64_t>(i * 7); },
        [&](uint64_t, uint64_t, uint64_t count, const ViewRun& run) {
          sum += run.address + count;
        });
    benchmark::DoNotOptimize(sum);
  }
  state.counters["rows/s"] = benchmark::Counter(128, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(insideRows);
BENCHMARK(clippedRows);
BENCHMARK(im2colRows);
BENCHMARK(gatheredRows);

}  // namespace
}  // namespace etalon::isa
