// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include "kernels/reference/check.h"
#include "kernels/reference/probe.h"

namespace etalon::kernels {
namespace {

/// The check of a bf16 product of n x n matrices: it should cost seconds, not minutes, at 1024.
void checkMatmul(benchmark::State& state) {
  const auto n = static_cast<uint64_t>(state.range(0));
  const MatmulProbe probe =
      *makeMatmulProbe({ElementType::bf16, ElementType::bf16, ElementType::f32}, n, n, n, 1);
  const abi::CheckSpec spec{"matmul", {"A", "B"}, {"C"}, {}};
  const NamedArray arrays[] = {{"A", &probe.a}, {"B", &probe.b}, {"C", &probe.expected}};
  for (auto _ : state) {
    const Result<CheckReport> report = checkOperator(spec, arrays, {});
    if (!report.ok() || !report->passed) state.SkipWithError("the probe must pass");
  }
}
BENCHMARK(checkMatmul)->Arg(256)->Arg(1024)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace etalon::kernels
