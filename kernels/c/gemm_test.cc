// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "kernels/c/kernel_cases.h"
#include "kernels/reference/probe.h"

namespace etalon::kernels {
namespace {

using enum ElementType;

struct GemmShape {
  uint64_t m, k, n;
};

/// Blocks are up to 1024 x 1024 in steps of 128 (bf16), or 256 x 256 and 512 deep (i8). Two have operands of more than
/// 32 MiB, four local memories: one is deep, one wide. The last is deep and tall enough for both orders along K.
constexpr GemmShape kShapes[] = {
    {0, 5, 7},         {5, 0, 7},       {5, 7, 0},       {0, 0, 0},        {1, 1, 1},
    {1, 257, 1},       {3, 5, 7},       {31, 37, 41},    {127, 129, 131},  {255, 255, 255},
    {256, 256, 256},   {257, 257, 257}, {255, 256, 257}, {256, 1, 256},    {511, 511, 3},
    {2, 512, 258},     {97, 513, 509},  {64, 1024, 64},  {300, 769, 300},  {1, 4097, 1},
    {521, 259, 523},   {1, 1, 1021},    {513, 2, 2},     {8, 131101, 257}, {2081, 7, 4099},
    {1030, 1300, 260},
};

std::string titleOf(const GemmShape& s) { return fmt::format("M={} K={} N={}", s.m, s.k, s.n); }

TEST(GemmBf16, MeetsExactProbesOfEveryShape) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("gemm_bf16");
  for (const GemmShape& s : kShapes) {
    Result<MatmulProbe> probe = makeMatmulProbe({bf16, bf16, f32}, s.m, s.k, s.n, 11);
    ASSERT_TRUE(probe.ok()) << probe.error().message;
    cases.run({titleOf(s), {{"A", probe->a}, {"B", probe->b}}, {}, probe->expected});
  }
  EXPECT_GE(cases.count(), 20);
}

TEST(GemmBf16, IsWithinItsBoundForRandomOperands) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("gemm_bf16");
  for (const GemmShape& s : kShapes) {
    if (s.m * s.k * s.n > 20'000'000) continue;  // the bound is dear; probes have judged these
    cases.run(
        {titleOf(s), {{"A", randomSource(1, {s.m, s.k})}, {"B", randomSource(2, {s.k, s.n})}}});
  }
  EXPECT_GE(cases.count(), 15);
}

/// Operands over the whole range of i8: integer sums are exact in any order, so is what becomes of
/// them. Shifts from 0 to 63; multipliers of both signs.
TEST(GemmI8, IsExactForEveryShape) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("gemm_i8");
  for (const GemmShape& s : kShapes)
    cases.run({titleOf(s),
               {{"A", randomSource(1, {s.m, s.k}, ":-128:128")},
                {"B", randomSource(2, {s.k, s.n}, ":-128:128")},
                {"multiplier", randomSource(3, {s.n}, ":-2147483648:2147483648")},
                {"shift", randomSource(4, {s.n}, ":0:64")}}});
  EXPECT_GE(cases.count(), 20);
}

TEST(GemmI8, IsExactAtTheEndsOfShiftsAndMultipliers) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("gemm_i8");
  for (const char* shift : {"0", "1", "31", "32", "62", "63"})
    for (const char* multiplier : {"-2147483648", "-1", "0", "1", "2147483647"})
      cases.run({fmt::format("multiplier {} shift {}", multiplier, shift),
                 {{"A", randomSource(1, {33, 130}, ":-128:128")},
                  {"B", randomSource(2, {130, 35}, ":-128:128")},
                  {"multiplier", fmt::format("const:{}[35]", multiplier)},
                  {"shift", fmt::format("const:{}[35]", shift)}}});
}

/// Shifts that bring sums of this depth into the range of i8, so that few saturate.
TEST(GemmI8, IsExactWhereResultsDoNotSaturate) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("gemm_i8");
  cases.run({"M=65 K=1100 N=300",
             {{"A", randomSource(1, {65, 1100}, ":-128:128")},
              {"B", randomSource(2, {1100, 300}, ":-128:128")},
              {"multiplier", randomSource(3, {300}, ":1073741824:2147483648")},
              {"shift", randomSource(4, {300}, ":40:44")}}});
}

}  // namespace
}  // namespace etalon::kernels
