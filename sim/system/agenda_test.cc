// SPDX-License-Identifier: Apache-2.0
#include "sim/system/agenda.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace etalon::sim {
namespace {

TEST(Agenda, TakesWhatIsDueFirst) {
  Agenda agenda(3);
  EXPECT_EQ(agenda.nextTime(), kNever);
  agenda.wake(0, 1000);
  agenda.wake(1, 5);
  agenda.wake(2, 70);
  EXPECT_EQ(agenda.nextTime(), 5u);
  EXPECT_EQ(agenda.take(), 1u);
  EXPECT_EQ(agenda.nextTime(), 70u);
  agenda.wake(1, 70);
  agenda.wake(0, 80);  // earlier than it was
  agenda.take();
  agenda.take();
  EXPECT_EQ(agenda.nextTime(), 80u);
  EXPECT_EQ(agenda.take(), 0u);
  EXPECT_EQ(agenda.nextTime(), kNever);
}

TEST(Agenda, ALaterTimeChangesNothing) {
  Agenda agenda(1);
  agenda.wake(0, 10);
  agenda.wake(0, 20);
  EXPECT_EQ(agenda.nextTime(), 10u);
  agenda.take();
  EXPECT_EQ(agenda.nextTime(), kNever);
}

/// Against a map, with times near and far.
TEST(Agenda, RandomWakes) {
  constexpr unsigned kComponents = 40;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    Agenda agenda(kComponents);
    std::map<unsigned, Cycles> due;
    Cycles now = 0;
    for (int step = 0; step < 5000; ++step) {
      for (unsigned wakes = random() % 4; wakes > 0; --wakes) {
        const unsigned component = random() % kComponents;
        const Cycles at = now + (random() % 3 == 0 ? random() % 1000 : random() % 70);
        agenda.wake(component, at);
        const auto [known, added] = due.try_emplace(component, at);
        known->second = std::min(known->second, at);
      }
      const auto first =
          std::ranges::min_element(due, {}, [](const auto& entry) { return entry.second; });
      ASSERT_EQ(agenda.nextTime(), first == due.end() ? kNever : first->second);
      if (due.empty()) continue;
      now = first->second;
      const unsigned taken = agenda.take();
      ASSERT_TRUE(due.contains(taken));
      ASSERT_EQ(due[taken], now);
      due.erase(taken);
    }
  }
}

}  // namespace
}  // namespace etalon::sim
