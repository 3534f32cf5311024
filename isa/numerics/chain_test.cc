// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/chain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "isa/numerics/tile_test_data.h"
#include "isa/state/rule_test.h"

namespace etalon::numerics {
namespace {

using test::TestTile;
using T = ElementType;
using Op = ElementwiseOp;

ChainProgram chain(std::vector<ChainStep> steps) {
  ChainProgram program;
  program.nsteps = static_cast<uint8_t>(steps.size());
  for (size_t s = 0; s < steps.size(); ++s) program.steps[s] = steps[s];
  if (!steps.empty())
    program.td_selector = static_cast<uint8_t>(kSelectorTemporary + steps.back().dest);
  return program;
}

uint32_t bitsOf(float x) { return x != x ? 0x7fc00000u : std::bit_cast<uint32_t>(x); }

/// bf16 nearest-even of an f32, by the two neighbours.
uint32_t toBf16(float x) {
  if (x != x) return 0x7fc0;
  const uint32_t below = std::bit_cast<uint32_t>(x) >> 16;
  const uint32_t rest = std::bit_cast<uint32_t>(x) & 0xffff;
  return rest > 0x8000 || (rest == 0x8000 && below % 2 == 1) ? below + 1 : below;
}

class OnEachHostIsa : public testing::TestWithParam<HostIsa> {};

TEST_P(OnEachHostIsa, AddsTilesOfEveryShapeAndStride) {
  std::mt19937 random(1);
  for (const uint32_t rows : {1u, 2u, 6u, 30u})
    for (const uint32_t cols : {1u, 3u, 64u, 257u, 1030u})
      for (int variant = 0; variant < 8; ++variant) {
        TestTile a(T::f32, rows, cols, rows % 2 == 0 ? 2 : 1, variant % 2 == 0 ? 1 : 4,
                   static_cast<uint32_t>(variant % 3));
        TestTile b = TestTile::repeated(T::f32, rows, cols, (variant & 2) != 0, (variant & 4) != 0);
        TestTile td(T::f32, rows, cols, 0, 2, 1);
        a.fill(random), b.fill(random);
        TestTile want = td;
        for (uint32_t r = 0; r < rows; ++r)
          for (uint32_t c = 0; c < cols; ++c)
            want.set(r, c, bitsOf(a.getFloat(r, c) + b.getFloat(r, c)));
        runChain(chain({{.op = Op::add, .a = 0, .b = 1}}),
                 {{&a.ref(), &b.ref()}, &td.ref(), nullptr}, GetParam());
        ASSERT_TRUE(td == want) << rows << " x " << cols << " variant " << variant;
      }
}

TEST_P(OnEachHostIsa, RoundsToTheDestinationOnceAfterTheF32Result) {
  SHOWS(vec_round, vec_widen);
  std::mt19937 random(2);
  TestTile a(T::bf16, 7, 131), b(T::bf16, 7, 131), td(T::bf16, 7, 131);
  a.fill(random), b.fill(random);
  runChain(chain({{.op = Op::mul, .a = 0, .b = 1}}), {{&a.ref(), &b.ref()}, &td.ref(), nullptr},
           GetParam());
  for (uint32_t r = 0; r < 7; ++r)
    for (uint32_t c = 0; c < 131; ++c) {
      const float x = std::bit_cast<float>(a.get(r, c) << 16),
                  y = std::bit_cast<float>(b.get(r, c) << 16);
      ASSERT_EQ(td.get(r, c), toBf16(x * y));
    }
}

/// A random program over three tiles and constants; types of temporaries are tracked so that it is
/// legal.
struct Fuzzed {
  ChainProgram program;
  std::vector<T> step_types;
};

Fuzzed fuzz(std::mt19937& random, const std::array<T, 3>& tile_types) {
  Fuzzed out;
  ChainProgram& program = out.program;
  for (uint32_t& k : program.constants)
    k = random() % 2 == 0 ? random() % 64 : (random() & 0x83ffffff) + 0x3e000000;
  program.constants[10] = program.constants[11] = 0;
  std::array<int, 4> temporary{-1, -1, -1, -1};  // type, or -1
  program.nsteps = static_cast<uint8_t>(1 + random() % 8);
  const auto pick = [&](T type) {
    std::vector<uint8_t> choices{static_cast<uint8_t>(kSelectorConstant + random() % 12)};
    for (uint8_t t = 0; t < 3; ++t)
      if (elementInfo(tile_types[t]).widens_to == type) choices.push_back(t), choices.push_back(t);
    if (elementInfo(tile_types[0]).widens_to == type) choices.push_back(kSelectorDisplacedA + 10);
    for (uint8_t t = 0; t < 4; ++t)
      if (temporary[t] == static_cast<int>(type))
        choices.insert(choices.end(), 4, kSelectorTemporary + t);
    return choices[random() % choices.size()];
  };
  for (int s = 0; s < program.nsteps; ++s) {
    const ElementwiseInfo* info;
    do info = &kElementwiseOps[random() % kElementwiseOps.size()];
    while ((info->forms & kFormSTEP) == 0);
    std::vector<T> computes;
    if ((info->classes & kClassFloat) != 0) computes.push_back(T::f32);
    if ((info->classes & kClassInt) != 0) computes.push_back(T::i32);
    if ((info->classes & kClassUint) != 0) computes.push_back(T::u32);
    ChainStep step;
    step.op = info->op;
    step.compute = computes[random() % computes.size()];
    step.result = info->result == ResultKind::Mask ? T::u32 : step.compute;
    step.mode = static_cast<uint8_t>((random() & 8) | (random() & 1));
    if (info->op == Op::cvt) {
      const T results[] = {T::f32, T::bf16, T::f16, T::f8e4m3, T::f8e5m2,
                           T::i32, T::u32,  T::i8,  T::u8,     T::i16};
      step.result = results[random() % std::size(results)];
      if (isFloat(step.result) && random() % 3 == 0) step.mode = (step.mode & 8) | 2;
    } else if (step.result == T::f32 && random() % 4 == 0) {
      step.result = T::bf16;
    } else if (step.result != T::f32 && random() % 4 == 0) {
      step.result = step.result == T::i32 ? T::i8 : T::u8;
    }
    step.dest = random() % 4;
    step.a = pick(info->op == Op::select ? T::u32 : step.compute);
    step.b = info->op == Op::mask  ? kSelectorConstant + 3
             : info->op == Op::cvt ? pick(T::u32)  // the words of a stochastic conversion
                                   : pick(step.compute);
    step.c = pick(step.compute);
    program.steps[static_cast<size_t>(s)] = step;
    out.step_types.push_back(elementInfo(step.result).widens_to);
    temporary[step.dest] = static_cast<int>(out.step_types.back());
    program.td_selector = kSelectorTemporary + step.dest;
  }
  return out;
}

/// The same program as one-step chains over 32-bit tiles.
class Singles {
 public:
  Singles(const Fuzzed& fuzzed, std::array<const TileRef*, 3> tiles, uint32_t rows, uint32_t cols)
      : program_(fuzzed.program), tiles_(tiles) {
    for (int s = 0; s < program_.nsteps; ++s) {
      ChainStep step = program_.steps[static_cast<size_t>(s)];
      ChainProgram single;
      single.nsteps = 1;
      single.constants = program_.constants;
      ChainTiles operands;
      TestTile result(fuzzed.step_types[static_cast<size_t>(s)], rows, cols);
      const ElementwiseInfo* info = elementwiseInfo(static_cast<int>(step.op));
      step.a = place(step.a, 0, operands);
      if (stepSelectors(*info, step.mode) > 1 && step.op != Op::mask)
        step.b = place(step.b, 1, operands);
      if (info->arity > 2) step.c = place(step.c, 2, operands);
      const size_t dest = step.dest;
      step.dest = 0;
      single.steps[0] = step;
      operands.td = &result.ref();
      runChain(single, operands, HostIsa::Generic);
      results_.push_back(std::make_unique<TestTile>(result));
      temporary_[dest] = results_.back().get();
    }
  }
  TestTile& result() { return *results_.back(); }

