// SPDX-License-Identifier: Apache-2.0
// Tile product 128 x 128 x 128 against the FMA peak of this host, on one core.
//
// Counters: GFLOPs (2 operations a multiply-accumulate, GOPs for integers) and `peak_share`, the
// ratio to the peak. The peak is measured next to every run, in the same process, because machines
// change clock under wide vectors and under load.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "isa/numerics/contract_mma.h"
#include "isa/numerics/mma.h"
#include "isa/numerics/mma_kernels.h"
#include "isa/numerics/mma_peak.h"

namespace etalon::numerics {
namespace {

constexpr uint32_t kExtent = 128;
/// Of the products under a declared contract.
constexpr uint32_t kContractExtent = 512;

/// Small finite values: subnormals and NaN would time the host's assists.
std::vector<std::byte> smallValues(ElementType type, uint32_t extent = kExtent) {
  std::mt19937 random(7);
  const auto width = static_cast<size_t>(elementInfo(type).bits);
  const size_t size = std::max<size_t>(width / 8, 1);
  std::vector<std::byte> bytes(width * extent * extent / 8);
  for (size_t i = 0; i < bytes.size(); ++i) {
    // Upper byte 0x3c..0x3f of every float format here is a number near 1; e8m0 stays within 2^8 of
    // it; integers and f4 take any byte.
    const bool upper =
        elementInfo(type).kind == ElementKind::Float && width >= 8 && i % size == size - 1;
    const uint32_t value = random();
    if (type == ElementType::e8m0) {
      bytes[i] = static_cast<std::byte>(0x78 + value % 16);
      continue;
    }
    bytes[i] = static_cast<std::byte>(upper ? 0x3c + value % 4 + (value & 0x80) : value);
  }
  return bytes;
}

TileRef square(std::vector<std::byte>& bytes, ElementType type, bool transpose,
               uint32_t extent = kExtent) {
  const uint32_t row = extent * static_cast<uint32_t>(elementInfo(type).bits) / 8;
  return {bytes.data(), type, 1, extent, extent, 0, row, 1, transpose};
}

/// Times 8 products at a go. Peak and products take turns, so that a slow spell of the host meets
/// both; the counters hold the best of each.
template <class Product>
void against(benchmark::State& state, Product product) {
  constexpr double kOperations = 8 * 2.0 * kExtent * kExtent * kExtent;
  double best_peak = 0, best_product = 0;
  for (auto _ : state) {
    best_peak = std::max(best_peak, measureFmaPeak());
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 8; ++i) product();
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    benchmark::ClobberMemory();
    best_product = std::max(best_product, kOperations / spent.count());
    state.SetIterationTime(spent.count() / 8);
  }
  state.counters["GFLOPs"] = best_product / 1e9;
  state.counters["peak_GFLOPs"] = best_peak / 1e9;
  state.counters["peak_share"] = best_product / best_peak;
}

/// Everything an instruction costs here: conversion, packing, product.
void tileProduct(benchmark::State& state, ElementType type, bool a_transposed, bool b_transposed,
                 const MmaKernels* kernels) {
  auto a = smallValues(type), b = smallValues(type);
  std::vector<std::byte> acc(kExtent * kExtent * sizeof(uint32_t));
  const TileRef ta = square(a, type, a_transposed), tb = square(b, type, b_transposed);
  const TileRef tacc = square(acc, *accumulatorType(type, type), false);
  MmaScratch scratch;
  against(state, [&] { multiplyAccumulate(ta, tb, tacc, false, *kernels, &scratch); });
}

/// Sources with block scales, or a sparse A: what a chip's MX formats cost here.
struct Linked {
  const char* name;
  ElementType type, scale;
  uint32_t block;  ///< elements a scale; 0: no scales
  bool sparse;
};
constexpr Linked kLinked[] = {{"mxfp8", ElementType::f8e4m3, ElementType::e8m0, 32, false},
                              {"mxfp4", ElementType::f4e2m1, ElementType::e8m0, 32, false},
                              {"nvfp4", ElementType::f4e2m1, ElementType::f8e4m3, 16, false},
                              {"f8-by-f32", ElementType::f8e4m3, ElementType::f32, 128, false},
                              {"i4", ElementType::i4, ElementType::i4, 0, false},
                              {"sparse-bf16", ElementType::bf16, ElementType::bf16, 0, true},
                              {"sparse-i8", ElementType::i8, ElementType::i8, 0, true}};

/// Operations counted are those of the dense product, 2 M N K.
void linkedProduct(benchmark::State& state, const Linked* what, bool b_transposed,
                   const MmaKernels* kernels) {
  auto a = smallValues(what->type), b = smallValues(what->type);
  std::vector<std::byte> acc(kExtent * kExtent * sizeof(uint32_t));
  const ElementType sums = *accumulatorType(what->type, what->type, what->block != 0);
  MmaSource ta = square(a, what->type, false), tb = square(b, what->type, b_transposed);
  auto scales = smallValues(what->scale);
  if (what->block != 0) {
    const uint32_t blocks = kExtent / what->block;
    const auto size = static_cast<uint32_t>(elementInfo(what->scale).bits) / 8;
    ta.scales = TileRef{scales.data(), what->scale, 1, kExtent, blocks, 0, blocks * size};
    tb.scales = b_transposed
                    ? ta.scales
                    : TileRef{scales.data(), what->scale, 1, blocks, kExtent, 0, kExtent * size};
  }
  std::vector<std::byte> metadata(kExtent * kExtent / 8, std::byte{0x9c});
  if (what->sparse) {
    ta.tile.cols = kExtent / 2;
    ta.metadata =
        TileRef{metadata.data(), ElementType::u4, 1, kExtent, kExtent / 4, 0, kExtent / 8};
  }
  const TileRef tacc = square(acc, sums, false);
  MmaScratch scratch;
  against(state, [&] { multiplyAccumulate(ta, tb, tacc, false, *kernels, &scratch); });
}

/// The register-blocked product alone, on panels packed before: what packing is measured against.
void bareProduct(benchmark::State& state, const MmaPath* path, const ElementType type) {
  auto values = smallValues(type);
  std::vector<std::byte> acc(kExtent * kExtent * sizeof(uint32_t));
  std::vector<std::byte*> sources, sums;
  for (uint32_t r = 0; r < kExtent; ++r) {
    sources.push_back(values.data() + r * (values.size() / kExtent));
    sums.push_back(acc.data() + r * kExtent * sizeof(uint32_t));
  }
  struct Panels {
    alignas(64) uint32_t a[kMmaBlockRows * kMmaBlockUnits];
    alignas(64) uint32_t b[kMmaBlockColumns * kMmaBlockUnits];
    alignas(64) int32_t start[kMmaBlockRows];
  };
  const auto panels = std::make_unique<Panels>();
  MmaPack pack{sources.data(), kExtent, kExtent, type, type, false, panels->a, panels->start};
  path->pack_a(pack);
  pack.out = panels->b;
  path->pack_b(pack);
  const size_t units = kExtent / path->k_per_unit;
  const MmaBlock block{panels->a, panels->b, sums.data(), panels->start, kExtent,
                       kExtent,   units,     type,        false,         false};
  against(state, [&] { path->multiply(block); });
}

/// 512 x 512 x 512 in bf16 under a declared rule; `ns` is the time of a multiply-accumulate.
void contractProduct(benchmark::State& state, const ProductRule& rule) {
  auto a = smallValues(ElementType::bf16, kContractExtent);
  auto b = smallValues(ElementType::bf16, kContractExtent);
  std::vector<std::byte> acc(size_t{kContractExtent} * kContractExtent * sizeof(float));
  const TileRef ta = square(a, ElementType::bf16, false, kContractExtent);
  const TileRef tb = square(b, ElementType::bf16, false, kContractExtent);
  const TileRef tacc = square(acc, ElementType::f32, false, kContractExtent);
  for (auto _ : state) {
    multiplyAccumulateUnder(rule, ta, tb, tacc, false);
    benchmark::ClobberMemory();
  }
  constexpr double kProducts = double{kContractExtent} * kContractExtent * kContractExtent;
  state.counters["per_mac"] = benchmark::Counter(
      kProducts, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void registerContracts() {
  using Changed = void (*)(ProductRule&);
  const auto with = [](const char* name, Changed change) {
    ProductRule rule;
    change(rule);
    benchmark::RegisterBenchmark((std::string("contract/") + name).c_str(), contractProduct, rule)
        ->Unit(benchmark::kMillisecond);
  };
  const auto aligned = [](ProductRule& rule, uint32_t group, uint32_t width) {
    rule.sum = GroupSum::aligned;
    rule.group = group;
    rule.width = width;
  };
  static const auto kAligned = aligned;
  with("chain", [](ProductRule&) {});
  with("chain_toward_zero", [](ProductRule& r) { r.rounding = Direction::toward_zero; });
  with("chain_spill_128", [](ProductRule& r) {
    r.spill_every = 128;
    r.spill = {8, 7};
  });
  with("aligned_4_25", [](ProductRule& r) { kAligned(r, 4, 25); });
  with("aligned_16_25", [](ProductRule& r) { kAligned(r, 16, 25); });
  with("aligned_16_25_odd", [](ProductRule& r) {
    kAligned(r, 16, 25);
    r.cut = Direction::odd;
  });
  with("aligned_16_25_operands", [](ProductRule& r) {
    kAligned(r, 16, 25);
    r.exponent = AddendExponent::operands;
  });
  with("aligned_16_64", [](ProductRule& r) { kAligned(r, 16, 64); });
  with("aligned_1_exact", [](ProductRule& r) { kAligned(r, 1, 0); });
  with("aligned_16_exact", [](ProductRule& r) { kAligned(r, 16, 0); });
  with("tree_16", [](ProductRule& r) {
    r.sum = GroupSum::tree;
    r.group = 16;
    r.joins_in_sum = false;
  });
}

void registerAll() {
  using enum ElementType;
  for (const MmaKernels* kernels : hostMmaKernels()) {
    const std::string set(mmaKernelsName(*kernels));
    benchmark::RegisterBenchmark((set + "/bare/f32").c_str(), bareProduct, kernels->floats, f32)
        ->UseManualTime();
    benchmark::RegisterBenchmark((set + "/bare/i8").c_str(), bareProduct, kernels->integers, i8)
        ->UseManualTime();
    for (const Linked& what : kLinked) {
      for (const bool b_transposed : {false, true}) {
        const std::string name = set + "/" + what.name + (b_transposed ? "/A/BT" : "/A/B");
        benchmark::RegisterBenchmark(name.c_str(), linkedProduct, &what, b_transposed, kernels)
            ->UseManualTime();
      }
    }
    for (const ElementType type : {bf16, f16, f8e4m3, f8e5m2, f32, i8, u8}) {
      for (const int flags : {0, 1, 2, 3}) {
        const std::string name = set + "/" + std::string(elementInfo(type).name) +
                                 (flags & 1 ? "/AT" : "/A") + (flags & 2 ? "/BT" : "/B");
        benchmark::RegisterBenchmark(name.c_str(), tileProduct, type, (flags & 1) != 0,
                                     (flags & 2) != 0, kernels)
            ->UseManualTime();
      }
    }
  }
}

const bool registered = (registerAll(), registerContracts(), true);

}  // namespace
}  // namespace etalon::numerics
