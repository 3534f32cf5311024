// SPDX-License-Identifier: Apache-2.0
// Elements per second of the vector paths on 64Ki elements, for every instruction set of the host
// (argument 0 generic, 1 x86-64-v3, 2 x86-64-v4).
#include <benchmark/benchmark.h>

#include <vector>

#include "isa/numerics/chain.h"
#include "isa/numerics/convert.h"

namespace etalon::numerics {
namespace {

constexpr uint32_t kRows = 64, kCols = 1024;

struct Data {
  std::vector<float> values;
  TileRef tile;

  explicit Data(uint32_t rows = kRows, uint32_t cols = kCols) : values(size_t{rows} * cols) {
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(i % 977) * 0.01f - 4.0f;
    tile = {.data = reinterpret_cast<std::byte*>(values.data()),
            .type = ElementType::f32,
            .outer = 1,
            .inner = rows,
            .cols = cols,
            .ostride = 0,
            .istride = cols * 4};
  }
};

bool skip(benchmark::State& state) {
  if (state.range(0) <= static_cast<int>(hostIsa())) return false;
  state.SkipWithError("not on this host");
  return true;
}

void runOne(benchmark::State& state, ElementwiseOp op) {
  if (skip(state)) return;
  Data a, b, td;
  ChainProgram program;
  program.nsteps = 1;
  program.steps[0] = {.op = op, .a = 0, .b = 1};
  for (auto _ : state)
    runChain(program, {{&a.tile, &b.tile}, &td.tile, nullptr},
             static_cast<HostIsa>(state.range(0)));
  state.SetItemsProcessed(state.iterations() * kRows * kCols);
}

void chainAdd(benchmark::State& state) { runOne(state, ElementwiseOp::add); }
void chainExp(benchmark::State& state) { runOne(state, ElementwiseOp::exp); }
void chainTanh(benchmark::State& state) { runOne(state, ElementwiseOp::tanh); }

void rowSum(benchmark::State& state) {
  if (skip(state)) return;
  Data a, td(kRows, 1);
  for (auto _ : state)
    reduceRows(ReduceOp::Sum, a.tile, td.tile, false, static_cast<HostIsa>(state.range(0)));
  state.SetItemsProcessed(state.iterations() * kRows * kCols);
}

void convert(benchmark::State& state, ElementType from, ElementType to) {
  if (skip(state)) return;
  Data a, td;
  const ptrdiff_t from_bytes = elementInfo(from).bits / 8, to_bytes = elementInfo(to).bits / 8;
  for (auto _ : state) {
    convertRun(from, a.tile.data, from_bytes, to, td.tile.data, to_bytes, kRows * kCols, {},
               static_cast<HostIsa>(state.range(0)));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kRows * kCols);
}

BENCHMARK(chainAdd)->DenseRange(0, 2);
BENCHMARK(chainExp)->DenseRange(0, 2);
BENCHMARK(chainTanh)->DenseRange(0, 2);
BENCHMARK(rowSum)->DenseRange(0, 2);
BENCHMARK_CAPTURE(convert, f32_bf16, ElementType::f32, ElementType::bf16)->DenseRange(0, 2);
BENCHMARK_CAPTURE(convert, bf16_f32, ElementType::bf16, ElementType::f32)->DenseRange(0, 2);
BENCHMARK_CAPTURE(convert, f32_f16, ElementType::f32, ElementType::f16)->DenseRange(0, 2);
BENCHMARK_CAPTURE(convert, f16_f32, ElementType::f16, ElementType::f32)->DenseRange(0, 2);
BENCHMARK_CAPTURE(convert, f32_f8e4m3, ElementType::f32, ElementType::f8e4m3)->DenseRange(0, 2);
BENCHMARK_CAPTURE(convert, f8e4m3_f32, ElementType::f8e4m3, ElementType::f32)->DenseRange(0, 2);
BENCHMARK_CAPTURE(convert, i32_i8, ElementType::i32, ElementType::i8)->DenseRange(0, 2);
BENCHMARK_CAPTURE(convert, f32_i8, ElementType::f32, ElementType::i8)->DenseRange(0, 2);

}  // namespace
}  // namespace etalon::numerics
