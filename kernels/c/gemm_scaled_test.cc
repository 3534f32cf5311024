// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "kernels/c/kernel_cases.h"
#include "kernels/reference/element_data.h"
#include "kernels/reference/probe.h"
#include "kernels/reference/probe_plan.h"
#include "kernels/reference/value.h"
#include "tools/io/generate.h"

namespace etalon::kernels {
namespace {

using enum ElementType;
using Machine = KernelCases::Machine;

struct GemmShape {
  uint64_t m, k, n;
};

/// Tiles are 256 x 256, 512 (f8) or 1024 (f4) deep; blocks have 32 or 128 elements; a panel of scales
/// serves 8192. The last has operands of more than a local memory.
constexpr GemmShape kShapes[] = {
    {0, 5, 7},       {5, 0, 7},       {5, 7, 0},       {0, 0, 0},       {1, 1, 1},
    {1, 257, 1},     {3, 5, 7},       {31, 37, 41},    {127, 129, 131}, {64, 32, 64},
    {65, 33, 63},    {16, 128, 16},   {256, 256, 256}, {257, 65, 31},   {2, 512, 258},
    {97, 513, 101},  {33, 1023, 17},  {64, 1024, 64},  {31, 1025, 30},  {3, 8191, 5},
    {2, 8192, 3},    {5, 8193, 2},    {1, 20011, 1},   {521, 31, 263},  {1, 1, 1021},
    {300, 1100, 66}, {2, 16897, 513},
};

std::string titleOf(const GemmShape& s) { return fmt::format("M={} K={} N={}", s.m, s.k, s.n); }

/// Exponents of scales that leave exact sums exact: 2^(line + block) for A, 2^(line - block) for B, so
/// that a product of both has a factor of row and column alone.
struct ScaleExponents {
  std::vector<int> rows, columns, blocks;

