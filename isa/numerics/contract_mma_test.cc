// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/contract_mma.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <random>

#include "isa/numerics/contract_reference.h"
#include "isa/numerics/mma.h"

namespace etalon::numerics {
namespace {

using enum ElementType;
using Random = std::mt19937;
using reference::Element;

struct Pair {
  ElementType a, b;
};
constexpr Pair kPairs[] = {{bf16, bf16},     {f16, f16},       {f32, f32},
                           {f8e4m3, f8e4m3}, {f8e5m2, f8e4m3}, {f8e5m2, f8e5m2}};

uint32_t widthOf(ElementType type) { return static_cast<uint32_t>(elementInfo(type).bits); }
uint32_t mantissaBits(ElementType type) {
  return static_cast<uint32_t>(elementInfo(type).mantissa_bits);
}

/// How the values of a product hang together.
enum class Data : uint8_t { close, wide, cancelling, tiny, huge, anything };
constexpr int kData = 6;

/// A code whose exponent lies within `spread` of `center` (a fraction of the field, in 1/16).
uint32_t near(ElementType type, uint32_t center, uint32_t spread, Random& random) {
  const uint32_t mantissa = mantissaBits(type);
  const uint32_t fields = 1u << (widthOf(type) - 1 - mantissa);
  const uint32_t middle = fields * center / 16;
  const uint32_t low = middle > spread ? middle - spread : 0;
  const uint32_t high = std::min(middle + spread, fields - 2);
  const uint32_t field = low + random() % (high - low + 1);
  // Few bits set makes ties likely.
  uint32_t fraction = random() & ((1u << mantissa) - 1);
  if (random() % 3 == 0) fraction &= random() & random();
  return (random() & 1) << (widthOf(type) - 1) | field << mantissa | fraction;
}

uint32_t element(ElementType type, Data data, Random& random) {
  switch (data) {
    case Data::close:
    case Data::cancelling: return near(type, 8, 2, random);
    case Data::wide:
      return near(type, 8, 1u << (widthOf(type) - 1 - mantissaBits(type)) >> 2, random);
    case Data::tiny: return near(type, type == bf16 || type == f32 ? 4 : 0, 2, random);
    case Data::huge: return near(type, type == bf16 || type == f32 ? 12 : 15, 2, random);
    case Data::anything: break;
  }
  // Every code, special values with the frequency of the type, zeros often.
  return random() % 4 == 0 ? (random() & 1) << (widthOf(type) - 1) : random();
}

struct Matrix {
  std::vector<std::byte> bytes;
  TileRef ref;

  Matrix(ElementType type, uint32_t rows, uint32_t columns, bool transpose)
      : bytes(size_t{rows} * columns * widthOf(type) / 8) {
    const uint32_t stored = transpose ? columns : rows, cols = transpose ? rows : columns;
    ref = {bytes.data(), type, 1, stored, cols, 0, cols * widthOf(type) / 8, 1, transpose};
  }
  Matrix(const Matrix&) = delete;
  std::byte* at(uint32_t r, uint32_t c) const {
    return ref.transpose ? ref.row(c) + r * widthOf(ref.type) / 8
                         : ref.row(r) + c * widthOf(ref.type) / 8;
  }
  uint32_t get(uint32_t r, uint32_t c) const {
    uint32_t bits = 0;
    std::memcpy(&bits, at(r, c), widthOf(ref.type) / 8);
    return bits;
  }
  void set(uint32_t r, uint32_t c, uint32_t bits) const {
    std::memcpy(at(r, c), &bits, widthOf(ref.type) / 8);
  }
};

/// A product of random data: A, B and what the accumulator holds before.
struct Problem {
  Problem(Pair pair, uint32_t rows, uint32_t columns, uint32_t terms, Random& random)
      : m(rows),
        n(columns),
        k(terms),
        accumulates(random() % 4 != 0),
        a(pair.a, m, k, random() % 2 != 0),
        b(pair.b, k, n, random() % 2 != 0),
        acc(f32, m, n, false) {
    const Data data = static_cast<Data>(random() % kData);
    for (uint32_t i = 0; i < k; ++i) {
      for (uint32_t r = 0; r < m; ++r) a.set(r, i, element(pair.a, data, random));
      for (uint32_t c = 0; c < n; ++c) b.set(i, c, element(pair.b, data, random));
    }
    for (uint32_t r = 0; r < m; ++r)
      for (uint32_t c = 0; c < n; ++c)
        acc.set(r, c, random() % 8 == 0 ? random() : element(f32, data, random));
    if (data == Data::cancelling) cancel(random);
  }

