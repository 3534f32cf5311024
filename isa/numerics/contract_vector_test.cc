// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <vector>

#include "isa/numerics/chain.h"
#include "isa/numerics/contract_convert.h"
#include "isa/numerics/contract_function.h"
#include "isa/numerics/contract_lanes.h"
#include "isa/numerics/contract_vector_reference.h"
#include "isa/numerics/elementwise.h"
#include "isa/numerics/reduce.h"
#include "isa/numerics/scan.h"
#include "isa/numerics/tile_test_data.h"
#include "isa/state/rule_test.h"

namespace etalon::numerics {
namespace {

using enum ElementType;
using test::TestTile;
using Random = std::mt19937;

Direction anyDirection(Random& random) { return static_cast<Direction>(random() % 6); }

RoundingRules anyRules(Random& random) {
  RoundingRules rules;
  rules.flush_in = random() % 2 != 0;
  rules.flush_out = random() % 2 != 0;
  rules.positive_zero = random() % 3 == 0;
  rules.overflow = static_cast<Overflow>(random() % 3);
  rules.nan = random() % 2 != 0 ? 0x7fc00000 : 0xffffffff;
  return rules;
}

/// Bits of an f32: any, near 1, subnormal, near both ends, few bits set, special.
uint32_t anyFloat(Random& random) {
  const uint32_t sign = random() & 0x80000000;
  switch (random() % 7) {
    case 0: return random();
    case 1: return sign | (0x3f000000 + (random() & 0x01ffffff));
    case 2: return sign | (random() & 0x007fffff);
    case 3: return sign | (0x00800000 + (random() & 0x03ffffff));
    case 4: return sign | (0x7c000000 + random() % 0x03900000);
    case 5: return sign | (random() & random() & random() & 0x7fffffff);
    default: return sign | (random() % 2 != 0 ? 0 : 0x7f800000) | (random() % 3 == 0 ? 1 : 0);
  }
}

/// A float of any type near both ends of it, or any code.
uint32_t anyCode(ElementType type, Random& random) {
  const auto width = static_cast<uint32_t>(elementInfo(type).bits);
  const uint32_t all = width == 32 ? ~0u : (1u << width) - 1;
  return type == f32 ? anyFloat(random) : random() & all;
}

uint32_t laneOf(const VectorContract& contract, ElementwiseOp op, uint32_t a, uint32_t b,
                uint32_t c) {
  const LaneFunction lane = contractLane(contract, op);
  uint32_t out = 0;
  if (lane == nullptr) return evaluateElementwise(op, f32, f32, a, b, c);
  lane({&out, &a, &b, &c, 1, 0, 0, op, &contract});
  return out;
}

TEST(ContractVector, ArithmeticAgreesWithTheReferenceUnderRandomRules) {
  SHOWS(contract_arithmetic, contract_round, contract_overflow);
  Random random(1);
  for (int i = 0; i < 400; ++i) {
    VectorContract contract;
    contract.arithmetic = {anyDirection(random), anyRules(random)};
    for (const ElementwiseOp op :
         {ElementwiseOp::add, ElementwiseOp::sub, ElementwiseOp::rsub, ElementwiseOp::mul,
          ElementwiseOp::div, ElementwiseOp::rdiv, ElementwiseOp::fma})
      for (int k = 0; k < 100; ++k) {
        const uint32_t a = anyFloat(random), b = anyFloat(random);
        // A third of the sums nearly cancel.
        const uint32_t c = random() % 3 == 0 ? (b ^ 0x80000000) + random() % 3 : anyFloat(random);
        const uint32_t second = random() % 4 == 0 && op == ElementwiseOp::add ? c : b;
        ASSERT_EQ(reference::arithmeticUnder(contract.arithmetic, op, a, second, c),
                  laneOf(contract, op, a, second, c))
            << std::hex << static_cast<int>(op) << " " << a << " " << second << " " << c << " "
            << static_cast<int>(contract.arithmetic.rounding);
      }
  }
}

TEST(ContractVector, CanonicalContractLeavesEveryOperationAsItIs) {
  for (const ElementwiseInfo& info : kElementwiseOps)
    EXPECT_EQ(contractLane({}, info.op), nullptr) << info.name;
}

TEST(ContractVector, ComparisonsAndMovesAreNotOpenToDeclaration) {
  SHOWS(contract_scope);
  VectorContract contract;
  contract.arithmetic.rounding = Direction::toward_zero;
  contract.arithmetic.rules.flush_in = true;
  for (const ElementwiseOp op :
       {ElementwiseOp::min, ElementwiseOp::max_num, ElementwiseOp::lt, ElementwiseOp::eq,
        ElementwiseOp::neg, ElementwiseOp::copysign, ElementwiseOp::select, ElementwiseOp::floor})
    EXPECT_EQ(contractLane(contract, op), nullptr);
}

constexpr ElementType kFloats[] = {f32, bf16, f16, f8e4m3, f8e5m2};
constexpr ElementType kIntegers[] = {i8, u8, i16, u16, i32, u32};

constexpr ElementType kAnyFloats[] = {f32, bf16, f16, f8e4m3, f8e5m2, f4e2m1};
constexpr ElementType kAnyIntegers[] = {i8, u8, i16, u16, i32, u32, i4, u4};

TEST(ContractVector, ConversionsAgreeWithTheReferenceUnderRandomRules) {
  SHOWS(contract_conversion);
  Random random(2);
  for (int i = 0; i < 300; ++i) {
    const ConversionRule rule{anyDirection(random), random() % 2 != 0, random() % 2 != 0,
                              static_cast<Overflow>(random() % 3)};
    for (int k = 0; k < 300; ++k) {
      const bool from_integer = random() % 4 == 0, to_integer = !from_integer && random() % 4 == 0;
      const ElementType from = from_integer ? kAnyIntegers[random() % 8] : kAnyFloats[random() % 6];
      const ElementType to = to_integer ? kAnyIntegers[random() % 8] : kAnyFloats[random() % 6];
      uint32_t bits = anyCode(from, random);
      // Near the integers and their halves.
      if (to_integer && from == f32 && random() % 2 == 0)
        bits = std::bit_cast<uint32_t>(static_cast<float>(random() % 1000) / 2 - 100);
      const bool nearest = random() % 4 != 0, saturate = random() % 2 != 0;
      const ConvertMode mode{nearest ? Rounding::NearestEven : Rounding::TowardZero, saturate};
      ASSERT_EQ(reference::conversionUnder(rule, from, bits, to, nearest, saturate),
                convertElementUnder(rule, from, bits, to, mode))
          << elementInfo(from).name << " " << std::hex << bits << " to " << elementInfo(to).name
          << " " << static_cast<int>(rule.rounding) << nearest << saturate;
    }
  }
}

TEST(ContractVector, CanonicalRuleConvertsAsTheStandard) {
  Random random(3);
  for (int k = 0; k < 200'000; ++k) {
    const ElementType from = random() % 4 == 0 ? kIntegers[random() % 6] : kFloats[random() % 5];
    const ElementType to = random() % 4 == 0 ? kIntegers[random() % 6] : kFloats[random() % 5];
    const uint32_t bits = anyCode(from, random);
    const auto rounding = random() % 2 == 0 ? Rounding::NearestEven : Rounding::TowardZero;
    const bool saturate = random() % 2 != 0;
    ASSERT_EQ(convertElement(from, bits, to, rounding, saturate),
              convertElementUnder({}, from, bits, to, {rounding, saturate}))
        << elementInfo(from).name << " " << std::hex << bits << " to " << elementInfo(to).name;
  }
}

/// A piecewise function with coefficients of no meaning: how they are used is what counts.
PiecewiseFunction anyPolynomials(ElementwiseOp op, Random& random) {
  PiecewiseFunction f;
  f.rounding = anyDirection(random);
  f.segment_bits = 2 + static_cast<int>(random() % 4);
  f.fraction_bits = 20 + static_cast<int>(random() % 21);
  f.degree = static_cast<int>(random() % 5);
  f.argument_bits = f.segment_bits + static_cast<int>(random() % 20);
  f.multiplier_bits = static_cast<int>(random() % 41);
  f.multiplier = 1 + static_cast<int64_t>(random()) % (int64_t{2} << f.multiplier_bits);
  if (op == ElementwiseOp::log || op == ElementwiseOp::log2)
    f.multiplier = static_cast<int64_t>(random()) << (random() % 30);
  f.first_exponent = -static_cast<int>(random() % 20);
  f.last_exponent = f.first_exponent + static_cast<int>(random() % 8);
  f.linear = static_cast<int64_t>(random()) << (random() % 8);
  f.limit = random() % 2 == 0 ? 0x3f800000 : anyFloat(random) & 0x7fffffff & 0xff7fffff;
  const size_t count = size_t{segmentCount(op, f)} * static_cast<size_t>(f.degree + 1);
  for (size_t i = 0; i < count; ++i)
    f.coefficients.push_back(static_cast<int64_t>(static_cast<int32_t>(random())) *
                             (int64_t{1} << (random() % 9)));
  return f;
}

constexpr ElementwiseOp kFunctions[] = {
    ElementwiseOp::exp,  ElementwiseOp::exp2,   ElementwiseOp::log,   ElementwiseOp::log2,
    ElementwiseOp::sqrt, ElementwiseOp::rsqrt,  ElementwiseOp::recip, ElementwiseOp::tanh,
    ElementwiseOp::erf,  ElementwiseOp::sigmoid};

TEST(ContractVector, PiecewiseFunctionsAgreeWithTheReferenceUnderRandomRules) {
  SHOWS(contract_function, contract_polynomial, contract_exponential, contract_logarithm,
        contract_roots, contract_odd, contract_sigmoid);
  Random random(4);
  for (int i = 0; i < 60; ++i)
    for (const ElementwiseOp op : kFunctions) {
      VectorContract contract;
      contract.arithmetic.rules = anyRules(random);
      contract.functions.push_back({op, FunctionKind::piecewise, anyPolynomials(op, random), {}});
      const ContractFunction function(contract, op);
      for (int k = 0; k < 200; ++k) {
        const uint32_t x = anyFloat(random);
        ASSERT_EQ(reference::functionUnder(contract, op, x), function(x))
            << static_cast<int>(op) << std::hex << " " << x << " round " << i;
        ASSERT_EQ(function(x), laneOf(contract, op, x, 0, 0));
      }
    }
}

TEST(ContractVector, TablesAgreeWithTheReference) {
  SHOWS(contract_table);
  Random random(5);
  for (const ElementType input : {f16, bf16, f8e4m3, f8e5m2}) {
    VectorContract contract;
    contract.arithmetic.rules.flush_in = true;
    TableFunction table{input, anyDirection(random), {}};
    for (uint32_t code = 0; code < 1u << elementInfo(input).bits; ++code)
      table.values.push_back(random());
    contract.functions.push_back({ElementwiseOp::exp, FunctionKind::table, {}, table});
    for (int k = 0; k < 5000; ++k) {
      const uint32_t x = anyFloat(random);
      ASSERT_EQ(reference::functionUnder(contract, ElementwiseOp::exp, x),
                ContractFunction(contract, ElementwiseOp::exp)(x))
          << std::hex << x;
    }
  }
}

TEST(ContractVector, CorrectlyRoundedFunctionsFlushAndNameTheirNan) {
  SHOWS(contract_function, contract_nan);
  VectorContract contract;
  contract.arithmetic.rules = {true, true, false, Overflow::ieee, 0x7fffffff};
  EXPECT_EQ(laneOf(contract, ElementwiseOp::sqrt, 0x00400000, 0, 0), 0u);
  EXPECT_EQ(laneOf(contract, ElementwiseOp::rsqrt, 0x80400000, 0, 0), 0xff800000u);
  EXPECT_EQ(laneOf(contract, ElementwiseOp::recip, 0xff000000, 0, 0), 0x80000000u);
  EXPECT_EQ(laneOf(contract, ElementwiseOp::log, 0xbf800000, 0, 0), 0x7fffffffu);
  EXPECT_EQ(laneOf(contract, ElementwiseOp::exp, 0x3f800000, 0, 0), 0x402df854u);
  EXPECT_EQ(laneOf(contract, ElementwiseOp::sin, 0x80400000, 0, 0), 0x80000000u);
  EXPECT_EQ(laneOf(contract, ElementwiseOp::cos, 0xff800000, 0, 0), 0x7fffffffu);
}

VectorContract anyContract(Random& random) {
  VectorContract contract;
  if (random() % 4 != 0) contract.arithmetic = {anyDirection(random), anyRules(random)};
  contract.reduction.shape = static_cast<ReductionShape>(random() % 2);
  contract.reduction.width = 1u << (random() % 7);
  return contract;
}

TEST(ContractVector, RowSumsAgreeWithTheReferenceWholeAndInChunks) {
  SHOWS(contract_reduction);
  Random random(6);
  for (int i = 0; i < 600; ++i) {
    const VectorContract contract = anyContract(random);
    const ReduceOp op = random() % 2 == 0 ? ReduceOp::Sum : ReduceOp::Prod;
    const uint32_t cols = random() % 300, rows = 1 + random() % 3;
    TestTile a(f32, rows, cols), td(f32, rows, 1), lanes(f32, rows, 64), folded(f32, rows, 1);
    for (uint32_t r = 0; r < rows; ++r)
      for (uint32_t c = 0; c < cols; ++c)
        a.set(r, c, random() % 50 == 0 ? anyFloat(random) : 0x3f000000 + (random() & 0x80ffffff));
    reduceRows(op, a.ref(), td.ref(), false, hostIsa(), &contract);
    for (uint32_t r = 0; r < rows; ++r) {
      std::vector<uint32_t> row;
      for (uint32_t c = 0; c < cols; ++c) row.push_back(a.get(r, c));
      ASSERT_EQ(reference::rowSumUnder(contract, op == ReduceOp::Sum, row), td.get(r, 0))
          << i << " cols " << cols;
    }
    // The same in chunks of 64 columns, then the fold of the lanes.
    for (uint32_t r = 0; r < rows; ++r)
      for (uint32_t l = 0; l < 64; ++l) lanes.set(r, l, reduceIdentity(op, f32));
    for (uint32_t first = 0; first < cols; first += 64) {
      TileRef chunk = a.ref();
      chunk.data += first * 4;
      chunk.cols = std::min(64u, cols - first);
      reduceRows(op, chunk, lanes.ref(), true, hostIsa(), &contract);
    }
    reduceRows(op, lanes.ref(), folded.ref(), false, hostIsa(), &contract);
    const bool signs_change = contract.arithmetic.rounding == Direction::toward_negative ||
                              contract.arithmetic.rules.positive_zero;
    for (uint32_t r = 0; r < rows && !signs_change; ++r)
      ASSERT_EQ(folded.get(r, 0), td.get(r, 0)) << i << " cols " << cols;
  }
}

TEST(ContractVector, ColumnsScansAndRecurrencesStepByTheArithmetic) {
  SHOWS(contract_arithmetic);
  Random random(7);
  for (int i = 0; i < 200; ++i) {
    VectorContract contract;
    contract.arithmetic = {anyDirection(random), anyRules(random)};
    const ArithmeticRule& rule = contract.arithmetic;
    const bool sums = random() % 2 == 0;
    const ReduceOp op = sums ? ReduceOp::Sum : ReduceOp::Prod;
    const ElementwiseOp step = sums ? ElementwiseOp::add : ElementwiseOp::mul;
    const uint32_t n = 1 + random() % 30;
    TestTile row(f32, 1, n), factors(f32, 1, n), column(f32, n, 1), carry(f32, 1, 1);
    TestTile total(f32, 1, 1), scan(f32, 1, n), recurrence(f32, 1, n);
    uint32_t sum = sums ? 0x80000000 : 0x3f800000, h = 0;
    std::vector<uint32_t> scanned, recurred;
    for (uint32_t c = 0; c < n; ++c) {
      row.set(0, c, anyFloat(random));
      column.set(c, 0, row.get(0, c));
      factors.set(0, c, anyFloat(random));
      sum = reference::arithmeticUnder(rule, step, sum, row.get(0, c), 0);
      scanned.push_back(sum);
      h = reference::arithmeticUnder(rule, ElementwiseOp::fma, factors.get(0, c), h, row.get(0, c));
      recurred.push_back(h);
    }
    carry.set(0, 0, 0);
    reduceColumns(op, column.ref(), total.ref(), false, hostIsa(), &contract);
    scanRows(op, {}, row.ref(), scan.ref(), nullptr, &contract);
    recurRows(false, factors.ref(), row.ref(), recurrence.ref(), &carry.ref(), &contract);
    ASSERT_EQ(total.get(0, 0), sum);
    ASSERT_EQ(carry.get(0, 0), h);
    for (uint32_t c = 0; c < n; ++c) {
      ASSERT_EQ(scan.get(0, c), scanned[c]);
      ASSERT_EQ(recurrence.get(0, c), recurred[c]);
    }
  }
}

/// td = bf16(exp(a * b)), reduced to the row's sum before td's rounding.
TEST(ContractVector, ChainsStepConvertAndReduceByTheContract) {
  Random random(8);
  VectorContract contract;
  contract.arithmetic = {Direction::toward_zero, {true, true, false, Overflow::ieee, 0x7fffffff}};
  contract.conversion = {Direction::odd, false, true, Overflow::saturate};
  contract.reduction = {ReductionShape::tree, 8};
  contract.functions.push_back({ElementwiseOp::exp,
                                FunctionKind::piecewise,
                                anyPolynomials(ElementwiseOp::exp, random),
                                {}});
  ChainProgram program;
  program.nsteps = 2;
  program.steps[0] = {ElementwiseOp::mul, f32, f32, 0, 0, kSelectorTile, kSelectorTile + 1, 0};
  program.steps[1] = {ElementwiseOp::exp, f32, f32, 0, 1, kSelectorTemporary, 0, 0};
  program.td_selector = kSelectorTemporary + 1;
  program.reduce = true;
  program.reduce_selector = kSelectorTemporary + 1;
  TestTile a(f32, 3, 700), b(f16, 3, 700), td(bf16, 3, 700), sums(f32, 3, 1);
  a.fill(random);
  b.fill(random);
  ChainTiles tiles{{&a.ref(), &b.ref(), nullptr}, &td.ref(), &sums.ref()};
  runChain(program, tiles, hostIsa(), &contract);
  for (uint32_t r = 0; r < 3; ++r) {
    std::vector<uint32_t> row;
    for (uint32_t c = 0; c < 700; ++c) {
      const uint32_t factor = std::bit_cast<uint32_t>(widenToFloat(f16, b.get(r, c)));
      const uint32_t product = reference::arithmeticUnder(contract.arithmetic, ElementwiseOp::mul,
                                                          a.get(r, c), factor, 0);
      row.push_back(reference::functionUnder(contract, ElementwiseOp::exp, product));
      ASSERT_EQ(td.get(r, c), reference::conversionUnder(contract.conversion, f32, row.back(), bf16,
                                                         true, false));
    }
    ASSERT_EQ(sums.get(r, 0), reference::rowSumUnder(contract, true, row));
  }
}

}  // namespace
}  // namespace etalon::numerics
