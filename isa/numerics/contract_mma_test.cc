// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/contract_mma.h"

#include <gtest/gtest.h>

#include <functional>
#include <numeric>
#include <random>
#include <span>

#include "isa/base/fuzz_scale.h"
#include "isa/numerics/contract_test_data.h"
#include "isa/numerics/mma.h"
#include "isa/state/rule_test.h"

namespace etalon::numerics {
namespace {

using namespace test;  // NOLINT: its test data

constexpr Pair kPairs[] = {{plain(bf16), plain(bf16)},     {plain(f16), plain(f16)},
                           {plain(f32), plain(f32)},       {plain(f8e4m3), plain(f8e4m3)},
                           {plain(f8e5m2), plain(f8e4m3)}, {plain(f8e5m2), plain(f8e5m2)}};
/// With 4-bit elements and block scales: all of these may have a sparse A, too.
constexpr Pair kLinkedPairs[] = {{plain(bf16), plain(bf16)},
                                 {plain(f32), plain(f32)},
                                 {plain(f4e2m1), plain(f8e5m2)},
                                 {plain(bf16), plain(i4)},
                                 {plain(u4), plain(bf16)},
                                 {{f8e4m3, e8m0}, {f8e5m2, e8m0}},
                                 {{f8e5m2, e8m0}, plain(f8e4m3)},
                                 {{f4e2m1, e8m0}, {f4e2m1, f8e4m3}},
                                 {plain(f4e2m1), {f4e2m1, f8e4m3}},
                                 {{f8e4m3, f32}, {f8e5m2, f32}},
                                 {{i8, f32}, {i4, f32}},
                                 {plain(u8), {u4, f32}},
                                 {plain(bf16), {i4, f32}},
                                 {{f8e5m2, f32}, {f4e2m1, e8m0}}};

::testing::AssertionResult agrees(const ProductRule& rule, const Problem& problem) {
  std::vector<uint32_t> expected;
  for (uint32_t r = 0; r < problem.m; ++r)
    for (uint32_t c = 0; c < problem.n; ++c) expected.push_back(problem.expected(rule, r, c));
  problem.multiply(rule);
  for (uint32_t r = 0; r < problem.m; ++r)
    for (uint32_t c = 0; c < problem.n; ++c)
      if (const uint32_t got = problem.acc.get(r, c); got != expected[r * problem.n + c])
        return ::testing::AssertionFailure()
               << std::hex << "(" << r << ", " << c << ") is " << got << ", the reference says "
               << expected[r * problem.n + c] << std::dec << "; k " << problem.k << ", types "
               << elementInfo(problem.a.kind.element).name << " "
               << elementInfo(problem.b.kind.element).name;
  return ::testing::AssertionSuccess();
}

/// At least `outputs` random dot products of these pairs together, of 0 to `most_terms` terms.
void expectAgreement(const ProductRule& rule, std::span<const Pair> pairs, bool sparse, int outputs,
                     uint32_t most_terms, uint32_t seed) {
  Random random(seed);
  for (int done = 0; done < outputs;) {
    const Pair pair = pairs[random() % pairs.size()];
    const uint32_t terms = random() % 8 == 0 ? random() % 4 : random() % (most_terms + 1);
    const bool has_metadata = sparse && random() % 2 == 0;
    const Problem problem(pair, 1 + random() % 3, 1 + random() % 11, terms, has_metadata, random);
    ASSERT_TRUE(agrees(rule, problem)) << "after " << done << " outputs, sparse " << has_metadata;
    done += static_cast<int>(problem.m * problem.n);
  }
}

/// Dot products that the contracts of the first kBar names are held to; the others have fewer.
constexpr int kProducts = kSanitized ? 2'000 : 10'000;
constexpr int kBar = 5;

struct Named {
  const char* name;
  std::function<void(ProductRule&)> change;
};
ProductRule ruleOf(const Named& named) {
  ProductRule rule;
  named.change(rule);
  return rule;
}
void aligned(ProductRule& rule, uint32_t group, uint32_t width) {
  rule.sum = GroupSum::aligned;
  rule.group = group;
  rule.width = width;
}
void tree(ProductRule& rule, uint32_t group) {
  rule.sum = GroupSum::tree;
  rule.group = group;
  rule.joins_in_sum = false;
}

const Named kNamed[] = {
    {"Canonical", [](ProductRule&) {}},
    {"Group16Align25Truncated",
     [](ProductRule& r) {
       aligned(r, 16, 25);
       r.rounding = Direction::toward_zero;
     }},
    {"PairwiseTree", [](ProductRule& r) { tree(r, 16); }},
    {"FlushedSubnormals", [](ProductRule& r) { r.rules.flush_in = r.rules.flush_out = true; }},
    {"SpillEvery128",
     [](ProductRule& r) {
       r.spill_every = 128;
       r.spill = {8, 7};
     }},
    {"Group8ByOperandExponentsJoinedAfter",
     [](ProductRule& r) {
       aligned(r, 8, 24);
       r.guard = 2;
       r.exponent = AddendExponent::operands;
       r.joins_in_sum = false;
       r.join = Direction::nearest_even;
       r.rounding = Direction::toward_zero;
     }},
    {"ExactGroupsOf4", [](ProductRule& r) { aligned(r, 4, 0); }},
    {"RoundToOddPairs",
     [](ProductRule& r) {
       r.rounds_products = true;
       tree(r, 2);
       r.rounding = r.join = Direction::odd;
       r.rules.flush_in = r.rules.flush_out = true;
     }},
    {"NarrowAccumulator",
     [](ProductRule& r) {
       aligned(r, 32, 13);
       r.accumulator = {8, 13};
       r.rounding = Direction::toward_zero;
       r.rules.overflow = Overflow::saturate;
     }},
};

class NamedRule : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Contract, NamedRule, testing::Range(0, int(std::size(kNamed))),
                         [](const auto& info) { return std::string(kNamed[info.param].name); });

TEST_P(NamedRule, AgreesWithTheReferenceOnRandomProducts) {
  SHOWS(contract_group, contract_tree, contract_align, contract_flush);
  expectAgreement(ruleOf(kNamed[GetParam()]), kPairs, false,
                  GetParam() < kBar ? kProducts : kProducts / 4, 150,
                  1 + static_cast<uint32_t>(GetParam()));
}

TEST_P(NamedRule, AgreesWithTheReferenceOnScaledAndSparseOperands) {
  SHOWS(contract_terms, contract_exponent);
  expectAgreement(ruleOf(kNamed[GetParam()]), kLinkedPairs, true, kProducts / 10, 300,
                  100 + static_cast<uint32_t>(GetParam()));
}

template <class T>
T anyOf(std::initializer_list<T> values, Random& random) {
  return values.begin()[random() % values.size()];
}
Direction anyDirection(Random& random) { return static_cast<Direction>(random() % 6); }

NumberFormat anyFormat(Random& random) {
  if (random() % 3 == 0) return kFormatF32;
  return {2 + static_cast<int>(random() % 7), 1 + static_cast<int>(random() % 50)};
}

ProductRule randomRule(Random& random) {
  ProductRule rule;
  rule.rounds_products = random() % 3 == 0;
  rule.order = static_cast<TermOrder>(random() % 3);
  if (rule.order == TermOrder::permuted) {
    rule.permutation.resize(1 + random() % 9);
    std::iota(rule.permutation.begin(), rule.permutation.end(), uint16_t{0});
    std::shuffle(rule.permutation.begin(), rule.permutation.end(), random);
  }
  rule.sum = static_cast<GroupSum>(random() % 3);
  rule.joins_in_sum = random() % 2 == 0;
  rule.group = anyOf<uint32_t>({1, 2, 3, 4, 5, 7, 8, 16, 31, 64, 300, 65536}, random);
  if (rule.sum == GroupSum::tree) rule.group = std::min(rule.group, kMostTree);
  if (rule.sum == GroupSum::chain && rule.joins_in_sum) rule.group = 1;
  if (rule.sum == GroupSum::aligned) {
    rule.width =
        anyOf<uint32_t>({0, 1, 2, 8, 11, 20, 24, 25, 27, 40, 53, 60, 64, 200, 1024}, random);
    rule.guard = rule.width == 0 ? 0 : anyOf<uint32_t>({0, 0, 1, 3, 20}, random);
    rule.cut = anyDirection(random);
    if (!rule.rounds_products) rule.exponent = static_cast<AddendExponent>(random() % 2);
  }
  rule.tree = static_cast<TreeShape>(random() % 2);
  rule.accumulator = anyFormat(random);
  rule.rounding = anyDirection(random);
  rule.join = anyDirection(random);
  if (random() % 3 == 0) {
    rule.spill_every = rule.group * anyOf<uint32_t>({1, 2, 9}, random);
    rule.spill = anyFormat(random);
    rule.spill_rounding = anyDirection(random);
  }
  rule.rules.flush_in = random() % 3 == 0;
  rule.rules.flush_out = random() % 3 == 0;
  rule.rules.positive_zero = random() % 4 == 0;
  rule.rules.overflow = static_cast<Overflow>(random() % 3);
  rule.rules.nan = anyOf<uint32_t>({0x7fc00000, 0x7fffffff, 0xffc00001}, random);
  return rule;
}

TEST(ContractProduct, AgreesWithTheReferenceUnderRandomRules) {
  SHOWS(contract_round, contract_format, contract_overflow, contract_flush, contract_zero,
        contract_nan, contract_terms, contract_order, contract_group, contract_join, contract_chain,
        contract_tree, contract_align, contract_exponent, contract_accumulator, contract_spill,
        contract_product_rules);
  const auto rules = static_cast<uint32_t>(600 * fuzzScale());
  for (uint32_t seed = 1; seed <= rules; ++seed) {
    Random random(seed * 977);
    const ProductRule rule = randomRule(random);
    expectAgreement(rule, kPairs, false, 20, 40, seed);
    expectAgreement(rule, kLinkedPairs, true, 20, 70, seed);
    if (HasFailure()) {
      FAIL() << "seed " << seed;
    }
  }
}

/// The canonical rule by this path, a loop of another kind than the fast kernels'.
TEST(ContractProduct, CanonicalRuleGivesTheBitsOfTheCanonicalKernels) {
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const Pair pair = kPairs[random() % std::size(kPairs)];
    Problem problem(pair, 1 + random() % 40, 1 + random() % 70, random() % 600, false, random);
    const std::vector<std::byte> before = problem.acc.bytes;
    multiplyAccumulate(problem.a.source(), problem.b.source(), problem.acc.ref,
                       problem.accumulates);
    const std::vector<std::byte> canonical = problem.acc.bytes;
    problem.acc.bytes = before;
    problem.acc.ref.data = problem.acc.bytes.data();
    problem.multiply(ProductRule{});
    ASSERT_EQ(canonical, problem.acc.bytes) << i;
  }
}

