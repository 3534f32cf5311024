// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/dram_controller.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "isa/base/fuzz_scale.h"
#include "sim/memory/dram_checker.h"
#include "sim/memory/dram_runs.h"

namespace etalon::sim {
namespace {

using isa::DramPreset;
using isa::DramTiming;
using Kind = DramCommand::Kind;

size_t countOf(const std::vector<DramCommand>& log, Kind kind) {
  size_t count = 0;
  for (const DramCommand& command : log) count += command.kind == kind;
  return count;
}

TEST(DramController, HitsPassAnOlderMissUntilItHasWaitedEnough) {
  const DramPreset preset = shippedPreset("hbm2-ref");
  for (const uint32_t hits : {5U, DramScheduler::kPassed, DramScheduler::kPassed + 1, 30U}) {
    DramController controller(preset);
    std::vector<DramCommand> log;
    controller.logTo(&log);
    const uint64_t open = addressOf(preset, 3, 1), other = addressOf(preset, 3, 2);
    controller.submit(open, 64, false, 0, 0);
    controller.runUntil(100);
    controller.submit(other, 64, false, 0, 100);
    for (uint64_t i = 1; i <= hits; ++i) controller.submit(open + 64 * i, 64, false, 0, 100);
    controller.runUntil(2000);
    uint32_t before = 0;
    for (size_t i = 0; log[i].kind != Kind::Precharge; ++i) before += log[i].kind == Kind::Read;
    EXPECT_EQ(before, 1 + std::min(hits, DramScheduler::kPassed)) << hits;
    EXPECT_EQ(countOf(log, Kind::Read), hits + 2);
  }
}

TEST(DramController, WritesWaitForAFullQueueForIdleBanksOrForLongSilence) {
  const DramPreset preset = shippedPreset("hbm2-ref");
  const auto first_write = [&](uint32_t writes) {
    DramController controller(preset);
    std::vector<DramCommand> log;
    controller.logTo(&log);
    for (uint32_t i = 0; i < writes; ++i) controller.submit(64 * i, 64, true, 0, 10);
    controller.runUntil(1000);
    EXPECT_EQ(countOf(log, Kind::Write), writes);
    return log[0].time;
  };
  EXPECT_EQ(first_write(8), 10 + DramScheduler::kDrainIdle);
  EXPECT_EQ(first_write(9), 10U);
  // With reads on their way: only a full queue goes.
  for (const uint32_t writes : {31U, 32U}) {
    DramController controller(preset);
    std::vector<DramCommand> log;
    controller.logTo(&log);
    for (uint32_t i = 0; i < 8; ++i)
      controller.submit(addressOf(preset, 0, i), 64, false, 0, 0);  // 8 row cycles
    for (uint32_t i = 0; i < writes; ++i)
      controller.submit(addressOf(preset, 5, 1) + 64 * (i % 32), 64, true, 0, 1);
    controller.runUntil(300);
    EXPECT_EQ(countOf(log, Kind::Write), writes == 32 ? 32U : 0U);
  }
}

TEST(DramController, ReadsComeOnWhateverIsWritten) {
  // Writes without end into the bank that one read waits for.
  const DramPreset preset = shippedPreset("hbm2-ref");
  DramController controller(preset);
  Nck now = 0;
  uint32_t written = 0;
  const auto write = [&] {
    for (; controller.room(true) > 0; ++written)
      controller.submit(addressOf(preset, 0, 100 + written / 32 % 64) + written % 32 * 64, 64, true,
                        0, now);
  };
  for (int i = 0; i < 100; ++i, ++now) write();
  controller.submit(addressOf(preset, 0, 7), 64, false, 0, now);
  while (controller.done().empty() && now < 20000) {
    controller.runUntil(++now);
    write();
  }
  EXPECT_LT(now, 5000U);
}

TEST(DramController, AWriteOfAWaitingBlockJoinsItAndAReadOfAllItsBurstsIsAnswered) {
  DramController controller(shippedPreset("hbm2-2000"));  // two bursts a block
  ASSERT_EQ(controller.blockBytes(), 64U);
  EXPECT_TRUE(controller.submit(0, 32, true, 0, 0));
  EXPECT_TRUE(controller.submit(0, 8, true, 0, 0));
  EXPECT_EQ(controller.counters().merged, 1U);
  EXPECT_TRUE(controller.submit(16, 8, false, 0, 0));
  EXPECT_EQ(controller.counters().forwarded, 1U);
  EXPECT_FALSE(controller.submit(0, 64, false, 0, 0));  // its second burst is not there
  EXPECT_TRUE(controller.submit(32, 32, true, 0, 0));
  EXPECT_EQ(controller.room(true), DramScheduler::kWrites - 1);
  EXPECT_TRUE(controller.submit(0, 64, false, 0, 0));
  controller.runUntil(1000);
  EXPECT_EQ(controller.counters().writes, 2U);
  EXPECT_EQ(controller.counters().reads, 2U);
  EXPECT_FALSE(controller.submit(0, 64, false, 0, 1000));  // written, so no longer waiting
}

// An idle channel skips its refreshes; a log makes it do each. Both must end in the same state.
TEST(DramController, SkippedRefreshesLeaveTheStateThatDoneOnesLeave) {
  for (const char* name : {"hbm2-2400", "hbm3-6400", "ddr5-4800"}) {
    const DramPreset preset = shippedPreset(name);
    for (uint64_t idle : {1000U, 9000U, 123456U, 1000003U}) {
      DramController skips(preset), does(preset);
      std::vector<DramCommand> log;
      does.logTo(&log);
      for (DramController* controller : {&skips, &does}) {
        controller->submit(addressOf(preset, 2, 3), 64, false, 0, 0);
        for (uint32_t i = 0; i < 20; ++i)
          controller->submit(addressOf(preset, i % 4, i), 64, false, i, idle);
        controller->runUntil(idle + 5000);
      }
      ASSERT_EQ(skips.done().size(), does.done().size());
      for (size_t i = 0; i < skips.done().size(); ++i)
        EXPECT_EQ(skips.done()[i].time, does.done()[i].time) << name << ' ' << idle << ' ' << i;
      EXPECT_EQ(skips.counters().refreshes, does.counters().refreshes) << name << ' ' << idle;
      const auto problem = illegalCommand(preset, log);
      EXPECT_FALSE(problem.has_value()) << *problem;
    }
  }
}

/// A part on which every rule is what decides somewhere.
DramPreset tight(DramPreset::Refresh refresh) {
  DramPreset preset = shippedPreset("hbm2-2000");
  DramTiming& t = preset.timing;
  t.ras = 32;
  t.rc = t.ras + t.rp + 9;
  t.rp_all = t.rp + 3;
  t.ccd_s = 3;
  t.ccd_l = 5;
  t.ccd_l_wr = 7;
  t.rrd_l = 6;
  t.faw = 24;
  t.wtr_l = 25;
  t.rtp = 9;
  t.rfc_bank = 100;
  t.refi = 2500;
  preset.refresh = refresh;
  return preset;
}

// A controller that is given one time less must be caught: so the traffic reaches every rule, and the checker sees it.
TEST(DramController, OneNckLessOfAnythingIsCaught) {
  struct Shortened {
    const char* rule;
    uint64_t DramTiming::* time;
    DramPreset::Refresh refresh;
  };
  constexpr auto kAll = DramPreset::Refresh::AllBank, kEach = DramPreset::Refresh::PerBank;
  const std::vector<Shortened> shortened{
      {"tRC", &DramTiming::rc, kAll},
      {"tRCD_RD", &DramTiming::rcd_rd, kAll},
      {"tRCD_WR", &DramTiming::rcd_wr, kAll},
      {"tRAS", &DramTiming::ras, kAll},
      {"tRP", &DramTiming::rp, kAll},
      {"tRP all refresh", &DramTiming::rp_all, kAll},
      {"tRTP", &DramTiming::rtp, kAll},
      {"tWR", &DramTiming::wr, kAll},
      {"tRRD_L", &DramTiming::rrd_l, kAll},
      {"tRRD_S", &DramTiming::rrd_s, kAll},
      {"tFAW", &DramTiming::faw, kAll},
      {"tCCD_L", &DramTiming::ccd_l, kAll},
      {"tCCD_S", &DramTiming::ccd_s, kAll},
      {"tCCD_L_WR", &DramTiming::ccd_l_wr, kAll},
      {"tWTR_L", &DramTiming::wtr_l, kAll},
      {"tWTR_S", &DramTiming::wtr_s, kAll},
      {"data bus", &DramTiming::rtw_gap, kAll},
      {"tRFC", &DramTiming::rfc, kAll},
      {"tRFC bank", &DramTiming::rfc_bank, kEach},
      {"tRREFD activate", &DramTiming::rrefd, kEach},
      {"tRP bank refresh", &DramTiming::rp, kEach},
  };
  std::vector<PatternAccess> accesses;
  std::mt19937_64 random(1);
  for (uint64_t i = 0; i < 4000; ++i) {
    const uint64_t address = i % 200 < 100 ? random() % (1 << 22) : i * 64;
    accesses.push_back({address / 64 * 64, i % 500 < 250 && random() % 3 == 0});
  }
  for (const Shortened& one : shortened) {
    const DramPreset right = tight(one.refresh);
    std::vector<DramCommand> log;
    runAccesses(right, accesses, &log);
    EXPECT_EQ(illegalCommand(right, log).value_or("accepted"), "accepted");
    DramPreset less = right;
    --(less.timing.*one.time);
    log.clear();
    runAccesses(less, accesses, &log);
    const std::string problem = illegalCommand(right, log).value_or("accepted");
    EXPECT_NE(problem.find(std::string("): ") + one.rule + ":"), std::string::npos)
        << one.rule << ": " << problem;
  }
}

}  // namespace
}  // namespace etalon::sim