  /// Half of the terms are others with one sign changed, and a last bit here and there.
  void cancel(Random& random) const {
    for (uint32_t i = 1; i < k; i += 2) {
      const uint32_t from = random() % i;
      for (uint32_t r = 0; r < m; ++r) a.set(r, i, a.get(r, from) ^ (random() % 16 == 0 ? 1u : 0u));
      for (uint32_t c = 0; c < n; ++c)
        b.set(i, c, b.get(from, c) ^ 1u << (widthOf(b.ref.type) - 1));
    }
  }

  uint32_t m, n, k;
  bool accumulates;
  Matrix a, b, acc;
};

::testing::AssertionResult agrees(const ProductRule& rule, Problem& problem) {
  std::vector<uint32_t> expected;
  std::vector<Element> row(problem.k), column(problem.k);
  for (uint32_t r = 0; r < problem.m; ++r)
    for (uint32_t c = 0; c < problem.n; ++c) {
      for (uint32_t i = 0; i < problem.k; ++i) {
        row[i] = {problem.a.ref.type, problem.a.get(r, i), {}, 0};
        column[i] = {problem.b.ref.type, problem.b.get(i, c), {}, 0};
      }
      std::optional<uint32_t> start;
      if (problem.accumulates) start = problem.acc.get(r, c);
      expected.push_back(reference::productUnder(rule, row, column, start));
    }
  multiplyAccumulateUnder(rule, problem.a.ref, problem.b.ref, problem.acc.ref, problem.accumulates);
  for (uint32_t r = 0; r < problem.m; ++r)
    for (uint32_t c = 0; c < problem.n; ++c)
      if (const uint32_t got = problem.acc.get(r, c); got != expected[r * problem.n + c])
        return ::testing::AssertionFailure()
               << std::hex << "(" << r << ", " << c << ") is " << got << ", the reference says "
               << expected[r * problem.n + c] << std::dec << "; k " << problem.k << ", types "
               << elementInfo(problem.a.ref.type).name << " "
               << elementInfo(problem.b.ref.type).name;
  return ::testing::AssertionSuccess();
}

/// At least `outputs` random dot products of every pair together, of 0 to `most_terms` terms.
void expectAgreement(const ProductRule& rule, int outputs, uint32_t most_terms, uint32_t seed) {
  Random random(seed);
  for (int done = 0; done < outputs;) {
    const Pair pair = kPairs[random() % std::size(kPairs)];
    const uint32_t terms = random() % 8 == 0 ? random() % 4 : random() % (most_terms + 1);
    Problem problem(pair, 1 + random() % 3, 1 + random() % 11, terms, random);
    ASSERT_TRUE(agrees(rule, problem)) << "after " << done << " outputs";
    done += static_cast<int>(problem.m * problem.n);
  }
}

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

TEST_P(NamedRule, AgreesWithTheReferenceOnTenThousandProducts) {
  expectAgreement(ruleOf(kNamed[GetParam()]), 10'000, 150, 1 + static_cast<uint32_t>(GetParam()));
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
  for (uint32_t seed = 1; seed <= 1500; ++seed) {
    Random random(seed * 977);
    const ProductRule rule = randomRule(random);
    expectAgreement(rule, 30, 40, seed);
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
    Problem problem(pair, 1 + random() % 40, 1 + random() % 70, random() % 600, random);
    const std::vector<std::byte> before = problem.acc.bytes;
    multiplyAccumulate(problem.a.ref, problem.b.ref, problem.acc.ref, problem.accumulates);
    const std::vector<std::byte> canonical = problem.acc.bytes;
    problem.acc.bytes = before;
    problem.acc.ref.data = problem.acc.bytes.data();
    multiplyAccumulateUnder(ProductRule{}, problem.a.ref, problem.b.ref, problem.acc.ref,
                            problem.accumulates);
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
        Problem problem(kPairs[random() % 3], static_cast<uint32_t>(m), static_cast<uint32_t>(n),
                        static_cast<uint32_t>(k), random);
        ASSERT_TRUE(agrees(rule, problem)) << group << in_sum;
      }
    }
  }
}

TEST(ContractProduct, KeepsTheAccumulatorWhenKIsZeroAndStartsAtZeroElse) {
  Random random(1);
  ProductRule rule;
  rule.rules.nan = 0x7fffffff;
  Problem problem({bf16, bf16}, 1, 1, 0, random);
  problem.acc.set(0, 0, 0xff812345);
  multiplyAccumulateUnder(rule, problem.a.ref, problem.b.ref, problem.acc.ref, true);
  EXPECT_EQ(problem.acc.get(0, 0), 0xff812345u);
  multiplyAccumulateUnder(rule, problem.a.ref, problem.b.ref, problem.acc.ref, false);
  EXPECT_EQ(problem.acc.get(0, 0), 0u);
}

}  // namespace
}  // namespace etalon::numerics
