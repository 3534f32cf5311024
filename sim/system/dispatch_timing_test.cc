// SPDX-License-Identifier: Apache-2.0
// Tile instructions, signals, barriers and ends of runs in time, on `base` with memory that answers after 40 cycles.
#include <random>

#include "isa/csr.h"
#include "isa/machines/address_map.h"
#include "isa/state/view_descriptor.h"
#include "sim/system/timed_test_support.h"

namespace etalon::sim {
namespace {

using isa::Tile;
using isa::X;
constexpr X kZero{0}, kA{5}, kB{6}, kC{7};

/// Sets a tile register to rows x cols of f32 at an offset of local memory, through x5 to x7.
void setTile(TestBuilder& p, Tile tile, uint32_t base, uint32_t rows, uint32_t cols,
             ElementType type = ElementType::f32) {
  isa::TileRegister reg;
  reg.base = base;
  reg.outer = 1;
  reg.inner = rows;
  reg.cols = cols;
  reg.type = static_cast<uint8_t>(type);
  reg.istride = cols * static_cast<uint32_t>(elementInfo(type).bits) / 8;
  const isa::TileWords words = isa::packTile(reg);
  p.li(kA, static_cast<int64_t>(words[0]));
  p.li(kB, static_cast<int64_t>(words[1]));
  p.li(kC, static_cast<int64_t>(words[2]));
  p.et_tset(tile, kA, kB, kC);
}

/// iota with steps 0: fills a tile with zeros.
void fill(TestBuilder& p, Tile tile) { p.et_iota(tile, kZero, kZero, kZero); }

TileRecord nth(const TimedTestResult& result, uint64_t sequence) {
  const auto found = std::ranges::find(result.tiles, sequence, &TileRecord::sequence);
  EXPECT_NE(found, result.tiles.end()) << sequence;
  return found == result.tiles.end() ? TileRecord{} : *found;
}

TEST(DispatchTime, AProductIsTakenWhenItsOperandsAreWrittenAndNotACycleBefore) {
  TestBuilder p;
  setTile(p, Tile{1}, 0, 128, 128, ElementType::bf16);
  setTile(p, Tile{2}, 0x10000, 128, 128, ElementType::bf16);
  setTile(p, Tile{3}, 0x20000, 128, 128);
  fill(p, Tile{1});
  fill(p, Tile{2});
  p.et_mm(Tile{3}, Tile{1}, Tile{2});
  p.et_halt();
  TimedProgram program(p);
  const TimedTestResult result = program.run();
  ASSERT_EQ(result.end.status, RunStatus::exited);
  ASSERT_EQ(result.tiles.size(), 3u);
  EXPECT_EQ(nth(result, 3).taken, nth(result, 2).done);
  EXPECT_EQ(nth(result, 3).waited_for, 2u);
  EXPECT_EQ(nth(result, 3).issue + 2, nth(result, 2).issue + 3) << "issue is one a cycle";
}

TEST(DispatchTime, IndependentUnitsWorkAtOnce) {
  TestBuilder p;
  setTile(p, Tile{1}, 0, 128, 128, ElementType::bf16);
  setTile(p, Tile{2}, 0x10000, 128, 128, ElementType::bf16);
  setTile(p, Tile{3}, 0x20000, 128, 128);
  setTile(p, Tile{4}, 0x40000, 128, 128);
  fill(p, Tile{1});
  fill(p, Tile{2});
  p.et_fence();
  p.et_mm(Tile{3}, Tile{1}, Tile{2});
  fill(p, Tile{4});
  p.et_halt();
  TimedProgram program(p);
  const TimedTestResult result = program.run();
  EXPECT_LT(nth(result, 4).start, nth(result, 3).done);
  EXPECT_EQ(nth(result, 4).waited_for, 0u);
}

TEST(DispatchTime, AScalarLoadOfOwnLocalMemoryWaitsForTheTileThatWritesIt) {
  const auto cycles = [](uint32_t address) {
    TestBuilder p;
    setTile(p, Tile{1}, 0, 512, 512);
    p.li(X{9}, static_cast<int64_t>(isa::kLocalWindowBase + address));
    p.sd(kZero, 0, X{9});
    fill(p, Tile{1});
    p.ld(X{8}, 0, X{9});
    p.addi(X{8}, X{8}, 0);
    p.exit(0);
    TimedProgram program(p);
    return program.run().end.time;
  };
  const Cycles inside = cycles(0), outside = cycles(0x200000);
  EXPECT_GE(inside, outside + 512 * 512 / 256 - 16);
}

TEST(DispatchTime, TheWindowFillsUpAndTheScalarCoreWaitsForIt) {
  TestBuilder p;
  setTile(p, Tile{1}, 0, 512, 512);
  for (int i = 0; i < 12; ++i) fill(p, Tile{1});
  p.et_halt();
  TimedProgram program(p);
  const TimedTestResult result = program.run();
  const ActivityCycles scalar = result.report.unitCycles(Track::scalar);
  // Eight in the queue, one in the unit: three wait for their turn, the first less what it took to issue those before it.
  EXPECT_GE(cyclesOf(scalar, Activity::queue_full), 3u * (1024 - 32));
  EXPECT_GE(cyclesOf(scalar, Activity::fence), 8u * 1024);
  const ActivityCycles vector = result.report.unitCycles(Track::vector);
  EXPECT_EQ(cyclesOf(vector, Activity::busy), 12u * 1024) << "512 x 512 elements, 256 lanes";
}

/// Core 0 signals core 1, which waits; both add up what they saw.
TestBuilder signalling() {
  TestBuilder p;
  p.csrrs(X{20}, isa::csr::kMhartid, kZero);
  const auto waits = p.label();
  p.bne(X{20}, kZero, waits);
  p.li(kA, static_cast<int64_t>(isa::kCoreWindowBase + isa::kCoreWindowStride + (8 << 20)));
  p.li(kB, 1);
  p.et_sig(kA, kB);
  p.et_halt();
  p.bind(waits);
  p.li(kB, 1);
  p.et_wait(X{8}, 0, kB);
  p.et_halt();
  return p;
}

TEST(SynchronisationTime, AWaitEndsWhenTheSignalArrives) {
  TestBuilder p = signalling();
  TimedProgram program(p);
  const TimedTestResult result = program.run(2);
  EXPECT_EQ(result.end.status, RunStatus::exited);
  EXPECT_GT(cyclesOf(result.report.unitCycles(Track::scalar), Activity::semaphore), 0u);
  EXPECT_EQ(nth(result, 1).done, nth(result, 1).taken + 8 + 1)
      << "the network's latency, and word of it";
}

TEST(SynchronisationTime, ABarrierReleasesAllOfItsCoresAtOnce) {
  TestBuilder p;
  p.csrrs(X{20}, isa::csr::kMhartid, kZero);
  p.slli(X{20}, X{20}, 6);
  const auto spin = p.label();
  p.bind(spin);
  p.addi(X{20}, X{20}, -1);
  p.bge(X{20}, kZero, spin);
  p.li(kA, -1);
  p.et_barrier(kA, kA);
  p.csrrs(X{10}, isa::csr::kCycle, kZero);
  p.et_halt();
  TimedProgram program(p);
  const TimedTestResult result = program.run(4);
  EXPECT_EQ(result.end.status, RunStatus::exited);
  const uint64_t first = program.device().core(0).x(10);
  for (unsigned core = 1; core < 4; ++core)
    EXPECT_EQ(program.device().core(core).x(10), first) << core;
}

TEST(EndOfARun, AWaitForASignalThatNobodySendsIsADeadlockThatSaysSo) {
  TestBuilder p;
  p.li(kB, 1);
  p.et_wait(X{8}, 3, kB);
  p.et_halt();
  TimedProgram program(p);
  EXPECT_EQ(program.run().end.status, RunStatus::deadlock);
  ASSERT_EQ(program.result().stopped.size(), 1u);
  EXPECT_NE(program.result().stopped[0].waiting.find("semaphore 3"), std::string::npos);
}

TEST(EndOfARun, AFaultEndsItAndIsRecorded) {
  TestBuilder p;
  p.word(0);
  TimedProgram program(p);
  EXPECT_EQ(program.run().end.status, RunStatus::fault);
  ASSERT_EQ(program.device().findings().faults().size(), 1u);
}

TEST(EndOfARun, TheInstructionLimitHolds) {
  TestBuilder p;
  const auto loop = p.label();
  p.bind(loop);
  p.jal(kZero, loop);
  TimedProgram program(p);
  EXPECT_EQ(program.run(1, {}, 1000).end.status, RunStatus::instruction_limit);
  EXPECT_EQ(program.result().instructions, 1000u);
}

TEST(OrderOfComponents, DoesNotChangeACycle) {
  const auto run = [](const TimedProgram::Shuffle& shuffle) {
    TestBuilder p;
    p.csrrs(X{20}, isa::csr::kMhartid, kZero);
    p.li(X{21}, static_cast<int64_t>(kTestData));
    p.li(X{22}, 20);
    const auto loop = p.label();
    p.bind(loop);
    p.amoadd_d(X{8}, X{22}, X{21});
    p.ld(X{9}, 64, X{21});
    p.sd(X{20}, 128, X{21});
    p.addi(X{22}, X{22}, -1);
    p.bne(X{22}, kZero, loop);
    p.li(kA, -1);
    p.et_barrier(kA, kA);
    p.et_halt();
    TimedProgram program(p);
    return program.run(4, shuffle);
  };
  const TimedTestResult plain = run({});
  ASSERT_EQ(plain.end.status, RunStatus::exited);
  for (unsigned seed = 1; seed <= 5; ++seed) {
    std::mt19937 random(seed);
    const TimedTestResult shuffled =
        run([&](std::vector<unsigned>& due) { std::ranges::shuffle(due, random); });
    EXPECT_EQ(shuffled.end.time, plain.end.time) << seed;
    for (size_t i = 0; i < plain.report.units.size(); ++i)
      EXPECT_EQ(shuffled.report.units[i].cycles, plain.report.units[i].cycles) << seed << " " << i;
  }
}

}  // namespace
}  // namespace etalon::sim
