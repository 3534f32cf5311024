// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/function.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>
#include <string>

#include "isa/numerics/function_reference.h"
#include "isa/state/rule_test.h"

namespace etalon::numerics {
namespace {

uint32_t bitsOf(float x) { return std::bit_cast<uint32_t>(x); }
float fromBits(uint32_t b) { return std::bit_cast<float>(b); }

UnaryFunction functionNamed(std::string_view name) {
  for (const ElementwiseInfo& info : kElementwiseOps)
    if (info.name == name) return unaryFunction(info.op);
  return nullptr;
}

class EachFunction : public testing::TestWithParam<std::string_view> {
 protected:
  void expectAt(uint32_t argument) {
    const uint32_t got = bitsOf(function_(fromBits(argument)));
    const uint32_t want = bitsOf(reference_(fromBits(argument)));
    if (got != want)
      ADD_FAILURE() << GetParam() << " of " << std::hexfloat << fromBits(argument) << std::hex
                    << " (" << argument << ") is " << got << ", want " << want;
  }

  UnaryFunction function_ = functionNamed(GetParam());
  reference::MpfrFunction reference_{GetParam()};
};

TEST_P(EachFunction, IsCorrectlyRoundedOnEvery16BitInput) {
  SHOWS(vec_function);
  for (uint32_t code = 0; code < 0x10000; ++code) {
    expectAt(code << 16);  // all of bf16
    const int exponent = code >> 10 & 31;
    const float fraction = static_cast<float>(code & 1023) / 1024;  // all of f16
    const float magnitude =
        exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
    if (exponent != 31) expectAt(bitsOf(code >> 15 != 0 ? -magnitude : magnitude));
    if (HasFailure()) return;
  }
}

TEST_P(EachFunction, IsCorrectlyRoundedAroundPowersOfTwoAndSmallIntegers) {
  SHOWS(vec_function);
  for (uint32_t exponent = 0; exponent < 256; ++exponent)
    for (const uint32_t sign : {0u, 0x80000000u})
      for (int d = -40; d <= 40; ++d) expectAt((exponent << 23 | sign) + static_cast<uint32_t>(d));
  for (int i = -300; i <= 300; ++i)
    for (int d = -3; d <= 3; ++d)
      expectAt(bitsOf(static_cast<float>(i) / 2) + static_cast<uint32_t>(d));
}

TEST_P(EachFunction, IsCorrectlyRoundedOnRandomInputs) {
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    expectAt(random());
    expectAt((random() & 0x807fffff) | (100 + random() % 40)
                                           << 23);  // where most functions are not saturated
    if (HasFailure()) return;
  }
}

TEST_P(EachFunction, IsCorrectlyRoundedOnEveryHardCase) {
  SHOWS(vec_function);
  std::ifstream file(ETALON_SOURCE_DIR "/isa/numerics/function_hard_cases.txt");
  int cases = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || word != GetParam()) continue;
    for (; words >> word; ++cases) expectAt(static_cast<uint32_t>(std::stoul(word, nullptr, 16)));
  }
  EXPECT_GT(cases, 0);
}

TEST_P(EachFunction, GivesTheCanonicalNanForEveryNan) {
  SHOWS(vec_nan);
  for (const uint32_t nan :
       {0x7f800001u, 0x7fc00000u, 0xffc00000u, 0xff800001u, 0x7fffffffu, 0xffffffffu})
    EXPECT_EQ(bitsOf(function_(fromBits(nan))), 0x7fc00000u);
}

INSTANTIATE_TEST_SUITE_P(Function, EachFunction,
                         testing::ValuesIn(reference::MpfrFunction::names()),
                         [](const auto& info) { return std::string(info.param); });

