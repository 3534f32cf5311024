// SPDX-License-Identifier: Apache-2.0
#include "sim/units/burst_walk.h"

#include <gtest/gtest.h>

#include <set>

#include "isa/base/fuzz_scale.h"
#include "isa/state/brute_force.h"

namespace etalon::sim {
namespace {

using isa::ViewDescriptor;
namespace brute_force = isa::brute_force;

constexpr BurstWalk::Limits kLimits = {
    .burst_bytes = 64, .request_bytes = 256, .most_elements = 1'000'000};

std::vector<WalkItem> itemsOf(const ViewDescriptor& view, const BurstWalk::Limits& limits = kLimits,
                              int axis = isa::kNoNamedAxis, std::span<const int64_t> indices = {}) {
  BurstWalk walk(view, axis, indices, limits);
  std::vector<WalkItem> items;
  for (WalkItem item; walk.next(item);) items.push_back(item);
  return items;
}

/// rows x columns bytes, `stride` apart, `step` columns from one to the next.
ViewDescriptor bytes(uint64_t base, uint32_t rows, uint32_t columns, int64_t stride,
                     int32_t step = 1) {
  ViewDescriptor v;
  v.base = base;
  v.type = static_cast<uint8_t>(ElementType::u8);
  v.naxes = v.nbox = 2;
  v.ncol = 1;
  v.axes[0] = {rows, stride, 0};
  v.axes[1] = {uint64_t{1} << 30, 1, step < 0 ? static_cast<int64_t>(columns) * -step : 0};
  v.box[0] = {rows, 0, 1};
  v.box[1] = {columns, 1, step};
  return v;
}

TEST(BurstWalk, ARowOf256AlignedBytesIsOneRequestOfFourPieces) {
  const auto items = itemsOf(bytes(0x1000, 3, 256, 4096));
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[1].address, 0x2000u);
  EXPECT_EQ(items[1].bytes, 256u);
  EXPECT_EQ(items[1].pieces, 4u);
  EXPECT_EQ(items[1].row, 1u);
  EXPECT_EQ(items[1].elements, 256u);
}

TEST(BurstWalk, ALongRunIsCutAtRequests) {
  const auto items = itemsOf(bytes(0x1020, 1, 512, 4096));
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].bytes, 256u - 0x20);
  EXPECT_EQ(items[0].pieces, 4u);
  EXPECT_EQ(items[1].bytes, 256u);
  EXPECT_EQ(items[2].bytes, 0x20u);
  EXPECT_EQ(items[2].pieces, 1u);
  EXPECT_EQ(items[2].column, 512u - 0x20);
}

TEST(BurstWalk, ShortRowsThatMeetInABurstMerge) {
  const auto items = itemsOf(bytes(0x1000, 16, 16, 16));
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].bytes, 256u);
  EXPECT_EQ(items[0].pieces, 16u) << "each run is formed";
}

TEST(BurstWalk, RowsABurstApartDoNotMerge) {
  // Bursts 0 and 2 of a block: what is between is not wanted.
  EXPECT_EQ(itemsOf(bytes(0x1000, 2, 16, 128)).size(), 2u);
  EXPECT_EQ(itemsOf(bytes(0x1000, 2, 16, 64)).size(), 1u);
}

TEST(BurstWalk, SpreadElementsOfABlockAreOneRequest) {
  const auto items = itemsOf(bytes(0x1000, 1, 32, 0, 16));
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].elements, 16u);
  EXPECT_EQ(items[0].pieces, 16u);
  EXPECT_EQ(items[0].bytes, 15u * 16 + 1);
}

TEST(BurstWalk, ReversedElementsOfABlockAreOneRequest) {
  const auto items = itemsOf(bytes(0x1000, 1, 64, 0, -4));
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].address, 0x1100u) << "the element that begins the last block is alone there";
  EXPECT_EQ(items[0].elements, 1u);
  EXPECT_EQ(items[1].address, 0x1004u);
  EXPECT_EQ(items[1].elements, 63u);
}

TEST(BurstWalk, ARepeatedRowIsReadAgainWhenAnItemIsFull) {
  // 64 rows of the same 64 bytes; an item holds 16 of them.
  auto limits = kLimits;
  limits.most_elements = 1024;
  const auto items = itemsOf(bytes(0x1000, 64, 64, 0), limits);
  ASSERT_EQ(items.size(), 4u);
  for (const WalkItem& item : items) EXPECT_EQ(item.elements, 1024u);
}

TEST(BurstWalk, FillIsCutWhereAnItemIsFull) {
  ViewDescriptor v = bytes(0x1000, 1, 100, 0);
  v.axes[1].dim = 0;
  auto limits = kLimits;
  limits.most_elements = 40;
  const auto items = itemsOf(v, limits);
  ASSERT_EQ(items.size(), 3u);
  EXPECT_FALSE(items[2].inside);
  EXPECT_EQ(items[2].column, 80u);
  EXPECT_EQ(items[2].elements, 20u);
}

