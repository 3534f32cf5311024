// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/reference/test_support.h"

namespace etalon::kernels {
namespace {

using enum ElementType;

const std::vector<double> kOnes(33, 1.0);
const Array kA = arrayOfValues(f8e4m3, {1, 33}, kOnes);
const Array kB = arrayOfValues(f8e5m2, {33, 1}, kOnes);
const Array kScaleA = arrayOf(e8m0, {1, 2}, {128, 130});    // 2, 8
const Array kScaleB = arrayOf(e8m0, {2, 1}, {127, 126});    // 1, 1/2
const Array kC = arrayOfValues(f32, {1, 1}, {32 * 2 + 4});  // 32 of 2 * 1, one of 8 * 1/2

TEST(MatmulScaled, ScalesTheBlocksOfBothOperands) {
  const CheckReport report = reportOf(runCheck(
      "matmul_scaled", {{"A", &kA}, {"B", &kB}, {"sa", &kScaleA}, {"sb", &kScaleB}, {"C", &kC}}));
  EXPECT_TRUE(report.passed);
  EXPECT_EQ(report.verdict, "bounded");
  EXPECT_EQ(report.worst_ratio, 0);
  const Array wrong = arrayOfValues(f32, {1, 1}, {68.0009765625});
  EXPECT_FALSE(
      reportOf(
          runCheck("matmul_scaled",
                   {{"A", &kA}, {"B", &kB}, {"sa", &kScaleA}, {"sb", &kScaleB}, {"C", &wrong}}))
          .passed);
}

TEST(MatmulScaled, TransposesScalesWithTheirOperand) {
  const Array a = arrayOfValues(f8e4m3, {33, 1}, kOnes);
  const Array b = arrayOfValues(f8e5m2, {1, 33}, kOnes);
  const Array sa = arrayOf(e8m0, {2, 1}, {128, 130});
  const Array sb = arrayOf(e8m0, {1, 2}, {127, 126});
  EXPECT_TRUE(reportOf(runCheck("matmul_scaled",
                                {{"A", &a}, {"B", &b}, {"sa", &sa}, {"sb", &sb}, {"C", &kC}},
                                {{"transpose", "[1, 1]"}}))
                  .passed);
}

/// 3 * (1 + 2^-23) lies half way between two floats and goes to the even one, 3 + 2^-21.
TEST(MatmulScaled, RoundsAnElementUnderAnF32ScaleOnce) {
  const Array a = arrayOfValues(f8e4m3, {1, 1}, {3});
  const Array b = arrayOfValues(f8e4m3, {1, 1}, {1});
  const Array sa = arrayOfValues(f32, {1, 1}, {1 + 0x1p-23});
  const Array sb = arrayOfValues(f32, {1, 1}, {1});
  const Array c = arrayOfValues(f32, {1, 1}, {3 + 0x1p-21});
  const CheckReport report = reportOf(
      runCheck("matmul_scaled", {{"A", &a}, {"B", &b}, {"sa", &sa}, {"sb", &sb}, {"C", &c}}));
  EXPECT_TRUE(report.passed);
  EXPECT_EQ(report.worst_ratio, 0);
}

TEST(MatmulScaled, TakesF4UnderEitherScaleAndNanScales) {
  const Array a = arrayOfValues(f4e2m1, {1, 17}, std::vector<double>(17, 1.5));
  const Array b = arrayOfValues(f4e2m1, {17, 1}, std::vector<double>(17, -2));
  const Array sa = arrayOfValues(f8e4m3, {1, 2}, {1, 10});
  Array sb = arrayOf(e8m0, {1, 1}, {127});
  const Array c = arrayOfValues(f32, {1, 1}, {-3 * 16 - 30});
  const Named arrays = {{"A", &a}, {"B", &b}, {"sa", &sa}, {"sb", &sb}, {"C", &c}};
  EXPECT_TRUE(reportOf(runCheck("matmul_scaled", arrays)).passed);
  sb = arrayOf(e8m0, {1, 1}, {0xFF});
  EXPECT_FALSE(reportOf(runCheck("matmul_scaled", arrays)).passed);
  const Array nan = arrayOf(f32, {1, 1}, {0x7FC00000});
  EXPECT_TRUE(reportOf(runCheck("matmul_scaled",
                                {{"A", &a}, {"B", &b}, {"sa", &sa}, {"sb", &sb}, {"C", &nan}}))
                  .passed);
}

TEST(MatmulScaled, SaysWhichScalesGoWithWhat) {
  const auto message = [&](const Array& a, const Array& sa, const Array& b) {
    return messageOf(runCheck("matmul_scaled",
                              {{"A", &a}, {"B", &b}, {"sa", &sa}, {"sb", &kScaleB}, {"C", &kC}}));
  };
  EXPECT_THAT(message(kA, arrayOfValues(f8e4m3, {1, 3}, {1, 1, 1}), kB),
              testing::HasSubstr("e8m0 scales 32 elements of f8 or f4e2m1"));
  EXPECT_THAT(message(kA, arrayOf(e8m0, {1, 1}, {127}), kB),
              testing::HasSubstr("the scales must be [1, 2]"));
  EXPECT_THAT(message(arrayOfValues(f8e4m3, {33}, kOnes), kScaleA, kB),
              testing::HasSubstr("both must have two axes"));
  EXPECT_THAT(message(arrayOfValues(f8e4m3, {1, 34}, std::vector<double>(34, 1)), kScaleA, kB),
              testing::HasSubstr("K is 34 by the first but 33 by the second"));
}

}  // namespace
}  // namespace etalon::kernels
