// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/init_map.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace etalon::sim {
namespace {

InitMap makeMap(uint64_t bytes) {
  auto map = InitMap::create(bytes, "test memory");
  EXPECT_TRUE(map.ok());
  return std::move(map).value();
}

TEST(InitMap, NamesTheFirstByteNeverWritten) {
  InitMap map = makeMap(1024);
  EXPECT_EQ(map.firstUnset(0, 4), 0u);
  map.setRange(100, 300);
  EXPECT_TRUE(map.allSet(100, 300));
  EXPECT_EQ(map.firstUnset(99, 2), 99u);
  EXPECT_EQ(map.firstUnset(396, 8), 400u);
  EXPECT_EQ(map.firstUnset(100, 301), 400u);
}

TEST(InitMap, HoldsTheLastByteOfTheMemory) {
  InitMap map = makeMap(1021);
  map.setRange(1020, 1);
  EXPECT_TRUE(map.allSet(1020, 1));
  EXPECT_FALSE(map.allSet(1019, 2));
}

TEST(InitMap, FindsNothingUnsetInNoBytes) {
  const InitMap map = makeMap(64);
  EXPECT_TRUE(map.allSet(10, 0));
}

TEST(InitMap, AgreesWithAByteArrayOnRandomRanges) {
  constexpr uint64_t kBytes = 700;
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    InitMap map = makeMap(kBytes);
    std::vector<bool> expected(kBytes);
    for (int step = 0; step < 60; ++step) {
      const uint64_t offset = random() % kBytes;
      const uint64_t most = std::min(kBytes - offset, random() % 3 == 0 ? kBytes : uint64_t{9});
      const uint64_t length = 1 + random() % most;
      if (random() % 2 == 0) {
        map.setRange(offset, length);
        for (uint64_t i = offset; i < offset + length; ++i) expected[i] = true;
        continue;
      }
      std::optional<uint64_t> first;
      for (uint64_t i = offset + length; i-- > offset;) {
        if (!expected[i]) first = i;
      }
      ASSERT_EQ(map.firstUnset(offset, length), first) << offset << " " << length;
    }
  }
}

}  // namespace
}  // namespace etalon::sim
