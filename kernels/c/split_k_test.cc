// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "kernels/c/kernel_cases.h"
#include "kernels/reference/element_data.h"
#include "kernels/reference/probe.h"
#include "kernels/reference/value.h"

namespace etalon::kernels {
namespace {

using enum ElementType;

struct SplitShape {
  uint64_t m, k, n, splits;
};

/// Tiles are 128 x 128; parts are multiples of 32 elements of K, taken 256 at a time. The last has
/// operands of more than a local memory.
constexpr SplitShape kShapes[] = {
    {0, 5, 7, 3},        {5, 0, 7, 3},        {5, 7, 0, 3},        {0, 0, 0, 1},
    {1, 1, 1, 1},        {1, 1, 1, 7},        {1, 257, 1, 2},      {3, 31, 5, 2},
    {3, 33, 5, 2},       {31, 97, 41, 3},     {127, 129, 131, 4},  {128, 256, 128, 1},
    {128, 1024, 128, 4}, {129, 1025, 127, 4}, {5, 8191, 3, 16},    {2, 8192, 3, 32},
    {257, 300, 259, 2},  {300, 511, 290, 3},  {385, 96, 130, 3},   {130, 161, 641, 5},
    {1, 4097, 1021, 7},  {521, 67, 131, 1},   {130, 700, 640, 11}, {1, 20011, 1, 13},
    {3, 33001, 129, 6},
};

std::string titleOf(const SplitShape& s) {
  return fmt::format("M={} K={} N={} splits={}", s.m, s.k, s.n, s.splits);
}
std::vector<std::pair<std::string, std::string>> argumentsOf(const SplitShape& s) {
  return {{"splits", fmt::to_string(s.splits)}};
}

TEST(SplitK, MeetsExactProbesOfEveryShape) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("split_k");
  for (const SplitShape& s : kShapes) {
    Result<MatmulProbe> probe = makeMatmulProbe({bf16, bf16, f32}, s.m, s.k, s.n, 61);
    ASSERT_TRUE(probe.ok()) << probe.error().message;
    cases.run({titleOf(s), {{"A", probe->a}, {"B", probe->b}}, argumentsOf(s), probe->expected});
  }
  EXPECT_GE(cases.count(), 20);
}

/// The bits of the first count of cores are those of all others: parts are added in one order.
TEST(SplitK, IsWithinItsBoundWithTheSameBitsForRandomOperands) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("split_k");
  for (const SplitShape& s : kShapes)
    cases.run({titleOf(s),
               {{"A", randomSource(1, {s.m, s.k})}, {"B", randomSource(2, {s.k, s.n})}},
               argumentsOf(s)});
}

/// 2^24 and ones: a part that begins with 2^24 loses its ones, each half an ulp, to even; the sums of
/// ones of the other parts do not get lost.
TEST(SplitK, AddsPartsAfterTheyWereSummed) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("split_k");
  constexpr uint64_t kDeep = 1024;
  std::vector<uint64_t> bits(kDeep, encode(bf16, {1, 0}));
  bits[0] = encode(bf16, {0x1p24, 0});
  const Array a = arrayOf(bf16, {1, kDeep}, bits);
  for (const uint64_t splits : {1, 2, 4, 8}) {
    const uint64_t ones = kDeep - kDeep / splits;
    const double sum = 0x1p24 + static_cast<double>(ones);
    cases.run({fmt::format("splits={}", splits),
               {{"A", a}, {"B", fmt::format("ones[{},1]", kDeep)}},
               {{"splits", fmt::to_string(splits)}},
               arrayOf(f32, {1, 1}, {encode(f32, {sum, 0})})});
  }
}

}  // namespace
}  // namespace etalon::kernels
