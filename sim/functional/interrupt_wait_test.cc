// SPDX-License-Identifier: Apache-2.0
// Interrupts of what waits: wfi, et.wait, et.barrier.
#include "isa/machines/address_map.h"
#include "isa/state/rule_test.h"
#include "sim/functional/interrupt_test_support.h"
#include "sim/functional/vector_test_support.h"

namespace etalon::sim {
namespace {

using enum isa::Interrupt;
using isa::X;

const std::vector<std::string> kSmall = {"cores=2", "local_bytes=64 KiB",
                                         "address_map.global_bytes=16 MiB"};
constexpr uint64_t kFar = 1'000'000'000'000'000;

uint64_t bit(isa::Interrupt interrupt) { return InterruptBuilder::bit(interrupt); }
uint64_t x(TestProgram& program, int i, unsigned core = 0) {
  return program.device().core(core).x(i);
}

TEST(Sleep, EndsWhenTheTimerIsDueWhateverMieSays) {
  SHOWS(irq_sleep, map_time);
  InterruptBuilder p;
  p.enable(bit(timer));
  p.timerOf(0, kFar);
  p.wfi();
  p.loadDouble(X{5}, kTimeRegister);
  p.read(X{6}, isa::csr::kMip);
  p.wfi();  // still pending
  p.et_halt();
  TestProgram program(p, kSmall);
  const RunResult result = program.run();
  EXPECT_EQ(result.status, RunStatus::exited) << "mtime went there at once";
  EXPECT_EQ(x(program, 5), kFar + 2) << "wfi and li come before the load";
  EXPECT_EQ(x(program, 6), bit(timer));
}

TEST(Sleep, IsDoneWhenTheInterruptThatEndsItIsTaken) {
  SHOWS(irq_sleep, irq_when);
  InterruptBuilder p;
  auto handler = p.label(), loop = p.label(), next = p.label();
  p.handleAt(handler);
  p.enable(bit(timer));
  p.timerOf(0, kFar);
  p.allow();
  p.la(X{5}, next);
  p.li(X{8}, 3);
  p.bind(loop);
  p.wfi();
  p.bind(next);
  p.addi(X{9}, X{9}, 1);
  p.bne(X{9}, X{8}, loop);
  p.et_halt();
  p.bind(handler);
  p.read(X{6}, isa::csr::kMepc);
  p.addi(X{7}, X{7}, 1);
  p.timerIn(0, 1000);
  p.mret();
  TestProgram program(p, kSmall);
  EXPECT_EQ(program.run().status, RunStatus::exited);
  EXPECT_EQ(x(program, 6), x(program, 5)) << "the instruction after wfi";
  EXPECT_EQ(x(program, 7), 3u);
}

TEST(Sleep, EndsByAnotherCoresSoftwareInterrupt) {
  SHOWS(irq_sleep, irq_when, map_device_registers);
  for (uint64_t seed = 0; seed < 8; ++seed) {
    InterruptBuilder p;
    p.split(
        [&] {
          p.enable(bit(software));
          p.wfi();
          p.software(0, false);
          p.software(1);
        },
        [&] {
          p.enable(bit(software));
          p.software(0);
          p.wfi();
        });
    p.et_halt();
    TestProgram program(p, kSmall);
    LaunchOptions options;
    options.cores = 2;
    options.seed = seed;
    EXPECT_EQ(program.launch(options).status, RunStatus::exited) << seed;
  }
}

TEST(Sleep, WithoutAnythingToWakeItIsADeadlockThatSaysSo) {
  for (const bool timed : {false, true}) {
    InterruptBuilder p;
    p.enable(bit(software));
    if (timed) p.timerOf(0, kFar);  // which mie does not enable
    p.wfi();
    p.et_halt();
    TestProgram program(p, kSmall);
    const RunResult result = program.run();
    EXPECT_EQ(result.status, RunStatus::deadlock);
    ASSERT_EQ(result.stopped.size(), 1u);
    EXPECT_EQ(result.stopped[0].waiting, "waits for an interrupt");
  }
}

/// Core 0 waits by `wait`; its timer ends that, and its handler lets it go on. x5: where it waits, x6: mepc.
template <class Wait, class Release>
TestProgram interrupted(Wait wait, Release release, uint64_t seed = 0) {
  InterruptBuilder p;
  auto handler = p.label(), at = p.label(), end = p.label();
  p.split(
      [&] {
        p.handleAt(handler);
        p.enable(bit(timer));
        p.timerOf(0, 100'000);
        p.allow();
        p.li(X{20}, -1);
        p.li(X{21}, 3);
        p.la(X{5}, at);
        p.bind(at);
        wait(p);
        p.li(X{7}, 1);
      },
      [&] {
        p.li(X{20}, -1);
        p.enable(bit(software));
        p.wfi();
        p.et_barrier(X{20}, X{20});
      });
  p.jal(X{0}, end);
  p.bind(handler);
  p.read(X{6}, isa::csr::kMepc);
  p.read(X{8}, isa::csr::kEtbar);
  p.timerOf(0, -1);
  release(p);
  p.software(1);
  p.mret();
  p.bind(end);
  p.et_halt();
  TestProgram program(p, kSmall);
  LaunchOptions options;
  options.cores = 2;
  options.seed = seed;
  options.instruction_limit = 10'000;
  EXPECT_EQ(program.launch(options).status, RunStatus::exited) << seed;
  return program;
}

void addToSemaphore(InterruptBuilder& p, int64_t amount) {
  p.storeWord(isa::kLocalWindowBase + (64 << 10) + 4 * 2, amount);
}
void meetOthers(InterruptBuilder& p) { p.et_barrier(X{20}, X{20}); }

TEST(WaitingCore, IsInterruptedBeforeAnyEffectAndWaitsAgain) {
  SHOWS(irq_waits, sync_wait);
  for (const bool subtracts : {false, true}) {
    TestProgram program = interrupted(
        [&](InterruptBuilder& p) {
          subtracts ? p.et_waitsub(X{9}, 2, X{21}) : p.et_wait(X{9}, 2, X{21});
          p.et_barrier(X{20}, X{20});
        },
        [](InterruptBuilder& p) { addToSemaphore(p, 5); });
    EXPECT_EQ(x(program, 6), x(program, 5));
    EXPECT_EQ(x(program, 7), 1u);
    EXPECT_EQ(x(program, 9), 0u);
    EXPECT_EQ(program.device().memory().semaphores(0)[2], subtracts ? 2u : 5u);
  }
}

TEST(Barrier, KeepsTheArrivalOfACoreThatIsInterrupted) {
  SHOWS(irq_waits, sync_barrier_kept);
  for (uint64_t seed = 0; seed < 8; ++seed) {
    // The other core arrives, and passes, while this one is in its handler.
    TestProgram program = interrupted(
        meetOthers,
        [](InterruptBuilder& p) {
          p.software(1);
          p.li(X{28}, 2000);
          auto loop = p.label();
          p.bind(loop);
          p.addi(X{28}, X{28}, -1);
          p.bne(X{28}, X{0}, loop);
        },
        seed);
    EXPECT_EQ(x(program, 6), x(program, 5));
    EXPECT_EQ(x(program, 8), x(program, 5)) << "etbar is the pc of the barrier";
    EXPECT_EQ(x(program, 7), 1u);
    EXPECT_EQ(program.device().core(0).readCsr(isa::csr::kEtbar), 0u) << "it has passed";
  }
}

TEST(Barrier, CanBeGivenUpForAnotherOne) {
  SHOWS(sync_barrier_kept);
  TestProgram program = interrupted(meetOthers, [](InterruptBuilder& p) {
    p.csrrwi(X{0}, isa::csr::kEtbar, 0);
    p.li(X{22}, 1);
    p.et_barrier(X{22}, X{0});  // alone
    p.read(X{23}, isa::csr::kEtbar);
  });
  EXPECT_EQ(x(program, 23), 0u);
  EXPECT_EQ(x(program, 7), 1u) << "then it arrived anew";
}

TEST(Barrier, InAHandlerOfACoreThatWaitsAtOneTraps) {
  SHOWS(sync_barrier_open);
  VIOLATES(sync_barrier_open);
  for (const bool other_mask : {false, true}) {
    InterruptBuilder p;
    auto handler = p.label(), at = p.label();
    p.split([] {}, [&] { p.wfi(); });
    p.handleAt(handler);
    p.enable(bit(timer));
    p.timerOf(0, 1000);
    p.allow();
    p.li(X{20}, -1);
    p.li(X{21}, -1);
    p.bind(at);
    p.et_barrier(X{20}, X{21});
    p.bind(handler);
    // The trap goes to the handler as well, which ends there.
    p.read(X{10}, isa::csr::kMcause);
    auto trapped = p.label();
    p.bge(X{10}, X{0}, trapped);
    if (other_mask) {
      p.li(X{20}, 1);
      p.li(X{21}, 0);
      p.jal(X{0}, at);
    }
    p.et_barrier(X{20}, X{21});
    p.bind(trapped);
    p.exitWithRegister(X{10});
    TestProgram program(p, kSmall);
    LaunchOptions options;
    options.cores = 2;
    EXPECT_EQ(program.launch(options).exit_code, 25u);
    const isa::Fault& fault = program.device().findings().faults().at(0);
    EXPECT_EQ(fault.rule, isa::Rule::sync_barrier_open);
    EXPECT_NE(fault.detail.find("of mask 0x3"), std::string::npos) << fault.detail;
  }
}

TEST(MachineCheck, EndsAWaitWithoutItsEffects) {
  SHOWS(sync_wait_released);
  TestBuilder p;
  p.li(X{5}, 3);
  p.et_wait(X{10}, 2, X{5});
  p.et_waitsub(X{11}, 2, X{5});
  p.et_wait(X{12}, 2, X{0});  // would not wait
  p.et_halt();
  TestProgram program(p, kSmall);
  FunctionalDevice& device = program.device();
  LaunchOptions options;
  ASSERT_TRUE(device.start(options).ok());
  EXPECT_FALSE(device.advance(1)) << "it waits";
  device.core(0).raiseUnitError(isa::Unit::load, 7);
  EXPECT_EQ(device.advance(100)->status, RunStatus::exited);
  EXPECT_EQ(x(program, 10), 1u);
  EXPECT_EQ(x(program, 11), 1u);
  EXPECT_EQ(x(program, 12), 0u);
  EXPECT_EQ(device.core(0).readCsr(isa::csr::kEterrld), 7u);
  EXPECT_EQ(device.memory().semaphores(0)[2], 0u);
}

TEST(Interrupt, OrdersNoAccesses) {
  SHOWS(irq_order);
  // Core 1 fills a tile, fences, and wakes core 0, which loads the same bytes: only a semaphore would order them.
  VectorBuilder p;
  const isa::TileRegister tile = denseTile(ElementType::f32, 1, 4, 0x1000);
  const auto others = p.label(), end = p.label();
  p.setTile(1, tile);
  p.csrrs(X{5}, isa::csr::kMhartid, X{0});
  p.li(X{6}, kSoftwareInterrupts);
  p.bne(X{5}, X{0}, others);
  p.csrrwi(X{0}, isa::csr::kMie, 8);
  p.wfi();
  p.li(X{7}, static_cast<int64_t>(isa::kCoreWindowBase + isa::kCoreWindowStride + 0x1000));
  p.lw(X{8}, 0, X{7});
  p.jal(X{0}, end);
  p.bind(others);
  p.et_iota(isa::Tile{1}, X{5}, X{0}, X{0});
  p.et_fence();
  p.sw(X{5}, 0, X{6});
  p.bind(end);
  p.et_halt();
  TestProgram program(p, kSmall);
  EXPECT_EQ(program.run(2).status, RunStatus::exited);
  EXPECT_EQ(program.device().races().raceCount(), 1u);
}

}  // namespace
}  // namespace etalon::sim
