// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/dram_channel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "sim/memory/dram_runs.h"
#include "sim/memory/fixed_channel.h"

namespace etalon::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Completions of an advance, as (tag, time).
std::vector<std::pair<uint64_t, Cycles>> advanced(MemoryChannel& channel, Cycles now) {
  std::vector<ChannelCompletion> completed;
  channel.advance(now, completed);
  std::vector<std::pair<uint64_t, Cycles>> pairs;
  pairs.reserve(completed.size());
  for (const ChannelCompletion& one : completed) pairs.emplace_back(one.tag, one.time);
  return pairs;
}

TEST(MemoryClock, HandsOverAtTheNextEdge) {
  const MemoryClock slow(1000, 1250);  // edges of the memory at 0, 1.25, 2.5 ... cycles
  EXPECT_EQ(slow.toMemory(0), 0U);
  EXPECT_EQ(slow.toMemory(1), 1U);
  EXPECT_EQ(slow.toMemory(2), 2U);  // 1.25 is over
  EXPECT_EQ(slow.toMemory(5), 4U);  // both edges at once
  EXPECT_EQ(slow.toCore(1), 2U);
  EXPECT_EQ(slow.toCore(4), 5U);
  EXPECT_EQ(slow.toCore(kNeverNck), kNever);
  EXPECT_EQ(slow.afterMemory(1), 2U);
  EXPECT_EQ(slow.afterMemory(4), 6U);  // not at the common edge
  EXPECT_EQ(slow.afterMemory(kNeverNck), kNever);
  const MemoryClock odd(1050, 833);  // 833 ps against 952.38 ps
  for (uint64_t time = 0; time < 10000; ++time) {
    const Nck edge = odd.toMemory(time);
    EXPECT_GE(edge * 833 * 1050, time * 1000000);
    EXPECT_LT((edge - 1) * 833 * 1050 + 833 * 1050, time * 1000000 + 833 * 1050);
    EXPECT_LE(odd.toCore(edge), time + 1);
    // What was decided before `edge` is seen at `time`.
    if (edge > 0) {
      EXPECT_LE(odd.afterMemory(edge - 1), time);
      EXPECT_GT(odd.afterMemory(edge), time);
    }
  }
}

TEST(DramChannel, AReadIsThereAfterTheRowMissInCyclesOfTheCore) {
  const isa::DramPreset preset = shippedPreset("hbm2-2400");
  DramChannel channel(preset, 1000);
  ASSERT_TRUE(channel.accepts(false, 64));
  channel.submit({7, 0, 64, false}, 100);
  // 121 edges of 0.833 ns cover 100 ns; ACT, READ, the second burst 4 nCK later in its bank group.
  const uint64_t nck = 121 + 17 + 4 + 17 + 2;
  const Cycles due = (nck * 833 + 999) / 1000;
  EXPECT_LE(channel.nextTime(), due);
  EXPECT_GT(channel.nextTime(), 100U);
  EXPECT_THAT(advanced(channel, due - 1), IsEmpty());
  EXPECT_EQ(channel.nextTime(), due);
  EXPECT_THAT(advanced(channel, due), ElementsAre(std::pair<uint64_t, Cycles>{7, due}));
  EXPECT_EQ(channel.nextTime(), kNever);
}

TEST(DramChannel, AWriteIsDoneWhenItIsTakenAndAReadOfItIsAnswered) {
  DramChannel channel(shippedPreset("hbm2-2000"), 1000);
  channel.submit({1, 4096, 64, true}, 10);
  channel.submit({2, 4096, 64, false}, 10);
  channel.submit({3, 4128, 32, false}, 10);
  EXPECT_EQ(channel.nextTime(), 11U);
  EXPECT_THAT(advanced(channel, 11),
              ElementsAre(std::pair<uint64_t, Cycles>{1, 11}, std::pair<uint64_t, Cycles>{2, 11},
                          std::pair<uint64_t, Cycles>{3, 11}));
  EXPECT_EQ(channel.counters().forwarded, 3U);
  EXPECT_EQ(channel.counters().reads, 0U);
}

