// SPDX-License-Identifier: Apache-2.0
// Interleavings by seed: what stays the same, what differs, and that none of them invents an end.
#include "sim/functional/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "isa/machines/address_map.h"
#include "sim/functional/test_support.h"

namespace etalon::sim {
namespace {

using isa::X;

constexpr uint64_t kSeeds = 24;

TEST(Schedule, GivesEveryCoreOneTurnARound) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Schedule schedule(seed, 7);
    std::set<unsigned> cores;
    for (unsigned turn = 0; turn < 7; ++turn) cores.insert(schedule.core(turn));
    EXPECT_EQ(cores.size(), 7u) << seed;
  }
}

TEST(Schedule, DrawsEveryOrderAndEveryLength) {
  std::set<std::vector<unsigned>> orders;
  std::map<uint64_t, int> lengths;
  Schedule schedule(1, 3);
  for (int round = 0; round < 900; ++round) {
    orders.insert({schedule.core(0), schedule.core(1), schedule.core(2)});
    for (unsigned turn = 0; turn < 3; ++turn) ++lengths[schedule.length(turn)];
    schedule.startRound(false);
  }
  EXPECT_EQ(orders.size(), 6u);
  // 2700 turns: a quarter is passed over, the others have one of nine lengths: 225 turns each.
  ASSERT_EQ(lengths.size(), 10u);
  for (const auto& [length, count] : lengths) EXPECT_NEAR(count, length == 0 ? 675 : 225, 90);
}

TEST(Schedule, PassesNoCoreOverInARoundOfEveryone) {
  Schedule schedule(3, 64);
  schedule.startRound(true);
  for (unsigned turn = 0; turn < 64; ++turn) {
    EXPECT_GT(schedule.length(turn), 0u);
    EXPECT_EQ(schedule.arriving(turn, 5), 5u);
  }
}

/// Cores append their number to a list, three times each, then halt; the list is the order of the interleaving.
std::vector<uint8_t> orderOf(uint64_t seed, uint64_t piece) {
  TestBuilder p;
  const auto again = p.label();
  p.csrrs(X{5}, 0xf14, X{0});
  p.li(X{6}, kTestData);
  p.li(X{7}, 3);
  p.li(X{8}, 1);
  p.bind(again);
  p.amoadd_d(X{9}, X{8}, X{6});
  p.add(X{9}, X{9}, X{6});
  p.sb(X{5}, 8, X{9});
  p.addi(X{7}, X{7}, -1);
  p.bne(X{7}, X{0}, again);
  p.et_halt();
  TestProgram program(p);
  LaunchOptions options;
  options.cores = 3;
  options.seed = seed;
  EXPECT_TRUE(program.device().start(options).ok());
  std::optional<RunResult> result;
  while (!result) result = program.device().advance(piece);
  EXPECT_EQ(result->status, RunStatus::exited);
  std::vector<std::byte> bytes(9);
  EXPECT_TRUE(program.device().read(kTestData + 8, bytes).ok());
  std::vector<uint8_t> order(bytes.size());
  std::ranges::transform(bytes, order.begin(), [](std::byte b) { return static_cast<uint8_t>(b); });
  return order;
}

TEST(Seed, ZeroIsRoundRobin) {
  EXPECT_EQ(orderOf(0, 1'000'000), (std::vector<uint8_t>{0, 0, 0, 1, 1, 1, 2, 2, 2}));
}

TEST(Seed, DecidesTheInterleavingAlsoOfALaunchInPieces) {
  std::set<std::vector<uint8_t>> seen;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const std::vector<uint8_t> whole = orderOf(seed, 1'000'000);
    EXPECT_EQ(orderOf(seed, 1), whole) << seed;
    EXPECT_EQ(orderOf(seed, 5), whole) << seed;
    seen.insert(whole);
  }
  EXPECT_GT(seen.size(), 10u);
}

void sendTo(TestBuilder& p, unsigned core, unsigned semaphore) {
  const uint64_t page = isa::kCoreWindowBase + core * isa::kCoreWindowStride + (64u << 20);
  p.li(X{10}, static_cast<int64_t>(page + 4 * semaphore));
  p.li(X{11}, 1);
  p.et_sig(X{10}, X{11});
}

TEST(Seed, ASignalArrivesBeforeOrAfterWhatIsYounger) {
  std::set<uint64_t> seen;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    TestBuilder p;
    sendTo(p, 0, 3);
    p.et_semr(X{12}, 3);
    p.exitWithRegister(X{12});
    TestProgram program(p);
    LaunchOptions options;
    options.seed = seed;
    seen.insert(program.launch(options).exit_code);
    if (seed == 0) {
      EXPECT_EQ(seen, std::set<uint64_t>{1});
    }
  }
  EXPECT_EQ(seen, (std::set<uint64_t>{0, 1}));
}

TEST(Seed, FencesBarriersAndHaltPerformSignals) {
  for (uint64_t seed = 1; seed < kSeeds; ++seed) {
    for (const bool barrier : {false, true}) {
      TestBuilder p;
      sendTo(p, 0, 3);
      p.li(X{12}, -1);
      barrier ? p.et_barrier(X{12}, X{12}) : p.et_fence();
      p.et_semr(X{12}, 3);
      p.exitWithRegister(X{12});
      TestProgram program(p);
      LaunchOptions options;
      options.seed = seed;
      EXPECT_EQ(program.launch(options).exit_code, 1u) << seed;
    }
    TestBuilder p;
    sendTo(p, 1, 3);
    p.et_halt();
    TestProgram program(p);
    LaunchOptions options;
    options.seed = seed;
    EXPECT_EQ(program.launch(options).status, RunStatus::exited);
    EXPECT_EQ(program.device().memory().semaphores(1)[3], 1u) << seed;
  }
}

TEST(Seed, ADeadlockIsOneUnderEverySeedAndASignalOnItsWayIsNone) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    for (const bool signalled : {false, true}) {
      TestBuilder p;
      if (signalled) sendTo(p, 0, 3);
      p.li(X{11}, 1);
      p.et_wait(X{0}, 3, X{11});
      p.et_halt();
      TestProgram program(p);
      LaunchOptions options;
      options.cores = 1;
      options.seed = seed;
      EXPECT_EQ(program.launch(options).status, signalled ? RunStatus::exited : RunStatus::deadlock)
          << seed;
    }
  }
}

}  // namespace
}  // namespace etalon::sim
