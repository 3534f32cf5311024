// SPDX-License-Identifier: Apache-2.0
// The matrix unit's rules one by one, on base unless said otherwise: expected cycles by hand from
// docs/spec/microarchitecture.md, section 4.
#include <gtest/gtest.h>

#include <random>

#include "isa/base/fuzz_scale.h"
#include "sim/units/matrix_unit.h"
#include "sim/units/test_tokens.h"

namespace etalon::sim {
namespace {

isa::MatrixTiming base() { return timingOf("base").matrix; }

/// A unit of its own whose banks are never short.
struct Alone {
  explicit Alone(const isa::MatrixTiming& timing = base()) : unit(timing, local) {}
  UnitTimes take(const Token& token, Cycles now = 0) {
    return unit.take(token, std::max(now, unit.accepts()));
  }
  UnitTimes take(const TestProduct& product, Cycles now = 0) {
    return take(productToken(product), now);
  }
  LocalMemory local = endlessMemory();
  MatrixUnit unit;
};

TEST(MatrixRules, OneSlabLoadsStreamsAndDrains) {
  const UnitTimes t = Alone().take({.m = 128, .n = 128, .k = 128});
  EXPECT_EQ(t.start, 128u);
  EXPECT_EQ(t.next, 128u);
  EXPECT_EQ(t.first_result, 128u + 1 + 512 + 127);
  EXPECT_EQ(t.read_done, 256u);
  EXPECT_EQ(t.done, 256u + 512 + 127);
  EXPECT_EQ(t.weights, 128u);
  EXPECT_EQ(t.busy, 128u);
  EXPECT_EQ(t.chain, 0u);
}

TEST(MatrixRules, SlabsOntoTheSameAccumulatorsAre516CyclesApart) {
  // Four slabs of 512 rows onto one block: 4 cycles short of 516, three times.
  const UnitTimes t = Alone().take({.m = 512, .n = 128, .k = 512});
  EXPECT_EQ(t.busy, 4u * 512);
  EXPECT_EQ(t.chain, 3u * 4);
  EXPECT_EQ(t.read_done, 128u + 4 * 512 + 12);
  EXPECT_EQ(t.done, 128u + 4 * 512 + 12 + 639);
  EXPECT_EQ(Alone().take({.m = 516, .n = 128, .k = 512}).chain, 0u);
}

TEST(MatrixRules, OtherBlocksOfTheInstructionHideTheWayOfPartialSums) {
  // Two blocks of 257 rows are 2 cycles short of 516 each round, of 258 rows none.
  const UnitTimes t = Alone().take({.m = 257, .n = 256, .k = 512});
  EXPECT_EQ(t.busy, 8u * 257);
  EXPECT_EQ(t.chain, 3u * 2);
  EXPECT_EQ(t.read_done, 128u + 8 * 257 + 6);
  EXPECT_EQ(t.first_result, 128u + 3 * 516 + 1 + 639);
  EXPECT_EQ(Alone().take({.m = 258, .n = 256, .k = 512}).chain, 0u);
  // The example of docs/guide/accuracy.md.
  const UnitTimes example = Alone().take({.m = 256, .n = 256, .k = 512});
  EXPECT_EQ(example.read_done, 2188u);
  EXPECT_EQ(example.done, 2827u);
}

TEST(MatrixRules, TheLastRoundIsThatOfAllPassesOneByOne) {
  std::mt19937 random(1);
  const auto count = static_cast<int>(20'000 * fuzzScale());
  for (int n = 0; n < count; ++n) {
    const MatrixPasses passes{.blocks = 1 + random() % 5,
                              .steps = 1 + random() % 5,
                              .stream = 1 + random() % 30,
                              .load = random() % 30,
                              .lag = random() % 100};
    // The first round begins at 100, its last pass where an older round with other intervals lets it.
    const uint64_t blocks = passes.blocks;
    const Cycles older = random() % 150, pitch = random() % 60;
    std::vector<Cycles> begins(blocks);
    for (uint64_t j = 0; j < blocks; ++j)
      begins[j] = j == 0 ? std::max<Cycles>(100, older)
                         : std::max(begins[j - 1] + passes.interval(), older + j * pitch);
    const MatrixRound first{begins.front(), begins.back()};
    for (uint64_t step = 1; step < passes.steps; ++step) {
      Cycles free = begins.back() + passes.interval();
      for (Cycles& begin : begins) {
        begin = std::max(free, begin + passes.lag);
        free = begin + passes.interval();
      }
    }
    const MatrixRound last = lastRound(passes, first);
    ASSERT_EQ(last.first, begins.front()) << n;
    ASSERT_EQ(last.last, begins.back()) << n;
  }
}

TEST(MatrixRules, AShortSlabCostsItsWeights) {
  // 100 rows of f32: 200 cycles to stream, 256 to load.
  const UnitTimes t = Alone().take({.m = 100, .n = 384, .k = 128, .type = ElementType::f32});
  EXPECT_EQ(t.busy, 600u);
  EXPECT_EQ(t.weights, 256u + 2 * 56);
  EXPECT_EQ(t.read_done, 256u + 2 * 256 + 200);
}

TEST(MatrixRules, RateAndWeightsGoByTheWidthOfElements) {
  const auto passes = [](unsigned a_bits, unsigned b_bits) {
    return matrixPasses(base(),
                        {.m = 1000, .n = 128, .k = 128, .a_bits = a_bits, .b_bits = b_bits});
  };
  EXPECT_EQ(passes(16, 16).stream, 1000u);
  EXPECT_EQ(passes(16, 16).load, 128u);
  EXPECT_EQ(passes(8, 8).stream, 500u);
  EXPECT_EQ(passes(8, 8).load, 64u);
  EXPECT_EQ(passes(4, 4).stream, 500u);
  EXPECT_EQ(passes(4, 4).load, 32u);
  EXPECT_EQ(passes(32, 32).stream, 2000u);
  EXPECT_EQ(passes(32, 32).load, 256u);
  EXPECT_EQ(passes(16, 4).stream, 1000u);
  EXPECT_EQ(passes(16, 4).load, 32u);
}

TEST(MatrixRules, ATransposedAStreamsARowACycleAtMost) {
  MatrixWork work{.m = 100, .n = 128, .k = 128, .a_bits = 8, .b_bits = 8, .a_transposed = true};
  EXPECT_EQ(matrixPasses(base(), work).stream, 100u);
  work.a_bits = work.b_bits = 32;
  EXPECT_EQ(matrixPasses(base(), work).stream, 200u);
  work = {.m = 100, .n = 128, .k = 128, .a_bits = 8, .b_bits = 8, .b_transposed = true};
  EXPECT_EQ(matrixPasses(base(), work).stream, 50u);
  EXPECT_EQ(matrixPasses(base(), work).load, 64u);
}

TEST(MatrixRules, ASparseAStreamsHalfItsKOverAllWeights) {
  const MatrixWork dense{.m = 1000, .n = 128, .k = 512, .a_bits = 16, .b_bits = 16};
  MatrixWork sparse = dense;
  sparse.sparse = true;
  EXPECT_EQ(matrixPasses(base(), dense).steps, 4u);
  EXPECT_EQ(matrixPasses(base(), sparse).steps, 2u);
  EXPECT_EQ(matrixPasses(base(), sparse).stream, 1000u);
  EXPECT_EQ(matrixPasses(base(), sparse).load, 256u);
}

TEST(MatrixRules, NarrowPortsSlowRowsAndWeights) {
  const MatrixWork work{.m = 100, .n = 128, .k = 128, .a_bits = 16, .b_bits = 16};
  isa::MatrixTiming timing = base();
  timing.port_bytes = 128;  // half a row of A, half a row of weights
  EXPECT_EQ(matrixPasses(timing, work).stream, 200u);
  EXPECT_EQ(matrixPasses(timing, work).load, 256u);
  timing = base();
  timing.accumulator_port_bytes = 256;
  EXPECT_EQ(matrixPasses(timing, work).stream, 200u);
  timing.accumulator_port_bytes = 511;
  EXPECT_EQ(matrixPasses(timing, work).stream, 200u);
  timing.accumulator_port_bytes = 512;
  EXPECT_EQ(matrixPasses(timing, work).stream, 100u);
}

TEST(MatrixRules, WeightsOfTheNextLoadWhileTheLastSlabStreams) {
  Alone array;
  // 200 rows hide the 128 cycles that the next weights take.
  Cycles streamed = 128;
  for (uint32_t i = 0; i < 10; ++i) {
    const UnitTimes t = array.take({.m = 200, .n = 128, .k = 128, .td = i});
    EXPECT_EQ(t.start, streamed);
    EXPECT_EQ(t.busy, t.read_done - streamed);
    streamed += 200;
    EXPECT_EQ(t.read_done, streamed);
  }
}

TEST(MatrixRules, OtherAccumulatorsHideTheWayOfPartialSums) {
  // Products of 128 rows go round `count` tiles: five take 640 cycles, four take 512 and wait for the last 4.
  const auto chain = [](uint32_t count) {
    Alone array;
    Cycles waited = 0;
    for (uint32_t i = 0; i < 4 * count; ++i)
      waited +=
          array.take({.m = 128, .n = 128, .k = 128, .accumulates = i >= count, .td = i % count})
              .chain;
    return waited;
  };
  EXPECT_EQ(chain(5), 0u);
  EXPECT_EQ(chain(4), 3u * 4);
  EXPECT_EQ(chain(1), 3u * (516 - 128));
}

TEST(MatrixRules, AProductThatOverwritesItsTileWaitsForNothing) {
  Alone array;
  array.take({.m = 300, .n = 128, .k = 128});
  EXPECT_EQ(array.take({.m = 300, .n = 128, .k = 128}).chain, 0u);
}

TEST(MatrixRules, ATileThatOverlapsAnotherWaitsUntilThatIsDone) {
  Alone array;
  const UnitTimes first = array.take({.m = 300, .n = 128, .k = 128, .td = 0});
  Token shifted = productToken({.m = 300, .n = 128, .k = 128, .accumulates = true, .td = 0});
  shifted.tile_uses[0] = inout(tileAt(512, 300, 128, ElementType::f32));
  const UnitTimes second = array.take(shifted);
  EXPECT_EQ(second.start, first.done);
  EXPECT_EQ(second.chain, first.done - first.read_done);
  // One that only touches bytes in between does not wait.
  Token behind = productToken({.m = 300, .n = 128, .k = 128, .td = 8});
  EXPECT_EQ(array.take(behind).chain, 0u);
}

TEST(MatrixRules, ASourceWrittenByAnOlderProductIsReadWhenThatIsDone) {
  for (const bool weights : {false, true}) {
    Alone array;
    const UnitTimes first = array.take({.m = 128, .n = 64, .k = 128, .td = 8});
    TestProduct next{.m = 128, .n = 128, .k = 128};
    (weights ? next.b : next.a) = 8;
    const UnitTimes second = array.take(next);
    EXPECT_EQ(second.start, first.done + (weights ? 128 : 0));
    // Weights are loaded before rows are there, and cannot be before weights are.
    EXPECT_EQ(second.weights, weights ? 128u : 0u);
  }
}

TEST(MatrixRules, AnInstructionIsTakenWhenTheSecondWeightRegistersAreFreeAndNotACycleEarlier) {
  Alone array;
  array.unit.take(productToken({.m = 128, .n = 256, .k = 128}), 0);
  EXPECT_EQ(array.unit.accepts(), 256u);
  EXPECT_DEATH(array.unit.take(productToken({.m = 1, .n = 1, .k = 1}), 255), "before it accepts");
  array.unit.take(productToken({.m = 1, .n = 1, .k = 1, .td = 8}), 256);
}

TEST(MatrixRules, WhatDoesNothingTakesACycle) {
  Alone array;
  for (const TestProduct& product :
       {TestProduct{.m = 0, .n = 5, .k = 5}, TestProduct{.m = 5, .n = 0, .k = 5},
        TestProduct{.m = 5, .n = 5, .k = 0, .accumulates = true}}) {
    const UnitTimes t = array.take(product);
    EXPECT_EQ(t.done, t.start + 1);
    EXPECT_EQ(t.busy, 1u);
  }
  // A product of no terms writes zeros.
  const UnitTimes zeros = array.take({.m = 100, .n = 128, .k = 0});
  EXPECT_EQ(zeros.busy, 100u);
  EXPECT_EQ(zeros.weights, 0u);
}

isa::MatrixTiming outputStationary() {
  isa::MatrixTiming timing = base();
  timing.dataflow = isa::MatrixTiming::kOutputStationary;
  return timing;
}

TEST(MatrixRules, OutputStationaryBlocksTakeLatencyTimesK) {
  // 512 rows are four accumulators an element: each k is four cycles; 512 rows of results leave meanwhile.
  Alone array(outputStationary());
  const UnitTimes t = array.take({.m = 1024, .n = 128, .k = 300});
  EXPECT_EQ(t.start, 0u);
  EXPECT_EQ(t.busy, 2u * 1200);
  EXPECT_EQ(t.read_done, 2400u);
  EXPECT_EQ(t.done, 2400u + 128 + 128 - 2 + 4 + 512);
}

TEST(MatrixRules, OutputStationaryBlocksOfLittleKTakeTheirRows) {
  Alone array(outputStationary());
  const UnitTimes t = array.take({.m = 512, .n = 256, .k = 32});
  EXPECT_EQ(t.busy, 2u * 128);
  EXPECT_EQ(t.weights, 512u - 128);
  // One that accumulates reads its rows first.
  const UnitTimes next = array.take({.m = 512, .n = 128, .k = 32, .accumulates = true, .td = 8});
  EXPECT_EQ(next.start, t.next + 512);
}

TEST(MatrixRules, OutputStationaryBlocksGoOnWithSumsThatAreBack) {
  Alone array(outputStationary());
  const TestProduct product{.m = 128, .n = 128, .k = 128, .accumulates = true};
  const UnitTimes first = array.take(product);
  EXPECT_EQ(first.start, 128u);
  EXPECT_EQ(first.read_done, 128u + 512);
  EXPECT_EQ(first.done, first.read_done + 254 + 4 + 128);
  EXPECT_EQ(array.take(product).start, first.done + 4);
}

/// Times of a product of 1024 rows (256 B of A, 512 B of td a cycle) while others take `others` bytes a cycle.
UnitTimes beside(Bytes others) {
  const isa::Timing timing = timingOf("base");
  LocalMemory local(timing.local);
  local.book(0, 10'000, 10'000 * others);
  MatrixUnit unit(timing.matrix, local);
  return unit.take(productToken({.m = 1024, .n = 128, .k = 128}), 0);
}

TEST(MatrixRules, BanksThatOthersLeaveAreEnoughOrNot) {
  EXPECT_EQ(beside(4096 - 768).ports, 0u);
  EXPECT_EQ(beside(4096 - 768).read_done, 1152u);
  EXPECT_GT(beside(4096 - 767).ports, 0u);
  EXPECT_EQ(beside(4096 - 384).read_done, 128u + 2 * 1024);
}

TEST(MatrixRules, WhatBanksDelayDelaysWhatFollows) {
  const isa::Timing timing = timingOf("base");
  LocalMemory local(timing.local);
  local.book(0, 128, 128 * (4096 - 128));      // weights get half of what they need
  local.book(256, 1024, 1024 * (4096 - 384));  // the stream, too
  MatrixUnit unit(timing.matrix, local);
  const UnitTimes first = unit.take(productToken({.m = 1024, .n = 128, .k = 128}), 0);
  EXPECT_EQ(first.weights, 128u);
  EXPECT_EQ(first.ports, 64u + 512);
  EXPECT_EQ(first.start, 192u);
  EXPECT_EQ(first.next, first.start + 512);
  EXPECT_EQ(first.read_done, first.next + 1024);
  const UnitTimes second =
      unit.take(productToken({.m = 1024, .n = 128, .k = 128, .accumulates = true}), first.next);
  EXPECT_EQ(second.start, first.read_done);
  // A shorter one onto the same sums begins 516 cycles after the late pass.
  LocalMemory scarce(timing.local);
  scarce.book(128, 128, 128 * (4096 - 384));
  MatrixUnit late(timing.matrix, scarce);
  const UnitTimes third = late.take(productToken({.m = 128, .n = 128, .k = 128}), 0);
  EXPECT_EQ(third.ports, 64u);
  const UnitTimes fourth =
      late.take(productToken({.m = 128, .n = 128, .k = 128, .accumulates = true}), third.next);
  EXPECT_EQ(fourth.start, third.next + 516);
}

TEST(MatrixRules, LedgersOfConsecutiveProductsMeetWithoutOverlap) {
  const isa::Timing timing = timingOf("base");
  const auto runs = static_cast<int>(100 * fuzzScale()) + 1;
  for (int run = 0; run < runs; ++run) {
    std::mt19937 random(static_cast<unsigned>(run));
    const auto below = [&](uint64_t limit) { return random() % limit; };
    isa::MatrixTiming matrix = timing.matrix;
    matrix.dataflow = below(2);
    LocalMemory local(timing.local);
    MatrixUnit unit(matrix, local);
    Cycles now = 0, accounted = 0;
    for (int i = 0; i < 50; ++i) {
      const TestProduct product{.m = below(300),
                                .n = below(300),
                                .k = below(300),
                                .type = below(2) == 0 ? ElementType::bf16 : ElementType::i8,
                                .accumulates = below(2) == 0,
                                .td = static_cast<uint32_t>(below(3)),
                                .a = static_cast<uint32_t>(below(20)),
                                .b = static_cast<uint32_t>(20 + below(20))};
      now = std::max(now + below(200), unit.accepts());
      local.retire(now);
      unit.retire(now);
      local.book(now + below(100), 1 + below(300), below(500'000));
      const UnitTimes t = unit.take(productToken(product), now);
      ASSERT_EQ(t.busy + t.weights + t.chain + t.ports, t.read_done - std::max(now, accounted));
      ASSERT_LE(t.taken, t.start);
      ASSERT_LE(t.start, t.next);
      ASSERT_LE(t.next, t.read_done);
      ASSERT_LE(t.first_result, t.done);
      ASSERT_LE(t.read_done, t.done);
      ASSERT_GE(t.start, accounted);
      accounted = t.read_done;
    }
  }
}

}  // namespace
}  // namespace etalon::sim