TEST(DramChannel, ARequestIsCutIntoBurstsAndCompleteWithTheLast) {
  DramChannel channel(shippedPreset("hbm2-2000"), 1000);
  channel.submit({1, 0, 256, false}, 0);
  channel.submit({2, 1000, 100, false}, 0);  // bytes 1000 to 1099: bursts 31 to 34
  std::vector<ChannelCompletion> completed;
  while (channel.nextTime() != kNever) channel.advance(channel.nextTime(), completed);
  ASSERT_EQ(completed.size(), 2U);
  EXPECT_EQ(channel.counters().reads, 8U + 4U);
}

TEST(DramChannel, WhoeverIsRefusedIsToldWhenToAskAgain) {
  DramChannel channel(shippedPreset("hbm2-2000"), 1000);
  uint64_t taken = 0;
  while (channel.accepts(false, 256)) channel.submit({taken++, taken * 256, 256, false}, 5);
  EXPECT_GE(taken, 8U);
  EXPECT_LE(taken, 50U);
  Cycles now = 5;
  std::vector<ChannelCompletion> completed;
  while (!channel.accepts(false, 256)) {
    ASSERT_GT(channel.nextTime(), now);
    now = channel.nextTime();
    ASSERT_LT(now, 1000U);
    channel.advance(now, completed);
  }
}

// The fabric looks at a channel when nextTime() says so; whoever looks at every cycle must see the same.
TEST(DramChannel, LookingMoreOftenChangesNothing) {
  for (const char* name : {"hbm2-2400", "hbm3-6400", "ddr5-6400", "lpddr5-6400"}) {
    std::vector<std::vector<std::pair<uint64_t, Cycles>>> seen;
    for (const bool every_cycle : {false, true}) {
      DramChannel channel(shippedPreset(name), 940);
      std::mt19937 random(5);
      std::vector<ChannelCompletion> completed;
      Cycles now = 0;
      for (uint64_t i = 0; i < 3000; ++i) {
        const Cycles next = now + (random() % 8 == 0 ? random() % 300 : random() % 3);
        if (every_cycle)
          for (; now < next; ++now) {
            channel.advance(now, completed);
            (void)channel.nextTime();
          }
        now = next;
        channel.advance(now, completed);
        const bool write = random() % 3 == 0;
        const uint64_t address = (random() % 4 != 0 ? i * 64 : random()) % (1 << 26) / 64 * 64;
        if (channel.accepts(write, 64)) channel.submit({i, address, 64, write}, now);
      }
      channel.advance(now + 100000, completed);
      seen.emplace_back();
      for (const ChannelCompletion& one : completed) seen.back().emplace_back(one.tag, one.time);
    }
    EXPECT_EQ(seen[0], seen[1]) << name;
    EXPECT_GT(seen[0].size(), 1000U) << name;
  }
}

// Bounds of nextTime() may be early, never late: requests that wait for room get it in the same cycle either way.
TEST(DramChannel, WhoeverWaitsForNextTimeMissesNothing) {
  for (const std::string& name : shippedDramNames()) {
    std::vector<std::vector<std::pair<uint64_t, Cycles>>> seen;
    for (const bool every_cycle : {false, true}) {
      DramChannel channel(shippedPreset(name), 1150);
      std::mt19937 random(11);
      std::vector<ChannelCompletion> completed;
      Cycles now = 0;
      ChannelRequest request;
      bool have = false;
      while (request.tag < 4000) {
        while (true) {
          if (!have) {
            const uint64_t i = ++request.tag;
            const bool stream = i / 500 % 2 == 0;
            request.address = (stream ? i * 64 : random() % (1 << 24)) / 64 * 64;
            request.bytes = i % 7 == 0 ? 200 : 64;
            request.write = i / 250 % 3 == 0 || random() % 4 == 0;
            have = true;
          }
          if (!channel.accepts(request.write, request.bytes)) break;
          channel.submit(request, now);
          have = false;
        }
        now = every_cycle ? now + 1 : channel.nextTime();
        ASSERT_NE(now, kNever);
        channel.advance(now, completed);
      }
      channel.advance(now + 100000, completed);
      seen.emplace_back();
      for (const ChannelCompletion& one : completed) seen.back().emplace_back(one.tag, one.time);
    }
    ASSERT_EQ(seen[0].size(), seen[1].size()) << name;
    EXPECT_GE(seen[0].size(), 3999U);
    for (size_t i = 0; i < seen[0].size(); ++i)
      ASSERT_EQ(seen[0][i], seen[1][i]) << name << ' ' << i;
  }
}

