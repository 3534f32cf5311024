// SPDX-License-Identifier: Apache-2.0
// Descriptors come from the program's memory: any bytes must be judged without undefined behaviour,
// and what the checks let through must be safe for everything that relies on them.
#include <gtest/gtest.h>

#include "isa/state/brute_force.h"
#include "isa/state/chain_descriptor.h"
#include "isa/state/overlap.h"
#include "isa/state/view_walk.h"

namespace etalon::isa {
namespace {

using brute_force::Rng;

/// Overwrites up to four random bytes, so that most fields stay plausible.
template <size_t N>
void damage(Rng& rng, std::array<std::byte, N>& image) {
  constexpr uint8_t kEdges[] = {0x00, 0x01, 0x7F, 0x80, 0xFF};
  for (uint64_t n = brute_force::below(rng, 5); n > 0; --n)
    image[brute_force::below(rng, N)] =
        std::byte{brute_force::below(rng, 2) ? kEdges[brute_force::below(rng, 5)]
                                             : static_cast<uint8_t>(rng())};
}

TEST(HostileImage, ViewsThatPassTheChecksAreSafeToUse) {
  Rng rng(21);
  int accepted = 0, walked = 0, four_bit_runs = 0;
  for (int seed = 0; seed < 60000; ++seed) {
    std::array<std::byte, kViewImageBytes> image;
    storeViewImage(
        seed % 4 == 0 ? brute_force::randomPackedView(rng) : brute_force::randomView(rng, true),
        image);
    damage(rng, image);
    if (checkViewImage(image)) continue;
    const ViewDescriptor v = loadViewImage(image);
    ++accepted;
    if (checkViewPosition(v)) continue;
    const ByteInterval hull = boxHull(v);
    ASSERT_TRUE(tensorHull(v).contains(hull));
    ASSERT_TRUE(hull.empty() || (hull.lo >= 0 && hull.hi <= Int128{1} << 64));
    ASSERT_EQ(mayOverlap(v, v), !hull.empty());
    selfOverlaps(v);
    if (v.rows() > 64 || v.columns() > 1 << 20) continue;
    // No memory is there, and walks of 4-bit types are not exact.
    if (brute_force::typeBits(v.type) == 4 && hull.hi > Int128{1} << 63) continue;
    ++walked;
    uint64_t elements = 0;
    walkView(v, [&](uint64_t, uint64_t, uint64_t count, const ViewRun& run) {
      elements += count;
      if (!run.inside) return;
      const Int128 end = Int128{run.stride} * Int128{count - 1};
      const bool four_bit = brute_force::typeBits(v.type) == 4;
      four_bit_runs += four_bit;
      const Int128 last = Int128{run.address} + (four_bit ? (run.nibble + end) >> 1 : end);
      ASSERT_TRUE(hull.lo <= run.address && run.address < hull.hi);
      ASSERT_TRUE(hull.lo <= last && last < hull.hi);
    });
    ASSERT_EQ(elements, v.rows() * v.columns());
  }
  EXPECT_GT(accepted, 20000);
  EXPECT_GT(walked, 10000);
  EXPECT_GT(four_bit_runs, 10000);
}

TEST(HostileImage, TilesOfAnyBitsAreJudged) {
  Rng rng(22);
  int accepted = 0;
  for (int seed = 0; seed < 60000; ++seed) {
    const TileWords a = {rng(), rng(), rng()}, b = {rng(), rng(), rng()};
    const TileRegister x = unpackTile(a), y = unpackTile(b);
    ASSERT_EQ(packTile(x)[0], a[0]);
    if (checkTile(x) || checkTile(y)) continue;
    ++accepted;
    ASSERT_EQ(mayOverlap(x, y), mayOverlap(y, x));
    ASSERT_TRUE(x.empty() || mayOverlap(x, x));
    ASSERT_TRUE(x.hull().hi < Int128{1} << 59);
    selfOverlaps(x);
  }
  EXPECT_GT(accepted, 50);
}

TEST(HostileImage, ChainsThatPassTheChecksHaveTypedTemporaries) {
  Rng rng(23);
  ChainDescriptor good;
  good.nsteps = 2;
  good.flags = 0;
  good.td_selector = 9;
  good.steps[0] = {0, 15, 15, 0, 0, {0, 1, 0}};
  good.steps[1] = {100, 15, 14, 0, 1, {8, 0, 0}};
  int accepted = 0;
  for (int seed = 0; seed < 60000; ++seed) {
    std::array<std::byte, kChainImageBytes> image;
    storeChainImage(good, image);
    damage(rng, image);
    if (checkChainImage(image)) continue;
    ++accepted;
    const ChainDescriptor c = loadChainImage(image);
    for (int t = 0; t < kTemporaries; ++t) {
      const auto type = temporaryType(c, t, c.nsteps);
      ASSERT_TRUE(!type || *type == 6 || *type == 7 || *type == 15);
    }
  }
  EXPECT_GT(accepted, 10000);
}

}  // namespace
}  // namespace etalon::isa
