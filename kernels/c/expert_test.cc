// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <limits>

#include "kernels/c/kernel_cases.h"
#include "kernels/reference/element_data.h"
#include "kernels/reference/probe_plan.h"
#include "kernels/reference/value.h"
#include "tools/io/generate.h"

namespace etalon::kernels {
namespace {

using enum ElementType;
using Machine = KernelCases::Machine;

struct RoutingShape {
  uint64_t t, e, k;
};

/// Tiles are 128 tokens and fewer where the experts are many. The last has logits of more than a local
/// memory, in tiles of 64 tokens.
constexpr RoutingShape kRoutingShapes[] = {
    {0, 5, 2},    {5, 5, 0},     {0, 0, 0},      {3, 0, 0},      {1, 1, 1},     {2, 2, 1},
    {7, 3, 3},    {127, 8, 2},   {128, 8, 2},    {129, 8, 2},    {255, 7, 5},   {256, 64, 8},
    {257, 61, 8}, {513, 16, 4},  {1021, 2, 2},   {37, 127, 127}, {5, 1000, 13}, {3, 4099, 1},
    {300, 33, 6}, {131, 256, 8}, {509, 6007, 3},
};

std::string titleOf(const RoutingShape& s) { return fmt::format("T={} E={} k={}", s.t, s.e, s.k); }

TEST(TopkRouting, ChoosesExactlyAndWeighsWithinTheBound) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("topk_routing", Machine::extended);
  for (const RoutingShape& s : kRoutingShapes)
    cases.run(
        {titleOf(s), {{"logits", randomSource(71, {s.t, s.e})}}, {{"k", fmt::to_string(s.k)}}});
  EXPECT_GE(cases.count(), 20);
}

/// Few values, so that most are equal, with both zeros, infinities and NaNs among them.
TEST(TopkRouting, BreaksTiesByTheLowerExpert) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("topk_routing", Machine::extended);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double values[] = {1, 0.0, -0.0, -1, 1, -kInfinity, kInfinity, nan};
  for (const size_t kinds : {2, 4, 6, 8}) {  // the last two with infinities, with NaNs
    for (const uint64_t k : {1, 3, 8}) {
      ProbeRandom random(72);
      std::vector<uint64_t> bits(140 * 9);
      for (uint64_t& element : bits) element = encode(f32, {values[random.next() % kinds], 0});
      cases.run({fmt::format("{} values, k={}", kinds, k),
                 {{"logits", arrayOf(f32, {140, 9}, bits)}},
                 {{"k", fmt::to_string(k)}}});
    }
  }
}

struct GroupShape {
  uint64_t t, k, e, d, f;
};

/// Tiles are 128 assignments of one expert, 256 x 256 of its matrix. Many groups are empty where there
/// are more experts than assignments. The last has matrices of more than a local memory.
constexpr GroupShape kGroupShapes[] = {
    {0, 2, 3, 5, 7},       {5, 0, 3, 5, 7},      {5, 2, 0, 5, 7},     {5, 2, 3, 0, 7},
    {5, 2, 3, 5, 0},       {1, 1, 1, 1, 1},      {1, 2, 1, 3, 5},     {3, 2, 61, 5, 7},
    {7, 3, 4, 31, 37},     {127, 1, 1, 16, 17},  {128, 1, 1, 16, 16}, {129, 1, 1, 17, 15},
    {64, 2, 1, 33, 31},    {200, 2, 3, 64, 40},  {131, 4, 7, 65, 63}, {37, 2, 5, 255, 3},
    {36, 2, 5, 256, 4},    {35, 3, 5, 257, 5},   {20, 2, 4, 7, 255},  {19, 2, 4, 6, 257},
    {260, 5, 9, 19, 23},   {509, 2, 16, 13, 11}, {1021, 1, 2, 2, 3},  {31, 8, 8, 40, 300},
    {9, 2, 13, 401, 1009},
};

std::string titleOf(const GroupShape& s) {
  return fmt::format("T={} K={} E={} D={} F={}", s.t, s.k, s.e, s.d, s.f);
}