struct Placed {
  uint64_t row, column, lo, hi;  // bytes [lo, hi)
};

/// Every inside element in row-major order, from the definition.
template <class Definition>
std::vector<Placed> insideOf(const ViewDescriptor& view, Definition&& definition) {
  std::vector<Placed> inside;
  const uint64_t nibbles = static_cast<uint64_t>(brute_force::typeBits(view.type)) / 4;
  for (uint64_t r = 0; r < view.rows(); ++r)
    for (uint64_t c = 0; c < view.columns(); ++c) {
      const brute_force::Element e = definition(r, c);
      if (!e.inside) continue;
      const auto nibble = static_cast<uint64_t>(e.nibble);
      inside.push_back({r, c, nibble / 2, (nibble + nibbles + 1) / 2});
    }
  return inside;
}

bool mergeable(const WalkItem& item, const Placed& next) {
  const uint64_t first = item.address / 64, last = (item.address + item.bytes - 1) / 64;
  return item.address / 256 == next.lo / 256 && next.lo / 64 <= last + 1 &&
         next.lo / 64 + 1 >= first;
}

/// The requests hold the inside elements in order, are tight, without a burst that nobody wants, and no two could be one.
void expectRequests(const std::vector<WalkItem>& items, const std::vector<Placed>& inside,
                    uint64_t elements) {
  uint64_t next = 0, counted = 0;
  const WalkItem* before = nullptr;
  for (const WalkItem& item : items) {
    ASSERT_GE(item.elements, 1u);
    counted += item.elements;
    if (!item.inside) continue;
    ASSERT_LE(next + item.elements, inside.size());
    const Placed& first = inside[next];
    ASSERT_EQ(first.row, item.row);
    ASSERT_EQ(first.column, item.column);
    ASSERT_FALSE(before && mergeable(*before, first));
    uint64_t lo = ~uint64_t{0}, hi = 0;
    std::set<uint64_t> bursts;
    for (uint64_t i = 0; i < item.elements; ++i) {
      const Placed& e = inside[next + i];
      lo = std::min(lo, e.lo);
      hi = std::max(hi, e.hi);
      bursts.insert(e.lo / 64);
    }
    ASSERT_EQ(lo, item.address);
    ASSERT_EQ(hi, item.address + item.bytes);
    ASSERT_EQ(lo / 256, (hi - 1) / 256);
    ASSERT_EQ(bursts.size(), (hi - 1) / 64 - lo / 64 + 1);
    next += item.elements;
    before = &item;
  }
  EXPECT_EQ(next, inside.size());
  EXPECT_EQ(counted, elements);
}

TEST(BurstWalk, AgreesWithTheDefinitionOnRandomViews) {
  brute_force::Rng rng(21);
  const int views = static_cast<int>(20000 * fuzzScale());
  for (int seed = 0; seed < views; ++seed) {
    const ViewDescriptor view = seed % 4 == 3 ? brute_force::randomPackedView(rng)
                                              : brute_force::randomView(rng, seed % 2 == 0);
    expectRequests(itemsOf(view),
                   insideOf(view, [&](uint64_t r,
                                      uint64_t c) { return brute_force::viewElement(view, r, c); }),
                   view.rows() * view.columns());
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
}

TEST(BurstWalk, AgreesWithTheDefinitionOnGathers) {
  brute_force::Rng rng(22);
  int walked = 0;
  for (int seed = 0; seed < 10000; ++seed) {
    const ViewDescriptor view = brute_force::randomView(rng, seed % 2 == 0);
    const int axis = brute_force::someNamedAxis(rng, view);
    if (axis == isa::kNoNamedAxis || view.empty()) continue;
    ++walked;
    std::vector<int64_t> indices(view.box[0].extent);
    for (int64_t& index : indices) index = brute_force::between(rng, -2, 5);
    const bool in_columns = view.ncol == view.nbox;
    const uint64_t inner = (in_columns ? view.columns() : view.rows()) / indices.size();
    const auto inside = insideOf(view, [&](uint64_t r, uint64_t c) {
      return brute_force::viewElement(view, r, c, axis, indices[(in_columns ? c : r) / inner]);
    });
    // In columns, the walk goes index by index, not row by row; with one row that is the same.
    ASSERT_TRUE(!in_columns || view.rows() == 1);
    expectRequests(itemsOf(view, kLimits, axis, indices), inside, view.rows() * view.columns());
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(walked, 500);
}

TEST(BurstWalk, AHugeBoxCostsNothingUntilItIsWalked) {
  BurstWalk walk(bytes(0, 1 << 23, 1 << 23, 1 << 23), isa::kNoNamedAxis, {}, kLimits);
  WalkItem item;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(walk.next(item));
    ASSERT_EQ(item.address, static_cast<uint64_t>(i) * 256);
  }
}

}  // namespace
}  // namespace etalon::sim
