// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/merged_ranges.h"

#include <gtest/gtest.h>

namespace etalon::sim {
namespace {

std::vector<std::pair<uint64_t, uint64_t>> pairs(MergedRanges& ranges) {
  std::vector<std::pair<uint64_t, uint64_t>> result;
  for (const ByteRange& range : ranges.merged()) result.emplace_back(range.offset, range.length);
  return result;
}

TEST(MergedRanges, JoinsWhatTouchesOrOverlapsAndSorts) {
  MergedRanges ranges;
  ranges.add(100, 4);
  ranges.add(10, 5);
  ranges.add(104, 4);
  ranges.add(12, 10);
  ranges.add(13, 2);
  ranges.add(40, 1);
  EXPECT_EQ(pairs(ranges),
            (std::vector<std::pair<uint64_t, uint64_t>>{{10, 12}, {40, 1}, {100, 8}}));
}

TEST(MergedRanges, KeepsARangeThatIsAddedMillionsOfTimesOnce) {
  MergedRanges ranges;
  for (int i = 0; i < 3'000'000; ++i) ranges.add(i % 3 * 100, 1);
  EXPECT_EQ(pairs(ranges),
            (std::vector<std::pair<uint64_t, uint64_t>>{{0, 1}, {100, 1}, {200, 1}}));
}

TEST(MergedRanges, KeepsMoreDistinctRangesThanItsLimit) {
  MergedRanges ranges;
  for (uint64_t i = 0; i < 200'000; ++i) ranges.add(2 * i, 1);
  EXPECT_EQ(ranges.merged().size(), 200'000u);
}

}  // namespace
}  // namespace etalon::sim
