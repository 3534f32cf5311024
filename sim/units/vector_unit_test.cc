// SPDX-License-Identifier: Apache-2.0
#include "sim/units/vector_unit.h"

#include <gtest/gtest.h>

#include <random>

#include "isa/base/fuzz_scale.h"
#include "sim/units/test_tokens.h"

namespace etalon::sim {
namespace {

constexpr ElementType kF32 = ElementType::f32;

isa::VectorTiming base() { return timingOf("base").vector; }

Token tokenWith(const VectorWork& work, std::initializer_list<TileUse> uses) {
  Token token;
  token.unit = isa::Unit::vector;
  token.vector = work;
  for (const TileUse& use : uses) addTile(token, use);
  return token;
}

/// An element-wise instruction of one simple step: td = op(sources...).
Token elementwise(const isa::TileRegister& td, std::initializer_list<isa::TileRegister> sources) {
  Token token = tokenWith({.rows = td.rows(),
                           .cols = td.columns(),
                           .simple_steps = 1,
                           .sources = static_cast<unsigned>(sources.size()),
                           .source_bits = 32,
                           .result_bits = 32},
                          {result(td)});
  for (const isa::TileRegister& tile : sources) addTile(token, source(tile));
  return token;
}

UnitTimes alone(const Token& token) {
  LocalMemory local = endlessMemory();
  VectorUnit unit(base(), local);
  return unit.take(token, 100);
}

TEST(VectorUnit, ATileOf512RowsOfOneElementTakesTwoCycles) {
  const auto a = tileAt(0, 512, 1, kF32), d = tileAt(4096, 512, 1, kF32);
  const UnitTimes t = alone(elementwise(d, {a}));
  EXPECT_EQ(t.busy, 2u);
  EXPECT_EQ(t.start, 100u);
  EXPECT_EQ(t.next, 102u);
  EXPECT_EQ(t.read_done, 102u);
  EXPECT_EQ(t.first_result, 108u);
  EXPECT_EQ(t.done, 109u);
}

/// Cycles of a chain over 4 x 256 f32, 4 groups.
Cycles chain(unsigned simple, unsigned exponentials, unsigned functions, unsigned sources = 1) {
  Token token = elementwise(tileAt(0, 4, 256, kF32), {tileAt(8192, 4, 256, kF32)});
  token.vector.simple_steps = simple;
  token.vector.exp_steps = exponentials;
  token.vector.function_steps = functions;
  token.vector.sources = sources;
  const UnitTimes t = alone(token);
  return t.next - t.start;
}

TEST(VectorUnit, AChainTakesItsPassesForEachGroup) {
  EXPECT_EQ(chain(0, 0, 0), 4u);
  EXPECT_EQ(chain(4, 0, 0), 4u);
  EXPECT_EQ(chain(5, 0, 0), 8u);
  EXPECT_EQ(chain(8, 0, 0), 8u);
  EXPECT_EQ(chain(3, 1, 0), 8u);
  EXPECT_EQ(chain(1, 0, 1), 16u);
  EXPECT_EQ(chain(8, 1, 1), 24u);
}

TEST(VectorUnit, AThirdSourceTakesAFurtherCycleOfTheReadPorts) {
  EXPECT_EQ(chain(1, 0, 0, 2), 4u);
  EXPECT_EQ(chain(1, 0, 0, 3), 8u);
  EXPECT_EQ(chain(5, 0, 0, 3), 8u);
  EXPECT_EQ(chain(1, 0, 0, 9), 20u);
}

TEST(VectorUnit, InstructionsWithoutHazardsFollowWithoutAGap) {
  LocalMemory local = endlessMemory();
  VectorUnit unit(base(), local);
  const Token token = elementwise(tileAt(0, 4, 256, kF32), {tileAt(8192, 4, 256, kF32)});
  EXPECT_EQ(unit.take(token, 0).next, 4u);
  const Token other = elementwise(tileAt(16384, 4, 256, kF32), {tileAt(32768, 4, 256, kF32)});
  const UnitTimes t = unit.take(other, unit.accepts());
  EXPECT_EQ(t.start, 4u);
  EXPECT_EQ(t.chain, 0u);
}

/// A unit of its own whose banks are never short.
struct Alone {
  UnitTimes take(const Token& token, Cycles now = 0) {
    return unit.take(token, std::max(now, unit.accepts()));
  }
  LocalMemory local = endlessMemory();
  VectorUnit unit{base(), local};
};

TEST(VectorUnit, AReaderFollowsRowByRow) {
  // Rows of two groups. The first is written 7 cycles after its second group has entered, in cycle 9.
  Alone fast;
  const auto middle = tileAt(1 << 16, 4, 512, kF32), end = tileAt(1 << 22, 4, 512, kF32);
  const UnitTimes first = fast.take(elementwise(middle, {tileAt(1 << 20, 4, 512, kF32)}));
  EXPECT_EQ(first.next, 8u);
  EXPECT_EQ(first.done, 15u);
  EXPECT_EQ(fast.take(elementwise(end, {middle})).start, 9u);
  // Behind one of two passes a group, the last row decides: it is written in cycle 23, and read 6 cycles after the start.
  Alone slow;
  Token passes = elementwise(middle, {tileAt(1 << 20, 4, 512, kF32)});
  passes.vector.exp_steps = 1;
  passes.vector.simple_steps = 0;
  EXPECT_EQ(slow.take(passes).done, 16u + 8);
  const UnitTimes reader = slow.take(elementwise(end, {middle}));
  EXPECT_EQ(reader.start, 24u - 6);
  EXPECT_EQ(reader.chain, 2u);
}

TEST(VectorUnit, AReaderOfOtherRowsWaitsUntilAllIsWritten) {
  const auto middle = tileAt(1 << 16, 8, 256, kF32);
  auto shifted = middle, halves = tileAt(1 << 16, 16, 128, kF32);
  shifted.base += 1024;
  for (const auto& read : {shifted, halves}) {
    Alone unit;
    const UnitTimes first = unit.take(elementwise(middle, {tileAt(1 << 20, 8, 256, kF32)}));
    EXPECT_EQ(unit.take(elementwise(tileAt(1 << 22, read.inner, read.cols, kF32), {read})).start,
              first.done);
  }
  // Rows of the source that reach into the next row of the result are not that row alone.
  for (const uint32_t cols : {128U, 129U}) {
    Alone unit;
    const auto written = tileAt(1 << 16, 8, 128, kF32), read = tileAt(1 << 16, 8, cols, kF32, 512);
    const UnitTimes first = unit.take(elementwise(written, {tileAt(1 << 20, 8, 128, kF32)}));
    const UnitTimes second = unit.take(elementwise(tileAt(1 << 22, 8, cols, kF32), {read}));
    EXPECT_EQ(second.start == first.done, cols == 129) << second.start;
  }
  // Transposed, rows of the source are read in every cycle.
  Alone unit;
  const UnitTimes first = unit.take(elementwise(middle, {tileAt(1 << 20, 8, 256, kF32)}));
  const Token transpose = tokenWith({.walk = VectorWalk::transpose,
                                     .rows = 256,
                                     .cols = 8,
                                     .ordered = false,
                                     .sources = 1,
                                     .source_bits = 32,
                                     .result_bits = 32},
                                    {result(tileAt(1 << 22, 256, 8, kF32)), source(middle)});
  EXPECT_EQ(unit.take(transpose).start, first.done);
}

TEST(VectorUnit, AWriterOfTheSameBytesWritesLater) {
  Alone unit;
  const auto d = tileAt(1 << 16, 8, 256, kF32);
  Token deep = elementwise(d, {tileAt(1 << 20, 8, 256, kF32)});
  deep.vector.simple_steps = 8;  // 7 stages more on the way than one of one step
  EXPECT_EQ(unit.take(deep).done, 16u + 14);
  const UnitTimes second = unit.take(elementwise(d, {tileAt(1 << 21, 8, 256, kF32)}));
  EXPECT_EQ(second.start, 23u);
  EXPECT_EQ(second.first_result, 31u);
}

TEST(VectorUnit, OverwritingASourceWaitsForNothing) {
  Alone unit;
  const auto a = tileAt(1 << 16, 8, 256, kF32);
  unit.take(elementwise(tileAt(1 << 20, 8, 256, kF32), {a}));
  EXPECT_EQ(unit.take(elementwise(a, {tileAt(1 << 21, 8, 256, kF32)})).chain, 0u);
}

Cycles walkOf(VectorWalk walk, uint64_t rows, uint64_t cols, unsigned bits = 32,
              bool reduces = false) {
  const VectorPasses passes = vectorPasses(base(), 128,
                                           {.walk = walk,
                                            .rows = rows,
                                            .cols = cols,
                                            .reduces = reduces,
                                            .folds = reduces,
                                            .sources = 1,
                                            .source_bits = bits,
                                            .result_bits = bits});
  return passes.total;
}

TEST(VectorUnit, AFoldTakesARowACycle) {
  EXPECT_EQ(walkOf(VectorWalk::row_reduction, 8, 1024, 32, true), 32u);
  EXPECT_EQ(walkOf(VectorWalk::row_reduction, 100, 256, 32, true), 100u);
  EXPECT_EQ(walkOf(VectorWalk::row_reduction, 100, 64, 32, true), 100u);
  const auto token =
      tokenWith({.walk = VectorWalk::row_reduction,
                 .rows = 8,
                 .cols = 1024,
                 .reduces = true,
                 .folds = true,
                 .sources = 1,
                 .source_bits = 32},
                {result(tileAt(0, 8, 1, kF32)), source(tileAt(1 << 16, 8, 1024, kF32))});
  EXPECT_EQ(alone(token).done, 100u + 32 + 7 + 6);
}

TEST(VectorUnit, ColumnReductionsAndScansGoByRows) {
  EXPECT_EQ(walkOf(VectorWalk::column_reduction, 100, 256), 100u);
  EXPECT_EQ(walkOf(VectorWalk::column_reduction, 100, 257), 200u);
  EXPECT_EQ(walkOf(VectorWalk::column_reduction, 100, 1), 100u);
  // 32 rows side by side, 8 elements of each a cycle.
  EXPECT_EQ(walkOf(VectorWalk::row_scan, 32, 64), 8u);
  EXPECT_EQ(walkOf(VectorWalk::row_scan, 33, 64), 16u);
  EXPECT_EQ(walkOf(VectorWalk::row_scan, 1, 4096), 512u);
}

TEST(VectorUnit, MovesGoByThePortAndIndexedOnesByItsWords) {
  EXPECT_EQ(walkOf(VectorWalk::move, 16, 1024, 32), 64u);
  EXPECT_EQ(walkOf(VectorWalk::move, 16, 1024, 16), 32u);
  EXPECT_EQ(walkOf(VectorWalk::move, 16, 1024, 8), 16u);
  EXPECT_EQ(walkOf(VectorWalk::move, 16, 1024, 64), 128u);
  EXPECT_EQ(walkOf(VectorWalk::transpose, 16, 1024, 32), 64u);
  EXPECT_EQ(walkOf(VectorWalk::indexed, 16, 1024, 32), 2048u);
}

TEST(VectorUnit, SortsAreBitonicAndMergeLongerRows) {
  EXPECT_EQ(walkOf(VectorWalk::sort, 1, 256), 36u);
  EXPECT_EQ(walkOf(VectorWalk::sort, 10, 256), 360u);
  EXPECT_EQ(walkOf(VectorWalk::sort, 4, 64), 21u);
  EXPECT_EQ(walkOf(VectorWalk::sort, 5, 64), 42u);
  EXPECT_EQ(walkOf(VectorWalk::sort, 1, 2), 1u);
  EXPECT_EQ(walkOf(VectorWalk::sort, 1, 257), 2u * 36 + 2 * 9);
  EXPECT_EQ(walkOf(VectorWalk::sort, 1, 1024), 4u * 36 + 2 * 4 * 9);
}

TEST(VectorUnit, RowsInFewBanksTakeTheirCycles) {
  // 256 rows of one element: a group, but 128 KiB apart all in one bank, 4 KiB apart in all 32.
  const auto cycles_of = [](uint32_t stride) {
    LocalMemory local(timingOf("base").local);
    VectorUnit unit(base(), local);
    const UnitTimes t = unit.take(
        elementwise(tileAt(0, 256, 1, kF32, 4), {tileAt(1 << 20, 256, 1, kF32, stride)}), 0);
    EXPECT_EQ(t.busy, 1u);
    EXPECT_EQ(t.done, t.next + 7);
    return t.busy + t.ports;
  };
  EXPECT_EQ(cycles_of(4), 1u);
  EXPECT_EQ(cycles_of(4096), 9u);  // 256 words and the 8 of td: more than 8 cycles of 32 banks
  EXPECT_EQ(cycles_of(1 << 17), 256u);
}

TEST(VectorUnit, BanksThatOthersLeaveAreEnoughOrNot) {
  const auto beside = [](Bytes others) {
    LocalMemory local(timingOf("base").local);
    local.book(0, 1000, 1000 * others);
    VectorUnit unit(base(), local);
    return unit.take(elementwise(tileAt(0, 64, 256, kF32), {tileAt(1 << 20, 64, 256, kF32)}), 0);
  };
  EXPECT_EQ(beside(2048).ports, 0u);
  EXPECT_GT(beside(2049).ports, 0u);
  EXPECT_EQ(beside(3072).ports, 64u);
  EXPECT_EQ(beside(3072).done, 64u + 64 + 7);
}

TEST(VectorUnit, WhoFollowsIsAsLateAsBanksMakeTheOlderOne) {
  const auto middle = tileAt(1 << 16, 4, 256, kF32);
  LocalMemory local(timingOf("base").local);
  local.book(0, 1000, 1000 * 3072);
  VectorUnit unit(base(), local);
  const UnitTimes first = unit.take(elementwise(middle, {tileAt(1 << 20, 4, 256, kF32)}), 0);
  EXPECT_EQ(first.next, 8u);
  EXPECT_EQ(unit.take(elementwise(tileAt(1 << 22, 4, 256, kF32), {middle}), 8).start, 4u + 8);
}

TEST(VectorUnit, ASourceAtSeveralDisplacementsIsReadForEach) {
  Alone unit;
  Token window = elementwise(tileAt(0, 8, 256, kF32), {tileAt(1 << 20, 8, 256, kF32)});
  window.tile_uses[1].displaced = true;
  window.tile_uses[1].span.hi += 64;
  window.vector.sources = 9;
  const UnitTimes t = unit.take(window);
  EXPECT_EQ(t.busy, 8u);
  EXPECT_EQ(t.ports, 8u * 4);  // 9 reads, 2 a cycle
  EXPECT_EQ(unit.local.booked(0) * 40, (9u + 1) * 8 * 1024);
  // Beside it, another source is read once.
  Alone both;
  addTile(window, source(tileAt(1 << 21, 8, 256, kF32)));
  window.vector.sources = 10;
  EXPECT_EQ(both.take(window).read_done, 40u);
  EXPECT_EQ(both.local.booked(0), ((9u + 1 + 1) * 8 * 1024 + 39) / 40);
}

TEST(VectorUnit, AnInstructionIsTakenWhenTheOneBeforeHasEnteredAndNotACycleEarlier) {
  Alone unit;
  const Token token = elementwise(tileAt(0, 8, 256, kF32), {tileAt(1 << 20, 8, 256, kF32)});
  unit.take(token);
  EXPECT_EQ(unit.unit.accepts(), 8u);
  EXPECT_DEATH(unit.unit.take(token, 7), "before it accepts");
  unit.unit.take(token, 8);
}

TEST(VectorUnit, WhatDoesNothingTakesACycle) {
  Alone unit;
  const Token nothing = elementwise(tileAt(0, 0, 256, kF32), {});
  EXPECT_EQ(unit.take(nothing).busy, 1u);
  EXPECT_EQ(unit.unit.accepts(), 1u);
}

TEST(VectorUnit, LedgersOfConsecutiveInstructionsMeetWithoutOverlap) {
  const isa::Timing timing = timingOf("base");
  const auto runs = static_cast<int>(100 * fuzzScale()) + 1;
  for (int run = 0; run < runs; ++run) {
    std::mt19937 random(static_cast<unsigned>(run));
    const auto below = [&](uint64_t limit) { return random() % limit; };
    LocalMemory local(timing.local);
    VectorUnit unit(timing.vector, local);
    Cycles now = 0, accounted = 0;
    for (int i = 0; i < 60; ++i) {
      const auto place = [&] { return static_cast<uint32_t>(below(5) << 20); };
      const uint64_t rows = 1 + below(50), cols = 1 + below(600);
      Token token =
          elementwise(tileAt(place(), rows, cols, kF32), {tileAt(place(), rows, cols, kF32)});
      token.vector.simple_steps = static_cast<unsigned>(below(9));
      now = std::max(now + below(30), unit.accepts());
      local.retire(now);
      unit.retire(now);
      local.book(now + below(100), 1 + below(100), below(200'000));
      const UnitTimes t = unit.take(token, now);
      ASSERT_EQ(t.busy + t.weights + t.chain + t.ports, t.read_done - std::max(now, accounted));
      ASSERT_LE(t.taken, t.start);
      ASSERT_GE(t.start, accounted);
      ASSERT_LT(t.start, t.first_result);
      ASSERT_LE(t.first_result, t.done);
      ASSERT_LT(t.read_done, t.done);
      accounted = t.read_done;
    }
  }
}

}  // namespace
}  // namespace etalon::sim
