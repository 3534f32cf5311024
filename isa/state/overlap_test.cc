// SPDX-License-Identifier: Apache-2.0
#include "isa/state/overlap.h"

#include <gtest/gtest.h>

#include <bitset>
#include <set>

#include "isa/state/brute_force.h"
#include "isa/state/rule_test.h"

namespace etalon::isa {
namespace {

using brute_force::insideElements;
using brute_force::Rng;
using brute_force::someNamedAxis;
using brute_force::typeBits;

using Bytes = std::bitset<2048>;

void addNibbles(Bytes& bytes, uint64_t first_nibble, int bits) {
  for (int n = 0; n < bits / 4; ++n) bytes.set((first_nibble + n) / 2);
}

Bytes bytesOf(const TileRegister& t) {
  Bytes bytes;
  for (uint64_t r = 0; r < uint64_t{t.outer} * t.inner; ++r)
    for (uint64_t c = 0; c < t.cols; ++c)
      addNibbles(bytes, brute_force::tileNibble(t, r, c), typeBits(t.type));
  return bytes;
}

TileRegister tile(ElementType type, uint32_t base, uint32_t rows, uint32_t cols, uint32_t stride) {
  TileRegister t;
  t.type = static_cast<uint8_t>(type);
  t.base = base;
  t.outer = 1;
  t.inner = rows;
  t.cols = cols;
  t.istride = stride;
  return t;
}

bool overlapBothWays(const TileRegister& a, const TileRegister& b) {
  EXPECT_EQ(mayOverlap(a, b), mayOverlap(b, a));
  return mayOverlap(a, b);
}

TEST(Overlap, NeverSaysNoToTilesThatShareAByte) {
  SHOWS(overlap_tiles);
  Rng rng(3);
  int disjoint = 0, said_no = 0;
  for (int seed = 0; seed < 150000; ++seed) {
    const TileRegister a = brute_force::randomTile(rng);
    TileRegister b = brute_force::randomTile(rng);
    if (seed % 2 == 0) {  // the same shape elsewhere: where the row, block and column rules live
      const uint32_t base = b.base, outer = b.outer, inner = b.inner, cols = b.cols;
      b = a;
      b.base = base / 8 * 8 + a.base % 8;
      if (seed % 4 == 0) b.outer = outer, b.inner = inner, b.cols = cols;
    }
    ASSERT_FALSE(checkTile(a) || checkTile(b));
    const bool shared = (bytesOf(a) & bytesOf(b)).any();
    const bool may = overlapBothWays(a, b);
    ASSERT_TRUE(may || !shared) << "seed " << seed;
    ASSERT_FALSE(may && (a.empty() || b.empty()));
    disjoint += !shared && !a.empty() && !b.empty();
    said_no += !may && !a.empty() && !b.empty();
  }
  RecordProperty("disjoint_pairs", disjoint);
  RecordProperty("said_no", said_no);
  // Random strides seldom follow the rules; interval and repeated shapes still decide most pairs.
  EXPECT_GT(said_no, disjoint / 2);
}

TEST(Overlap, NeverSaysNoToATileAndAnIntervalThatShareAByte) {
  SHOWS(alias_view);
  Rng rng(4);
  int said_no = 0;
  for (int seed = 0; seed < 30000; ++seed) {
    const TileRegister a = brute_force::randomTile(rng);
    const int64_t lo = brute_force::between(rng, -20, 300);
    const int64_t hi = lo + brute_force::between(rng, 0, 24);
    const Bytes bytes = bytesOf(a);
    bool shared = false;
    for (int64_t i = std::max<int64_t>(lo, 0); i < hi; ++i) shared |= bytes.test(i);
    const bool may = mayOverlap(a, ByteInterval{lo, hi});
    ASSERT_TRUE(may || !shared) << "seed " << seed;
    ASSERT_FALSE(may && lo == hi);
    said_no += !may;
  }
  EXPECT_GT(said_no, 5000);
}

TEST(Overlap, SaysNoToTilesSideBySideInOneMatrix) {
  SHOWS(overlap_tiles);
  // Left and right halves of rows of 64 bytes.
  EXPECT_FALSE(overlapBothWays(tile(ElementType::bf16, 0, 8, 16, 64),
                               tile(ElementType::bf16, 32, 8, 16, 64)));
  EXPECT_TRUE(overlapBothWays(tile(ElementType::bf16, 0, 8, 16, 64),
                              tile(ElementType::bf16, 30, 8, 16, 64)));
}

TEST(Overlap, SaysNoToInterleavedRows) {
  SHOWS(overlap_tiles);
  // Even and odd rows of the same matrix.
  EXPECT_FALSE(overlapBothWays(tile(ElementType::f32, 0, 8, 16, 128),
                               tile(ElementType::f32, 64, 8, 16, 128)));
  EXPECT_TRUE(overlapBothWays(tile(ElementType::f32, 0, 8, 16, 128),
                              tile(ElementType::f32, 64, 8, 17, 128)));
}

TEST(Overlap, SaysNoToInterleavedRowsWithinBlocks) {
  TileRegister a = tile(ElementType::u8, 0, 4, 8, 16);
  a.outer = 3;
  a.ostride = 100;
  TileRegister b = a;
  b.base = 8;
  EXPECT_FALSE(overlapBothWays(a, b));
  b.ostride = a.ostride = 64;  // merges into one run of 12 rows
  EXPECT_FALSE(overlapBothWays(a, b));
  b.ostride = a.ostride = 56;  // blocks run into each other: row 0 of one is row 4 of the last
  EXPECT_TRUE(overlapBothWays(a, b));
}

TEST(Overlap, SaysNoToInterleavedBlocks) {
  SHOWS(overlap_tiles);
  TileRegister a = tile(ElementType::u8, 0, 2, 10, 12);
  a.outer = 4;
  a.ostride = 64;
  TileRegister b = tile(ElementType::u8, 32, 3, 7, 8);
  b.outer = 4;
  b.ostride = 64;
  EXPECT_FALSE(overlapBothWays(a, b));
  b.base = 42;  // ends at 65, in the next block
  EXPECT_TRUE(overlapBothWays(a, b));
}

TEST(Overlap, SaysNoToInterleavedColumns) {
  SHOWS(overlap_tiles);
  for (const uint8_t step : {2, 4}) {
    TileRegister a = tile(ElementType::f16, 0, 4, 8, 64);
    a.step = step;
    TileRegister b = a;
    for (uint32_t column = 1; column < step; ++column) {
      b.base = 2 * column;
      EXPECT_FALSE(overlapBothWays(a, b)) << int{step} << " " << column;
    }
    b.base = 2 * step;
    EXPECT_TRUE(overlapBothWays(a, b));
    b.base = 2;
    a.istride = 66;  // no multiple of step * size: the columns of row 1 have moved
    EXPECT_TRUE(overlapBothWays(a, b));
  }
}

TEST(Overlap, TakesASingleColumnAsStepOne) {
  SHOWS(overlap_canonical);
  // The column rule would tell these apart; canonical form comes first, and the rule is normative.
  TileRegister a = tile(ElementType::u8, 0, 4, 1, 4), b = tile(ElementType::u8, 1, 4, 1, 6);
  a.step = b.step = 2;
  EXPECT_TRUE(overlapBothWays(a, b));
  a.cols = b.cols = 2;
  EXPECT_FALSE(overlapBothWays(a, b));
}

TEST(Overlap, SaysYesToATileAndItself) {
  const TileRegister a = tile(ElementType::i8, 16, 3, 5, 8);
  EXPECT_TRUE(mayOverlap(a, a));
}

TEST(Overlap, IgnoresEmptyTiles) {
  SHOWS(alias_empty);
  const TileRegister a = tile(ElementType::i8, 16, 3, 5, 8);
  EXPECT_FALSE(overlapBothWays(a, tile(ElementType::i8, 16, 0, 5, 8)));
  EXPECT_FALSE(overlapBothWays(a, tile(ElementType::i8, 16, 3, 0, 8)));
}

TEST(Overlap, IsExactForTheLargestTiles) {
  TileRegister a = tile(ElementType::i64, 0xFFFFFFF8, kMaxCount, kMaxCount, 0xFFFFFFF8);
  a.outer = kMaxCount;
  a.ostride = 0xFFFFFFF8;
  a.step = 4;
  EXPECT_TRUE(mayOverlap(a, a));
  EXPECT_FALSE(overlapBothWays(a, tile(ElementType::i8, 0, 1, 8, 0)));
}

/// First address of the window of bytes that small views live in.
constexpr uint64_t kWindow = (1 << 20) - 40000;
using ViewBytes = std::bitset<80000>;

ViewBytes bytesOf(const ViewDescriptor& v, int named_axis) {
  ViewBytes bytes;
  insideElements(v, named_axis, kWindow, [&](uint64_t nibble) {
    for (int n = 0; n < typeBits(v.type) / 4; ++n) bytes.set((nibble + n) / 2);
  });
  return bytes;
}

/// Another box of the same tensor, sometimes with other dims; packed nibbles stay legal.
ViewDescriptor anotherBox(Rng& rng, ViewDescriptor v) {
  for (int a = 0; a < v.naxes; ++a) {
    v.axes[a].origin = brute_force::between(rng, 0, 4) & (v.axes[a].stride & 1 ? ~int64_t{1} : -1);
    if (brute_force::below(rng, 8) == 0) v.axes[a].dim += 1;
  }
  for (int b = 0; b < v.nbox; ++b)
    if (v.naxes == 0 || !(v.axes[v.box[b].axis].stride & 1))
      v.box[b].extent = static_cast<uint32_t>(brute_force::between(rng, 1, 3));
  return v;
}

TEST(Overlap, NeverSaysNoToViewsThatShareAByte) {
  SHOWS(overlap_views);
  Rng rng(5);
  int disjoint = 0, said_no = 0, shared_pairs = 0, by_axis = 0;
  for (int seed = 0; seed < 60000; ++seed) {
    const ViewDescriptor a = brute_force::randomView(rng, seed % 4 != 0);
    ViewDescriptor b = brute_force::randomView(rng, seed % 4 != 0);
    if (seed % 8 != 7) b = anotherBox(rng, a);
    ASSERT_FALSE(checkView(b) || checkViewPosition(b));
    const int axis_a = someNamedAxis(rng, a), axis_b = someNamedAxis(rng, b);
    const bool shared = (bytesOf(a, axis_a) & bytesOf(b, axis_b)).any();
    const bool may = mayOverlap(a, b, axis_a, axis_b);
    ASSERT_EQ(may, mayOverlap(b, a, axis_b, axis_a));
    ASSERT_TRUE(may || !shared) << "seed " << seed;
    disjoint += !shared;
    said_no += !may;
    shared_pairs += shared;
    by_axis += !may && boxHull(a, axis_a).intersects(boxHull(b, axis_b));
  }
  RecordProperty("disjoint_pairs", disjoint);
  RecordProperty("said_no", said_no);
  RecordProperty("said_no_by_axis", by_axis);
  EXPECT_GT(shared_pairs, 2000);
  EXPECT_GT(by_axis, 500);
  EXPECT_GT(said_no, disjoint / 2);
}

ViewDescriptor block(int64_t row, int64_t column) {
  ViewDescriptor v;
  v.type = static_cast<uint8_t>(ElementType::bf16);
  v.base = 0x80000000;
  v.naxes = v.nbox = 2;
  v.ncol = 1;
  v.axes[0] = {1000, 2000, row};
  v.axes[1] = {1000, 2, column};
  v.box[0] = {64, 0, 1};
  v.box[1] = {64, 1, 1};
  return v;
}

TEST(Overlap, SaysNoToDistinctBlocksOfOneTensor) {
  SHOWS(overlap_views);
  EXPECT_FALSE(mayOverlap(block(0, 0), block(0, 64)));
  EXPECT_FALSE(mayOverlap(block(0, 64), block(64, 0)));
  EXPECT_TRUE(mayOverlap(block(0, 0), block(63, 63)));
}

TEST(Overlap, ComparesViewsOfDifferentTensorsByInterval) {
  SHOWS(overlap_views);
  ViewDescriptor b = block(0, 64);
  b.axes[0].stride = 2002;
  EXPECT_TRUE(mayOverlap(block(0, 0), b));
  b.base += 63 * 2000 + 128;  // the last byte of block(0, 0), block b begins 64 columns on
  EXPECT_FALSE(mayOverlap(block(0, 0), b));
}

TEST(Overlap, DoesNotTrustAxesThatDoNotNest) {
  SHOWS(overlap_views);
  ViewDescriptor a = block(0, 0), b = block(0, 64);
  a.axes[0].stride = b.axes[0].stride = 1000;  // a row is half a row of elements
  EXPECT_TRUE(mayOverlap(a, b));
}

TEST(Overlap, IgnoresViewsWithNothingInside) {
  SHOWS(alias_empty);
  EXPECT_FALSE(mayOverlap(block(0, 0), block(1000, 0)));
  ViewDescriptor b = block(0, 0);
  b.box[0].extent = 0;
  EXPECT_FALSE(mayOverlap(block(0, 0), b));
}

TEST(Overlap, TakesTheNamedAxisAsItsWholeDim) {
  SHOWS(overlap_named_axis);
  EXPECT_FALSE(mayOverlap(block(0, 0), block(500, 0)));
  EXPECT_TRUE(mayOverlap(block(0, 0), block(500, 0), 0));
  EXPECT_FALSE(mayOverlap(block(0, 0), block(500, 64), 0, 0));
}

TEST(SelfOverlap, NeverSaysNoToATileThatWritesAByteTwice) {
  SHOWS(overlap_self);
  Rng rng(6);
  int clean = 0, said_no = 0;
  for (int seed = 0; seed < 150000; ++seed) {
    const TileRegister t = brute_force::randomTile(rng);
    std::set<uint64_t> nibbles;
    size_t written = 0;
    for (uint64_t r = 0; r < uint64_t{t.outer} * t.inner; ++r)
      for (uint64_t c = 0; c < t.cols; ++c)
        for (int n = 0; n < typeBits(t.type) / 4; ++n, ++written)
          nibbles.insert(brute_force::tileNibble(t, r, c) + n);
    const bool twice = nibbles.size() != written;
    ASSERT_TRUE(selfOverlaps(t) || !twice) << "seed " << seed;
    clean += !twice;
    said_no += !selfOverlaps(t);
  }
  RecordProperty("clean_tiles", clean);
  RecordProperty("said_no", said_no);
  EXPECT_GT(said_no, clean / 2);
}

TEST(SelfOverlap, NeverSaysNoToAViewThatWritesAByteTwice) {
  SHOWS(overlap_self);
  Rng rng(7);
  int clean = 0, said_no = 0;
  for (int seed = 0; seed < 30000; ++seed) {
    const ViewDescriptor v = brute_force::randomView(rng, seed % 4 != 0);
    std::set<uint64_t> nibbles;
    size_t written = 0;
    insideElements(v, kNoNamedAxis, kWindow, [&](uint64_t nibble) {
      for (int n = 0; n < typeBits(v.type) / 4; ++n, ++written) nibbles.insert(nibble + n);
    });
    const bool twice = nibbles.size() != written;
    ASSERT_TRUE(selfOverlaps(v) || !twice) << "seed " << seed;
    clean += !twice;
    said_no += !selfOverlaps(v);
  }
  RecordProperty("clean_views", clean);
  RecordProperty("said_no", said_no);
  EXPECT_GT(said_no, 3000);
}

TEST(SelfOverlap, JudgesRepeatsAndDenseTiles) {
  SHOWS(overlap_self);
  TileRegister t = tile(ElementType::f32, 0, 4, 8, 32);
  EXPECT_FALSE(selfOverlaps(t));
  t.istride = 28;
  EXPECT_TRUE(selfOverlaps(t));
  t.istride = 0;
  EXPECT_TRUE(selfOverlaps(t));
  t.inner = 1;
  EXPECT_FALSE(selfOverlaps(t));
  t.step = 0;
  EXPECT_TRUE(selfOverlaps(t));
  t.cols = 1;
  EXPECT_FALSE(selfOverlaps(t));
  t.cols = 0;
  t.istride = 0;
  t.inner = 4;
  EXPECT_FALSE(selfOverlaps(t));
}

TEST(SelfOverlap, AcceptsARowOfFourBitElementsPerByteStride) {
  EXPECT_FALSE(selfOverlaps(tile(ElementType::u4, 0, 4, 6, 3)));
  EXPECT_TRUE(selfOverlaps(tile(ElementType::u4, 0, 4, 7, 3)));
}

TEST(SelfOverlap, RefusesAViewWithARepeat) {
  ViewDescriptor v = block(0, 0);
  EXPECT_FALSE(selfOverlaps(v));
  v.box[0].step = 0;
  EXPECT_TRUE(selfOverlaps(v));
  v = ViewDescriptor{};
  v.nbox = 1;
  v.box[0].extent = 2;  // no axes: the element at base twice
  EXPECT_TRUE(selfOverlaps(v));
}

TEST(SelfOverlap, LetsAScatterRepeatAnIndexButNotMixCoordinates) {
  SHOWS(overlap_named_axis, overlap_self);
  ViewDescriptor v = block(0, 0);
  v.box[0].step = 0;  // not used: the index is the coordinate
  EXPECT_FALSE(selfOverlaps(v, 0));
  v.axes[0].stride = 100;  // rows of different indices run into each other
  EXPECT_TRUE(selfOverlaps(v, 0));
}

}  // namespace
}  // namespace etalon::isa