/// Blocks of outputs and of terms, and groups longer than a block of terms.
TEST(ContractProduct, AgreesWithTheReferenceAcrossBlocks) {
  Random random(11);
  for (const uint32_t group : {1u, 16u, 48u, 1000u}) {
    for (const bool in_sum : {false, true}) {
      ProductRule rule;
      aligned(rule, group, 26);
      rule.joins_in_sum = in_sum;
      rule.spill_every = 2 * group;
      rule.spill = {8, 10};
      for (const auto& [m, n, k] : {std::tuple{33, 9, 257}, {2, 65, 300}, {1, 3, 2500}}) {
        const Problem problem(kLinkedPairs[random() % std::size(kLinkedPairs)],
                              static_cast<uint32_t>(m), static_cast<uint32_t>(n),
                              static_cast<uint32_t>(k), random() % 2 == 0, random);
        ASSERT_TRUE(agrees(rule, problem)) << group << in_sum;
      }
    }
  }
}

TEST(ContractProduct, KeepsTheAccumulatorWhenKIsZeroAndStartsAtZeroElse) {
  SHOWS(contract_accumulator);
  Random random(1);
  ProductRule rule;
  rule.rules.nan = 0x7fffffff;
  Problem problem(kPairs[0], 1, 1, 0, false, random);
  problem.acc.set(0, 0, 0xff812345);
  problem.accumulates = true;
  problem.multiply(rule);
  EXPECT_EQ(problem.acc.get(0, 0), 0xff812345u);
  problem.accumulates = false;
  problem.multiply(rule);
  EXPECT_EQ(problem.acc.get(0, 0), 0u);
}

}  // namespace
}  // namespace etalon::numerics
