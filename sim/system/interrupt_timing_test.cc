// SPDX-License-Identifier: Apache-2.0
// Interrupts in time: in which cycle they are taken, and what that costs.
#include <random>

#include "isa/state/rule_test.h"
#include "sim/functional/interrupt_test_support.h"
#include "sim/system/timed_test_support.h"

namespace etalon::sim {
namespace {

using enum isa::Interrupt;
using isa::X;

constexpr int kDrain = 3, kSignal = 8;  // scalar.csr, network.latency of `base`

uint64_t bit(isa::Interrupt interrupt) { return InterruptBuilder::bit(interrupt); }
uint64_t x(TimedProgram& program, int i, unsigned core = 0) {
  return program.device().core(core).x(i);
}

TEST(TimeRegister, CountsCycles) {
  SHOWS(map_time);
  InterruptBuilder p;
  p.li(X{28}, kTimeRegister);
  p.li(X{9}, 300);
  auto loop = p.label();
  p.bind(loop);
  p.addi(X{9}, X{9}, -1);
  p.bne(X{9}, X{0}, loop);
  p.read(X{5}, isa::csr::kCycle);
  p.ld(X{6}, 0, X{28});
  p.et_halt();
  TimedProgram program(p);
  EXPECT_EQ(program.run().end.status, RunStatus::exited);
  EXPECT_GT(x(program, 5), 900u);
  EXPECT_EQ(x(program, 6), x(program, 5) + kDrain);
}

/// The timer of core 0 goes off `ahead` cycles from when it is set, then `meanwhile`. x11: mtimecmp; in the handler, once,
/// x10: the cycle of its first instruction, x12: mepc. The handler stands in the first line, which is in the cache.
template <class Meanwhile>
InterruptBuilder underTimer(int64_t ahead, Meanwhile meanwhile) {
  InterruptBuilder p;
  auto handler = p.label(), start = p.label();
  p.jal(X{0}, start);
  p.bind(handler);
  p.read(X{10}, isa::csr::kCycle);
  p.read(X{12}, isa::csr::kMepc);
  p.csrrwi(X{0}, isa::csr::kMie, 0);
  p.li(X{13}, 1);
  p.mret();
  p.bind(start);
  p.li(X{13}, 0);
  p.handleAt(handler);
  p.enable(bit(timer));
  p.allow();
  p.timerIn(0, ahead);
  p.addi(X{11}, X{30}, 0);
  meanwhile(p);
  p.et_halt();
  return p;
}

TEST(TimedInterrupt, IsTakenByASleepingCoreInItsCycle) {
  SHOWS(irq_taken, irq_sleep);
  InterruptBuilder p = underTimer(500, [](InterruptBuilder& p) {
    p.wfi();
    p.wfi();
  });
  TimedProgram program(p);
  const TimedTestResult result = program.run();
  EXPECT_EQ(result.end.status, RunStatus::deadlock) << "nothing is enabled any more";
  EXPECT_EQ(x(program, 10), x(program, 11) + kDrain + kDrain) << "wfi itself, then the trap";
  EXPECT_GT(cyclesOf(result.report.unitCycles(Track::scalar), Activity::interrupt), 100u);
  EXPECT_EQ(program.result().stopped.at(0).waiting, "waits for an interrupt");
}

TEST(TimedInterrupt, IsTakenByARunningCoreAtItsNextInstruction) {
  SHOWS(irq_when);
  InterruptBuilder p = underTimer(5000, [](InterruptBuilder& p) {
    auto loop = p.label();
    p.bind(loop);
    p.beq(X{13}, X{0}, loop);
  });
  TimedProgram program(p);
  EXPECT_EQ(program.run().end.status, RunStatus::exited);
  EXPECT_GE(x(program, 10), x(program, 11) + kDrain);
  EXPECT_LE(x(program, 10), x(program, 11) + kDrain + 2) << "a taken branch is 3 cycles";
}

TEST(TimedInterrupt, LeavesAFenceThatIsHeldAndComesBackToIt) {
  SHOWS(irq_waits);
  InterruptBuilder p = underTimer(1000, [](InterruptBuilder& p) {
    auto fence = p.label(), loop = p.label();
    p.la(X{14}, fence);
    p.li(X{16}, static_cast<int64_t>(kTestData));
    p.addi(X{15}, X{11}, -20);
    p.li(X{28}, kTimeRegister);
    p.bind(loop);
    p.ld(X{9}, 0, X{28});
    p.bltu(X{9}, X{15}, loop);
    p.sd(X{9}, 0, X{16});  // takes more than the 20 cycles that are left
    p.bind(fence);
    p.et_fence();
    p.read(X{17}, isa::csr::kCycle);
  });
  TimedProgram program(p);
  EXPECT_EQ(program.run().end.status, RunStatus::exited);
  EXPECT_EQ(x(program, 12), x(program, 14)) << "mepc is the fence's";
  EXPECT_EQ(x(program, 10), x(program, 11) + kDrain);
  EXPECT_GT(x(program, 17), x(program, 10));
}

TEST(TimedInterrupt, BySoftwareArrivesAfterTheNetwork) {
  SHOWS(irq_sleep, map_device_registers);
  InterruptBuilder p;
  p.split(
      [&] {
        p.li(X{28}, kSoftwareInterrupts + 4);
        p.li(X{29}, 1);
        p.li(X{9}, 100);
        auto loop = p.label();
        p.bind(loop);
        p.addi(X{9}, X{9}, -1);
        p.bne(X{9}, X{0}, loop);
        p.read(X{5}, isa::csr::kCycle);
        p.sw(X{29}, 0, X{28});
        p.lw(X{6}, 0, X{28});
      },
      [&] {
        p.enable(bit(software));
        p.wfi();
        p.read(X{5}, isa::csr::kCycle);
      });
  p.et_halt();
  TimedProgram program(p);
  const TimedTestResult result = program.run(2);
  EXPECT_EQ(result.end.status, RunStatus::exited);
  EXPECT_EQ(x(program, 5, 1), x(program, 5) + kDrain + kSignal + kDrain)
      << "the read before, the way, wfi itself";
  EXPECT_EQ(x(program, 6), 1u) << "the core waits until its store has taken place";
}

TEST(TimedBarrier, KeepsTheArrivalOfACoreThatIsInterrupted) {
  SHOWS(sync_barrier_kept);
  InterruptBuilder p;
  auto handler = p.label();
  p.li(X{20}, -1);
  p.split(
      [&] {
        p.handleAt(handler);
        p.enable(bit(timer));
        p.allow();
        p.timerIn(0, 300);
        p.et_barrier(X{20}, X{20});
        p.read(X{6}, isa::csr::kCycle);
      },
      [&] {
        p.li(X{9}, 500);
        auto loop = p.label();
        p.bind(loop);
        p.addi(X{9}, X{9}, -1);
        p.bne(X{9}, X{0}, loop);
        p.et_barrier(X{20}, X{20});
        p.read(X{6}, isa::csr::kCycle);
      });
  p.et_halt();
  p.bind(handler);
  p.read(X{5}, isa::csr::kCycle);
  p.csrrwi(X{0}, isa::csr::kMie, 0);
  p.mret();
  TimedProgram program(p);
  EXPECT_EQ(program.run(2).end.status, RunStatus::exited);
  EXPECT_GT(x(program, 5), 300u);
  EXPECT_LT(x(program, 5), 1000u) << "long before core 1 arrived";
  EXPECT_EQ(x(program, 6), x(program, 6, 1)) << "both passed in one cycle";
}

TEST(OrderOfComponents, DoesNotChangeACycleOfInterrupts) {
  const auto run = [](const TimedProgram::Shuffle& shuffle) {
    InterruptBuilder p;
    auto handler = p.label(), loop = p.label(), done = p.label();
    p.handleAt(handler);
    p.read(X{20}, isa::csr::kMhartid);
    p.slli(X{21}, X{20}, 3);
    p.li(X{22}, static_cast<int64_t>(kTimeCompareRegisters));
    p.add(X{21}, X{21}, X{22});  // own mtimecmp
    p.addi(X{23}, X{20}, 1);
    p.andi(X{23}, X{23}, 3);
    p.slli(X{23}, X{23}, 2);
    p.li(X{22}, static_cast<int64_t>(kSoftwareInterrupts));
    p.add(X{23}, X{23}, X{22});  // msip of the next core
    p.slli(X{24}, X{20}, 2);
    p.add(X{24}, X{24}, X{22});  // own msip
    p.li(X{25}, static_cast<int64_t>(kTimeRegister));
    p.li(X{26}, 1);
    p.li(X{27}, 40);  // interrupts to take
    p.sd(X{0}, 0, X{21});
    p.enable(bit(timer) | bit(software));
    p.allow();
    p.bind(loop);
    p.wfi();
    p.bge(X{27}, X{0}, loop);
    p.et_halt();
    p.bind(handler);
    p.sw(X{0}, 0, X{24});
    p.ld(X{8}, 0, X{25});
    p.addi(X{8}, X{8}, 50);
    p.sd(X{8}, 0, X{21});
    p.sw(X{26}, 0, X{23});
    p.lw(X{9}, 0, X{23});
    p.add(X{10}, X{10}, X{9});
    p.addi(X{27}, X{27}, -1);
    p.bge(X{27}, X{0}, done);
    p.csrrwi(X{0}, isa::csr::kMstatus, 0);
    p.bind(done);
    p.mret();
    TimedProgram program(p);
    const TimedTestResult result = program.run(4, shuffle);
    std::vector<uint64_t> seen{result.end.time, static_cast<uint64_t>(result.end.status)};
    for (unsigned core = 0; core < 4; ++core)
      for (const int i : {8, 9, 10}) seen.push_back(x(program, i, core));
    return seen;
  };
  const std::vector<uint64_t> plain = run({});
  EXPECT_EQ(plain[1], static_cast<uint64_t>(RunStatus::exited));
  for (unsigned seed = 1; seed <= 5; ++seed) {
    std::mt19937 random(seed);
    EXPECT_EQ(run([&](std::vector<unsigned>& due) { std::ranges::shuffle(due, random); }), plain)
        << seed;
  }
}

}  // namespace
}  // namespace etalon::sim