isa::DramPreset fixed(uint64_t latency_ns, uint64_t bytes_per_cycle, uint64_t megabytes) {
  isa::DramPreset preset;
  preset.kind = isa::DramPreset::Kind::Fixed;
  preset.latency_ns = latency_ns;
  preset.bytes_per_cycle = bytes_per_cycle;
  preset.megabytes_per_second = megabytes;
  return preset;
}

TEST(FixedChannel, ARequestTakesItsBytesAndThenTheLatency) {
  FixedChannel channel(fixed(100, 16, 0), 500);  // 50 cycles
  channel.submit({1, 0, 64, false}, 10);
  channel.submit({2, 0, 64, true}, 10);
  channel.submit({3, 0, 8, false}, 40);
  EXPECT_EQ(channel.nextTime(), 64U);
  EXPECT_THAT(advanced(channel, 63), IsEmpty());
  EXPECT_THAT(advanced(channel, 64), ElementsAre(std::pair<uint64_t, Cycles>{1, 64}));
  EXPECT_THAT(advanced(channel, 1000),
              ElementsAre(std::pair<uint64_t, Cycles>{2, 68}, std::pair<uint64_t, Cycles>{3, 91}));
  EXPECT_EQ(channel.nextTime(), kNever);
}

TEST(FixedChannel, ABandwidthInBytesASecondLosesNothingToRounding) {
  FixedChannel channel(fixed(0, 0, 19200), 1050);  // 18.29 bytes a cycle
  std::vector<ChannelCompletion> completed;
  Cycles now = 0;
  for (uint64_t i = 0; i < 19200; ++i) {
    while (!channel.accepts(false, 64)) channel.advance(now = channel.nextTime(), completed);
    channel.submit({i, 0, 64, false}, now);
  }
  channel.advance(10000000, completed);
  EXPECT_EQ(completed.back().time, 64U * 1050);
}

TEST(FixedChannel, ManyThatWaitHoldTheNextBack) {
  FixedChannel channel(fixed(10, 1, 0), 1000);
  uint64_t taken = 0;
  while (channel.accepts(false, 64)) channel.submit({taken++, 0, 64, false}, 0);
  EXPECT_EQ(taken, FixedChannel::kWaiting + 1);  // one moves its bytes
  EXPECT_EQ(channel.nextTime(), 64U);
  std::vector<ChannelCompletion> completed;
  channel.advance(63, completed);
  EXPECT_FALSE(channel.accepts(false, 64));
  channel.advance(64, completed);
  EXPECT_TRUE(channel.accepts(false, 64));
}

TEST(MakeChannel, TakesTheKindOfThePreset) {
  EXPECT_NE(dynamic_cast<DramChannel*>(makeChannel(shippedPreset("hbm2-2400"), 1000).get()),
            nullptr);
  EXPECT_NE(dynamic_cast<FixedChannel*>(makeChannel(shippedPreset("fixed-100ns-64b"), 1000).get()),
            nullptr);
}

}  // namespace
}  // namespace etalon::sim