/// Experts one beyond both ends as well.
std::string expertSource(const GroupShape& s) {
  return randomSource(83, {s.t, s.k}, fmt::format(":-1:{}", s.e + 1));
}

Array integersOf(ElementType type, uint64_t seed, const Shape& shape, int64_t most) {
  ProbeRandom random(seed);
  std::vector<uint64_t> bits(abi::elementCount(shape));
  for (uint64_t& element : bits)
    element = encode(type, {static_cast<double>(random.between(-most, most)), 0});
  return arrayOf(type, shape, bits);
}

/// Integers of magnitude up to 8 and gates up to 4: sums of 65536 terms are exact in f32, in any order.
TEST(GroupedGemm, IsExactOnIntegersOfEveryShape) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("grouped_gemm", Machine::extended);
  for (const GroupShape& s : kGroupShapes) {
    const Array x = integersOf(bf16, 81, {s.t, s.d}, 8);
    const Array w = integersOf(bf16, 82, {s.e, s.d, s.f}, 8);
    const Array gate = integersOf(f32, 84, {s.t, s.k}, 4);
    const std::string source = expertSource(s);
    const std::vector<int64_t> experts =
        elementIntegers(*tools::generate(source.substr(0, source.find('[')), i32, {s.t, s.k}));
    const std::vector<double> rows = elementValues(x);
    const std::vector<double> weights = elementValues(w);
    const std::vector<double> gates = elementValues(gate);
    std::vector<double> z(s.t * s.k * s.f);
    std::vector<double> y(s.t * s.f);
    for (uint64_t i = 0; i < experts.size(); ++i) {
      const bool inside = experts[i] >= 0 && experts[i] < static_cast<int64_t>(s.e);
      const uint64_t first = inside ? static_cast<uint64_t>(experts[i]) * s.d * s.f : 0;
      double* part = z.data() + i * s.f;
      for (uint64_t d = 0; inside && d < s.d; ++d)
        for (uint64_t f = 0; f < s.f; ++f)
          part[f] += rows[i / s.k * s.d + d] * weights[first + d * s.f + f];
      for (uint64_t f = 0; f < s.f; ++f) {
        if (inside) part[f] *= gates[i];  // last, and sums begin with part 0: zeros have signs
        double& sum = y[i / s.k * s.f + f];
        sum = i % s.k == 0 ? part[f] : sum + part[f];
      }
    }
    const auto sums_array = [](const Shape& shape, const std::vector<double>& sums) {
      std::vector<uint64_t> bits;
      bits.reserve(sums.size());
      for (const double sum : sums) bits.push_back(encode(f32, {sum, 0}));
      return arrayOf(f32, shape, bits);
    };
    cases.run({titleOf(s),
               {{"x", x}, {"W", w}, {"expert", source}, {"gate", gate}},
               {},
               sums_array({s.t, s.k, s.f}, z),
               {sums_array({s.t, s.f}, y)}});
  }
  EXPECT_GE(cases.count(), 20);
}

TEST(GroupedGemm, IsWithinItsBoundForRandomOperands) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("grouped_gemm", Machine::extended);
  for (const GroupShape& s : kGroupShapes) {
    cases.run({titleOf(s),
               {{"x", randomSource(1, {s.t, s.d})},
                {"W", randomSource(2, {s.e, s.d, s.f})},
                {"expert", expertSource(s)},
                {"gate", randomSource(4, {s.t, s.k})}}});
  }
  EXPECT_GE(cases.count(), 20);
}

/// All of one expert, the others empty; and none at all.
TEST(GroupedGemm, TakesGroupsThatAreEmptyOrEverything) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("grouped_gemm", Machine::extended);
  for (const char* expert : {"0", "4", "2", "5", "-1", "-2147483648", "2147483647"})
    cases.run({fmt::format("expert {}", expert),
               {{"x", randomSource(1, {150, 33})},
                {"W", randomSource(2, {5, 33, 35})},
                {"expert", fmt::format("const:{}[150,2]", expert)},
                {"gate", randomSource(4, {150, 2})}}});
}

}  // namespace
}  // namespace etalon::kernels
