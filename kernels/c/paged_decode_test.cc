// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "kernels/c/kernel_cases.h"
#include "kernels/reference/element_data.h"
#include "kernels/reference/probe_attention.h"
#include "kernels/reference/probe_plan.h"

namespace etalon::kernels {
namespace {

using enum ElementType;

struct PagedShape {
  std::vector<uint64_t> lengths;  // one a sequence
  uint64_t h, g, d, e;
  uint64_t tokens;     // L, of a page
  uint64_t spare = 2;  // pages of the cache that no sequence has
};

std::string titleOf(const PagedShape& x) {
  const uint64_t most = x.lengths.empty() ? 0 : *std::ranges::max_element(x.lengths);
  return fmt::format("N={} most {} tokens, H={} G={} D={} E={} L={}", x.lengths.size(), most, x.h,
                     x.g, x.d, x.e, x.tokens);
}

/// Blocks are as many pages as fit in 512 tokens. In the last, the cache has more than 8 MiB, a
/// local memory; its bound is dear, and the probe judges it.
const PagedShape kShapes[] = {
    {{}, 2, 1, 4, 4, 16},
    {{3}, 0, 1, 4, 4, 16},
    {{3}, 2, 1, 4, 0, 16},
    {{0}, 2, 1, 4, 3, 16, 0},
    {{0, 0, 0}, 4, 2, 4, 3, 16},
    {{1}, 1, 1, 2, 1, 1},
    {{1, 2, 3}, 1, 1, 2, 1, 1},
    {{513}, 3, 1, 8, 5, 1},
    {{16, 15, 17, 0, 1}, 8, 2, 64, 48, 16},
    {{511, 512, 513}, 4, 4, 32, 16, 16},
    {{33, 700, 5, 64, 1025, 2, 0, 129}, 8, 1, 16, 24, 64},
    {{100, 50, 25, 12}, 6, 2, 7, 5, 7},
    {{600, 1, 600}, 2, 2, 12, 4, 48},
    {{1023, 1024, 1025}, 5, 1, 20, 20, 512},
    {{513, 400}, 4, 2, 10, 6, 511},
    {{900, 3}, 2, 1, 6, 4, 257},
    {{77, 1100}, 64, 8, 40, 40, 32},
    {{130}, 256, 1, 8, 8, 128},
    {{1537}, 16, 2, 256, 256, 16},
    {{61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107}, 7, 7, 3, 2, 13},
    {{300, 299, 1, 0, 0, 47}, 12, 3, 129, 127, 3},
    {{1}, 32, 32, 128, 128, 128},
    {{4099, 9000, 1}, 2, 1, 256, 250, 256},
};

/// Pages of the sequences in a random order; entries that no token needs name no page.
struct Pages {
  std::vector<std::vector<uint64_t>> of;  // sequence
  uint64_t count = 0;                     // of the cache
  uint64_t most = 0;                      // M
};

Pages drawPages(const PagedShape& x) {
  ProbeRandom random(x.tokens);
  Pages pages;
  pages.count = x.spare;
  for (const uint64_t length : x.lengths) pages.count += (length + x.tokens - 1) / x.tokens;
  std::vector<uint64_t> free(pages.count);
  std::iota(free.begin(), free.end(), 0);
  for (size_t i = free.size(); i > 1; --i)
    std::swap(free[i - 1],
              free[static_cast<size_t>(random.between(0, static_cast<int64_t>(i) - 1))]);
  for (const uint64_t length : x.lengths) {
    std::vector<uint64_t>& own = pages.of.emplace_back();
    for (uint64_t j = 0; j < length; j += x.tokens) {
      own.push_back(free.back());
      free.pop_back();
    }
    pages.most = std::max<uint64_t>(pages.most, own.size());
  }
  pages.most += 1;
  return pages;
}

abi::Array tableOf(const Pages& pages) {
  std::vector<uint64_t> bits;
  for (const std::vector<uint64_t>& own : pages.of) {
    bits.insert(bits.end(), own.begin(), own.end());
    bits.resize(bits.size() + pages.most - own.size(), 0x7fffffff);
  }
  return arrayOf(i32, {pages.of.size(), pages.most}, bits);
}

abi::Array lengthsOf(const PagedShape& x) {
  return arrayOf(i32, {x.lengths.size()}, {x.lengths.begin(), x.lengths.end()});
}

/// Keys or values [N, G, T, columns] of each sequence in its pages; the rest of the cache is NaN.
abi::Array inPages(const abi::Array& rows, const Pages& pages, const PagedShape& x) {
  const uint64_t most = rows.shape[2], columns = rows.shape[3];
  const std::vector<uint64_t> from = elementBits(rows);
  std::vector<uint64_t> to(pages.count * x.tokens * x.g * columns, 0x7fc0);
  for (uint64_t n = 0; n < x.lengths.size(); ++n)
    for (uint64_t g = 0; g < x.g; ++g)
      for (uint64_t j = 0; j < x.lengths[n]; ++j) {
        const uint64_t token = pages.of[n][j / x.tokens] * x.tokens + j % x.tokens;
        std::copy_n(from.begin() + static_cast<ptrdiff_t>(((n * x.g + g) * most + j) * columns),
                    columns, to.begin() + static_cast<ptrdiff_t>((token * x.g + g) * columns));
      }
  return arrayOf(bf16, {pages.count, x.tokens, x.g, columns}, to);
}

TEST(PagedDecode, MeetsExactProbesOfEveryShape) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("paged_decode");
  for (const PagedShape& x : kShapes) {
    const uint64_t n = x.lengths.size();
    const uint64_t most = n == 0 ? 0 : *std::ranges::max_element(x.lengths);
    const Result<AttentionProbe> probe = makeAttentionProbe(
        bf16, {.b = n, .h = x.h, .g = x.g, .t = most, .d = x.d, .e = x.e, .lengths = x.lengths},
        31);
    ASSERT_TRUE(probe.ok()) << probe.error().message;
    const Pages pages = drawPages(x);
    cases.run({titleOf(x),
               {{"q", arrayOf(bf16, {n, x.h, x.d}, elementBits(probe->q))},
                {"k", inPages(probe->k, pages, x)},
                {"v", inPages(probe->v, pages, x)},
                {"table", tableOf(pages)},
                {"lengths", lengthsOf(x)}},
               {},
               arrayOf(bf16, {n, x.h, x.e}, elementBits(probe->expected))});
  }
  EXPECT_GE(cases.count(), 20);
}

std::vector<CaseInput> randomInputs(const PagedShape& x, const Pages& pages) {
  return {{"q", randomSource(1, {x.lengths.size(), x.h, x.d})},
          {"k", randomSource(2, {pages.count, x.tokens, x.g, x.d})},
          {"v", randomSource(3, {pages.count, x.tokens, x.g, x.e})},
          {"table", tableOf(pages)},
          {"lengths", lengthsOf(x)}};
}

TEST(PagedDecode, IsWithinItsBoundForEveryShape) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("paged_decode");
  constexpr const char* kScales[] = {"0", "9", "-2.5"};
  for (const PagedShape& x : std::span(kShapes).first(std::size(kShapes) - 1))
    cases.run({titleOf(x), randomInputs(x, drawPages(x)), {{"scale", kScales[cases.count() % 3]}}});
  EXPECT_GE(cases.count(), 20);
}

