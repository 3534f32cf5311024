// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/poison_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace etalon::sim {
namespace {

PoisonMap makeMap(uint64_t bytes) {
  auto map = PoisonMap::create(bytes, "test memory");
  EXPECT_TRUE(map.ok());
  return std::move(map).value();
}

TEST(PoisonMap, NamesTheFirstPoisonedByte) {
  PoisonMap map = makeMap(1024);
  EXPECT_FALSE(map.any(0, 1024));
  map.set(100, 300);
  EXPECT_EQ(map.first(0, 1024), 100u);
  EXPECT_EQ(map.first(250, 8), 250u);
  EXPECT_FALSE(map.any(0, 100));
  EXPECT_TRUE(map.any(0, 101));
  EXPECT_TRUE(map.any(399, 1));
  EXPECT_FALSE(map.any(400, 624));
}

TEST(PoisonMap, HoldsTheLastByteOfTheMemory) {
  PoisonMap map = makeMap(1021);
  map.set(1020, 1);
  EXPECT_TRUE(map.any(1020, 1));
  EXPECT_FALSE(map.any(0, 1020));
}

TEST(PoisonMap, CountsOnlyClearsOfPoison) {
  PoisonMap map = makeMap(1024);
  map.set(0, 512);
  map.clear(512, 512);
  EXPECT_EQ(map.cleared(), 0u);
  map.clear(511, 2);
  EXPECT_EQ(map.cleared(), 1u);
  EXPECT_FALSE(map.any(511, 1));
  EXPECT_TRUE(map.any(510, 1));
}

TEST(PoisonMap, AgreesWithAByteArrayOnRandomRanges) {
  constexpr uint64_t kBytes = 700;
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    PoisonMap map = makeMap(kBytes);
    std::vector<bool> expected(kBytes);
    for (int step = 0; step < 60; ++step) {
      const uint64_t offset = random() % kBytes;
      const uint64_t most = std::min(kBytes - offset, random() % 3 == 0 ? kBytes : uint64_t{9});
      const uint64_t length = 1 + random() % most;
      const auto begin = expected.begin() + static_cast<int64_t>(offset);
      const auto end = begin + static_cast<int64_t>(length);
      switch (random() % 3) {
        case 0:
          map.set(offset, length);
          std::fill(begin, end, true);
          break;
        case 1:
          map.clear(offset, length);
          std::fill(begin, end, false);
          break;
        default: {
          const auto found = std::find(begin, end, true);
          std::optional<uint64_t> first;
          if (found != end) first = static_cast<uint64_t>(found - expected.begin());
          ASSERT_EQ(map.first(offset, length), first) << offset << " " << length;
          ASSERT_EQ(map.any(offset, length), first.has_value());
        }
      }
    }
  }
}

}  // namespace
}  // namespace etalon::sim
