// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "kernels/c/kernel_cases.h"
#include "kernels/reference/element_data.h"
#include "kernels/reference/probe_plan.h"
#include "kernels/reference/value.h"

namespace etalon::kernels {
namespace {

using enum ElementType;
using Machine = KernelCases::Machine;

struct RowsShape {
  uint64_t r, n;
};

std::string titleOf(const RowsShape& s) { return fmt::format("R={} N={}", s.r, s.n); }

/// Tiles are 64 x 2048. The last two have more than a local memory.
constexpr RowsShape kDropoutShapes[] = {
    {0, 5},     {5, 0},     {0, 0},      {1, 1},       {1, 2},    {3, 1},    {63, 7},
    {64, 8},    {65, 9},    {2, 127},    {5, 1023},    {1, 2047}, {3, 2048}, {2, 2049},
    {64, 257},  {67, 997},  {131, 509},  {1, 4097},    {257, 61}, {1021, 1}, {127, 300},
    {64, 2048}, {3, 12289}, {193, 2053}, {1, 2100011},
};

TEST(Dropout, IsExactForEveryShape) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("dropout", Machine::extended);
  for (const RowsShape& s : kDropoutShapes)
    cases.run({titleOf(s),
               {{"x", randomSource(1, {s.r, s.n})}},
               {{"p", "0.3"}, {"seed", "4294967295"}, {"stream", "7"}}});
  EXPECT_GE(cases.count(), 20);
}

/// The reference knows nothing of tiles, so that all of these have the same bits.
TEST(Dropout, HasTheSameMaskForEveryCutOfTheTensor) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("dropout", Machine::extended);
  for (const RowsShape& tile :
       {RowsShape{1, 1}, RowsShape{1, 3}, RowsShape{2, 5}, RowsShape{64, 1}, RowsShape{1, 64},
        RowsShape{7, 31}, RowsShape{19, 23}, RowsShape{100, 100}})
    cases.run({fmt::format("tiles of {} x {}", tile.r, tile.n),
               {{"x", randomSource(2, {19, 23})}},
               {{"tile_rows", fmt::to_string(tile.r)}, {"tile_cols", fmt::to_string(tile.n)}}});
}

TEST(Dropout, DropsNothingAtZeroAllAtOneAndPassesNans) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("dropout", Machine::extended);
  const std::vector<uint16_t> special = {0x7f80, 0xff80, 0x7fc0, 0x7f81, 0x8000, 0x0001, 0x7f7f};
  std::vector<uint16_t> bits(130);
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = special[i % special.size()];
  const abi::Array x = arrayOfHalves(bf16, {10, 13}, bits);
  for (const char* p : {"0", "1", "0.5", "0.999999", "0.1"})
    cases.run({fmt::format("p={}", p), {{"x", x}}, {{"p", p}}});
}

/// Random f32 of magnitude below 2^scale; of one sign if asked.
Array randomFloats(uint64_t seed, uint64_t n, int scale, bool positive) {
  ProbeRandom random(seed);
  std::vector<uint64_t> bits(n);
  for (uint64_t& element : bits)
    element = encode(
        f32, {std::ldexp(static_cast<double>(random.between(positive ? 0 : -(1 << 23), 1 << 23)),
                         scale - 23),
              0});
  return arrayOf(f32, {n}, bits);
}

/// Tiles have 65536 elements; the last has arrays of more than a local memory together.
constexpr uint64_t kAdamLengths[] = {0,     1,      2,      3,      5,      63,    64,    65,
                                     127,   1021,   4095,   4096,   4097,   65535, 65536, 65537,
                                     99991, 131071, 131072, 131073, 200003, 300007};

TEST(Adam, IsWithinItsBoundForEveryLength) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("adam");
  for (const uint64_t n : kAdamLengths)
    cases.run(
        {fmt::format("N={}", n),
         {{"p", randomFloats(1, n, 0, false)},
          {"g", randomFloats(2, n, -3, false)},
          {"m", randomFloats(3, n, -4, false)},
          {"v", randomFloats(4, n, -6, true)}},
         {{"weight_decay", "0.01"}, {"correction1", "0.271"}, {"correction2", "0.002997001"}}});
  EXPECT_GE(cases.count(), 20);
}

TEST(Adam, IsWithinItsBoundForEverySetting) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("adam");
  for (const char* lr : {"0", "0.0001", "2"})
    for (const char* beta : {"0", "0.5", "0.98"})
      for (const char* eps : {"1e-12", "1e-3", "1"})
        cases.run({fmt::format("lr={} beta1={} eps={}", lr, beta, eps),
                   {{"p", randomFloats(1, 150, 4, false)},
                    {"g", randomFloats(2, 150, 2, false)},
                    {"m", randomFloats(3, 150, 1, false)},
                    {"v", randomFloats(4, 150, 0, true)}},
                   {{"lr", lr}, {"beta1", beta}, {"eps", eps}, {"correction1", "1"}}});
}