 private:
  uint8_t place(uint8_t selector, uint8_t at, ChainTiles& operands) {
    if (selector >= kSelectorConstant && selector < kSelectorConstant + 12) return selector;
    // Displacement 0 (constant 10) of tile a is tile a.
    operands.sources[at] = selector >= kSelectorTemporary && selector < kSelectorTemporary + 4
                               ? &temporary_[selector - kSelectorTemporary]->ref()
                               : tiles_[selector >= kSelectorDisplacedA ? 0 : selector];
    return at;
  }

  const ChainProgram& program_;
  std::array<const TileRef*, 3> tiles_;
  std::array<TestTile*, 4> temporary_{};
  std::vector<std::unique_ptr<TestTile>> results_;
};

TEST_P(OnEachHostIsa, RandomChainsEqualTheirSingleStepsBitForBit) {
  SHOWS(chain_meaning);
  std::mt19937 random(3);
  const T types[] = {T::f32, T::bf16, T::f16, T::f8e5m2, T::i32, T::i8, T::u8, T::u32, T::u16};
  for (int trial = 0; trial < 3000; ++trial) {
    const uint32_t rows = 1 + random() % 5, cols = 1 + random() % (trial % 20 == 0 ? 700 : 20);
    std::array<T, 3> tile_types;
    for (T& t : tile_types) t = types[random() % std::size(types)];
    TestTile a(tile_types[0], rows, cols, 1, 2, 1), b(tile_types[1], rows, cols),
        c(tile_types[2], rows, cols);
    a.fill(random), b.fill(random), c.fill(random);
    if (random() % 3 == 0) b.ref().istride = b.ref().ostride = 0;
    if (random() % 3 == 0) c.ref().step = 0;
    const Fuzzed fuzzed = fuzz(random, tile_types);
    Singles singles(fuzzed, {&a.ref(), &b.ref(), &c.ref()}, rows, cols);
    TestTile td(fuzzed.step_types.back(), rows, cols);
    ChainProgram program = fuzzed.program;
    program.reduce = true;
    program.reduce_selector = program.td_selector;
    program.reduce_op = static_cast<ReduceOp>(random() % 4);
    TestTile folded(td.ref().type, rows, 1), plain(td.ref().type, rows, 1);
    runChain(program, {{&a.ref(), &b.ref(), &c.ref()}, &td.ref(), &folded.ref()}, GetParam());
    ASSERT_TRUE(td == singles.result()) << "trial " << trial;
    reduceRows(program.reduce_op, singles.result().ref(), plain.ref(), false, HostIsa::Generic);
    ASSERT_TRUE(folded == plain) << "reduction of trial " << trial;
  }
}

TEST_P(OnEachHostIsa, RunsInPlaceOnAnySource) {
  SHOWS(alias_reads_first);
  std::mt19937 random(4);
  for (int which = 0; which < 3; ++which) {
    std::array<TestTile, 3> tiles{TestTile(T::f32, 9, 150, 3, 1, 2),
                                  TestTile(T::f32, 9, 150, 3, 1, 2),
                                  TestTile(T::f32, 9, 150, 3, 1, 2)};
    for (TestTile& tile : tiles) tile.fill(random);
    TestTile td(T::f32, 9, 150, 3, 1, 2);
    const ChainProgram fma = chain({{.op = Op::fma, .a = 0, .b = 1, .c = 2}});
    const std::array<const TileRef*, 3> sources{&tiles[0].ref(), &tiles[1].ref(), &tiles[2].ref()};
    runChain(fma, {sources, &td.ref(), nullptr}, GetParam());
    runChain(fma, {sources, sources[static_cast<size_t>(which)], nullptr}, GetParam());
    EXPECT_TRUE(tiles[static_cast<size_t>(which)] == td) << which;
  }
}

INSTANTIATE_TEST_SUITE_P(Chain, OnEachHostIsa, testing::ValuesIn(supportedHostIsas()),
                         [](const auto& info) {
                           return info.param == HostIsa::Generic ? "Generic"
                                  : info.param == HostIsa::V3    ? "V3"
                                                                 : "V4";
                         });

TEST(Chain, AStepMayReadTheTemporaryItWrites) {
  TestTile a(T::f32, 1, 600), td(T::f32, 1, 600);
  for (uint32_t c = 0; c < 600; ++c) a.setFloat(0, c, static_cast<float>(c));
  ChainStep twice{.op = Op::add, .dest = 0, .a = kSelectorTemporary, .b = kSelectorTemporary};
  runChain(chain({{.op = Op::add, .a = 0, .b = 0}, twice, twice}),
           {{&a.ref()}, &td.ref(), nullptr});
  for (uint32_t c = 0; c < 600; ++c) EXPECT_EQ(td.getFloat(0, c), 8.0f * static_cast<float>(c));
}

TEST(Chain, MaskKeepsWhereTheAffineFormIsNotNegative) {
  SHOWS(chain_mask);
  TestTile a(T::f32, 12, 90, 3), td(T::f32, 12, 90, 3);
  std::mt19937 random(5);
  a.fill(random);
  ChainProgram program =
      chain({{.op = Op::mask, .a = 0, .b = kSelectorConstant + 2, .c = kSelectorConstant}});
  const std::array<int32_t, 4> forms[] = {{-5, 20, 3, -1},
                                          {0, 0, 1, -1},
                                          {INT32_MIN, INT32_MAX, INT32_MAX, 1 << 30},
                                          {-1, 0, 0, 0},
                                          {0, INT32_MIN, 0, 0}};
  for (const auto& form : forms) {
    program.constants[0] = std::bit_cast<uint32_t>(-7.5f);
    for (size_t k = 0; k < 4; ++k) program.constants[2 + k] = static_cast<uint32_t>(form[k]);
    runChain(program, {{&a.ref()}, &td.ref(), nullptr});
    for (uint32_t r = 0; r < 12; ++r)
      for (uint32_t c = 0; c < 90; ++c) {
        const __int128 v = __int128{form[0]} + __int128{r / 3} * form[1] +
                           __int128{r % 3} * form[2] + __int128{c} * form[3];
        ASSERT_EQ(td.get(r, c), v >= 0 ? a.get(r, c) : std::bit_cast<uint32_t>(-7.5f))
            << r << " " << c;
      }
  }
}

TEST(Chain, DisplacedTilesAreWindowsOfTheSameTile) {
  SHOWS(chain_displacement);
  TestTile a(T::i8, 4, 20), td(T::i32, 4, 16);
  std::mt19937 random(6);
  a.fill(random);
  TileRef window = a.ref();
  window.cols = 16;
  ChainStep first{
      .op = Op::add, .compute = T::i32, .result = T::i32, .a = 0, .b = kSelectorDisplacedA + 3};
  ChainStep second{.op = Op::add,
                   .compute = T::i32,
                   .result = T::i32,
                   .a = kSelectorTemporary,
                   .b = kSelectorDisplacedA + 5};
  ChainProgram program = chain({first, second});
  program.constants[3] = 1;
  program.constants[5] = 4;
  runChain(program, {{&window}, &td.ref(), nullptr});
  for (uint32_t r = 0; r < 4; ++r)
    for (uint32_t c = 0; c < 16; ++c) {
      const auto at = [&](uint32_t k) { return static_cast<int8_t>(a.get(r, c + k)); };
      EXPECT_EQ(static_cast<int32_t>(td.get(r, c)), at(0) + at(1) + at(4));
    }
}

TEST(Chain, NarrowDestinationsWrapAndSaturatingStepsClamp) {
  SHOWS(vec_integer, vec_saturate);
  TestTile a(T::i8, 1, 2), td(T::i8, 1, 2);
  a.set(0, 0, 100), a.set(0, 1, 0x9c);  // 100, -100
  const std::vector<std::pair<ChainStep, std::array<uint32_t, 2>>> cases = {
      {{.op = Op::add, .compute = T::i32, .result = T::i32}, {200, 56}},
      {{.op = Op::add_sat, .compute = T::i32, .result = T::i8}, {127, 128}},
      {{.op = Op::add, .compute = T::i32, .result = T::i8, .mode = 8}, {127, 128}},
      {{.op = Op::add, .compute = T::i32, .result = T::i8, .mode = 0}, {200, 56}}};
  for (const auto& [step, want] : cases) {
    runChain(chain({step}), {{&a.ref()}, &td.ref(), nullptr});
    for (uint32_t c = 0; c < 2; ++c) EXPECT_EQ(td.get(0, c), want[c]);
  }
}

TEST(Chain, RequantiseSaturatesToTheResultType) {
  SHOWS(vec_requant);
  TestTile a(T::i32, 1, 4), td(T::i8, 1, 4);
  const int32_t in[] = {1000, -1000, 6, -6};
  for (uint32_t c = 0; c < 4; ++c) a.set(0, c, static_cast<uint32_t>(in[c]));
  ChainProgram program =
      chain({{.op = Op::requant, .compute = T::i32, .result = T::i8, .a = 0, .b = 16, .c = 17}});
  program.constants[0] = 3;
  program.constants[1] = 2;
  runChain(program, {{&a.ref()}, &td.ref(), nullptr});
  const int8_t want[] = {127, -128, 5, -4};  // 18/4 = 4.5 up, -4.5 up
  for (uint32_t c = 0; c < 4; ++c) EXPECT_EQ(static_cast<int8_t>(td.get(0, c)), want[c]);
}

TEST(Chain, SingleMovesKeepTheBitsOfNarrowNans) {
  SHOWS(vec_move_bits);
  TestTile a(T::bf16, 1, 3), td(T::bf16, 1, 3), m(T::u8, 1, 3);
  const uint32_t in[] = {0x7f81, 0xffff, 0x3f80};
  for (uint32_t c = 0; c < 3; ++c) a.set(0, c, in[c]), m.set(0, c, c == 0);
  runChain(chain({{.op = Op::neg}}), {{&a.ref()}, &td.ref(), nullptr});
  for (uint32_t c = 0; c < 3; ++c) EXPECT_EQ(td.get(0, c), in[c] ^ 0x8000);
  runChain(chain({{.op = Op::abs}}), {{&a.ref()}, &td.ref(), nullptr});
  for (uint32_t c = 0; c < 3; ++c) EXPECT_EQ(td.get(0, c), in[c] & 0x7fff);
  ChainProgram select = chain({{.op = Op::select, .a = 1, .b = 0, .c = 16}});
  select.constants[0] = std::bit_cast<uint32_t>(1.001f);
  runChain(select, {{&a.ref(), &m.ref()}, &td.ref(), nullptr});
  const uint32_t want[] = {0x7f81, toBf16(1.001f), toBf16(1.001f)};
  for (uint32_t c = 0; c < 3; ++c) EXPECT_EQ(td.get(0, c), want[c]);
  select.constants[0] = 0xffc00001;  // a NaN: not moved, but rounded
  runChain(select, {{&a.ref(), &m.ref()}, &td.ref(), nullptr});
  const uint32_t want_nan[] = {0x7f81, 0x7fc0, 0x7fc0};
  for (uint32_t c = 0; c < 3; ++c) EXPECT_EQ(td.get(0, c), want_nan[c]);
  ChainProgram sign = chain({{.op = Op::copysign, .a = 0, .b = 16}});
  sign.constants[0] = 0xffc00001;
  runChain(sign, {{&a.ref()}, &td.ref(), nullptr});
  for (uint32_t c = 0; c < 3; ++c) EXPECT_EQ(td.get(0, c), in[c] | 0x8000);
}

TEST(Chain, ArithmeticAndLongerChainsGiveCanonicalNans) {
  SHOWS(vec_nan);
  TestTile a(T::bf16, 1, 1), td(T::bf16, 1, 1);
  a.set(0, 0, 0xff81);
  runChain(chain({{.op = Op::add, .a = 0, .b = 0}}), {{&a.ref()}, &td.ref(), nullptr});
  EXPECT_EQ(td.get(0, 0), 0x7fc0u);
  runChain(chain({{.op = Op::neg}, {.op = Op::neg, .a = kSelectorTemporary}}),
           {{&a.ref()}, &td.ref(), nullptr});
  EXPECT_EQ(td.get(0, 0), 0x7fc0u);
}

TEST(Chain, ReducesWithoutTdAndIntoLanes) {
  SHOWS(chain_reduction);
  std::mt19937 random(8);
  TestTile a(T::f32, 3, 130), sums(T::f32, 3, 1), lanes(T::f32, 3, 64);
  a.fill(random);
  for (uint32_t r = 0; r < 3; ++r)
    for (uint32_t c = 0; c < 64; ++c) lanes.set(r, c, 0x80000000);
  ChainProgram program = chain({{.op = Op::mul, .a = 0, .b = 0}});
  program.reduce = true;
  runChain(program, {{&a.ref()}, nullptr, &sums.ref()});
  program.accumulate = true;
  runChain(program, {{&a.ref()}, nullptr, &lanes.ref()});
  for (uint32_t r = 0; r < 3; ++r) {
    float lane[64];
    std::fill_n(lane, 64, -0.0f);
    for (uint32_t c = 0; c < 130; ++c) lane[c % 64] += a.getFloat(r, c) * a.getFloat(r, c);
    for (uint32_t c = 0; c < 64; ++c) EXPECT_EQ(lanes.get(r, c), bitsOf(lane[c]));
    for (size_t h = 32; h != 0; h /= 2)
      for (size_t i = 0; i < h; ++i) lane[i] += lane[i + h];
    EXPECT_EQ(sums.get(r, 0), bitsOf(lane[0]));
  }
}

TEST(Chain, EmptyTilesDoNothingButEmptyRowsReduceToTheIdentity) {
  SHOWS(op_empty);
  TestTile a(T::f32, 2, 0), td(T::f32, 2, 0), sums(T::f32, 2, 1);
  ChainProgram program = chain({{.op = Op::add, .a = 0, .b = 0}});
  program.reduce = true;
  program.reduce_op = ReduceOp::Prod;
  runChain(program, {{&a.ref()}, &td.ref(), &sums.ref()});
  EXPECT_EQ(sums.getFloat(0, 0), 1.0f);
  EXPECT_EQ(sums.getFloat(1, 0), 1.0f);
}

}  // namespace
}  // namespace etalon::numerics
