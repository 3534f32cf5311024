// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/c/kernel_cases.h"
#include "kernels/reference/element_data.h"
#include "kernels/reference/exact_math.h"
#include "kernels/reference/probe_attention.h"
#include "kernels/reference/probe_plan.h"

namespace etalon::kernels {
namespace {

using enum ElementType;
using Shape4 = AttentionProbeShape;

std::string titleOf(const Shape4& x) {
  return fmt::format("B={} H={} G={} S={} T={} D={} E={}{}", x.b, x.h, x.g, x.s, x.t, x.d, x.e,
                     x.causal ? " causal" : "");
}

/// Blocks are 512 queries (fewer where that makes them even in number) x 512 keys. In the last two,
/// keys and queries have more than 8 MiB, a local memory.
const Shape4 kShapes[] = {
    {.b = 0, .t = 3, .d = 4, .e = 4},
    {.h = 0, .t = 3, .d = 4, .e = 4},
    {.s = 0, .t = 3, .d = 4, .e = 4},
    {.s = 3, .t = 3, .d = 4, .e = 0},
    {.s = 3, .t = 0, .d = 4, .e = 5},
    {.s = 3, .t = 0, .d = 4, .e = 5, .causal = true},
    {.t = 1, .d = 2, .e = 1},
    {.t = 513, .d = 64, .e = 64, .causal = true},
    {.h = 2, .g = 2, .s = 2, .t = 2, .d = 3, .e = 5, .causal = true},
    {.b = 2, .h = 4, .g = 2, .s = 7, .t = 61, .d = 31, .e = 37},
    {.h = 3, .g = 1, .s = 5, .t = 511, .d = 8, .e = 129, .causal = true},
    {.h = 8, .g = 1, .t = 1025, .d = 128, .e = 128},
    {.s = 255, .t = 255, .d = 16, .e = 16, .causal = true},
    {.s = 256, .t = 256, .d = 16, .e = 17, .causal = true},
    {.b = 2, .h = 2, .g = 1, .s = 257, .t = 512, .d = 40, .e = 24, .causal = true},
    {.h = 2, .g = 2, .s = 513, .t = 513, .d = 64, .e = 64, .causal = true},
    {.h = 3, .g = 3, .s = 300, .t = 1100, .d = 32, .e = 8, .causal = true},
    {.h = 3, .g = 1, .s = 600, .t = 100, .d = 24, .e = 8, .causal = true},
    {.s = 1031, .t = 521, .d = 10, .e = 6, .causal = true},
    {.s = 1031, .t = 521, .d = 10, .e = 6},
    {.s = 66, .t = 1537, .d = 256, .e = 256},
    {.b = 2, .h = 2, .g = 2, .s = 97, .t = 1021, .d = 80, .e = 80, .causal = true},
    {.h = 3, .g = 1, .s = 770, .t = 769, .d = 6, .e = 4, .causal = true},
    {.s = 2, .t = 17011, .d = 256, .e = 250, .causal = true},
    {.s = 17011, .t = 3, .d = 256, .e = 2},
};

std::vector<std::pair<std::string, std::string>> argumentsOf(const Shape4& x) {
  return {{"causal", x.causal ? "1" : "0"}};
}

TEST(Attention, MeetsExactProbesOfEveryShape) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("attention");
  for (const Shape4& x : kShapes) {
    Result<AttentionProbe> probe = makeAttentionProbe(bf16, x, 21);
    ASSERT_TRUE(probe.ok()) << probe.error().message;
    cases.run({titleOf(x),
               {{"q", probe->q}, {"k", probe->k}, {"v", probe->v}},
               argumentsOf(x),
               probe->expected});
  }
  EXPECT_GE(cases.count(), 20);
}

std::vector<CaseInput> randomInputs(const Shape4& x) {
  return {{"q", randomSource(1, {x.b, x.h, x.s, x.d})},
          {"k", randomSource(2, {x.b, x.g, x.t, x.d})},
          {"v", randomSource(3, {x.b, x.g, x.t, x.e})}};
}

/// Scales are flat, peaked and negative: with 9, a few keys have nearly all of the weight.
TEST(Attention, IsWithinItsBoundForEveryShapeAndScale) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("attention");
  for (const Shape4& x : kShapes) {
    if (x.s * x.t * x.d > 8'000'000) continue;  // the bound is dear; probes have judged these
    auto arguments = argumentsOf(x);
    constexpr const char* kScales[] = {"0", "9", "-2.5", "0.001"};
    arguments.emplace_back("scale", kScales[cases.count() % 4]);
    cases.run({titleOf(x), randomInputs(x), arguments});
  }
  for (const uint64_t d : {0, 1}) {  // these have no probe
    const Shape4 x = {.h = 2, .g = 1, .s = 5, .t = 600, .d = d, .e = 3, .causal = true};
    cases.run({titleOf(x), randomInputs(x), argumentsOf(x)});
  }
  EXPECT_GE(cases.count(), 20);
}

