// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/reference/probe.h"
#include "kernels/reference/test_support.h"

namespace etalon::kernels {
namespace {

using enum ElementType;

const Array kA = arrayOfValues(bf16, {2, 3}, {1, 2, 3, 4, 5, 6});
const Array kB = arrayOfValues(bf16, {3, 2}, {1, -1, 0, 2, 2, 0.5});

TEST(Matmul, AcceptsTheProductByHandAndNothingFarFromIt) {
  const Array c = arrayOfValues(f32, {2, 2}, {7, 4.5, 16, 9});
  const CheckReport report = reportOf(runCheck("matmul", {{"A", &kA}, {"B", &kB}, {"C", &c}}));
  EXPECT_TRUE(report.passed);
  EXPECT_EQ(report.verdict, "bounded");
  EXPECT_EQ(report.worst_ratio, 0);
  const Array wrong = arrayOfValues(f32, {2, 2}, {7, 4.5, 16, 9.0001220703125});
  EXPECT_FALSE(reportOf(runCheck("matmul", {{"A", &kA}, {"B", &kB}, {"C", &wrong}})).passed);
}

TEST(Matmul, TransposesEitherOperand) {
  const Array at = arrayOfValues(bf16, {3, 2}, {1, 4, 2, 5, 3, 6});
  const Array bt = arrayOfValues(bf16, {2, 3}, {1, 0, 2, -1, 2, 0.5});
  const Array c = arrayOfValues(f32, {2, 2}, {7, 4.5, 16, 9});
  const auto passes = [&](const Array& a, const Array& b, const char* transpose) {
    return reportOf(
               runCheck("matmul", {{"A", &a}, {"B", &b}, {"C", &c}}, {{"transpose", transpose}}))
        .passed;
  };
  EXPECT_TRUE(passes(at, kB, "[1, 0]"));
  EXPECT_TRUE(passes(kA, bt, "[0, 1]"));
  EXPECT_TRUE(passes(at, bt, "[1, 1]"));
}

TEST(Matmul, AddsABiasAndTakesTheActivation) {
  const Array bias = arrayOfValues(f32, {2}, {-10, 0.25});
  const Array c = arrayOfValues(bf16, {2, 2}, {0, 4.75, 6, 9.25});
  EXPECT_TRUE(reportOf(runCheck("matmul", {{"A", &kA}, {"B", &kB}, {"bias", &bias}, {"C", &c}},
                                {{"activation", "relu"}}))
                  .passed);
  EXPECT_FALSE(
      reportOf(runCheck("matmul", {{"A", &kA}, {"B", &kB}, {"bias", &bias}, {"C", &c}})).passed);
}

TEST(Matmul, BroadcastsLeadingAxes) {
  const Array a = arrayOfValues(f32, {2, 1, 1, 2}, {1, 2, 3, 4});
  const Array b = arrayOfValues(f32, {3, 2, 1}, {1, 1, 2, 0, 0, 5});
  const Array c = arrayOfValues(f32, {2, 3, 1, 1}, {3, 2, 10, 7, 6, 20});
  EXPECT_TRUE(reportOf(runCheck("matmul", {{"A", &a}, {"B", &b}, {"C", &c}})).passed);
}

TEST(Matmul, SumsIntegersModuloTwoToTheThirtyTwo) {
  // 2^17 + 17 products of (-128) * (-128) = 2^14: the sum 2^31 + 17 * 2^14 wraps.
  const uint64_t k = (1 << 17) + 17;
  const Array a = arrayOfValues(i8, {1, k}, std::vector<double>(k, -128));
  const Array b = arrayOfValues(i8, {k, 1}, std::vector<double>(k, -128));
  const Array c = arrayOfValues(i32, {1, 1}, {-2147483648.0 + 17 * 16384});
  EXPECT_TRUE(reportOf(runCheck("matmul", {{"A", &a}, {"B", &b}, {"C", &c}})).passed);
  const Array off = withFlippedBit(c, 0, 0);
  EXPECT_FALSE(reportOf(runCheck("matmul", {{"A", &a}, {"B", &b}, {"C", &off}})).passed);
}

TEST(Matmul, GivesZerosWithoutTermsAndNothingWithoutElements) {
  const Array a = arrayOfValues(bf16, {2, 0}, {});
  const Array b = arrayOfValues(bf16, {0, 1}, {});
  const Array c = arrayOfValues(f32, {2, 1}, {0, 0});
  const Array one = arrayOfValues(f32, {2, 1}, {0, 1});
  EXPECT_TRUE(reportOf(runCheck("matmul", {{"A", &a}, {"B", &b}, {"C", &c}})).passed);
  EXPECT_FALSE(reportOf(runCheck("matmul", {{"A", &a}, {"B", &b}, {"C", &one}})).passed);
  const Array row = arrayOfValues(bf16, {1, 0}, {});
  const Array none = arrayOfValues(f32, {0, 0}, {});
  const CheckReport empty = reportOf(runCheck("matmul", {{"A", &b}, {"B", &row}, {"C", &none}}));
  EXPECT_TRUE(empty.passed);
  EXPECT_EQ(empty.elements, 0U);
}

TEST(Matmul, SeesThroughInfinitiesAndNaN) {
  const double inf = INFINITY;
  const Array a = arrayOf(f32, {3, 2}, {0x7F800000, 0, 0x7F800000, 0x3F800000, 0x7FC00000, 0});
  const Array b = arrayOfValues(f32, {2, 1}, {1, -inf});
  const Array c = arrayOf(f32, {3, 1}, {0x7FC00000, 0x7FC00000, 0x7FC00000});
  EXPECT_TRUE(reportOf(runCheck("matmul", {{"A", &a}, {"B", &b}, {"C", &c}})).passed);
  const Array b2 = arrayOfValues(f32, {2, 1}, {-2, 1});
  const Array c2 = arrayOf(f32, {3, 1}, {0xFF800000, 0xFF800000, 0x7FC00000});
  EXPECT_TRUE(reportOf(runCheck("matmul", {{"A", &a}, {"B", &b2}, {"C", &c2}})).passed);
  EXPECT_FALSE(reportOf(runCheck("matmul", {{"A", &a}, {"B", &b2}, {"C", &c}})).passed);
}

/// Ascending fused sums in f32 on the host.
Array hostProduct(const Array& a, const Array& b) {
  const uint64_t m = a.shape[0];
  const uint64_t k = a.shape[1];
  const uint64_t n = b.shape[1];
  const std::vector<double> x = elementValues(a);
  const std::vector<double> y = elementValues(b);
  std::vector<double> out;
  for (uint64_t i = 0; i < m; ++i)
    for (uint64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (uint64_t t = 0; t < k; ++t)
        sum = std::fma(static_cast<float>(x[i * k + t]), static_cast<float>(y[t * n + j]), sum);
      out.push_back(static_cast<double>(sum));
    }
  return arrayOfValues(f32, {m, n}, out);
}

TEST(Matmul, BoundCatchesEveryFlippedBitAboveItAndNoneFarBelow) {
  for (const ElementType type : {bf16, f16, f32, f8e4m3, f8e5m2}) {
    const Array a = randomArray(type, {7, 300}, 1);
    const Array b = randomArray(type, {300, 5}, 2);
    const Array c = hostProduct(a, b);
    const CheckReport honest = reportOf(runCheck("matmul", {{"A", &a}, {"B", &b}, {"C", &c}}));
    EXPECT_TRUE(honest.passed) << honest.first_mismatch;
    EXPECT_LT(honest.worst_ratio, 0.2);
    // b <= 300 and g = 301 * 2^-24: the bound lies below 0.0054 + 2^-20.
    ProbeRandom random(3);
    int caught = 0;
    for (int i = 0; i < 60; ++i) {
      const auto index = static_cast<uint64_t>(random.between(0, 34));
      const Array bad = withFlippedBit(c, index, static_cast<int>(random.between(0, 31)));
      const double change = std::fabs(valueAt(bad, index) - valueAt(c, index));
      const bool passed = reportOf(runCheck("matmul", {{"A", &a}, {"B", &b}, {"C", &bad}})).passed;
      caught += passed ? 0 : 1;
      if (!(change < 0.011)) {
        EXPECT_FALSE(passed) << change;
      } else if (change < 1e-7) {
        EXPECT_TRUE(passed) << change;
      }
    }
    EXPECT_GT(caught, 10);
  }
}

TEST(Matmul, ExactVerdictCatchesEveryFlippedBit) {
  const MatmulProbe probe = *makeMatmulProbe({i8, i8, i32}, 4, 50, 4, 9);
  for (uint64_t index = 0; index < 16; ++index)
    for (int bit = 0; bit < 32; ++bit) {
      const Array bad = withFlippedBit(probe.expected, index, bit);
      EXPECT_FALSE(
          reportOf(runCheck("matmul", {{"A", &probe.a}, {"B", &probe.b}, {"C", &bad}})).passed);
    }
}

TEST(Matmul, NamesTheShapesThatDoNotFit) {
  const Array c = arrayOfValues(f32, {2, 3}, {0, 0, 0, 0, 0, 0});
  EXPECT_EQ(
      messageOf(runCheck("matmul", {{"A", &kA}, {"B", &kA}, {"C", &c}})),
      "check matmul: A: bf16[2, 3] and B: bf16[2, 3]: K is 3 by the first but 2 by the second");
  EXPECT_EQ(messageOf(runCheck("matmul", {{"A", &kA}, {"B", &kB}, {"C", &c}})),
            "check matmul: output C has the shape [2, 3]; from A: bf16[2, 3], B: bf16[3, 2] it "
            "would be [2, 2]");
  const Array good = arrayOfValues(f32, {2, 2}, {0, 0, 0, 0});
  EXPECT_EQ(messageOf(runCheck("matmul", {{"A", &kA}, {"B", &kB}, {"bias", &good}, {"C", &good}})),
            "check matmul: bias: f32[2, 2]; it must have 2 element(s), one a channel");
  EXPECT_THAT(messageOf(runCheck("matmul", {{"A", &kA}, {"B", &c}, {"C", &c}})),
              testing::HasSubstr("it multiplies bf16, f16 or f32 with itself"));
}

TEST(MatmulRequantise, RoundsTiesUpSaturatesAndTakesParametersByChannel) {
  const Array a = arrayOfValues(i8, {2, 1}, {1, -1});
  const Array b = arrayOfValues(i8, {1, 4}, {3, 5, 100, 127});
  const Array multiplier = arrayOfValues(i32, {4}, {1, 1, 3, 1});
  const Array shift = arrayOfValues(i32, {4}, {1, 1, 1, 0});
  // 3/2 -> 2, 5/2 -> 3, 150 -> 127, 127; -3/2 -> -1, -5/2 -> -2, -150 -> -128, -127.
  const Array c = arrayOfValues(i8, {2, 4}, {2, 3, 127, 127, -1, -2, -128, -127});
  const Named arrays{{"A", &a}, {"B", &b}, {"m", &multiplier}, {"s", &shift}, {"C", &c}};
  EXPECT_TRUE(reportOf(runCheck("matmul_requantise", arrays)).passed);
  for (uint64_t index = 0; index < 8; ++index) {
    const Array bad = withFlippedBit(c, index, static_cast<int>(index));
    const Named mutated{{"A", &a}, {"B", &b}, {"m", &multiplier}, {"s", &shift}, {"C", &bad}};
    EXPECT_FALSE(reportOf(runCheck("matmul_requantise", mutated)).passed);
  }
}

TEST(MatmulRequantise, AddsBiasBeforeAndZeroPointAfter) {
  const Array a = arrayOfValues(u8, {1, 1}, {10});
  const Array b = arrayOfValues(i8, {1, 2}, {20, -20});
  const Array multiplier = arrayOfValues(i32, {1}, {1 << 30});
  const Array shift = arrayOfValues(i32, {1}, {31});
  const Array bias = arrayOfValues(i32, {2}, {6, 100});
  // (200 + 6) / 2 + 7 = 110; (-200 + 100) / 2 + 7 = -43.
  const Array c = arrayOfValues(i8, {1, 2}, {110, -43});
  EXPECT_TRUE(
      reportOf(
          runCheck(
              "matmul_requantise",
              {{"A", &a}, {"B", &b}, {"m", &multiplier}, {"s", &shift}, {"bias", &bias}, {"C", &c}},
              {{"zero_point", "7"}}))
          .passed);
}

}  // namespace
}  // namespace etalon::kernels
