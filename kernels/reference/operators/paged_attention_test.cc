// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/reference/probe_attention.h"
#include "kernels/reference/test_support.h"

namespace etalon::kernels {
namespace {

using enum ElementType;

Result<CheckReport> run(const Array& q, const Array& k, const Array& v, const Array& table,
                        const Array& lengths, const Array& y) {
  return runCheck(
      "paged_attention",
      {{"q", &q}, {"k", &k}, {"v", &v}, {"table", &table}, {"lengths", &lengths}, {"y", &y}});
}

// Three pages of two tokens, one head; keys are equal, so that outputs are means.
const Array kKeys = arrayOfValues(f32, {3, 2, 1, 1}, {0, 0, 0, 0, 0, 0});
const Array kValues = arrayOfValues(f32, {3, 2, 1, 1}, {1, 2, 4, 8, 16, 32});
const Array kQueries = arrayOfValues(f32, {2, 1, 1}, {1, 1});

TEST(PagedAttention, FollowsTheTableToTheLengthOfEachSequence) {
  const Array table = arrayOfValues(i32, {2, 2}, {2, 0, 1, -7});
  const Array lengths = arrayOfValues(i32, {2}, {3, 2});
  const Array y = arrayOfValues(f32, {2, 1, 1}, {49 / 3.0F, 6});  // 16, 32, 1; 4, 8
  EXPECT_TRUE(reportOf(run(kQueries, kKeys, kValues, table, lengths, y)).passed);
  const Array longer = arrayOfValues(i32, {2}, {4, 2});
  EXPECT_FALSE(reportOf(run(kQueries, kKeys, kValues, table, longer, y)).passed);
  const Array other = arrayOfValues(i32, {2, 2}, {2, 1, 1, -7});
  EXPECT_FALSE(reportOf(run(kQueries, kKeys, kValues, other, lengths, y)).passed);
}

TEST(PagedAttention, GivesZeroForASequenceWithoutTokens) {
  const Array table = arrayOfValues(i32, {2, 1}, {99, 1});
  const Array lengths = arrayOfValues(i32, {2}, {0, 1});
  const Array y = arrayOfValues(f32, {2, 1, 1}, {0, 4});
  EXPECT_TRUE(reportOf(run(kQueries, kKeys, kValues, table, lengths, y)).passed);
  EXPECT_FALSE(
      reportOf(run(kQueries, kKeys, kValues, table, lengths, withFlippedBit(y, 0, 25))).passed);
}

TEST(PagedAttention, SharesHeadsOfKeysAmongNeighbouringHeadsOfQueries) {
  const Array q = arrayOfValues(f32, {1, 4, 1}, {1, 1, 1, 1});
  const Array k = arrayOfValues(f32, {1, 2, 2, 1}, {0, 0, 0, 0});
  const Array v = arrayOfValues(f32, {1, 2, 2, 1}, {1, 10, 3, 30});  // head 0: 1, 3; head 1: 10, 30
  const Array table = arrayOfValues(i32, {1, 1}, {0});
  const Array lengths = arrayOfValues(i32, {1}, {2});
  EXPECT_TRUE(
      reportOf(run(q, k, v, table, lengths, arrayOfValues(f32, {1, 4, 1}, {2, 2, 20, 20}))).passed);
  EXPECT_FALSE(
      reportOf(run(q, k, v, table, lengths, arrayOfValues(f32, {1, 4, 1}, {2, 20, 2, 20}))).passed);
}

/// Sequence b's keys as page b of a cache whose pages hold T tokens.
Array asPages(const Array& keys) {
  const uint64_t heads = keys.shape[1], tokens = keys.shape[2], columns = keys.shape[3];
  const std::vector<uint64_t> from = elementBits(keys);
  std::vector<uint64_t> to(from.size());
  for (uint64_t i = 0; i < from.size(); ++i) {
    const uint64_t row = i / columns, head = row / tokens % heads, token = row % tokens;
    to[((row / tokens / heads * tokens + token) * heads + head) * columns + i % columns] = from[i];
  }
  return arrayOf(keys.type, {keys.shape[0], tokens, heads, columns}, to);
}

TEST(PagedAttention, AcceptsTheExactProbesOfRaggedLengths) {
  const AttentionProbeShape shape = {
      .b = 3, .h = 4, .g = 2, .t = 60, .d = 16, .e = 4, .lengths = {0, 60, 17}};
  const AttentionProbe probe = *makeAttentionProbe(bf16, shape, 7);
  const Array q = arrayOf(bf16, {3, 4, 16}, elementBits(probe.q));
  const Array y = arrayOf(bf16, {3, 4, 4}, elementBits(probe.expected));
  const Array k = asPages(probe.k), v = asPages(probe.v);
  const Array table = arrayOfValues(i32, {3, 1}, {0, 1, 2});
  const CheckReport report = reportOf(run(q, k, v, table, arrayOfValues(i32, {3}, {0, 60, 17}), y));
  EXPECT_TRUE(report.passed) << report.first_mismatch;
}

TEST(PagedAttention, NamesWhatDoesNotFit) {
  const Array y = arrayOfValues(f32, {2, 1, 1}, {0, 0});
  const auto message = [&](const Array& table, const Array& lengths) {
    return messageOf(run(kQueries, kKeys, kValues, table, lengths, y));
  };
  const Array table = arrayOfValues(i32, {2, 2}, {2, 0, 3, 0});
  EXPECT_EQ(message(table, arrayOfValues(i32, {2}, {5, 1})),
            "check paged_attention: length 5 of sequence 0; 2 page(s) of 2 hold 0 to 4");
  EXPECT_EQ(message(table, arrayOfValues(i32, {2}, {3, 1})),
            "check paged_attention: page 0 of sequence 1 is 3; the cache has 3 page(s)");
  EXPECT_EQ(message(table, arrayOfValues(i32, {3}, {3, 1, 1})),
            "check paged_attention: lengths: i32[3]; from q: f32[2, 1, 1] it has 2 row(s)");
  EXPECT_THAT(message(arrayOfValues(i32, {2}, {0, 0}), arrayOfValues(i32, {2}, {1, 1})),
              testing::HasSubstr("it must have 2 axes"));
}

}  // namespace
}  // namespace etalon::kernels