/// As sequences with a common beginning do.
TEST(PagedDecode, LetsSequencesSharePages) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("paged_decode");
  const PagedShape x = {{40, 40, 70}, 4, 2, 16, 8, 32};
  Pages pages = drawPages(x);
  pages.of[1] = pages.of[0];
  pages.of[2][0] = pages.of[0][0];
  cases.run({"shared pages", randomInputs(x, pages)});
}

TEST(PagedDecode, RefusesLengthsAndPagesThatDoNotExist) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("paged_decode");
  PagedShape x = {{40, 7}, 2, 1, 4, 4, 16};
  Pages pages = drawPages(x);
  x.lengths[1] = 65;
  cases.refuse({"length", randomInputs(x, pages)},
               "paged_decode: lengths[1] is 65; 4 page(s) of 16 hold 0 to 64");
  x.lengths[1] = 0xffffffff;
  cases.refuse({"negative length", randomInputs(x, pages)}, "lengths[1] is -1;");
  x.lengths[1] = 7;
  pages.of[1][0] = pages.count;
  cases.refuse({"page", randomInputs(x, pages)},
               "paged_decode: the block table names a page outside the cache of 6 page(s)");
}

TEST(PagedDecode, RefusesExtentsItHasNoRoomFor) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("paged_decode");
  const PagedShape shapes[] = {{{3}, 1, 1, 257, 4, 16},
                               {{3}, 1, 1, 4, 257, 16},
                               {{3}, 1, 1, 4, 4, 513},
                               {{3}, 3, 2, 4, 4, 16},
                               {{3}, 257, 1, 4, 4, 16}};
  for (const PagedShape& x : shapes)
    cases.refuse({titleOf(x), randomInputs(x, drawPages(x))}, "paged_decode.c:");
}

}  // namespace
}  // namespace etalon::kernels
