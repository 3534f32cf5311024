// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/probe.h"

#include <cmath>
#include <functional>
#include <numeric>

#include "kernels/reference/test_support.h"

namespace etalon::kernels {
namespace {

using enum ElementType;
using Terms = std::vector<std::pair<double, double>>;
using Accumulate = std::function<double(const Terms&)>;

float rounded(double x) { return static_cast<float>(x); }

double ascendingFused(const Terms& terms) {
  float sum = 0;
  for (const auto& [a, b] : terms) sum = std::fma(rounded(a), rounded(b), sum);
  return sum;
}

double descending(const Terms& terms) {
  float sum = 0;
  for (size_t i = terms.size(); i-- > 0;) {
    const float product = rounded(terms[i].first) * rounded(terms[i].second);
    sum = sum + product;
  }
  return sum;
}

double tree(const Terms& terms) {
  std::vector<float> sums;
  for (const auto& [a, b] : terms) sums.push_back(rounded(a) * rounded(b));
  while (sums.size() > 1) {
    for (size_t i = 0; i < sums.size() / 2; ++i) sums[i] = sums[2 * i] + sums[2 * i + 1];
    if (sums.size() % 2 != 0) sums[sums.size() / 2] = sums.back();
    sums.resize((sums.size() + 1) / 2);
  }
  return sums.empty() ? 0 : sums.front();
}

double shuffledLanes(const Terms& terms) {
  Terms order = terms;
  ProbeRandom random(99);
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1],
              order[static_cast<size_t>(random.between(0, static_cast<int64_t>(i) - 1))]);
  float lanes[4] = {0, 0, 0, 0};
  for (size_t i = 0; i < order.size(); ++i)
    lanes[i % 4] += rounded(order[i].first) * rounded(order[i].second);
  return (lanes[3] + lanes[0]) + (lanes[1] + lanes[2]);
}

/// The accumulator keeps `bits` significant bits, rounding to nearest.
Accumulate narrow(int bits) {
  return [bits](const Terms& terms) {
    double sum = 0;
    for (const auto& [a, b] : terms) {
      int exponent = 0;
      const double fraction = std::frexp(sum + a * b, &exponent);
      sum = std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
    }
    return sum;
  };
}

double dropsTheLastTerm(const Terms& terms) {
  return ascendingFused({terms.begin(), terms.end() - 1});
}

Array product(const MatmulProbe& probe, const Accumulate& accumulate) {
  const uint64_t m = probe.a.shape[0];
  const uint64_t k = probe.a.shape[1];
  const uint64_t n = probe.b.shape[1];
  const std::vector<double> a = elementValues(probe.a);
  const std::vector<double> b = elementValues(probe.b);
  std::vector<uint64_t> bits;
  for (uint64_t i = 0; i < m; ++i)
    for (uint64_t j = 0; j < n; ++j) {
      Terms terms;
      for (uint64_t t = 0; t < k; ++t) terms.emplace_back(a[i * k + t], b[t * n + j]);
      bits.push_back(encode(probe.expected.type, {accumulate(terms), 0}));
    }
  return arrayOf(probe.expected.type, {m, n}, bits);
}

const ProbeTypes kFloatTypes[] = {
    {bf16, bf16, f32},     {bf16, bf16, bf16},     {f16, f16, f32}, {f8e4m3, f8e4m3, f32},
    {f8e5m2, f8e4m3, f32}, {f8e5m2, f8e5m2, bf16}, {f32, f32, f32}};

class MatmulProbes : public testing::TestWithParam<ProbeTypes> {};
INSTANTIATE_TEST_SUITE_P(Types, MatmulProbes, testing::ValuesIn(kFloatTypes));

TEST_P(MatmulProbes, AreTheSameInEveryOrderOfAccumulation) {
  for (const uint64_t k : {0, 1, 2, 3, 64, 129, 1000}) {
    const MatmulProbe probe = *makeMatmulProbe(GetParam(), 5, k, 7, k + 1);
    for (const auto& order : {ascendingFused, descending, tree, shuffledLanes})
      EXPECT_EQ(product(probe, order).data, probe.expected.data) << k;
  }
}

TEST(MatmulProbe, CatchesNarrowAccumulatorsAndLostTerms) {
  for (const ProbeTypes types : kFloatTypes) {
    if (types.out != f32) continue;  // an output of 8 bits hides the low bits of the sum
    const MatmulProbe probe = *makeMatmulProbe(types, 8, 512, 8, 42);
    for (const int bits : {8, 11, 16, 20, 22})
      EXPECT_NE(product(probe, narrow(bits)).data, probe.expected.data) << bits;
    EXPECT_NE(product(probe, dropsTheLastTerm).data, probe.expected.data);
  }
}

