// SPDX-License-Identifier: Apache-2.0
#include "sim/fabric/event_wheel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace etalon::sim {
namespace {

TEST(EventWheel, GivesEveryEventAtItsTimeNearAndFar) {
  EventWheel wheel;
  std::multiset<std::pair<Cycles, uint32_t>> waiting;
  std::minstd_rand rng(3);
  Cycles now = 0;
  for (uint32_t event = 0; event < 5000 || !waiting.empty();) {
    for (uint64_t n = rng() % 4; event < 5000 && n > 0; --n, ++event) {
      // Around the end of the slots, and far beyond.
      const Cycles time = now + 1 + (rng() % 8 == 0 ? rng() % 1000 : rng() % 70);
      wheel.add(time, event);
      waiting.emplace(time, event);
    }
    ASSERT_EQ(wheel.nextTime(), waiting.empty() ? kNever : waiting.begin()->first);
    if (waiting.empty() || rng() % 3 == 0) {
      // Time passes in which nothing is due.
      now += waiting.empty() ? 100 : (waiting.begin()->first - 1 - now) / 2;
      wheel.skip(now);
      continue;
    }
    now = wheel.nextTime();
    std::vector<uint32_t> due = wheel.drain(now);
    std::ranges::sort(due);
    for (const uint32_t e : due) {
      ASSERT_EQ(waiting.begin()->first, now);
      ASSERT_EQ(waiting.begin()->second, e);
      waiting.erase(waiting.begin());
    }
    ASSERT_TRUE(waiting.empty() || waiting.begin()->first > now);
  }
}

TEST(EventWheelDeathTest, RefusesThePast) {
  EventWheel wheel;
  wheel.add(11, 1);
  wheel.drain(11);
  wheel.add(12, 1);
  EXPECT_DEATH(wheel.add(11, 1), "an event in the past");
}

}  // namespace
}  // namespace etalon::sim
