// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/test_support.h"

namespace etalon::kernels {
namespace {

using enum ElementType;

/// f32 on the host: `online` in chunks of 16 with rescaling, else two passes.
Array hostSoftmax(const Array& x, ElementType type, bool online) {
  const uint64_t length = x.shape.back();
  const std::vector<double> values = elementValues(x);
  std::vector<uint64_t> bits;
  for (size_t first = 0; first < values.size(); first += length) {
    float greatest = -INFINITY;
    float sum = 0;
    const size_t chunk = online ? 16 : length;
    for (size_t begin = 0; begin < length; begin += chunk) {
      const size_t end = std::min<size_t>(begin + chunk, length);
      float next = greatest;
      for (size_t j = begin; j < end; ++j)
        next = std::max(next, static_cast<float>(values[first + j]));
      if (begin > 0) sum *= std::exp(greatest - next);
      greatest = next;
      for (size_t j = begin; j < end; ++j)
        sum += std::exp(static_cast<float>(values[first + j]) - greatest);
    }
    const float inverse = 1 / sum;
    for (size_t j = 0; j < length; ++j) {
      const float y = std::exp(static_cast<float>(values[first + j]) - greatest) * inverse;
      bits.push_back(encode(type, {static_cast<double>(y), 0}));
    }
  }
  return arrayOf(type, x.shape, bits);
}

CheckReport check(const Array& x, const Array& y, const Attributes& attributes = {}) {
  return reportOf(runCheck("softmax", {{"x", &x}, {"y", &y}}, attributes));
}

TEST(Softmax, AcceptsQuartersOfFourEqualElements) {
  const Array x = arrayOfValues(f32, {2, 4}, {3, 3, 3, 3, -1, -1, -1, -1});
  const Array y = arrayOfValues(f32, {2, 4}, std::vector<double>(8, 0.25));
  EXPECT_TRUE(check(x, y).passed);
  EXPECT_FALSE(check(x, withFlippedBit(y, 5, 4)).passed);
}

TEST(Softmax, KnowsTheRatioOfTwoElements) {
  // ln 2 apart (to f32): 1/3 and 2/3.
  const Array x = arrayOfValues(f32, {2}, {0, static_cast<double>(0.69314718F)});
  const Array y =
      arrayOfValues(f32, {2}, {static_cast<double>(1 / 3.0F), static_cast<double>(2 / 3.0F)});
  EXPECT_TRUE(check(x, y).passed);
  const Array swapped = arrayOfValues(f32, {2}, {valueAt(y, 1), valueAt(y, 0)});
  EXPECT_FALSE(check(x, swapped).passed);
}

TEST(Softmax, AcceptsF32ArithmeticInOneTwoOrManyPasses) {
  for (const ElementType type : {f32, bf16, f16})
    for (const int scale : {0, 3, 6}) {
      const Array x = randomArray(type, {5, 1000}, 7, scale);
      const CheckReport direct = check(x, hostSoftmax(x, type, false));
      EXPECT_TRUE(direct.passed) << direct.first_mismatch;
      const CheckReport online = check(x, hostSoftmax(x, type, true), {{"rescales", "63"}});
      EXPECT_TRUE(online.passed) << online.first_mismatch;
      EXPECT_GT(direct.worst_ratio, 0);
    }
}

TEST(Softmax, CatchesErrorsAboveTheBound) {
  const Array x = randomArray(f32, {3, 64}, 8, 2);
  const Array y = hostSoftmax(x, f32, false);
  // Relative bound: about (64 + 3 + d) u < 2^-17 for d < 8; bit 7 of the significand is 2^-16 or more.
  ProbeRandom random(1);
  for (int i = 0; i < 40; ++i) {
    const auto index = static_cast<uint64_t>(random.between(0, 3 * 64 - 1));
    const Array bad = withFlippedBit(y, index, static_cast<int>(random.between(8, 31)));
    EXPECT_FALSE(check(x, bad).passed);
  }
}

TEST(Softmax, TreatsInfinitiesAsTheStandardDoes) {
  const double inf = INFINITY;
  const Array x = arrayOfValues(f32, {3, 2}, {-inf, 5, -inf, -inf, inf, 0});
  const Array y =
      arrayOf(f32, {3, 2}, {0, 0x3F800000, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000});
  EXPECT_TRUE(check(x, y).passed);
  EXPECT_FALSE(check(x, arrayOf(f32, {3, 2}, {0, 0x3F800000, 0, 0, 0x3F800000, 0})).passed);
}

TEST(Softmax, NamesTheShapesThatDiffer) {
  const Array x = arrayOfValues(f32, {2, 2}, {0, 0, 0, 0});
  const Array y = arrayOfValues(f32, {4}, {0, 0, 0, 0});
  EXPECT_EQ(messageOf(runCheck("softmax", {{"x", &x}, {"y", &y}})),
            "check softmax: output y has the shape [4]; from x: f32[2, 2] it would be [2, 2]");
}

}  // namespace
}  // namespace etalon::kernels
