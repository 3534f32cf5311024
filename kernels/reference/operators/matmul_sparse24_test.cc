// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <limits>

#include "kernels/reference/test_support.h"

namespace etalon::kernels {
namespace {

using enum ElementType;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// K = 6: A is 0 5 0 1 | 2 0 (0 0), with a last group whose second place, 7, is past K.
const Array kA = arrayOfValues(bf16, {1, 4}, {5, 1, 2, 9});
const Array kMetadata = arrayOf(u4, {1, 2}, {1 + 4 * 3, 0 + 4 * 3});
const Array kB = arrayOfValues(bf16, {6, 1}, {kInfinity, 2, kInfinity, 3, 7, kInfinity});

TEST(MatmulSparse24, AddsTheStoredTermsAloneAlsoBesideInfinities) {
  const Array c = arrayOfValues(f32, {1, 1}, {10 + 3 + 14});
  const CheckReport report =
      reportOf(runCheck("matmul_sparse24", {{"A", &kA}, {"m", &kMetadata}, {"B", &kB}, {"C", &c}}));
  EXPECT_TRUE(report.passed);
  EXPECT_EQ(report.worst_ratio, 0);
  const Array wrong = withFlippedBit(c, 0, 8);
  EXPECT_FALSE(reportOf(runCheck("matmul_sparse24",
                                 {{"A", &kA}, {"m", &kMetadata}, {"B", &kB}, {"C", &wrong}}))
                   .passed);
}

TEST(MatmulSparse24, TakesEqualPlacesTwice) {
  const Array a = arrayOfValues(i8, {1, 2}, {-3, 10});
  const Array metadata = arrayOf(u4, {1, 1}, {2 + 4 * 2});
  const Array b = arrayOfValues(i8, {3, 1}, {1, 1, 11});
  const Array c = arrayOfValues(i32, {1, 1}, {77});
  const CheckReport report =
      reportOf(runCheck("matmul_sparse24", {{"A", &a}, {"m", &metadata}, {"B", &b}, {"C", &c}}));
  EXPECT_TRUE(report.passed);
  EXPECT_EQ(report.verdict, "exact");
}

TEST(MatmulSparse24, SaysWhatShapesGoTogether) {
  const Array c = arrayOfValues(f32, {1, 1}, {0});
  const Array b = arrayOfValues(bf16, {9, 1}, std::vector<double>(9, 0));
  EXPECT_THAT(
      messageOf(runCheck("matmul_sparse24", {{"A", &kA}, {"m", &kMetadata}, {"B", &b}, {"C", &c}})),
      testing::HasSubstr("with K = 9 they must be [1, 6] and [1, 3]"));
  const Array floats = arrayOfValues(f32, {6, 1}, std::vector<double>(6, 0));
  EXPECT_THAT(messageOf(runCheck("matmul_sparse24",
                                 {{"A", &kA}, {"m", &kMetadata}, {"B", &floats}, {"C", &c}})),
              testing::HasSubstr("such elements are not multiplied"));
  const Array flat = arrayOfValues(bf16, {6}, std::vector<double>(6, 0));
  EXPECT_THAT(messageOf(runCheck("matmul_sparse24",
                                 {{"A", &kA}, {"m", &kMetadata}, {"B", &flat}, {"C", &c}})),
              testing::HasSubstr("both must have two axes"));
}

}  // namespace
}  // namespace etalon::kernels
