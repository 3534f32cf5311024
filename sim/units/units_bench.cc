// SPDX-License-Identifier: Apache-2.0
// Host time of one instruction in its unit, whatever the size of its tiles. Goal: below 300 ns.
#include <benchmark/benchmark.h>

#include <vector>

#include "sim/units/matrix_unit.h"
#include "sim/units/vector_unit.h"

namespace etalon::sim {
namespace {

constexpr isa::LocalTiming kLocal{.banks = 32, .bank_bytes = 128};
constexpr isa::MatrixTiming kMatrix{.rows = 128,
                                    .cols = 128,
                                    .latency = 4,
                                    .forward = 4,
                                    .rate_32 = 500,
                                    .rate_16 = 1000,
                                    .rate_8 = 2000,
                                    .rate_4 = 2000,
                                    .weight_bits = 16,
                                    .port_bytes = 256,
                                    .accumulator_port_bytes = 512};
constexpr isa::VectorTiming kVector{.lanes = 256,
                                    .stages = 4,
                                    .start = 8,
                                    .exp_slots = 2,
                                    .function_slots = 4,
                                    .fold = 6,
                                    .scan = 8,
                                    .port_bytes = 1024,
                                    .read_ports = 2,
                                    .write_ports = 1};

TileUse use(uint32_t base, uint32_t rows, uint32_t cols, uint32_t stride, ElementType type,
            bool reads, bool writes) {
  TileUse use;
  use.tile.base = base;
  use.tile.outer = 1;
  use.tile.inner = rows;
  use.tile.cols = cols;
  use.tile.istride = stride;
  use.tile.type = static_cast<uint8_t>(type);
  const isa::ByteInterval hull = use.tile.hull();
  use.span = {static_cast<uint64_t>(hull.lo), static_cast<uint64_t>(hull.hi)};
  use.reads = reads;
  use.writes = writes;
  return use;
}

/// Products of size^3 in bf16 onto four tiles in turn; operands are parts of wider matrices.
void matrixTake(benchmark::State& state) {
  const auto size = static_cast<uint32_t>(state.range(0));
  std::vector<Token> tokens;
  for (uint32_t i = 0; i < 4; ++i) {
    Token token;
    token.unit = isa::Unit::matrix;
    token.tile_count = 3;
    token.tile_uses[0] = use(i << 24, size, size, 4 * size, ElementType::f32, true, true);
    token.tile_uses[1] = use((4 + i) << 24, size, size, 4 * size, ElementType::bf16, true, false);
    token.tile_uses[2] = use((8 + i) << 24, size, size, 4 * size, ElementType::bf16, true, false);
    token.matrix = {
        .m = size, .n = size, .k = size, .a_bits = 16, .b_bits = 16, .accumulates = true};
    tokens.push_back(token);
  }
  LocalMemory local(kLocal);
  MatrixUnit unit(kMatrix, local);
  size_t i = 0;
  for (auto _ : state) {
    const Cycles now = unit.accepts();
    local.retire(now);
    unit.retire(now);
    benchmark::DoNotOptimize(unit.take(tokens[i++ % tokens.size()], now));
  }
}
BENCHMARK(matrixTake)->Arg(128)->Arg(512)->Arg(2048);

/// A softmax: maximum of rows, exponentials, sum, product, each on the rows of the one before.
void vectorTake(benchmark::State& state) {
  const auto size = static_cast<uint32_t>(state.range(0));
  const auto whole = [&](uint32_t n, bool writes) {
    return use(n << 24, size, size, 4 * size + 512, ElementType::f32, !writes, writes);
  };
  const auto column = [&](uint32_t n, bool writes) {
    return use(n << 24, size, 1, 4, ElementType::f32, !writes, writes);
  };
  VectorWork reduction{.walk = VectorWalk::row_reduction,
                       .rows = size,
                       .cols = size,
                       .reduces = true,
                       .folds = true,
                       .sources = 1,
                       .source_bits = 32};
  VectorWork chain{.rows = size,
                   .cols = size,
                   .simple_steps = 2,
                   .exp_steps = 1,
                   .sources = 2,
                   .source_bits = 32,
                   .result_bits = 32};
  std::vector<Token> tokens(4);
  for (Token& token : tokens) token.unit = isa::Unit::vector;
  tokens[0].tile_uses = {column(2, true), whole(0, false)};
  tokens[1].tile_uses = {whole(1, true), whole(0, false), column(2, false)};
  tokens[2].tile_uses = {column(3, true), whole(1, false)};
  tokens[3].tile_uses = {whole(0, true), whole(1, false), column(3, false)};
  for (size_t i = 0; i < 4; ++i) {
    tokens[i].tile_count = i % 2 == 0 ? 2 : 3;
    tokens[i].vector = i % 2 == 0 ? reduction : chain;
  }
  LocalMemory local(kLocal);
  VectorUnit unit(kVector, local);
  size_t i = 0;
  for (auto _ : state) {
    const Cycles now = unit.accepts();
    local.retire(now);
    unit.retire(now);
    benchmark::DoNotOptimize(unit.take(tokens[i++ % tokens.size()], now));
  }
}
BENCHMARK(vectorTake)->Arg(64)->Arg(256)->Arg(2048);

/// Words of an image tile: `outer` blocks of 112 overlapping rows of 7 x 3 elements of bf16, nothing aligned.
void tileWords(benchmark::State& state) {
  LocalMemory local(kLocal);
  isa::TileRegister tile = use(6, 112, 21, 12, ElementType::bf16, true, false).tile;
  tile.outer = static_cast<uint32_t>(state.range(0));
  tile.ostride = 1356;
  for (auto _ : state) benchmark::DoNotOptimize(local.words(tile));
}
BENCHMARK(tileWords)->Arg(1)->Arg(8)->Arg(112);

/// Bookings of several units beside each other, as a core makes them.
void localBook(benchmark::State& state) {
  LocalMemory local(kLocal);
  Cycles now = 0;
  uint64_t i = 0;
  for (auto _ : state) {
    ++i;
    if (i % 64 == 0) local.book(now, 512, 512 * 1536);
    if (i % 4 == 0) local.book(now, 32, 32 * 2048);
    benchmark::DoNotOptimize(local.book(now + i % 3, 1, 64));
    now += 8;
    local.retire(now);
  }
}
BENCHMARK(localBook);

}  // namespace
}  // namespace etalon::sim
