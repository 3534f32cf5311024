// SPDX-License-Identifier: Apache-2.0
// Declared contracts and the probes: what every legal order gets right, legal contracts get right;
// and the directed probes tell each of four contracts from the canonical arithmetic.
#include <gtest/gtest.h>

#include "isa/numerics/contract_mma.h"
#include "isa/numerics/mma.h"
#include "kernels/reference/probe.h"

namespace etalon::kernels {
namespace {

using enum ElementType;
using numerics::Direction;
using numerics::GroupSum;
using numerics::ProductRule;
using numerics::TileRef;

TileRef tileOf(abi::Array& array) {
  const auto rows = static_cast<uint32_t>(array.shape[0]);
  const auto columns = static_cast<uint32_t>(array.shape[1]);
  const auto row_bytes = columns * static_cast<uint32_t>(elementInfo(array.type).bits) / 8;
  return {array.data.data(), array.type, 1, rows, columns, 0, row_bytes, 1, false};
}

/// The product under a rule; canonically without one.
std::vector<std::byte> product(MatmulProbe probe, const ProductRule* rule) {
  abi::Array result = probe.expected;
  std::fill(result.data.begin(), result.data.end(), std::byte{0x55});
  if (rule != nullptr) {
    multiplyAccumulateUnder(*rule, tileOf(probe.a), tileOf(probe.b), tileOf(result), false);
  } else {
    multiplyAccumulate(tileOf(probe.a), tileOf(probe.b), tileOf(result), false);
  }
  return result.data;
}

/// Groups of 16 with 25 bits from the greatest exponent on, everything below dropped.
ProductRule alignedRule() {
  ProductRule rule;
  rule.sum = GroupSum::aligned;
  rule.group = 16;
  rule.width = 25;
  rule.rounding = Direction::toward_zero;
  return rule;
}
/// Trees of rounded additions, added to the accumulator.
ProductRule treeRule() {
  ProductRule rule;
  rule.sum = GroupSum::tree;
  rule.group = 16;
  rule.joins_in_sum = false;
  return rule;
}
ProductRule flushingRule() {
  ProductRule rule;
  rule.rules.flush_in = rule.rules.flush_out = true;
  return rule;
}
ProductRule spillingRule() {
  ProductRule rule;
  rule.spill_every = 128;
  rule.spill = {8, 7};
  return rule;
}

struct Row {
  const char* name;
  DirectedProbe probe;
  uint64_t terms;
  int gap;
  bool aligned, tree, flushing, spilling;  // gives other bits than the canonical product
};
constexpr Row kTable[] = {
    {"a 1 beside 2^23 of both signs", DirectedProbe::alignment, 16, 23, false, false, false, false},
    {"a 1 beside 2^24 of both signs", DirectedProbe::alignment, 16, 24, false, false, false, false},
    {"a 1 beside 2^25 of both signs", DirectedProbe::alignment, 16, 25, true, false, false, false},
    {"ones after 2^24", DirectedProbe::order, 16, 0, true, true, false, false},
    {"ones after 2^24, more groups", DirectedProbe::order, 100, 0, true, true, false, false},
    {"a subnormal factor", DirectedProbe::subnormal_input, 16, 0, false, false, true, false},
    {"a subnormal product", DirectedProbe::subnormal_output, 16, 0, false, false, true, false},
    {"127 terms", DirectedProbe::spill, 127, 0, false, false, false, false},
    {"128 terms", DirectedProbe::spill, 128, 0, false, false, false, true},
    {"129 terms", DirectedProbe::spill, 129, 0, false, false, false, true},
};

TEST(DirectedProbes, TellFourContractsFromTheCanonicalProduct) {
  const ProductRule rules[] = {alignedRule(), treeRule(), flushingRule(), spillingRule()};
  for (const Row& row : kTable)
    for (const ElementType type : {bf16, f16, f32}) {
      if (type == f16 && row.probe == DirectedProbe::subnormal_output) continue;
      const MatmulProbe probe =
          *makeDirectedProbe(row.probe, type, row.terms, row.gap == 0 ? 25 : row.gap);
      EXPECT_EQ(product(probe, nullptr), probe.expected.data) << row.name;
      const bool differs[] = {row.aligned, row.tree, row.flushing, row.spilling};
      for (size_t i = 0; i < std::size(rules); ++i)
        EXPECT_EQ(product(probe, &rules[i]) != probe.expected.data, differs[i])
            << row.name << ", contract " << i << ", " << elementInfo(type).name;
    }
}

constexpr ProbeTypes kTypes[] = {{bf16, bf16, f32},
                                 {f16, f16, f32},
                                 {f8e4m3, f8e4m3, f32},
                                 {f8e5m2, f8e4m3, f32},
                                 {f32, f32, f32}};

// No operation of theirs rounds on these data, so that their bits are those of the standard.
TEST(ExactProbes, AreExactUnderContractsOfLegalAccumulators) {
  const ProductRule rules[] = {alignedRule(), treeRule(), flushingRule()};
  for (const ProbeTypes& types : kTypes)
    for (const uint64_t k : {1, 3, 64, 129, 1000}) {
      const MatmulProbe probe = *makeMatmulProbe(types, 5, k, 9, k);
      EXPECT_EQ(product(probe, nullptr), probe.expected.data);
      for (const ProductRule& rule : rules)
        EXPECT_EQ(product(probe, &rule), probe.expected.data)
            << elementInfo(types.a).name << " k " << k;
    }
}

TEST(ExactProbes, CatchContractsThatLoseBits) {
  ProductRule narrow = alignedRule();
  narrow.width = 22;
  ProductRule short_accumulator;
  short_accumulator.accumulator = {8, 13};
  const ProductRule rules[] = {spillingRule(), narrow, short_accumulator};
  for (const ProbeTypes& types : kTypes) {
    const MatmulProbe probe = *makeMatmulProbe(types, 8, 512, 8, 42);
    for (const ProductRule& rule : rules)
      EXPECT_NE(product(probe, &rule), probe.expected.data) << elementInfo(types.a).name;
  }
  // A spill at 128 is invisible below.
  const ProductRule spilling = spillingRule();
  const MatmulProbe below = *makeMatmulProbe(kTypes[0], 8, 127, 8, 42);
  EXPECT_EQ(product(below, &spilling), below.expected.data);
}

TEST(DirectedProbe, RefusesWhatItCannotPromise) {
  const auto refusal = [](DirectedProbe probe, ElementType type, uint64_t terms, int gap) {
    const auto made = makeDirectedProbe(probe, type, terms, gap);
    return made.ok() ? "made" : made.error().message;
  };
  EXPECT_EQ(refusal(DirectedProbe::order, i8, 16, 25),
            "no directed probe for i8; there are some for bf16, f16, f32");
  EXPECT_EQ(refusal(DirectedProbe::order, bf16, 2, 25),
            "a directed probe has 3 to 2097152 terms, not 2");
  EXPECT_EQ(refusal(DirectedProbe::alignment, bf16, 16, 27), "the gap is 2 to 26, not 27");
  EXPECT_EQ(refusal(DirectedProbe::subnormal_output, f16, 16, 25),
            "no product of two f16 is an f32 subnormal");
}

}  // namespace
}  // namespace etalon::kernels
