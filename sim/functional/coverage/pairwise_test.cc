// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/coverage/pairwise.h"

#include <gtest/gtest.h>

namespace etalon::sim::coverage {
namespace {

Space smallSpace() { return {{{"x", {"0", "1", "2"}}, {"y", {"0", "1"}}, {"z", {"0", "1", "2"}}}}; }

TEST(Pairwise, CoversEveryPairWithFewerPointsThanTheProduct) {
  const Space space = smallSpace();
  const std::vector<Point> points = allPairs(space, 1);
  EXPECT_TRUE(missingPairs(space, points).empty());
  EXPECT_GE(points.size(), 9u);
  EXPECT_LT(points.size(), 18u);
}

TEST(Pairwise, LeavesForbiddenPairsOut) {
  Space space = smallSpace();
  space.allowed = [](size_t i, size_t a, size_t j, size_t b) {
    return !(i == 0 && a == 2 && j == 1 && b == 1);
  };
  const std::vector<Point> points = allPairs(space, 1);
  EXPECT_TRUE(missingPairs(space, points).empty());
  for (const Point& point : points) EXPECT_FALSE(point[0] == 2 && point[1] == 1);
}

TEST(Pairwise, NamesThePairsThatAreMissing) {
  EXPECT_EQ(missingPairs({{{"x", {"a", "b"}}, {"y", {"c"}}}}, {{0, 0}}),
            std::vector<std::string>{"x = b with y = c"});
}

TEST(Pairwise, ReportsAPairThatNoPointCanHold) {
  Space space = smallSpace();
  // x = 2 goes with no z at all, so it is in no point.
  space.allowed = [](size_t i, size_t a, size_t j, size_t) {
    return !(i == 0 && a == 2 && j == 2);
  };
  EXPECT_EQ(missingPairs(space, allPairs(space, 1)).size(), 2u);
}

TEST(Pairwise, GivesTheSamePointsForTheSameSeed) {
  EXPECT_EQ(allPairs(smallSpace(), 7), allPairs(smallSpace(), 7));
}

}  // namespace
}  // namespace etalon::sim::coverage