  ScaleExponents(const GemmShape& s, uint64_t length, uint64_t seed) {
    ProbeRandom random(seed);
    const auto draw = [&](uint64_t count) {
      std::vector<int> out(count);
      for (int& e : out) e = static_cast<int>(random.between(-12, 12));
      return out;
    };
    rows = draw(s.m);
    columns = draw(s.n);
    blocks = draw((s.k + length - 1) / length);
  }
};

uint64_t scaleBits(ElementType type, int exponent) {
  return type == e8m0 ? static_cast<uint64_t>(exponent + 127)
                      : encode(type, {std::ldexp(1.0, exponent), 0});
}

/// Scales [lines, blocks], or [blocks, lines], with the exponents of the blocks times `sign`.
Array scalesOf(ElementType type, const std::vector<int>& lines, const std::vector<int>& blocks,
               int sign, bool blocks_first) {
  std::vector<uint64_t> bits(lines.size() * blocks.size());
  for (size_t line = 0; line < lines.size(); ++line)
    for (size_t block = 0; block < blocks.size(); ++block)
      bits[blocks_first ? block * lines.size() + line : line * blocks.size() + block] =
          scaleBits(type, lines[line] + sign * blocks[block]);
  return arrayOf(
      type, blocks_first ? Shape{blocks.size(), lines.size()} : Shape{lines.size(), blocks.size()},
      bits);
}

struct ScaledKernel {
  const char* name;
  ElementType a, b, scale;
  uint64_t block;
  ElementType out;
};
constexpr ScaledKernel kKernels[] = {
    {"gemm_fp8", f8e4m3, f8e4m3, f32, 128, bf16},
    {"gemm_fp8_e5m2", f8e5m2, f8e4m3, f32, 128, f32},
    {"gemm_mxfp8", f8e4m3, f8e4m3, e8m0, 32, f32},
    {"gemm_mxfp8_e5m2", f8e5m2, f8e4m3, e8m0, 32, bf16},
};

TEST(GemmScaled, MeetsExactProbesOfEveryShape) {
  ETALON_NEEDS_C_PROGRAMS();
  for (const ScaledKernel& kernel : kKernels) {
    KernelCases cases(kernel.name, Machine::extended);
    for (const GemmShape& s : kShapes) {
      Result<MatmulProbe> probe = makeMatmulProbe({kernel.a, kernel.b, f32}, s.m, s.k, s.n, 21);
      ASSERT_TRUE(probe.ok()) << probe.error().message;
      const ScaleExponents e(s, kernel.block, 22);
      const std::vector<double> sums = elementValues(probe->expected);
      std::vector<uint64_t> expected(sums.size());
      for (size_t i = 0; i < sums.size(); ++i)
        expected[i] =
            encode(kernel.out, {std::ldexp(sums[i], e.rows[i / s.n] + e.columns[i % s.n]), 0});
      cases.run({titleOf(s),
                 {{"A", probe->a},
                  {"a_scale", scalesOf(kernel.scale, e.rows, e.blocks, 1, false)},
                  {"B", probe->b},
                  {"b_scale", scalesOf(kernel.scale, e.columns, e.blocks, -1, true)}},
                 {},
                 arrayOf(kernel.out, {s.m, s.n}, expected)});
    }
    EXPECT_GE(cases.count(), 20);
  }
}

TEST(GemmScaled, IsWithinItsBoundForRandomOperands) {
  ETALON_NEEDS_C_PROGRAMS();
  for (const ScaledKernel& kernel : kKernels) {
    KernelCases cases(kernel.name, Machine::extended);
    for (const GemmShape& s : kShapes) {
      if (s.m * s.k * s.n > 2'200'000) continue;  // the bound is dear; probes have judged these
      const uint64_t blocks = (s.k + kernel.block - 1) / kernel.block;
      cases.run({titleOf(s),
                 {{"A", randomSource(1, {s.m, s.k})},
                  {"a_scale", randomSource(2, {s.m, blocks})},
                  {"B", randomSource(3, {s.k, s.n})},
                  {"b_scale", randomSource(4, {blocks, s.n})}}});
    }
    EXPECT_GE(cases.count(), 15);
  }
}

/// Any elements of f4 are an exact probe: twice an element is an integer of at most 12, so that sums of
/// 8 K are below 2^24 quarters. All 16 codes where K is even, as a file holds them; what the generator
/// gives where it is odd.
Array nibbles(uint64_t seed, uint64_t lines, uint64_t k) {
  if (k % 2 != 0) return *tools::generate(fmt::format("random:{}", seed), f4e2m1, {lines, k});
  ProbeRandom random(seed);
  std::vector<uint64_t> bits(lines * k);
  for (uint64_t& element : bits) element = random.next() & 15;
  return arrayOf(f4e2m1, {lines, k}, bits);
}

CaseInput nibbleInput(const char* name, uint64_t seed, const Array& array) {
  if (array.shape[1] % 2 == 0) return {name, array};
  return {name, randomSource(static_cast<int>(seed), array.shape)};
}

TEST(GemmMxfp4, IsExactForEveryShapeWithScalesThatKeepSumsExact) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("gemm_mxfp4", Machine::extended);
  for (const GemmShape& s : kShapes) {
    const Array a = nibbles(31, s.m, s.k);
    const Array b = nibbles(32, s.n, s.k);
    const ScaleExponents e(s, 32, 33);
    const std::vector<double> rows = elementValues(a);
    const std::vector<double> columns = elementValues(b);
    std::vector<uint64_t> expected(s.m * s.n);
    for (uint64_t m = 0; m < s.m; ++m) {
      for (uint64_t n = 0; n < s.n; ++n) {
        double sum = 0;  // exact
        for (uint64_t k = 0; k < s.k; ++k) sum += rows[m * s.k + k] * columns[n * s.k + k];
        expected[m * s.n + n] = encode(f32, {std::ldexp(sum + 0.0, e.rows[m] + e.columns[n]), 0});
      }
    }
    cases.run({titleOf(s),
               {nibbleInput("A", 31, a),
                {"a_scale", scalesOf(e8m0, e.rows, e.blocks, 1, false)},
                nibbleInput("B", 32, b),
                {"b_scale", scalesOf(e8m0, e.columns, e.blocks, -1, false)}},
               {},
               arrayOf(f32, {s.m, s.n}, expected)});
  }
  EXPECT_GE(cases.count(), 20);
}

TEST(GemmMxfp4, IsWithinItsBoundForRandomScales) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("gemm_mxfp4", Machine::extended);
  for (const GemmShape& s : kShapes) {
    if (s.m * s.k * s.n > 2'200'000) continue;
    const uint64_t blocks = (s.k + 31) / 32;
    cases.run({titleOf(s),
               {{"A", randomSource(1, {s.m, s.k})},
                {"a_scale", randomSource(2, {s.m, blocks})},
                {"B", randomSource(3, {s.n, s.k})},
                {"b_scale", randomSource(4, {s.n, blocks})}}});
  }
  EXPECT_GE(cases.count(), 15);
}

/// The scale 0xff: of one block of one row of A, and of one of B.
TEST(GemmMxfp4, GivesNanWhereAScaleIsNan) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("gemm_mxfp4", Machine::extended);
  std::vector<uint64_t> scales(70 * 3, 127);
  scales[5 * 3 + 2] = 0xFF;
  const Array with_nan = arrayOf(e8m0, {70, 3}, scales);
  const Array ones = arrayOf(e8m0, {70, 3}, std::vector<uint64_t>(70 * 3, 127));
  for (const bool in_a : {true, false})
    cases.run({in_a ? "in A" : "in B",
               {{"A", randomSource(1, {70, 65})},
                {"a_scale", in_a ? with_nan : ones},
                {"B", randomSource(3, {70, 65})},
                {"b_scale", in_a ? ones : with_nan}}});
}

}  // namespace
}  // namespace etalon::kernels