/// Infinities and NaNs at one element of q, k or v, between and at the ends of blocks of keys.
TEST(Attention, PassesInfinitiesAndNansAsTheReferenceDoes) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("attention");
  const Shape4 x = {.s = 9, .t = 521, .d = 3, .e = 2, .causal = true};
  for (const uint16_t special : {0x7f80, 0xff80, 0x7fc0, 0x7f7f, 0x0001})
    for (const uint64_t key : {0, 511, 512, 515, 520}) {
      const auto with = [&](std::vector<uint64_t> shape, uint64_t index, unsigned salt) {
        std::vector<uint16_t> bits(shape[2] * shape[3]);
        for (size_t i = 0; i < bits.size(); ++i)
          bits[i] = static_cast<uint16_t>(0x3e00 + (i * salt) % 400 + (i % 3 == 0 ? 0x8000 : 0));
        if (index < bits.size()) bits[index] = special;
        return arrayOfHalves(bf16, shape, bits);
      };
      constexpr uint64_t kNone = ~uint64_t{0};
      const std::vector<uint64_t> q = {1, 1, x.s, x.d}, k = {1, 1, x.t, x.d}, v = {1, 1, x.t, x.e};
      const std::string title = fmt::format("{:#06x} at key {} of ", special, key);
      cases.run({title + "k",
                 {{"q", with(q, kNone, 37)},
                  {"k", with(k, key * x.d + 1, 41)},
                  {"v", with(v, kNone, 43)}},
                 argumentsOf(x)});
      cases.run(
          {title + "v",
           {{"q", with(q, kNone, 37)}, {"k", with(k, kNone, 41)}, {"v", with(v, key * x.e, 43)}},
           argumentsOf(x)});
    }
}

/// One query by the definition in attention.c, step by step.
class Replay {
 public:
  Replay(const std::vector<double>& k, const std::vector<double>& v, const Shape4& x)
      : k_(k), v_(v), x_(x), scale_(1.0F / std::sqrt(static_cast<float>(x.d))) {}

  std::vector<uint64_t> row(const double* q, uint64_t seen) const {
    float greatest = -3.40282347e38F;
    float sum = 0;
    std::vector<float> o(x_.e);
    for (uint64_t first = 0; first < seen; first += 512) {
      const uint64_t end = std::min(first + 512, seen);
      std::vector<float> t(end - first);
      float next = greatest;
      for (uint64_t j = first; j < end; ++j) {
        t[j - first] = score(q, j);
        next = std::max(next, t[j - first]);
      }
      const float shrink = exponential(greatest - next);
      greatest = next;
      float lanes[64];
      std::fill_n(lanes, 64, -0.0F);
      for (float& each : o) each *= shrink;
      for (uint64_t j = first; j < end; ++j) {
        const float p = exponential(t[j - first] - greatest);
        lanes[(j - first) % 64] += p;
        const float weight = static_cast<float>(decode(bf16, encode(bf16, {double{p}, 0})));
        for (uint64_t e = 0; e < x_.e; ++e)
          o[e] = std::fma(weight, static_cast<float>(v_[j * x_.e + e]), o[e]);
      }
      for (int half = 32; half >= 1; half /= 2)
        for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
      sum = std::fma(sum, shrink, lanes[0]);
    }
    std::vector<uint64_t> bits;
    const float inverse = 1.0F / sum;
    for (const float each : o) {
      const float y = seen == 0 ? 0.0F : each * inverse;
      bits.push_back(encode(bf16, {double{y}, 0}));
    }
    return bits;
  }

 private:
  float score(const double* q, uint64_t j) const {
    float sum = 0;
    for (uint64_t d = 0; d < x_.d; ++d)
      sum = std::fma(static_cast<float>(q[d]), static_cast<float>(k_[j * x_.d + d]), sum);
    return sum * scale_;
  }
  static float exponential(float x) { return roundToFloat(exactExp(double{x})); }

  const std::vector<double>& k_;
  const std::vector<double>& v_;
  const Shape4& x_;
  float scale_;
};

TEST(Attention, ComputesWhatItsHeaderSaysToTheBit) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("attention");
  const Shape4 shapes[] = {{.s = 7, .t = 1100, .d = 20, .e = 9},
                           {.s = 260, .t = 530, .d = 9, .e = 3, .causal = true},
                           {.s = 70, .t = 60, .d = 5, .e = 4, .causal = true}};
  for (const Shape4& x : shapes) {
    ProbeRandom random(x.s);
    const auto draw = [&](std::vector<uint64_t> shape) {
      std::vector<uint16_t> bits(shape[2] * shape[3]);  // 0.5 to 4, both signs
      for (uint16_t& each : bits)
        each = static_cast<uint16_t>(random.between(0x3f00, 0x4080) | (random.between(0, 1) << 15));
      return arrayOfHalves(bf16, shape, bits);
    };
    const abi::Array q = draw({1, 1, x.s, x.d}), k = draw({1, 1, x.t, x.d}),
                     v = draw({1, 1, x.t, x.e});
    const std::vector<double> qs = elementValues(q), ks = elementValues(k), vs = elementValues(v);
    const Replay replay(ks, vs, x);
    std::vector<uint64_t> expected;
    for (uint64_t i = 0; i < x.s; ++i) {
      const uint64_t seen = !x.causal ? x.t : i + 1 + x.t > x.s ? i + 1 + x.t - x.s : 0;
      const std::vector<uint64_t> row = replay.row(qs.data() + i * x.d, seen);
      expected.insert(expected.end(), row.begin(), row.end());
    }
    cases.run({titleOf(x),
               {{"q", q}, {"k", k}, {"v", v}},
               argumentsOf(x),
               arrayOf(bf16, {1, 1, x.s, x.e}, expected)});
  }
}

TEST(Attention, RefusesExtentsItHasNoRoomFor) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("attention");
  for (const Shape4& x : {Shape4{.d = 257}, Shape4{.e = 257}, Shape4{.h = 3, .g = 2}})
    cases.refuse({titleOf(x), randomInputs(x)}, "attention.c:");
}

}  // namespace
}  // namespace etalon::kernels
