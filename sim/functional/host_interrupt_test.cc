// SPDX-License-Identifier: Apache-2.0
// Interrupts that a host raises through the register page: its abort, software interrupts, timers.
#include "isa/state/rule_test.h"
#include "sim/functional/host_test_driver.h"
#include "sim/functional/interrupt_test_support.h"

namespace etalon::sim {
namespace {

using isa::Interrupt;
using isa::X;

constexpr uint64_t kImage = 0x8000'0000;

void loop(InterruptBuilder& p) {
  const auto again = p.label();
  p.bind(again);
  p.jal(X{0}, again);
}

TEST(HostAbort, GivesCoresThatAskForItTimeToTidyUp) {
  SHOWS(host_abort, csr_interrupts);
  HostDriver driver;
  InterruptBuilder p;
  const auto handler = p.label(), others = p.label(), waits = p.label();
  p.csrrs(X{5}, 0xf14, X{0});
  p.sub(X{5}, X{5}, X{14});
  p.li(X{6}, 2);
  p.beq(X{5}, X{6}, others);
  p.handleAt(handler);
  p.enable(InterruptBuilder::bit(Interrupt::host_abort));
  p.allow();
  p.bne(X{5}, X{0}, waits);
  loop(p);
  p.bind(waits);
  p.li(X{6}, 1);
  p.et_wait(X{0}, 0, X{6});
  p.bind(others);
  loop(p);
  p.bind(handler);
  p.read(X{7}, isa::csr::kMcause);
  p.slli(X{5}, X{5}, 3);
  p.add(X{5}, X{5}, X{10});
  p.sd(X{7}, 0, X{5});
  p.et_halt();
  et_launch_descriptor launch = driver.load(p, kImage);
  launch.first_core = 4;
  launch.cores = 3;
  launch.arguments = driver.data;
  launch.tag = 8;
  driver.open();
  driver.submit(launch);
  EXPECT_TRUE(driver.host().advance(5000));
  driver.set(ET_HOST_CONTROL, ET_HOST_CONTROL_ABORT);
  EXPECT_FALSE(driver.reap().has_value()) << "two cores are told";
  EXPECT_EQ(driver.device().core(6).state(), CoreState::halted) << "the third one is not";
  const et_completion_record record = driver.wait();
  EXPECT_EQ(record.tag, 8u);
  EXPECT_EQ(record.end, uint32_t{ET_LAUNCH_ABORTED});
  for (const uint64_t core : {0, 1, 2})
    EXPECT_EQ(driver.getOne<uint64_t>(driver.data + 8 * core),
              core < 2 ? InterruptBuilder::cause(Interrupt::host_abort) : 0);
  EXPECT_EQ(driver.get(ET_HOST_STATE), uint64_t{ET_HOST_STATE_STOPPED});
  // The next launch knows nothing of it.
  InterruptBuilder q;
  q.read(X{7}, isa::csr::kMip);
  q.sd(X{7}, 0, X{10});
  q.et_halt();
  et_launch_descriptor next = driver.load(q, kImage);
  next.arguments = driver.data;
  driver.submit(next);
  driver.set(ET_HOST_CONTROL, ET_HOST_CONTROL_START);
  EXPECT_EQ(driver.wait().end, uint32_t{ET_LAUNCH_EXITED});
  EXPECT_EQ(driver.getOne<uint64_t>(driver.data), 0u);
}

TEST(HostAbort, CountsForAllThatHappensAfterIt) {
  SHOWS(host_abort);
  HostDriver driver;
  InterruptBuilder p;
  const auto handler = p.label();
  p.handleAt(handler);
  p.enable(InterruptBuilder::bit(Interrupt::host_abort));
  p.allow();
  loop(p);
  p.bind(handler);
  p.csrrw(X{0}, isa::csr::kMtvec, X{0});
  p.word(0);  // traps, again and again
  et_launch_descriptor launch = driver.load(p, kImage);
  driver.open();
  driver.submit(launch);
  EXPECT_TRUE(driver.host().advance(100));
  driver.set(ET_HOST_CONTROL, ET_HOST_CONTROL_ABORT);
  EXPECT_TRUE(driver.host().advance(10'000)) << "the core does not halt";
  driver.set(ET_HOST_CONTROL, ET_HOST_CONTROL_RESET);
  EXPECT_FALSE(driver.host().advance(1));
}

TEST(HostPage, RaisesSoftwareInterrupts) {
  SHOWS(host_registers, csr_interrupts);
  HostDriver driver;
  InterruptBuilder p;
  p.enable(InterruptBuilder::bit(Interrupt::software));
  p.wfi();
  p.read(X{7}, isa::csr::kMip);
  p.sd(X{7}, 0, X{10});
  p.et_halt();
  et_launch_descriptor launch = driver.load(p, kImage);
  launch.first_core = 3;
  launch.arguments = driver.data;
  driver.open();
  driver.submit(launch);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(driver.host().advance(1000)) << "it waits for the host";
  EXPECT_EQ(driver.host().write(ET_HOST_MSIP(3), 4, 1), HostAnswer::ok);
  EXPECT_EQ(driver.wait().end, uint32_t{ET_LAUNCH_EXITED});
  EXPECT_EQ(driver.getOne<uint64_t>(driver.data), 8u);
  uint64_t raised = 0;
  EXPECT_EQ(driver.host().read(ET_HOST_MSIP(3), 4, raised), HostAnswer::ok);
  EXPECT_EQ(raised, 1u);
}

TEST(HostPage, SetsTimeAndTimers) {
  SHOWS(host_registers, host_reset, map_time);
  HostDriver driver;
  EXPECT_EQ(driver.get(ET_HOST_MTIME), 0u);
  EXPECT_EQ(driver.get(ET_HOST_MTIMECMP(63)), ~uint64_t{0});
  InterruptBuilder p;
  p.enable(InterruptBuilder::bit(Interrupt::timer));
  p.wfi();
  p.loadDouble(X{7}, ET_HOST_MTIME);
  p.sd(X{7}, 0, X{10});
  p.et_halt();
  et_launch_descriptor launch = driver.load(p, kImage);
  launch.arguments = driver.data;
  driver.open();
  driver.set(ET_HOST_MTIME, 1'000'000);
  driver.submit(launch);
  EXPECT_TRUE(driver.host().advance(1000));
  EXPECT_GT(driver.get(ET_HOST_MTIME), 1'000'000u);
  driver.set(ET_HOST_MTIMECMP(0), 5'000'000);
  EXPECT_EQ(driver.wait().end, uint32_t{ET_LAUNCH_EXITED});
  EXPECT_GE(driver.getOne<uint64_t>(driver.data), 5'000'000u);
  EXPECT_LT(driver.getOne<uint64_t>(driver.data), 5'000'100u);
  driver.set(ET_HOST_CONTROL, ET_HOST_CONTROL_RESET);
  EXPECT_EQ(driver.get(ET_HOST_MTIME), 0u);
  EXPECT_EQ(driver.get(ET_HOST_MTIMECMP(0)), ~uint64_t{0});
}

}  // namespace
}  // namespace etalon::sim
