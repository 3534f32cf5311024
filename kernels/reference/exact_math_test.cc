// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/exact_math.h"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>

#include "kernels/reference/probe_plan.h"

namespace etalon::kernels {
namespace {

float randomFloat(ProbeRandom& random) {
  return std::bit_cast<float>(static_cast<uint32_t>(random.next()));
}

void expectSame(float actual, float expected) {
  if (std::isnan(expected))
    EXPECT_TRUE(std::isnan(actual));
  else
    EXPECT_EQ(std::bit_cast<uint32_t>(actual), std::bit_cast<uint32_t>(expected));
}

TEST(ExactMath, RoundsToWhatTheHostsF32ArithmeticGives) {
  ProbeRandom random(3);
  for (int i = 0; i < 300000; ++i) {
    const float a = randomFloat(random);
    // Near a every second time, so that sums cancel and products meet subnormals.
    const float b =
        i % 2 == 0 ? randomFloat(random)
                   : std::bit_cast<float>(std::bit_cast<uint32_t>(a) ^
                                          static_cast<uint32_t>(random.next() >> 40) ^ 0x80000000U);
    const float c = randomFloat(random);
    expectSame(roundToFloat(exactSum(a, b)), a + b);
    expectSame(roundToFloat(exactProduct(a, b)), a * b);
    expectSame(roundToFloat(exactQuotient(a, b)), a / b);
    expectSame(roundToFloat(exactSquareRoot(a)), std::sqrt(a));
    expectSame(roundToFloat(exactFusedProduct(a, b, c)), std::fma(a, b, c));
    expectSame(roundToFloat(exactFusedProduct(a, c, -(a * c))), std::fma(a, c, -(a * c)));
  }
}

using Reference = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);

/// f(x) correctly rounded to f32 by MPFR.
float byMpfr(Reference f, float x) {
  mpfr_t in;
  mpfr_t out;
  mpfr_init2(in, 24);
  mpfr_init2(out, 24);
  mpfr_set_flt(in, x, MPFR_RNDN);
  const mpfr_exp_t emin = mpfr_get_emin();
  const mpfr_exp_t emax = mpfr_get_emax();
  mpfr_set_emin(-148);
  mpfr_set_emax(128);
  const int ternary = f(out, in, MPFR_RNDN);
  mpfr_subnormalize(out, mpfr_check_range(out, ternary, MPFR_RNDN), MPFR_RNDN);
  const float result = mpfr_get_flt(out, MPFR_RNDN);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  mpfr_clear(in);
  mpfr_clear(out);
  return result;
}

void expectCorrect(Exact (*mine)(double), Reference reference, uint64_t seed) {
  ProbeRandom random(seed);
  for (int i = 0; i < 40000; ++i) {
    float x = randomFloat(random);
    if (i % 2 == 0)  // ordinary magnitudes
      x = std::ldexp(static_cast<float>(random.between(-(1 << 24), 1 << 24)),
                     static_cast<int>(random.between(-40, -17)));
    if (std::isnan(x)) continue;
    const float expected = byMpfr(reference, x);
    const float actual = roundToFloat(mine(x));
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(actual)) << x;
    else
      EXPECT_EQ(std::bit_cast<uint32_t>(actual), std::bit_cast<uint32_t>(expected)) << x;
  }
}

/// 1 / (1 + exp(-x)) with 300 bits in between.
int mpfrSigmoid(mpfr_t out, const mpfr_t x, mpfr_rnd_t rounding) {
  mpfr_t wide;
  mpfr_init2(wide, 300);
  mpfr_set_emin(mpfr_get_emin_min());
  mpfr_set_emax(mpfr_get_emax_max());
  mpfr_neg(wide, x, MPFR_RNDN);
  mpfr_exp(wide, wide, MPFR_RNDN);
  mpfr_add_ui(wide, wide, 1, MPFR_RNDN);
  mpfr_ui_div(wide, 1, wide, MPFR_RNDN);
  const int ternary = mpfr_set(out, wide, rounding);
  mpfr_set_emin(-148);
  mpfr_set_emax(128);
  mpfr_clear(wide);
  return ternary;
}

TEST(ExactMath, ExpIsCorrectlyRounded) { expectCorrect(exactExp, mpfr_exp, 11); }
TEST(ExactMath, Exp2IsCorrectlyRounded) { expectCorrect(exactExp2, mpfr_exp2, 12); }
TEST(ExactMath, LogIsCorrectlyRounded) { expectCorrect(exactLog, mpfr_log, 13); }
TEST(ExactMath, Log2IsCorrectlyRounded) { expectCorrect(exactLog2, mpfr_log2, 14); }
TEST(ExactMath, TanhIsCorrectlyRounded) { expectCorrect(exactTanh, mpfr_tanh, 15); }
TEST(ExactMath, ErfIsCorrectlyRounded) { expectCorrect(exactErf, mpfr_erf, 16); }
TEST(ExactMath, SigmoidIsCorrectlyRounded) { expectCorrect(exactSigmoid, mpfrSigmoid, 17); }
TEST(ExactMath, ReciprocalRootIsCorrectlyRounded) {
  ProbeRandom random(18);
  for (int i = 0; i < 40000; ++i) {
    const float x = std::fabs(randomFloat(random));
    if (std::isnan(x)) continue;
    EXPECT_EQ(roundToFloat(exactReciprocalRoot(x)), byMpfr(mpfr_rec_sqrt, x)) << x;
  }
  EXPECT_TRUE(std::isnan(roundToFloat(exactReciprocalRoot(-1))));
  EXPECT_EQ(roundToFloat(exactReciprocalRoot(-0.0)), -INFINITY);  // IEEE 754 rSqrt
}

TEST(ExactMath, SigmoidLeavesItsTiesOnTheRightSide) {
  // x = 3 * 2^-23: 1/2 + x/4 is a tie in f32 that goes up to even; x^3/48 takes the value below it.
  EXPECT_EQ(roundToFloat(exactSigmoid(3 * 0x1p-23)), 0.5F + 0x1p-24F);
  EXPECT_EQ(roundToFloat(exactSigmoid(-6 * 0x1p-24)), byMpfr(mpfrSigmoid, -6 * 0x1p-24F));
}

TEST(ExactMath, MaximumAndMinimumFollowIeee2019) {
  EXPECT_TRUE(std::isnan(maximum(NAN, 1)));
  EXPECT_TRUE(std::isnan(minimum(1, NAN)));
  EXPECT_FALSE(std::signbit(maximum(-0.0, 0.0)));
  EXPECT_TRUE(std::signbit(minimum(0.0, -0.0)));
  EXPECT_EQ(maximum(-2, 3), 3);
  EXPECT_EQ(minimum(-2, 3), -2);
}

}  // namespace
}  // namespace etalon::kernels
