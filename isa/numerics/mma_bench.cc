// SPDX-License-Identifier: Apache-2.0
// Tile product 128 x 128 x 128 against the FMA peak of this host, on one core.
//
// Counters: GFLOPs (2 operations a multiply-accumulate, GOPs for integers) and `peak_share`, the
// ratio to the peak. The peak is measured next to every run, in the same process, because machines
// change clock under wide vectors and under load.
#include <benchmark/benchmark.h>

#include <chrono>
#include <random>
#include <vector>

#include "isa/numerics/mma.h"
#include "isa/numerics/mma_peak.h"

namespace etalon::numerics {
namespace {

constexpr uint32_t kExtent = 128;

/// Small finite values: subnormals and NaN would time the host's assists.
std::vector<std::byte> smallValues(ElementType type) {
  std::mt19937 random(7);
  const size_t size = static_cast<size_t>(elementInfo(type).bits) / 8;
  std::vector<std::byte> bytes(size * kExtent * kExtent);
  for (size_t i = 0; i < bytes.size(); ++i) {
    // Upper byte 0x3c..0x3f of every float format here is a number near 1; integers take any byte.
    const bool upper = elementInfo(type).kind == ElementKind::Float && i % size == size - 1;
    const uint32_t value = random();
    bytes[i] = static_cast<std::byte>(upper ? 0x3c + value % 4 + (value & 0x80) : value);
  }
  return bytes;
}

TileRef square(std::vector<std::byte>& bytes, ElementType type, bool transpose) {
  const uint32_t row = kExtent * static_cast<uint32_t>(elementInfo(type).bits) / 8;
  return {bytes.data(), type, 1, kExtent, kExtent, 0, row, 1, transpose};
}

void tileProduct(benchmark::State& state, ElementType type, bool a_transposed, bool b_transposed,
                 const MmaKernels* kernels) {
  const ElementType to = *accumulatorType(type, type);
  auto a = smallValues(type), b = smallValues(type);
  std::vector<std::byte> acc(kExtent * kExtent * sizeof(uint32_t));
  const TileRef ta = square(a, type, a_transposed), tb = square(b, type, b_transposed);
  const TileRef tacc = square(acc, to, false);
  MmaScratch scratch;
  const auto now = [] { return std::chrono::steady_clock::now(); };
  double best_peak = 0, best_product = 0;
  constexpr double kOperations = 2.0 * kExtent * kExtent * kExtent;
  for (auto _ : state) {
    // Peak and product take turns, so that a slow spell of the host meets both.
    const double peak = measureFmaPeak();
    const auto begin = now();
    for (int i = 0; i < 8; ++i) multiplyAccumulate(ta, tb, tacc, i > 0, *kernels, &scratch);
    const std::chrono::duration<double> spent = now() - begin;
    benchmark::DoNotOptimize(acc.data());
    benchmark::ClobberMemory();
    best_peak = std::max(best_peak, peak);
    best_product = std::max(best_product, 8 * kOperations / spent.count());
    state.SetIterationTime(spent.count() / 8);
  }
  state.counters["GFLOPs"] = best_product / 1e9;
  state.counters["peak_GFLOPs"] = best_peak / 1e9;
  state.counters["peak_share"] = best_product / best_peak;
}

void registerAll() {
  using enum ElementType;
  for (const MmaKernels* kernels : hostMmaKernels()) {
    for (const ElementType type : {bf16, f16, f8e4m3, f8e5m2, f32, i8, u8}) {
      for (const int flags : {0, 1, 2, 3}) {
        const std::string name = std::string(mmaKernelsName(*kernels)) + "/" +
                                 std::string(elementInfo(type).name) + (flags & 1 ? "/AT" : "/A") +
                                 (flags & 2 ? "/BT" : "/B");
        benchmark::RegisterBenchmark(name.c_str(), tileProduct, type, (flags & 1) != 0,
                                     (flags & 2) != 0, kernels)
            ->UseManualTime();
      }
    }
  }
}

const bool registered = (registerAll(), true);

}  // namespace
}  // namespace etalon::numerics
