// SPDX-License-Identifier: Apache-2.0
// The shipped contract et1: its functions keep the bounds that the standard asks of a chip.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "isa/base/fuzz_scale.h"
#include "isa/contracts/contract_loader.h"
#include "isa/numerics/contract_function.h"
#include "isa/numerics/function.h"
#include "isa/state/rule_test.h"

namespace etalon::isa {
namespace {

using numerics::Contract;
using numerics::ContractFunction;

const Contract& et1() {
  static const auto& kContract = *new Contract(openContract("et1").value());
  return kContract;
}

float fromBits(uint32_t bits) { return std::bit_cast<float>(bits); }

struct Bound {
  const char* name;
  ElementwiseOp op;
  double ulps;
  long double (*exact)(long double);  // within 2^-59, far below what is measured
};
const Bound kBounds[] = {
    {"exp", ElementwiseOp::exp, 2, [](long double x) { return std::exp(x); }},
    {"exp2", ElementwiseOp::exp2, 2, [](long double x) { return std::exp2(x); }},
    {"log", ElementwiseOp::log, 2, [](long double x) { return std::log(x); }},
    {"log2", ElementwiseOp::log2, 2, [](long double x) { return std::log2(x); }},
    {"rsqrt", ElementwiseOp::rsqrt, 1, [](long double x) { return 1 / std::sqrt(x); }},
    {"sqrt", ElementwiseOp::sqrt, 0.5, [](long double x) { return std::sqrt(x); }},
    {"recip", ElementwiseOp::recip, 0.5, [](long double x) { return 1 / x; }},
    {"tanh", ElementwiseOp::tanh, 3, [](long double x) { return std::tanh(x); }},
    {"sigmoid", ElementwiseOp::sigmoid, 3,
     [](long double x) {
       return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
     }},
    {"erf", ElementwiseOp::erf, 3, [](long double x) { return std::erf(x); }},
};

/// Distance of a result from the exact value in units of the last place of the exact value.
double ulpsOff(float result, long double exact) {
  const int exponent = std::max(exact == 0 ? -126 : std::ilogb(exact), -126);
  return static_cast<double>(std::fabs(static_cast<long double>(result) - exact) /
                             std::ldexp(1.0L, exponent - 23));
}

class Et1Function : public testing::TestWithParam<int> {
 protected:
  /// Checks one argument; special results must be those of the standard.
  void check(uint32_t x) {
    const Bound& bound = kBounds[GetParam()];
    const uint32_t bits = function_(x);
    const float golden = numerics::unaryFunction(bound.op)(fromBits(x));
    const bool special = !std::isfinite(golden) || golden == 0;
    if (!std::isfinite(fromBits(x)) || (special && !std::isfinite(fromBits(bits)))) {
      ASSERT_EQ(bits, std::bit_cast<uint32_t>(golden)) << std::hex << x;
      return;
    }
    const double off = ulpsOff(fromBits(bits), bound.exact(fromBits(x)));
    worst_ = std::max(worst_, off);
    ASSERT_LE(off, bound.ulps) << std::hex << x << " gives " << bits;
  }

  ContractFunction function_{et1().vector, kBounds[GetParam()].op};
  double worst_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Contract, Et1Function, testing::Range(0, int(std::size(kBounds))),
                         [](const auto& info) { return std::string(kBounds[info.param].name); });

TEST_P(Et1Function, KeepsItsBoundOnASliceOfEveryBinade) {
  SHOWS(contract_bounds);
  std::mt19937 random(5);
  const uint32_t scale = static_cast<uint32_t>(fuzzScale());
  for (uint32_t top = 0; top < 512; ++top) {
    const uint32_t binade = top << 23;
    for (int d = -2; d <= 2; ++d) check(binade + static_cast<uint32_t>(d));
    for (uint32_t i = 0; i < 1500 * scale; ++i) {
      check(binade | (random() & 0x7fffff));
      if (HasFatalFailure()) return;
    }
  }
  RecordProperty("worst_ulps", std::to_string(worst_));
}

/// All of bf16, where the bound of a 16-bit result is under one ulp of bf16.
TEST_P(Et1Function, KeepsItsBoundOnEveryBf16Argument) {
  SHOWS(contract_bounds);
  for (uint32_t code = 0; code < 0x10000; ++code) {
    check(code << 16);
    if (HasFatalFailure()) return;
  }
}

TEST(Et1, HasTheSpecialValuesOfTheStandard) {
  SHOWS(contract_function);
  for (const Bound& bound : kBounds) {
    const ContractFunction function(et1().vector, bound.op);
    for (const uint32_t x :
         {0u, 0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0xff800001u, 0x3f800000u}) {
      const auto golden = std::bit_cast<uint32_t>(numerics::unaryFunction(bound.op)(fromBits(x)));
      const bool exact = x != 0x3f800000u || bound.op == ElementwiseOp::log ||
                         bound.op == ElementwiseOp::log2 || bound.op == ElementwiseOp::exp2 ||
                         bound.op == ElementwiseOp::rsqrt;
      if (exact) {
        EXPECT_EQ(function(x), golden) << bound.name << std::hex << " " << x;
      }
    }
  }
}

TEST(Et1, OddFunctionsAreOddToTheBitAndStayInTheirRange) {
  SHOWS(contract_bounds);
  std::mt19937 random(6);
  for (const ElementwiseOp op : {ElementwiseOp::tanh, ElementwiseOp::erf, ElementwiseOp::recip}) {
    const ContractFunction function(et1().vector, op);
    for (int i = 0; i < 100'000; ++i) {
      const uint32_t x = random() & 0x7fffffff;
      if (x > 0x7f800000) continue;
      ASSERT_EQ(function(x) ^ 0x80000000, function(x | 0x80000000)) << std::hex << x;
      if (op != ElementwiseOp::recip) {
        ASSERT_LE(function(x), 0x3f800000u) << std::hex << x;
      }
    }
  }
}

TEST(Et1, PowersAreExact) {
  const ContractFunction exp2(et1().vector, ElementwiseOp::exp2);
  for (int n = -149; n <= 127; ++n) {
    const auto x = std::bit_cast<uint32_t>(static_cast<float>(n));
    EXPECT_EQ(exp2(x), std::bit_cast<uint32_t>(std::ldexp(1.0f, n)));
  }
  const ContractFunction rsqrt(et1().vector, ElementwiseOp::rsqrt);
  for (int n = -74; n <= 63; ++n)
    EXPECT_EQ(rsqrt(std::bit_cast<uint32_t>(std::ldexp(1.0f, 2 * n))),
              std::bit_cast<uint32_t>(std::ldexp(1.0f, -n)));
}

TEST(Et1, DiffersFromTheCanonicalArithmeticInItsFunctionsAlone) {
  EXPECT_EQ(et1().product, numerics::ProductRule{});
  EXPECT_TRUE(et1().overrides.empty());
  EXPECT_EQ(et1().vector.arithmetic, numerics::ArithmeticRule{});
  EXPECT_EQ(et1().vector.conversion, numerics::ConversionRule{});
  EXPECT_EQ(et1().vector.reduction, numerics::ReductionRule{});
  EXPECT_EQ(et1().vector.functions.size(), 8u);
  EXPECT_NE(et1().hash, 0u);
}

}  // namespace
}  // namespace etalon::isa
