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

TEST(VectorUnit, AReaderFollowsRowByRow) {
  LocalMemory local = endlessMemory();
  VectorUnit unit(base(), local);
  const auto middle = tileAt(1 << 16, 64, 512, kF32);
  const UnitTimes first = unit.take(elementwise(middle, {tileAt(1 << 20, 64, 512, kF32)}), 0);
  EXPECT_EQ(first.next, 128u);
  EXPECT_EQ(first.done, 135u);
  // Its first row is written, two groups, when the unit accepts the next; so there is nothing to wait for.
  const Token reader = elementwise(tileAt(1 << 22, 64, 512, kF32), {middle});
  EXPECT_EQ(unit.take(reader, 128).chain, 0u);
}

}  // namespace
}  // namespace etalon::sim
