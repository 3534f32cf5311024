// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/verdict.h"

#include <limits>

#include "kernels/reference/test_support.h"

namespace etalon::kernels {
namespace {

using enum ElementType;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

CheckReport judge(ElementType type, double actual, BoundedValue expected, bool saturate = false) {
  const Array array = arrayOf(type, {1}, {encode(type, {actual, 0})});
  return compareBounds("op", {"y", &array, saturate}, {expected});
}

TEST(CompareBits, NamesTheFirstDifference) {
  const Array y = arrayOfValues(bf16, {2, 2}, {1, 1.5, 2, 3});
  const CheckReport report =
      compareBits("op", "exact", {"y", &y}, {0x3F80, 0x3FC0, 0x4000, 0x4000});
  EXPECT_FALSE(report.passed);
  EXPECT_EQ(report.mismatches, 1U);
  EXPECT_EQ(report.elements, 4U);
  EXPECT_EQ(report.first_mismatch, "y[1, 1] is 3 (0x4040), should be 2 (0x4000)");
}

TEST(CompareBits, TakesAnyNaNForANaNButNoZeroForTheOther) {
  const Array y = arrayOf(f32, {2}, {0xFFC01234, 0x80000000});
  EXPECT_TRUE(compareBits("op", "exact", {"y", &y}, {0x7FC00000, 0x80000000}).passed);
  EXPECT_FALSE(compareBits("op", "exact", {"y", &y}, {0x7FC00000, 0}).passed);
}

TEST(CompareBits, ReadsFourBitRowsFromTheirBytes) {
  const Array y = arrayOfValues(i4, {2, 3}, {1, -2, 3, -4, 5, -6});
  EXPECT_EQ(y.data.size(), 4U);
  EXPECT_TRUE(compareBits("op", "exact", {"y", &y}, {1, 0xE, 3, 0xC, 5, 0xA}).passed);
  EXPECT_FALSE(compareBits("op", "exact", {"y", &y}, {1, 0xE, 3, 0xC, 5, 0xB}).passed);
}

TEST(CompareBounds, PassesAtTheBoundAndNotBeyond) {
  // error 2^-10 and half an ulp of f32 at 1: 2^-24.
  EXPECT_TRUE(judge(f32, 1 + 0x1p-10, {1, 0x1p-10, false}).passed);
  const CheckReport beyond = judge(f32, 1 + 0x1p-10 + 0x1p-23, {1, 0x1p-10, false});
  EXPECT_FALSE(beyond.passed);
  EXPECT_GT(beyond.worst_ratio, 1);
  EXPECT_EQ(beyond.worst_at, "y[0]");
}

TEST(CompareBounds, ReportsTheWorstRatioWithItsPlace) {
  const Array y = arrayOfValues(f32, {3}, {1, 2.25, 2});
  const CheckReport report =
      compareBounds("op", {"y", &y}, {{1, 0.5, false}, {2, 0.5, false}, {2.125, 0.5, false}});
  EXPECT_TRUE(report.passed);
  EXPECT_NEAR(report.worst_ratio, 0.5, 1e-6);
  EXPECT_EQ(report.worst_at, "y[1]");
}

TEST(CompareBounds, LetsTheOutputRoundWhereTheErrorCrossesAPowerOfTwo) {
  // A computed 1 + 2^-7, inside the error of 2^-7, may round to bf16 by half an ulp of 1, 2^-8.
  EXPECT_TRUE(judge(bf16, 1 + 0x1p-7, {1 - 0x1p-9, 0x1p-7, false}).passed);
}

TEST(CompareBounds, WantsNaNForNaNAndTheInfinityItself) {
  EXPECT_TRUE(judge(f32, kNaN, {kNaN, kNaN, false}).passed);
  EXPECT_FALSE(judge(f32, 1, {kNaN, kNaN, false}).passed);
  EXPECT_FALSE(judge(f32, kNaN, {1, 1, false}).passed);
  EXPECT_FALSE(judge(f32, kInf, {1, 1, false}).passed);
  EXPECT_TRUE(judge(f32, -kInf, {-kInf, kInf, false}).passed);
  EXPECT_FALSE(judge(f32, kInf, {-kInf, kInf, false}).passed);
  EXPECT_FALSE(judge(f32, 3e38, {kInf, kInf, false}).passed);
}

TEST(CompareBounds, TakesWhatOverflowGivesAtTheEndOfTheRange) {
  EXPECT_TRUE(judge(f16, kInf, {65519, 2, false}).passed);
  EXPECT_FALSE(judge(f16, -kInf, {65519, 2, false}).passed);
  EXPECT_FALSE(judge(f16, kInf, {65000, 2, false}).passed);
  EXPECT_TRUE(judge(f8e4m3, kNaN, {500, 1, false}).passed);
  EXPECT_TRUE(judge(f8e4m3, 448, {500, 1, false}, true).passed);
  EXPECT_FALSE(judge(f8e4m3, 416, {500, 1, false}, true).passed);
  EXPECT_TRUE(judge(f32, kNaN, {1, 1, true}).passed) << "a partial sum may have overflowed";
}

TEST(CompareBounds, TakesWhatAnEarlierOverflowLeaves) {
  const BoundedValue nan{1, 1, false, true};
  EXPECT_TRUE(judge(f32, kNaN, nan).passed);
  EXPECT_FALSE(judge(f32, kInf, nan).passed);
  const BoundedValue third{7, 1, false, false, 1 / 3.0F};
  EXPECT_TRUE(judge(f32, 7, third).passed);
  EXPECT_TRUE(judge(f32, double{1 / 3.0F}, third).passed);
  EXPECT_FALSE(judge(f32, double{1 / 3.0F} + 0x1p-25, third).passed) << "not even by an ulp";
  EXPECT_FALSE(judge(f32, kNaN, third).passed);
  EXPECT_TRUE(judge(bf16, 0x1.56p-2, third).passed) << "1/3 to nearest";
  EXPECT_FALSE(judge(bf16, 0x1.54p-2, third).passed);
  const BoundedValue large{7, 1, false, false, 1e5F};
  EXPECT_TRUE(judge(f16, kInf, large).passed);
  EXPECT_TRUE(judge(f8e4m3, kNaN, large).passed);
  EXPECT_TRUE(judge(f8e4m3, 448, large, true).passed);
  EXPECT_FALSE(judge(f8e4m3, kNaN, large, true).passed);
}

TEST(CompareBounds, CountsWhatItCannotBound) {
  const CheckReport report = judge(f32, 12345, {1, kInf, false});
  EXPECT_TRUE(report.passed);
  EXPECT_EQ(report.unbounded, 1U);
}

}  // namespace
}  // namespace etalon::kernels