TEST(Function, HasItsSpecialValues) {
  SHOWS(vec_function_special);
  const uint32_t inf = 0x7f800000, minus_inf = 0xff800000, minus_zero = 0x80000000,
                 nan = 0x7fc00000;
  EXPECT_EQ(bitsOf(rneExp(fromBits(minus_inf))), 0u);
  EXPECT_EQ(bitsOf(rneExp(fromBits(inf))), inf);
  EXPECT_EQ(bitsOf(rneExp2(-150.0f)), 0u);
  EXPECT_EQ(bitsOf(rneExp2(-149.0f)), 1u);
  EXPECT_EQ(bitsOf(rneLog(fromBits(minus_zero))), minus_inf);
  EXPECT_EQ(bitsOf(rneLog(1.0f)), 0u);
  EXPECT_EQ(bitsOf(rneLog2(-1.0f)), nan);
  EXPECT_EQ(bitsOf(rneLog2(fromBits(1))), bitsOf(-149.0f));
  EXPECT_EQ(bitsOf(rneSqrt(fromBits(minus_zero))), minus_zero);
  EXPECT_EQ(bitsOf(rneSqrt(fromBits(0x80000001))), nan);
  EXPECT_EQ(bitsOf(rneRsqrt(fromBits(minus_zero))), minus_inf);
  EXPECT_EQ(bitsOf(rneRsqrt(fromBits(inf))), 0u);
  EXPECT_EQ(bitsOf(rneRecip(fromBits(minus_zero))), minus_inf);
  EXPECT_EQ(bitsOf(rneRecip(fromBits(minus_inf))), minus_zero);
  EXPECT_EQ(bitsOf(rneTanh(fromBits(minus_zero))), minus_zero);
  EXPECT_EQ(bitsOf(rneTanh(fromBits(minus_inf))), bitsOf(-1.0f));
  EXPECT_EQ(bitsOf(rneSigmoid(fromBits(minus_inf))), 0u);
  EXPECT_EQ(bitsOf(rneSigmoid(fromBits(minus_zero))), bitsOf(0.5f));
  EXPECT_EQ(bitsOf(rneErf(fromBits(0x80000001))), 0x80000001u);
  for (const uint32_t infinity : {inf, minus_inf}) {
    EXPECT_EQ(bitsOf(rneSin(fromBits(infinity))), nan);
    EXPECT_EQ(bitsOf(rneCos(fromBits(infinity))), nan);
  }
  EXPECT_EQ(bitsOf(rneSin(fromBits(minus_zero))), minus_zero);
  EXPECT_EQ(bitsOf(rneSin(0.0f)), 0u);
  EXPECT_EQ(bitsOf(rneSin(fromBits(0x80000001))), 0x80000001u);
  EXPECT_EQ(bitsOf(rneCos(fromBits(minus_zero))), bitsOf(1.0f));
}

// The float nearest to k * pi / 2: cancellation leaves the result few bits of the argument.
TEST(Function, SinAndCosReduceArgumentsNextToTheirZerosInFull) {
  SHOWS(vec_function, vec_function_special);
  reference::MpfrFunction sine("sin"), cosine("cos");
  constexpr double kHalfPi = 1.57079632679489661923;
  const auto expectBoth = [&](float x) {
    EXPECT_EQ(bitsOf(rneSin(x)), bitsOf(sine(x))) << std::hexfloat << x;
    EXPECT_EQ(bitsOf(rneCos(x)), bitsOf(cosine(x))) << std::hexfloat << x;
    EXPECT_EQ(bitsOf(rneSin(-x)), bitsOf(rneSin(x)) ^ 0x80000000) << std::hexfloat << x;
    EXPECT_EQ(bitsOf(rneCos(-x)), bitsOf(rneCos(x))) << std::hexfloat << x;
  };
  for (int k = 1; k <= 4096; ++k) expectBoth(static_cast<float>(k * kHalfPi));
  // No float but 0 comes nearer to a multiple of pi / 2 (Muller et al., Handbook of Floating-Point
  // Arithmetic, on range reduction).
  expectBoth(std::ldexp(16367173.0f, 72));
  expectBoth(std::numeric_limits<float>::max());
}

TEST(Function, SigmoidRoundsDownFromItsNearTiesAtZero) {
  // 1/2 + x/4 is a midpoint here and the value lies 2^-60 and less toward 1/2.
  for (int k = 1; k < 64; k += 2) {
    const float x = std::ldexp(static_cast<float>(k), -23);
    reference::MpfrFunction reference("sigmoid");
    EXPECT_EQ(bitsOf(rneSigmoid(x)), bitsOf(reference(x))) << k;
    EXPECT_EQ(bitsOf(rneSigmoid(-x)), bitsOf(reference(-x))) << k;
  }
}

}  // namespace
}  // namespace etalon::numerics