TEST_P(MatmulProbes, HaveNoSubnormalsAndUseBothSigns) {
  const MatmulProbe probe = *makeMatmulProbe(GetParam(), 16, 100, 16, 5);
  for (const Array* array : {&probe.a, &probe.b, &probe.expected}) {
    const double least = std::ldexp(1.0, 1 - elementInfo(array->type).bias);
    int negative = 0;
    for (const double value : elementValues(*array)) {
      EXPECT_TRUE(std::isfinite(value));
      EXPECT_TRUE(value == 0 || std::fabs(value) >= least);
      negative += value < 0 ? 1 : 0;
    }
    EXPECT_GT(negative, 16);
  }
}

TEST_P(MatmulProbes, MeetTheReference) {
  const MatmulProbe probe = *makeMatmulProbe(GetParam(), 9, 200, 11, 8);
  const CheckReport report =
      reportOf(runCheck("matmul", {{"A", &probe.a}, {"B", &probe.b}, {"C", &probe.expected}}));
  EXPECT_TRUE(report.passed) << report.first_mismatch;
}

TEST(MatmulProbe, OfIntegersIsTheSumModuloTwoToTheThirtyTwo) {
  const MatmulProbe probe = *makeMatmulProbe({i8, u8, i32}, 4, 300, 6, 1);
  const CheckReport report =
      reportOf(runCheck("matmul", {{"A", &probe.a}, {"B", &probe.b}, {"C", &probe.expected}}));
  EXPECT_TRUE(report.passed) << report.first_mismatch;
  EXPECT_EQ(report.verdict, "exact");
}

TEST(MatmulProbe, ChangesWithTheSeedAlone) {
  const ProbeTypes types{bf16, bf16, f32};
  EXPECT_EQ(makeMatmulProbe(types, 4, 8, 4, 3)->a.data, makeMatmulProbe(types, 4, 8, 4, 3)->a.data);
  EXPECT_NE(makeMatmulProbe(types, 4, 8, 4, 3)->a.data, makeMatmulProbe(types, 4, 8, 4, 4)->a.data);
}

TEST(MatmulProbe, RefusesWhatItCannotPromise) {
  EXPECT_EQ(makeMatmulProbe({bf16, f16, f32}, 1, 1, 1, 0).error().message,
            "no exact probe for bf16 x f16 -> f32");
  EXPECT_EQ(makeMatmulProbe({i8, i8, f32}, 1, 1, 1, 0).error().message,
            "no exact probe for i8 x i8 -> f32");
  EXPECT_EQ(makeMatmulProbe({bf16, bf16, f32}, 1, kMostProbeTerms + 1, 1, 0).error().message,
            "an exact probe has 2097152 terms in a sum at most, not 2097153");
  EXPECT_FALSE(makeMatmulProbe({bf16, bf16, f32}, uint64_t{1} << 40, 1, 1, 0).ok());
}

TEST(ConvolutionProbe, MeetsTheReferenceInEveryLayout) {
  ConvolutionExtents e;
  e.images = 2;
  e.height = 7;
  e.width = 6;
  e.channels = 3;
  e.outputs = 4;
  e.kernel_height = 3;
  e.kernel_width = 2;
  e.stride[0] = 2;
  e.dilation[1] = 2;
  e.pads[0] = 1;
  e.pads[3] = 2;
  for (const ProbeTypes types : {ProbeTypes{bf16, bf16, f32}, ProbeTypes{i8, i8, i32}})
    for (const char* image : {"NHWC", "NCHW"})
      for (const char* weights : {"HWIO", "OIHW", "OHWI"}) {
        const ConvolutionProbe probe = *makeConvolutionProbe(types, {image, weights}, e, 4);
        const CheckReport report =
            reportOf(runCheck("conv2d", {{"x", &probe.x}, {"w", &probe.w}, {"y", &probe.expected}},
                              {{"layout", image},
                               {"weights", weights},
                               {"stride", "[2, 1]"},
                               {"dilation", "[1, 2]"},
                               {"pads", "[1, 0, 0, 2]"}}));
        EXPECT_TRUE(report.passed) << report.first_mismatch;
        EXPECT_EQ(report.worst_ratio, 0) << "the double sums are exact too";
      }
}

TEST(ConvolutionProbe, IsAMatrixProductWhereTheKernelIsOneByOne) {
  ConvolutionExtents e;
  e.images = 1;
  e.height = 5;
  e.width = 5;
  e.channels = 64;
  e.outputs = 8;
  const ConvolutionProbe probe = *makeConvolutionProbe({bf16, bf16, f32}, {}, e, 6);
  MatmulProbe flat{probe.x, probe.w, probe.expected};
  flat.a.shape = {25, 64};
  flat.b.shape = {64, 8};
  flat.expected.shape = {25, 8};
  for (const auto& order : {ascendingFused, descending, tree, shuffledLanes})
    EXPECT_EQ(product(flat, order).data, probe.expected.data);
  EXPECT_NE(product(flat, narrow(20)).data, probe.expected.data);
}

}  // namespace
}  // namespace etalon::kernels