/// The first step from nothing: v' = (1 - beta2) g^2 alone, and every parameter moves by lr or not.
TEST(Adam, TakesTheFirstStep) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("adam");
  cases.run({"N=1000",
             {{"p", randomFloats(1, 1000, 0, false)},
              {"g", randomFloats(2, 1000, 0, false)},
              {"m", "zeros[1000]"},
              {"v", "zeros[1000]"}}});
}

/// Tiles are 64 x 4096, partial sums have 64 rows, stripes of them 1024 columns. Rows of the last but
/// one come in chunks; the last has more than a local memory, and more than 64 blocks.
constexpr RowsShape kNormShapes[] = {
    {0, 5},    {5, 0},     {0, 0},    {1, 1},     {1, 2},      {3, 1},    {63, 7},   {63, 63},
    {64, 64},  {65, 65},   {2, 127},  {5, 129},   {64, 1000},  {67, 997}, {1, 4095}, {3, 4096},
    {2, 4097}, {64, 2051}, {130, 61}, {129, 300}, {257, 1025}, {1021, 3}, {9, 8193}, {4200, 509},
};

TEST(LayerNormBackward, IsWithinItsBoundForEveryShape) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("layer_norm_backward");
  for (const RowsShape& s : kNormShapes)
    cases.run({titleOf(s),
               {{"dy", randomSource(1, {s.r, s.n})},
                {"x", randomSource(2, {s.r, s.n})},
                {"mean", randomSource(3, {s.r})},
                {"rstd", randomSource(4, {s.r})},
                {"gamma", randomSource(5, {s.n})}}});
  EXPECT_GE(cases.count(), 20);
}

/// Odd integers of magnitude up to 3.
Array oddIntegers(ElementType type, uint64_t seed, const Shape& shape) {
  ProbeRandom random(seed);
  std::vector<uint64_t> bits(abi::elementCount(shape));
  for (uint64_t& element : bits)
    element = encode(type, {static_cast<double>(2 * random.between(-2, 1) + 1), 0});
  return arrayOf(type, shape, bits);
}

/// Small integers, an inverse deviation of 2 and rows of a power of two: every sum and product is exact.
/// No factor is 0, so that zeros come from differences alone and are +0.
TEST(LayerNormBackward, IsExactOnIntegersAndRowsOfAPowerOfTwo) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("layer_norm_backward");
  for (const RowsShape& s : {RowsShape{1, 1}, RowsShape{3, 2}, RowsShape{64, 64},
                             RowsShape{65, 128}, RowsShape{200, 256}, RowsShape{130, 32}}) {
    const Array dy = oddIntegers(bf16, 91, {s.r, s.n});
    const Array x = oddIntegers(bf16, 92, {s.r, s.n});
    const Array mean = arrayOf(f32, {s.r}, std::vector<uint64_t>(s.r, encode(f32, {-2, 0})));
    const Array gamma = oddIntegers(f32, 94, {s.n});
    const std::vector<double> dys = elementValues(dy);
    const std::vector<double> xs = elementValues(x);
    const std::vector<double> means = elementValues(mean);
    const std::vector<double> gammas = elementValues(gamma);
    const uint64_t blocks = (s.r + 63) / 64;
    std::vector<double> dx(s.r * s.n);
    std::vector<double> totals(2 * s.n);
    std::vector<double> partial(2 * blocks * s.n);
    for (uint64_t r = 0; r < s.r; ++r) {
      double shift = 0;
      double slope = 0;
      const auto h = [&](uint64_t j) { return 2 * (xs[r * s.n + j] - means[r]); };
      for (uint64_t j = 0; j < s.n; ++j) {
        const double dy_j = dys[r * s.n + j];
        shift += dy_j * gammas[j] / static_cast<double>(s.n);
        slope += dy_j * gammas[j] * h(j) / static_cast<double>(s.n);
        totals[j] += dy_j * h(j);
        totals[s.n + j] += dy_j;
        partial[r / 64 * s.n + j] += dy_j * h(j);
        partial[(blocks + r / 64) * s.n + j] += dy_j;
      }
      for (uint64_t j = 0; j < s.n; ++j)
        dx[r * s.n + j] = 2 * (dys[r * s.n + j] * gammas[j] - shift - h(j) * slope);
    }
    const auto sums_array = [](ElementType type, const Shape& shape, std::span<const double> sums) {
      std::vector<uint64_t> bits;
      for (const double sum : sums) bits.push_back(encode(type, {sum, 0}));
      return arrayOf(type, shape, bits);
    };
    cases.run({titleOf(s),
               {{"dy", dy},
                {"x", x},
                {"mean", mean},
                {"rstd", fmt::format("const:2[{}]", s.r)},
                {"gamma", gamma}},
               {},
               sums_array(bf16, {s.r, s.n}, dx),
               {sums_array(f32, {s.n}, std::span(totals).first(s.n)),
                sums_array(f32, {s.n}, std::span(totals).last(s.n)),
                sums_array(f32, {2, blocks, s.n}, partial)}});
  }
}

}  // namespace
}  // namespace etalon::kernels
