// SPDX-License-Identifier: Apache-2.0
// Tile instructions a second on one core in a run without values, as `etalon run --timing-only` has it: what the functional
// side of such a run costs, whatever the size of the tiles. items_per_second is the figure; the goal is 3 M, stores apart.
#include <benchmark/benchmark.h>

#include <functional>
#include <memory>

#include "isa/base/check.h"
#include "isa/machines/find_machine.h"
#include "sim/functional/vector_test_support.h"

namespace etalon::sim {
namespace {

using isa::Tile;
using isa::View;
using isa::X;
using T = ElementType;

constexpr uint64_t kTensor = 0x81000000;
constexpr uint32_t kWidth = 2048;  // columns of the tensor in memory
constexpr uint32_t kA = 0, kB = 0x100000, kD = 0x200000;
constexpr uint64_t kTimes = 64;  // instructions in the loop
constexpr uint64_t kInstructions = 500'000;

void setView(VectorBuilder& p, uint8_t reg, T type, uint32_t rows, uint32_t cols) {
  isa::ViewDescriptor v;
  v.base = kTensor;
  v.type = static_cast<uint8_t>(type);
  v.naxes = v.nbox = 2;
  v.ncol = 1;
  const int64_t size = elementInfo(type).bits / 8;
  v.axes[0] = {.dim = kWidth, .stride = kWidth * size, .origin = 0};
  v.axes[1] = {.dim = kWidth, .stride = size, .origin = 0};
  v.box[0] = {.extent = rows, .axis = 0, .step = 1};
  v.box[1] = {.extent = cols, .axis = 1, .step = 1};
  std::array<std::byte, isa::kViewImageBytes> image;
  isa::storeViewImage(v, image);
  p.li(X{31}, static_cast<int64_t>(kTestData));
  for (int at = 0; at < isa::kViewImageBytes; at += 8) {
    p.li(X{28}, loadBytes<int64_t>(image.data() + at));
    p.sd(X{28}, at, X{31});
  }
  p.et_vld(View{reg}, X{31});
}

/// A dense tile's rows, each `stride` bytes after the other.
isa::TileRegister stridedTile(T type, uint32_t rows, uint32_t cols, uint32_t base,
                              uint32_t stride) {
  isa::TileRegister tile = denseTile(type, rows, cols, base);
  tile.istride = stride;
  return tile;
}

/// Registers by `set_up`, then an endless loop over kTimes times `body`.
void runLoop(benchmark::State& state, const std::function<void(VectorBuilder&)>& set_up,
             const std::function<void(VectorBuilder&, uint64_t)>& body) {
  VectorBuilder p;
  set_up(p);
  auto loop = p.label();
  p.bind(loop);
  for (uint64_t i = 0; i < kTimes; ++i) body(p, i);
  p.jal(X{0}, loop);
  const auto machine = isa::openMachine("base", {});
  ETALON_CHECK(machine.ok(), "the machine `base` ships");
  auto device = FunctionalDevice::create(*machine, {}, Values::left_out);
  const auto words = p.finish();
  ETALON_CHECK(device.ok() && words.ok(), "device and program of a benchmark");
  const auto image = ElfImage::parse(writeElf(kTestEntry, *words, {}), "bench");
  ETALON_CHECK(image.ok() && (*device)->load(*image).ok(), "image of a benchmark");
  LaunchOptions options;
  options.instruction_limit = kInstructions;
  options.observe = false;
  uint64_t instructions = 0;
  for (auto _ : state) {
    const auto result = (*device)->launch(options);
    ETALON_CHECK(result.ok() && result->status == RunStatus::instruction_limit,
                 "a benchmark runs to its limit");
    instructions += (*device)->counterTotal(isa::Counter::retired_matrix) +
                    (*device)->counterTotal(isa::Counter::retired_vector) +
                    (*device)->counterTotal(isa::Counter::retired_load) +
                    (*device)->counterTotal(isa::Counter::retired_store);
  }
  state.SetItemsProcessed(static_cast<int64_t>(instructions));
}

/// Products of N x N bf16 tiles into f32.
void product(benchmark::State& state) {
  const auto n = static_cast<uint32_t>(state.range(0));
  runLoop(
      state,
      [&](VectorBuilder& p) {
        p.setTile(1, denseTile(T::bf16, n, n, kA));
        p.setTile(2, denseTile(T::bf16, n, n, kB));
        p.setTile(3, denseTile(T::f32, n, n, kD));
      },
      [](VectorBuilder& p, uint64_t) { p.et_mma(Tile{3}, Tile{1}, Tile{2}); });
}
BENCHMARK(product)->Arg(32)->Arg(256)->Unit(benchmark::kMillisecond);

/// Sums of 512 rows of 256 B that do not follow each other.
void strided(benchmark::State& state) {
  runLoop(
      state,
      [&](VectorBuilder& p) {
        p.setTile(1, stridedTile(T::f32, 512, 64, kA, 512));
        p.setTile(2, stridedTile(T::f32, 512, 64, kD, 512));
      },
      [](VectorBuilder& p, uint64_t) { p.et_add(Tile{2}, Tile{1}, Tile{1}); });
}
BENCHMARK(strided)->Unit(benchmark::kMillisecond);

/// The same into a tile that was not poisoned before: integers take its place each time.
void stridedAnew(benchmark::State& state) {
  runLoop(
      state,
      [&](VectorBuilder& p) {
        p.setTile(1, stridedTile(T::f32, 512, 64, kA, 512));
        p.setTile(2, stridedTile(T::f32, 512, 64, kD, 512));
        p.setTile(3, denseTile(T::i32, 1, 1, kD));
      },
      [](VectorBuilder& p, uint64_t i) {
        if (i % 2 == 0)
          p.et_add(Tile{2}, Tile{1}, Tile{1});
        else
          p.et_iota(Tile{3}, X{0}, X{0}, X{0});
      });
}
BENCHMARK(stridedAnew)->Unit(benchmark::kMillisecond);

/// Loads of 256 x 256 elements from a matrix.
void load(benchmark::State& state) {
  runLoop(
      state,
      [&](VectorBuilder& p) {
        p.setTile(1, denseTile(T::bf16, 256, 256, kA));
        setView(p, 1, T::bf16, 256, 256);
      },
      [](VectorBuilder& p, uint64_t) { p.et_ld(Tile{1}, View{1}, 0); });
}
BENCHMARK(load)->Unit(benchmark::kMillisecond);

/// Stores of N x N f32 into a matrix.
void store(benchmark::State& state) {
  const auto n = static_cast<uint32_t>(state.range(0));
  runLoop(
      state,
      [&](VectorBuilder& p) {
        p.setTile(1, denseTile(T::f32, n, n, kA));
        setView(p, 1, T::f32, n, n);
      },
      [](VectorBuilder& p, uint64_t) { p.et_st(Tile{1}, View{1}, 0); });
}
BENCHMARK(store)->Arg(32)->Arg(256)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace etalon::sim
