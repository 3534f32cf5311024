// SPDX-License-Identifier: Apache-2.0
// Overlap of views of 4-bit tensors whose last axis is packed, by the whole bytes of their elements.
#include <gtest/gtest.h>

#include <bitset>
#include <set>

#include "isa/state/brute_force.h"
#include "isa/state/overlap.h"

namespace etalon::isa {
namespace {

using brute_force::insideElements;
using brute_force::Rng;
using brute_force::someNamedAxis;

/// First address of the bytes that small views live in.
constexpr uint64_t kWindow = (1 << 20) - 4096;
using Bytes = std::bitset<8192>;

Bytes bytesOf(const ViewDescriptor& v, int named_axis) {
  Bytes bytes;
  insideElements(v, named_axis, kWindow, [&](uint64_t nibble) { bytes.set(nibble / 2); });
  return bytes;
}

/// The box elsewhere on the same tensor.
ViewDescriptor movedBox(Rng& rng, ViewDescriptor v) {
  const int packed = v.naxes - 1;
  for (int a = 0; a < packed; ++a) v.axes[a].origin = brute_force::between(rng, -1, 3);
  v.axes[packed].origin = 2 * brute_force::between(rng, -1, 4);
  v.box[v.nbox - 1].extent = static_cast<uint32_t>(2 * brute_force::between(rng, 1, 3));
  return v;
}

TEST(PackedOverlap, NeverSaysNoToPackedNibblesThatShareAByte) {
  Rng rng(8);
  int shared_pairs = 0, by_axis = 0, by_packed_axis = 0;
  for (int seed = 0; seed < 40000; ++seed) {
    const ViewDescriptor a = brute_force::randomPackedView(rng);
    const ViewDescriptor b = seed % 8 == 7 ? brute_force::randomPackedView(rng) : movedBox(rng, a);
    ASSERT_FALSE(checkView(a) || checkViewPosition(a));
    ASSERT_FALSE(checkView(b) || checkViewPosition(b));
    const int axis_a = someNamedAxis(rng, a), axis_b = someNamedAxis(rng, b);
    const bool shared = (bytesOf(a, axis_a) & bytesOf(b, axis_b)).any();
    const bool may = mayOverlap(a, b, axis_a, axis_b);
    ASSERT_EQ(may, mayOverlap(b, a, axis_b, axis_a));
    ASSERT_TRUE(may || !shared) << "seed " << seed;
    shared_pairs += shared;
    const bool close = boxHull(a, axis_a).intersects(boxHull(b, axis_b));
    by_axis += !may && close;
    const CoordinateRange x = clippedRange(a, a.naxes - 1), y = clippedRange(b, b.naxes - 1);
    by_packed_axis += !may && close && !x.empty() && !y.empty() && (x.hi <= y.lo || y.hi <= x.lo);
  }
  EXPECT_GT(shared_pairs, 2000);
  EXPECT_GT(by_axis, 500);
  EXPECT_GT(by_packed_axis, 200);
}

TEST(PackedOverlap, IntervalsOfPackedViewsHoldTheBytesOfEveryElement) {
  Rng rng(9);
  for (int seed = 0; seed < 20000; ++seed) {
    const ViewDescriptor v = brute_force::randomPackedView(rng);
    const int axis = someNamedAxis(rng, v);
    const ByteInterval hull = boxHull(v, axis);
    insideElements(v, axis, kWindow, [&](uint64_t nibble) {
      const auto byte = static_cast<Int128>(kWindow + nibble / 2);
      ASSERT_TRUE(hull.lo <= byte && byte < hull.hi) << "seed " << seed;
    });
  }
}

TEST(PackedOverlap, NeverSaysNoToAPackedViewThatWritesANibbleTwice) {
  Rng rng(10);
  int clean = 0, said_no = 0;
  for (int seed = 0; seed < 20000; ++seed) {
    const ViewDescriptor v = brute_force::randomPackedView(rng);
    std::set<uint64_t> nibbles;
    size_t written = 0;
    insideElements(v, kNoNamedAxis, kWindow, [&](uint64_t nibble) {
      ++written;
      nibbles.insert(nibble);
    });
    ASSERT_TRUE(selfOverlaps(v) || nibbles.size() == written) << "seed " << seed;
    clean += nibbles.size() == written;
    said_no += !selfOverlaps(v);
  }
  EXPECT_GT(said_no, clean / 4);
}

}  // namespace
}  // namespace etalon::isa
