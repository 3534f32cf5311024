// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "kernels/c/kernel_cases.h"
#include "kernels/reference/element_data.h"
#include "kernels/reference/probe_plan.h"
#include "kernels/reference/value.h"
#include "tools/io/generate.h"

namespace etalon::kernels {
namespace {

using enum ElementType;

struct GemmShape {
  uint64_t m, k, n;
};

/// Tiles are 256 x 256, 512 elements of k deep, 128 groups of four. B of the last is larger than a
/// local memory.
constexpr GemmShape kShapes[] = {
    {0, 5, 7},       {5, 0, 7},       {5, 7, 0},      {0, 0, 0},      {1, 1, 1},     {1, 2, 1},
    {2, 3, 2},       {3, 4, 5},       {3, 5, 7},      {5, 8, 3},      {31, 37, 41},  {64, 63, 65},
    {127, 129, 131}, {256, 256, 256}, {257, 65, 31},  {17, 511, 19},  {16, 512, 16}, {13, 513, 11},
    {9, 516, 7},     {7, 517, 9},     {64, 1024, 64}, {97, 1031, 89}, {1, 4097, 1},  {521, 31, 263},
    {1, 1, 1021},    {2, 9001, 601},
};

std::string titleOf(const GemmShape& s) { return fmt::format("M={} K={} N={}", s.m, s.k, s.n); }

/// Integers of magnitude up to 16: sums of 65536 stored terms are exact in f32, in any order.
Array integersOf(uint64_t seed, const Shape& shape) {
  ProbeRandom random(seed);
  std::vector<uint64_t> bits(abi::elementCount(shape));
  for (uint64_t& element : bits)
    element = encode(bf16, {static_cast<double>(random.between(-16, 16)), 0});
  return arrayOf(bf16, shape, bits);
}

/// Every value of the metadata: falling and equal places and places past K as well.
TEST(GemmSparse24, IsExactOnIntegersOfEveryShape) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("gemm_sparse24", KernelCases::Machine::extended);
  for (const GemmShape& s : kShapes) {
    const uint64_t groups = (s.k + 3) / 4;
    const Array a = integersOf(41, {s.m, 2 * groups});
    const Array b = integersOf(42, {s.k, s.n});
    const std::vector<uint64_t> places =
        elementBits(*tools::generate("random:43", u4, {s.m, groups}));
    const std::vector<double> stored = elementValues(a);
    const std::vector<double> weights = elementValues(b);
    std::vector<uint64_t> expected(s.m * s.n);
    std::vector<int64_t> sums(s.n);
    for (uint64_t m = 0; m < s.m; ++m) {
      std::ranges::fill(sums, 0);
      for (uint64_t g = 0; g < groups; ++g) {
        const uint64_t pair = places[m * groups + g];
        for (const uint64_t i : {0, 1}) {
          const uint64_t k = 4 * g + (i == 0 ? pair % 4 : pair / 4);
          if (k >= s.k) continue;
          const auto value = static_cast<int64_t>(stored[m * 2 * groups + 2 * g + i]);
          for (uint64_t n = 0; n < s.n; ++n)
            sums[n] += value * static_cast<int64_t>(weights[k * s.n + n]);
        }
      }
      for (uint64_t n = 0; n < s.n; ++n)
        expected[m * s.n + n] = encode(f32, {static_cast<double>(sums[n]), 0});
    }
    cases.run({titleOf(s),
               {{"A", a}, {"metadata", randomSource(43, {s.m, groups})}, {"B", b}},
               {},
               arrayOf(f32, {s.m, s.n}, expected)});
  }
  EXPECT_GE(cases.count(), 20);
}

TEST(GemmSparse24, IsWithinItsBoundForRandomOperands) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("gemm_sparse24", KernelCases::Machine::extended);
  for (const GemmShape& s : kShapes) {
    if (s.m * s.k * s.n > 5'000'000) continue;  // the bound is dear
    const uint64_t groups = (s.k + 3) / 4;
    cases.run({titleOf(s),
               {{"A", randomSource(1, {s.m, 2 * groups})},
                {"metadata", randomSource(2, {s.m, groups})},
                {"B", randomSource(3, {s.k, s.n})}}});
  }
  EXPECT_GE(cases.count(), 15);
}

}  // namespace
}  // namespace etalon::kernels
