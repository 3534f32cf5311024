// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/test_support.h"

namespace etalon::kernels {
namespace {

using enum ElementType;

/// Two passes in f32 on the host, sums ascending.
Array hostLayerNorm(const Array& x, const Array& gamma, const Array& beta, float epsilon,
                    ElementType type) {
  const uint64_t n = x.shape.back();
  const std::vector<double> values = elementValues(x);
  const std::vector<double> g = elementValues(gamma);
  const std::vector<double> b = elementValues(beta);
  std::vector<uint64_t> bits;
  for (size_t first = 0; first < values.size(); first += n) {
    float sum = 0;
    for (size_t j = 0; j < n; ++j) sum += static_cast<float>(values[first + j]);
    const float mean = sum * (1 / static_cast<float>(n));
    float squares = 0;
    for (size_t j = 0; j < n; ++j) {
      const float d = static_cast<float>(values[first + j]) - mean;
      squares += d * d;
    }
    const float inverse = 1 / std::sqrt(squares * (1 / static_cast<float>(n)) + epsilon);
    for (size_t j = 0; j < n; ++j) {
      const float d = static_cast<float>(values[first + j]) - mean;
      const float y = d * inverse * static_cast<float>(g[j]) + static_cast<float>(b[j]);
      bits.push_back(encode(type, {static_cast<double>(y), 0}));
    }
  }
  return arrayOf(type, x.shape, bits);
}

TEST(LayerNorm, AcceptsARowByHand) {
  // mean 2, variance 1: -1, 1; times gamma plus beta.
  const Array x = arrayOfValues(f32, {1, 2}, {1, 3});
  const Array gamma = arrayOfValues(f32, {2}, {2, 0.5});
  const Array beta = arrayOfValues(f32, {2}, {10, 0});
  const Array plain = arrayOfValues(f32, {1, 2}, {-1, 1});
  const Array affine = arrayOfValues(f32, {1, 2}, {8, 0.5});
  EXPECT_TRUE(
      reportOf(runCheck("layer_norm", {{"x", &x}, {"y", &plain}}, {{"epsilon", "0"}})).passed);
  const auto passes = [&](const Array& y) {
    return reportOf(runCheck("layer_norm", {{"x", &x}, {"g", &gamma}, {"b", &beta}, {"y", &y}},
                             {{"epsilon", "0"}}))
        .passed;
  };
  EXPECT_TRUE(passes(affine));
  EXPECT_FALSE(passes(plain));
  EXPECT_FALSE(passes(withFlippedBit(affine, 0, 5)));
}

TEST(LayerNorm, AddsEpsilonToTheVariance) {
  const Array x = arrayOfValues(f32, {2}, {-1, 1});
  const Array y = arrayOfValues(f32, {2}, {-0.5, 0.5});  // 1 / sqrt(1 + 3)
  EXPECT_TRUE(reportOf(runCheck("layer_norm", {{"x", &x}, {"y", &y}}, {{"epsilon", "3"}})).passed);
  EXPECT_FALSE(reportOf(runCheck("layer_norm", {{"x", &x}, {"y", &y}})).passed);
}

TEST(LayerNorm, AcceptsF32ArithmeticAlsoFarFromZero) {
  const Array gamma = randomArray(f32, {777}, 1, 1);
  const Array beta = randomArray(f32, {777}, 2, 3);
  for (const ElementType type : {f32, bf16, f16}) {
    Array x = randomArray(type, {6, 777}, 3, 2);
    for (const bool shifted : {false, true}) {
      if (shifted) {
        std::vector<uint64_t> bits;
        for (const double value : elementValues(x)) bits.push_back(encode(type, {value + 100, 0}));
        x = arrayOf(type, x.shape, bits);
      }
      const Array y = hostLayerNorm(x, gamma, beta, 1e-5F, type);
      const CheckReport report = reportOf(
          runCheck("layer_norm", {{"x", &x}, {"gamma", &gamma}, {"beta", &beta}, {"y", &y}}));
      EXPECT_TRUE(report.passed) << report.first_mismatch;
      EXPECT_GT(report.worst_ratio, 0.0001) << "a bound that is never approached bounds nothing";
      EXPECT_EQ(report.unbounded, 0U);
    }
  }
}

TEST(LayerNorm, CatchesErrorsAboveTheBound) {
  const Array x = randomArray(f32, {4, 64}, 5, 1);
  const Array one = arrayOfValues(f32, {64}, std::vector<double>(64, 1));
  const Array zero = arrayOfValues(f32, {64}, std::vector<double>(64, 0));
  const Array y = hostLayerNorm(x, one, zero, 1e-5F, f32);
  ProbeRandom random(6);
  for (int i = 0; i < 60; ++i) {
    const auto index = static_cast<uint64_t>(random.between(0, 4 * 64 - 1));
    const Array bad = withFlippedBit(y, index, static_cast<int>(random.between(0, 31)));
    // Bound for |y| <= 2: about (65 + 68 / 2 + 5) u (1 + |y|) < 2^-15.
    if (std::fabs(valueAt(bad, index) - valueAt(y, index)) < 0x1p-14) continue;
    EXPECT_FALSE(
        reportOf(runCheck("layer_norm", {{"x", &x}, {"gamma", &one}, {"beta", &zero}, {"y", &bad}}))
            .passed);
  }
}

/// A row {-2^80, 2^80}, whose squares overflow, above a row {-1, 1}, where nothing does.
TEST(LayerNorm, AcceptsBetaWhereTheSquaresOverflowAndOnlyThere) {
  const Array x = arrayOfValues(f32, {2, 2}, {-0x1p80, 0x1p80, -1, 1});
  const Array gamma = arrayOfValues(f32, {2}, {2, 0.5});
  const Array beta = arrayOfValues(f32, {2}, {10, 0.25});
  const auto passes = [&](double a, double b, double c, double d) {
    const Array y = arrayOfValues(f32, {2, 2}, {a, b, c, d});
    return reportOf(runCheck("layer_norm",
                             {{"x", &x}, {"gamma", &gamma}, {"beta", &beta}, {"y", &y}},
                             {{"epsilon", "0"}}))
        .passed;
  };
  EXPECT_TRUE(passes(8, 0.75, 8, 0.75)) << "the real result";
  EXPECT_TRUE(passes(10, 0.25, 8, 0.75)) << "1 / sqrt(inf) is 0";
  EXPECT_FALSE(passes(10, 0.25, 10, 0.75));
  EXPECT_FALSE(passes(10, 0.25, 8, 0.25));
  EXPECT_FALSE(passes(10, 0.25, NAN, 0.75));
  EXPECT_FALSE(passes(9, 0.25, 8, 0.75)) << "neither of the two";
  EXPECT_FALSE(passes(NAN, 0.25, 8, 0.75)) << "no sum of the row overflows";
  EXPECT_FALSE(passes(INFINITY, 0.25, 8, 0.75));
}

TEST(LayerNorm, AcceptsNaNWhereTheSumOverflowsAndOnlyThere) {
  const Array x = arrayOfValues(f32, {2, 3}, {0x1p127, 0x1p127, 0, 0x1p126, 0x1p126, 0});
  const auto passes = [&](const std::vector<double>& values) {
    const Array y = arrayOfValues(f32, {2, 3}, values);
    return reportOf(runCheck("layer_norm", {{"x", &x}, {"y", &y}})).passed;
  };
  EXPECT_TRUE(passes({NAN, NAN, NAN, 0, 0, 0}));
  EXPECT_TRUE(passes({0, 0, 0, 0, 0, 0})) << "a mean of scaled elements is finite";
  EXPECT_FALSE(passes({INFINITY, NAN, NAN, 0, 0, 0}));
  EXPECT_FALSE(passes({NAN, NAN, NAN, NAN, 0, 0}));
}

TEST(LayerNorm, AcceptsBetaWhereEpsilonTakesTheVarianceOverTheRange) {
  const Array x = arrayOfValues(f32, {2}, {-0x1p63, 0x1p63});  // squares 2^126, their sum 2^127
  const Array y = arrayOfValues(f32, {2}, {0, 0});
  const auto passes = [&](const char* epsilon) {
    return reportOf(runCheck("layer_norm", {{"x", &x}, {"y", &y}}, {{"epsilon", epsilon}})).passed;
  };
  EXPECT_TRUE(passes("3e38"));
  EXPECT_FALSE(passes("2e38"));
}

/// Every magnitude from which something overflows, up to the end of the range.
TEST(LayerNorm, AcceptsF32ArithmeticThatOverflows) {
  const Array gamma = randomArray(f32, {777}, 1, 1);
  const Array beta = randomArray(f32, {777}, 2, 3);
  int numbers = 0, betas = 0, nans = 0;
  for (int scale = 50; scale < 128; ++scale) {
    const Array x = randomArray(f32, {6, 777}, static_cast<uint64_t>(scale), scale);
    const Array y = hostLayerNorm(x, gamma, beta, 1e-5F, f32);
    const auto check = [&](const Array& output) {
      return reportOf(
          runCheck("layer_norm", {{"x", &x}, {"gamma", &gamma}, {"beta", &beta}, {"y", &output}}));
    };
    const CheckReport report = check(y);
    EXPECT_TRUE(report.passed) << report.first_mismatch;
    EXPECT_EQ(report.unbounded, 0U);
    const double first = valueAt(y, 0);
    ++(std::isnan(first) ? nans : first == valueAt(beta, 0) ? betas : numbers);
    // 777 squares sum to about 2^(2 scale + 8), so that at 60 it depends on the row. Below no row
    // may be beta, above all may.
    if (scale == 60) continue;
    std::vector<uint64_t> rows;
    for (int row = 0; row < 6; ++row)
      for (const uint64_t bits : elementBits(beta)) rows.push_back(bits);
    EXPECT_EQ(check(arrayOf(f32, x.shape, rows)).passed, scale > 60) << scale;
  }
  EXPECT_GT(numbers, 5);
  EXPECT_GT(betas, 30);
  EXPECT_GT(nans, 0);
}

TEST(LayerNorm, SaysThatItCannotBoundAConstantRowWithoutEpsilon) {
  const Array x = arrayOfValues(f32, {2}, {3, 3});
  const Array y = arrayOfValues(f32, {2}, {0, 0});
  EXPECT_EQ(reportOf(runCheck("layer_norm", {{"x", &x}, {"y", &y}}, {{"epsilon", "0"}})).unbounded,
            2U);
  EXPECT_EQ(reportOf(runCheck("layer_norm", {{"x", &x}, {"y", &y}})).unbounded, 0U);
}

TEST(LayerNorm, TakesEpsilonFromAScalarArgument) {
  const Array x = arrayOfValues(f32, {2}, {-1, 1});
  const Array y = arrayOfValues(f32, {2}, {-0.5, 0.5});
  abi::CheckSpec spec{"layer_norm", {"x"}, {"y"}, {{"epsilon", "eps"}}};
  const std::vector<NamedArray> arrays{{"x", &x}, {"y", &y}};
  EXPECT_TRUE(reportOf(checkOperator(spec, arrays, {{"eps", 3}})).passed);
}

TEST(LayerNorm, NamesTheShapesThatDoNotFit) {
  const Array x = arrayOfValues(f32, {2, 2}, {0, 0, 0, 0});
  EXPECT_EQ(messageOf(runCheck("layer_norm", {{"x", &x}, {"gamma", &x}, {"y", &x}})),
            "check layer_norm: gamma: f32[2, 2]; from x: f32[2, 2] it must have 2 element(s)");
}

}  // namespace
}  // namespace etalon::kernels
