// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>

#include "kernels/reference/probe_attention.h"
#include "kernels/reference/test_support.h"

namespace etalon::kernels {
namespace {

using enum ElementType;

/// How the host computes attention, in f32.
struct HostWay {
  bool causal = false;
  size_t block = 0;             // keys of a block of the online form; 0: two passes
  ElementType weights = f32;    // their type before they meet the values
  int64_t last_seen_error = 0;  // a defect: the mask is off by so many keys
  bool shares_heads = true;     // else a defect: head h takes the keys of head h modulo G
};

struct Head {
  const double* k;
  const double* v;
  uint64_t depth, columns;
};

float narrow(float weight, ElementType type) {
  return static_cast<float>(decode(type, encode(type, {static_cast<double>(weight), 0})));
}

std::vector<float> hostRow(const double* q, const Head& head, uint64_t seen, const HostWay& way) {
  const float scale = 1 / std::sqrt(static_cast<float>(head.depth));
  std::vector<float> scores(seen);
  for (uint64_t j = 0; j < seen; ++j) {
    for (uint64_t d = 0; d < head.depth; ++d)
      scores[j] += static_cast<float>(q[d]) * static_cast<float>(head.k[j * head.depth + d]);
    scores[j] *= scale;
  }
  std::vector<float> sums(head.columns);
  float sum = 0;
  float greatest = -INFINITY;
  const uint64_t block = way.block == 0 ? std::max<uint64_t>(seen, 1) : way.block;
  for (uint64_t first = 0; first < seen; first += block) {
    const uint64_t end = std::min(first + block, seen);
    const float next =
        std::max(greatest, *std::max_element(scores.begin() + static_cast<ptrdiff_t>(first),
                                             scores.begin() + static_cast<ptrdiff_t>(end)));
    const float shrink = first == 0 ? 0 : std::exp(greatest - next);
    greatest = next;
    sum *= shrink;
    for (float& each : sums) each *= shrink;
    for (uint64_t j = first; j < end; ++j) {
      const float weight = std::exp(scores[j] - greatest);
      sum += weight;
      for (uint64_t e = 0; e < head.columns; ++e)
        sums[e] += narrow(weight, way.weights) * static_cast<float>(head.v[j * head.columns + e]);
    }
  }
  for (float& each : sums) each = seen == 0 ? 0 : each / sum;
  return sums;
}

Array hostAttention(const Array& q, const Array& k, const Array& v, const HostWay& way = {}) {
  const std::vector<double> qs = elementValues(q);
  const std::vector<double> ks = elementValues(k);
  const std::vector<double> vs = elementValues(v);
  const uint64_t heads = q.shape[1], queries = q.shape[2], depth = q.shape[3];
  const uint64_t groups = k.shape[1], keys = k.shape[2], columns = v.shape[3];
  std::vector<uint64_t> bits;
  for (uint64_t row = 0; row < q.shape[0] * heads * queries; ++row) {
    const uint64_t b = row / queries / heads, h = row / queries % heads;
    const uint64_t g = way.shares_heads ? h * groups / heads : h % groups;
    const Head head = {ks.data() + (b * groups + g) * keys * depth,
                       vs.data() + (b * groups + g) * keys * columns, depth, columns};
    const int64_t seen = way.causal ? static_cast<int64_t>(row % queries + 1 + keys) -
                                          static_cast<int64_t>(queries) + way.last_seen_error
                                    : static_cast<int64_t>(keys);
    const int64_t clamped = std::clamp<int64_t>(seen, 0, static_cast<int64_t>(keys));
    for (const float y :
         hostRow(qs.data() + row * depth, head, static_cast<uint64_t>(clamped), way))
      bits.push_back(encode(q.type, {static_cast<double>(y), 0}));
  }
  return arrayOf(q.type, {q.shape[0], heads, queries, columns}, bits);
}

CheckReport check(const Array& q, const Array& k, const Array& v, const Array& y,
                  const Attributes& attributes = {}) {
  return reportOf(runCheck("attention", {{"q", &q}, {"k", &k}, {"v", &v}, {"y", &y}}, attributes));
}

TEST(Attention, KnowsTheMeanOfEqualKeysAndTheRatioOfTwo) {
  const Array q = arrayOfValues(f32, {1, 1, 1, 1}, {1});
  const Array equal = arrayOfValues(f32, {1, 1, 2, 1}, {3, 3});
  const Array v = arrayOfValues(f32, {1, 1, 2, 2}, {1, 9, 4, -9});
  EXPECT_TRUE(check(q, equal, v, arrayOfValues(f32, {1, 1, 1, 2}, {2.5, 0})).passed);
  EXPECT_FALSE(check(q, equal, v, arrayOfValues(f32, {1, 1, 1, 2}, {2.25, 0})).passed);
  // ln 2 apart: 1/3 of the first and 2/3 of the second.
  const Array apart = arrayOfValues(f32, {1, 1, 2, 1}, {0, static_cast<double>(0.69314718F)});
  EXPECT_TRUE(check(q, apart, v, arrayOfValues(f32, {1, 1, 1, 2}, {3, -3})).passed);
  EXPECT_FALSE(check(q, apart, v, arrayOfValues(f32, {1, 1, 1, 2}, {2, 3})).passed);
}

TEST(Attention, TakesTheScaleItIsGiven) {
  const Array q = arrayOfValues(f32, {1, 1, 1, 1}, {static_cast<double>(0.69314718F)});
  const Array k = arrayOfValues(f32, {1, 1, 2, 1}, {0, 1});
  const Array v = arrayOfValues(f32, {1, 1, 2, 1}, {0, 5});
  const Array y = arrayOfValues(f32, {1, 1, 1, 1}, {4});  // weights 1/5 and 4/5
  EXPECT_TRUE(check(q, k, v, y, {{"scale", "2"}}).passed);
  EXPECT_FALSE(check(q, k, v, y).passed);
}

TEST(Attention, AcceptsF32ArithmeticOnlineOrNotAndWeightsOfTheTypeItIsTold) {
  for (const ElementType type : {f32, bf16}) {
    const Array q = randomArray(type, {2, 4, 9, 16}, 1, 2);
    const Array k = randomArray(type, {2, 2, 70, 16}, 2, 1);
    const Array v = randomArray(type, {2, 2, 70, 5}, 3);
    for (const bool causal : {false, true}) {
      const Attributes direct = {{"causal", causal ? "1" : "0"}};
      const CheckReport report = check(q, k, v, hostAttention(q, k, v, {.causal = causal}), direct);
      EXPECT_TRUE(report.passed) << report.first_mismatch;
      EXPECT_GT(report.worst_ratio, 0);
      const Array online = hostAttention(q, k, v, {.causal = causal, .block = 16, .weights = bf16});
      Attributes attributes = {{"causal", causal ? "1" : "0"}, {"block", "16"}};
      if (type == f32) {
        EXPECT_FALSE(check(q, k, v, online, attributes).passed) << "weights are not f32";
      }
      attributes.emplace_back("weights", "bf16");
      const CheckReport told = check(q, k, v, online, attributes);
      EXPECT_TRUE(told.passed) << told.first_mismatch;
    }
  }
}

TEST(Attention, CatchesErrorsAboveTheBound) {
  const Array q = randomArray(f32, {1, 2, 5, 8}, 4);
  const Array k = randomArray(f32, {1, 1, 40, 8}, 5);
  const Array v = randomArray(f32, {1, 1, 40, 3}, 6);
  const Array y = hostAttention(q, k, v);
  // Scores below 8: the bound is at most (40 + 8 * 11 + 8) u, less than 2^-16, of max |v| < 1.
  ProbeRandom random(1);
  for (int i = 0; i < 60; ++i) {
    const auto index = static_cast<uint64_t>(random.between(0, 29));
    const Array bad = withFlippedBit(y, index, static_cast<int>(random.between(0, 31)));
    const double change = std::fabs(valueAt(bad, index) - valueAt(y, index));
    const bool passed = check(q, k, v, bad).passed;
    if (!(change < 0x1p-15)) {
      EXPECT_FALSE(passed) << change;
    } else if (change < 0x1p-26) {
      EXPECT_TRUE(passed) << change;
    }
  }
}

TEST(Attention, IsCausalFromTheEnd) {
  const Array zeros = arrayOfValues(f32, {1, 1, 2, 1}, {0, 0});
  const Array three = arrayOfValues(f32, {1, 1, 3, 1}, {0, 0, 0});
  const Array v = arrayOfValues(f32, {1, 1, 3, 1}, {2, 4, 9});
  const Attributes causal = {{"causal", "1"}};
  // Two queries, three keys: the first sees two.
  EXPECT_TRUE(check(zeros, three, v, arrayOfValues(f32, {1, 1, 2, 1}, {3, 5}), causal).passed);
  EXPECT_FALSE(check(zeros, three, v, arrayOfValues(f32, {1, 1, 2, 1}, {2, 3}), causal).passed);
  // Three queries, two keys: the first sees none.
  const Array v2 = arrayOfValues(f32, {1, 1, 2, 1}, {2, 4});
  EXPECT_TRUE(check(three, zeros, v2, arrayOfValues(f32, {1, 1, 3, 1}, {0, 2, 3}), causal).passed);
}

/// A weight of 0 that meets an infinity is NaN, unless the key is left out.
TEST(Attention, TreatsInfinitiesAndNansAsTheStandardDoes) {
  const double inf = INFINITY;
  const double nan = NAN;
  const Array q = arrayOfValues(f32, {1, 1, 2, 1}, {1, 1});
  const Array k = arrayOfValues(f32, {1, 1, 2, 1}, {-inf, 0});
  const Array v = arrayOfValues(f32, {1, 1, 2, 1}, {5, 7});
  const auto out = [](double a, double b) { return arrayOfValues(f32, {1, 1, 2, 1}, {a, b}); };
  EXPECT_TRUE(check(q, k, v, out(7, 7)).passed);
  EXPECT_FALSE(check(q, k, v, out(7, 6)).passed);
  EXPECT_TRUE(check(q, k, v, out(nan, 7), {{"causal", "1"}}).passed);  // -Inf alone
  EXPECT_FALSE(check(q, k, v, out(5, 7), {{"causal", "1"}}).passed);
  const Array bad = arrayOfValues(f32, {1, 1, 2, 1}, {0, nan});
  EXPECT_TRUE(check(q, bad, v, out(5, nan), {{"causal", "1"}}).passed);
  EXPECT_FALSE(check(q, bad, v, out(5, 6), {{"causal", "1"}}).passed);
  const Array even = arrayOfValues(f32, {1, 1, 2, 1}, {0, 0});
  const Array infinite = arrayOfValues(f32, {1, 1, 2, 1}, {5, inf});
  for (const double first : {5.0, nan})
    for (const double last : {inf, nan})
      EXPECT_TRUE(check(q, even, infinite, out(first, last), {{"causal", "1"}}).passed);
  EXPECT_FALSE(check(q, even, infinite, out(4, inf), {{"causal", "1"}}).passed);
  EXPECT_FALSE(check(q, even, infinite, out(5, -inf), {{"causal", "1"}}).passed);
}

TEST(Attention, CountsRowsWhoseScoresMayOverflowAsUnbounded) {
  const Array big = arrayOfValues(f32, {1, 1, 1, 2}, {0x1p100, 0x1p100});
  const Array k = arrayOfValues(f32, {1, 1, 1, 2}, {0x1p100, -0x1p100});
  const Array v = arrayOfValues(f32, {1, 1, 1, 1}, {1});
  const CheckReport report = check(big, k, v, arrayOfValues(f32, {1, 1, 1, 1}, {NAN}));
  EXPECT_TRUE(report.passed);
  EXPECT_EQ(report.unbounded, 1u);
}

TEST(Attention, NamesWhatDoesNotFit) {
  const Array q = randomArray(bf16, {1, 4, 3, 8}, 1);
  const Array k = randomArray(bf16, {1, 2, 5, 8}, 2);
  const Array v = randomArray(bf16, {1, 2, 5, 6}, 3);
  const Array three = randomArray(bf16, {1, 3, 5, 8}, 4);
  const Array y = randomArray(bf16, {1, 4, 3, 6}, 5);
  const auto message = [&](const Array& a, const Array& b, const Array& c, const Array& out,
                           const Attributes& attributes = {}) {
    return messageOf(
        runCheck("attention", {{"q", &a}, {"k", &b}, {"v", &c}, {"y", &out}}, attributes));
  };
  EXPECT_EQ(
      message(q, v, v, y),
      "check attention: k: bf16[1, 2, 5, 6]; from q: bf16[1, 4, 3, 8] it would be [1, G, T, 8]");
  EXPECT_EQ(
      message(q, k, three, y),
      "check attention: v: bf16[1, 3, 5, 8]; from k: bf16[1, 2, 5, 8] it would be [1, 2, 5, E]");
  EXPECT_EQ(message(q, three, three, y),
            "check attention: 4 heads of queries are no multiple of 3 of keys");
  EXPECT_THAT(message(q, k, v, q), testing::HasSubstr("it would be [1, 4, 3, 6]"));
  EXPECT_THAT(message(q, k, v, y, {{"weights", "i8"}}), testing::HasSubstr("weights"));
}

std::vector<AttentionProbeShape> probeShapes() {
  return {{.t = 1, .d = 2, .e = 1},
          {.b = 2, .h = 4, .g = 2, .s = 9, .t = 70, .d = 7, .e = 5},
          {.b = 2, .h = 3, .g = 1, .s = 40, .t = 33, .d = 4, .e = 3, .causal = true}};
}

TEST(AttentionProbe, HasOneAnswerWhateverBlocksAndWeights) {
  for (const AttentionProbeShape& shape : probeShapes()) {
    const AttentionProbe probe = *makeAttentionProbe(bf16, shape, 7);
    for (const size_t block : {0, 1, 16})
      for (const ElementType weights : {f32, bf16, f16}) {
        const Array y = hostAttention(probe.q, probe.k, probe.v,
                                      {.causal = shape.causal, .block = block, .weights = weights});
        EXPECT_EQ(y.data, probe.expected.data) << block;
      }
    const CheckReport report =
        check(probe.q, probe.k, probe.v, probe.expected, {{"causal", shape.causal ? "1" : "0"}});
    EXPECT_TRUE(report.passed) << report.first_mismatch;
  }
}

TEST(AttentionProbe, CatchesMasksOffByOneAndHeadsOfOtherKeys) {
  const AttentionProbe causal = *makeAttentionProbe(bf16, probeShapes()[2], 7);
  for (const int64_t error : {-1, 1}) {
    const HostWay way = {.causal = true, .last_seen_error = error};
    EXPECT_NE(hostAttention(causal.q, causal.k, causal.v, way).data, causal.expected.data);
  }
  const AttentionProbe grouped = *makeAttentionProbe(bf16, probeShapes()[1], 7);
  EXPECT_NE(hostAttention(grouped.q, grouped.k, grouped.v, {.shares_heads = false}).data,
            grouped.expected.data);
}

std::string probeError(const Result<AttentionProbe>& result) {
  return result.ok() ? "" : result.error().message;
}

TEST(AttentionProbe, RefusesWhatHasNoCodes) {
  EXPECT_EQ(probeError(makeAttentionProbe(f16, {}, 1)),
            "attention probe: type f16; it is bf16 or f32");
  EXPECT_EQ(probeError(makeAttentionProbe(bf16, {.d = 1}, 1)),
            "attention probe: D is 1; codes need 2..256");
  EXPECT_EQ(probeError(makeAttentionProbe(bf16, {.h = 3, .g = 2}, 1)),
            "attention probe: H is 3, no multiple of G = 2");
  EXPECT_EQ(probeError(makeAttentionProbe(bf16, {.b = 2, .lengths = {1}}, 1)),
            "attention probe: 1 lengths; it takes one a b (2), each 0..1");
}

}  // namespace
}  // namespace etalon::kernels
