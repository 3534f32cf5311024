// SPDX-License-Identifier: Apache-2.0
// A driver and the functional model: rings, launches, completions, interrupts, and what goes wrong.
#include <random>

#include "isa/base/fuzz_scale.h"
#include "isa/state/rule_test.h"
#include "sim/functional/host_test_driver.h"
#include "sim/functional/host_test_programs.h"

namespace etalon::sim {
namespace {

using isa::X;

constexpr uint64_t kFirst = 0x8000'0000, kSecond = 0x8001'0000;

/// Exits, through tohost at the address, with the first word of the argument block.
void exitWithArgument(isa::ProgramBuilder& p, uint64_t tohost) {
  p.ld(X{6}, 0, X{10});
  p.slli(X{6}, X{6}, 1);
  p.ori(X{6}, X{6}, 1);
  p.li(X{7}, static_cast<int64_t>(tohost));
  p.sd(X{6}, 0, X{7});
}

TEST(HostDriver, RunsTwoProgramsWithDifferentArguments) {
  SHOWS(host_registers, host_descriptor, host_order, host_record, host_end, host_exit);
  HostDriver driver;
  const uint64_t id = driver.get(ET_HOST_ID);
  EXPECT_EQ(id >> ET_HOST_ID_VERSION_SHIFT & ET_HOST_ID_VERSION_MASK,
            uint64_t{ET_HOST_ID_VERSION_VALUE});
  EXPECT_EQ(id >> ET_HOST_ID_CORES_SHIFT & ET_HOST_ID_CORES_MASK, 64u);
  EXPECT_EQ(id >> ET_HOST_ID_DEVICE_SHIFT & ET_HOST_ID_DEVICE_MASK, 1u);

  const uint64_t tohost = driver.data + 0x1000;
  isa::ProgramBuilder add, exit;
  addIndex(add);
  exitWithArgument(exit, tohost);
  et_launch_descriptor first = driver.load(add, kFirst);
  et_launch_descriptor second = driver.load(exit, kSecond, tohost);
  driver.open();
  for (const uint64_t n : {0, 1}) {
    driver.putOne(driver.data + 0x100 * n, uint64_t{1000 * (n + 1)});
    first.arguments = driver.data + 0x100 * n;
    first.first_core = static_cast<uint32_t>(3 * n);
    first.cores = static_cast<uint32_t>(n + 2);
    first.tag = 10 + n;
    driver.submit(first);
  }
  second.arguments = driver.data;
  second.tag = 12;
  driver.submit(second);
  EXPECT_EQ(driver.get(ET_HOST_STATE), uint64_t{ET_HOST_STATE_RUNNING});
  for (uint64_t n = 0; n < 3; ++n) {
    const et_completion_record record = driver.wait();
    EXPECT_EQ(record.tag, 10 + n);
    EXPECT_EQ(record.end, uint32_t{ET_LAUNCH_EXITED});
    EXPECT_EQ(record.value, n == 2 ? 1000u : 0u);
  }
  for (const uint64_t n : {0, 1})
    for (uint64_t i = 0; i < 4; ++i)
      EXPECT_EQ(driver.getOne<uint64_t>(driver.data + 0x100 * n + 8 + 8 * i),
                i < n + 2 ? 1000 * (n + 1) + i : 0);
  EXPECT_FALSE(driver.host().advance(1)) << "nothing is left to run";
}

TEST(HostDriver, IsInterruptedByCompletions) {
  SHOWS(host_interrupt);
  HostDriver driver;
  isa::ProgramBuilder add;
  addIndex(add);
  et_launch_descriptor launch = driver.load(add, kFirst);
  launch.arguments = driver.data;
  driver.open();
  driver.set(ET_HOST_INTERRUPT, ET_HOST_INTERRUPT_ENABLE);
  for (uint64_t n = 0; n < 3; ++n) {
    launch.tag = n;
    driver.submit(launch);
    EXPECT_FALSE(driver.host().interrupt());
    while (!driver.host().interrupt())
      ASSERT_TRUE(driver.host().advance(1) || driver.host().interrupt());
    driver.set(ET_HOST_INTERRUPT, ET_HOST_INTERRUPT_ENABLE | ET_HOST_INTERRUPT_PENDING);
    EXPECT_FALSE(driver.host().interrupt());
    EXPECT_EQ(driver.reap()->tag, n);
    EXPECT_FALSE(driver.reap().has_value());
  }
}

TEST(HostDriver, GoesAroundTheRing) {
  SHOWS(host_order, host_room);
  HostDriver driver(1);
  isa::ProgramBuilder add;
  addIndex(add);
  et_launch_descriptor launch = driver.load(add, kFirst);
  driver.open();
  for (uint64_t n = 0; n < 9; ++n) {
    launch.arguments = driver.data + 16 * n;
    launch.tag = n;
    driver.putOne(launch.arguments, 5 * n);
    driver.submit(launch);
    // Two at work or waiting, from the second on.
    if (n >= 1) {
      EXPECT_EQ(driver.wait().tag, n - 1);
    }
  }
  EXPECT_EQ(driver.wait().tag, 8u);
  for (uint64_t n = 0; n < 9; ++n)
    EXPECT_EQ(driver.getOne<uint64_t>(driver.data + 16 * n + 8), 5 * n);
}

TEST(HostDriver, IsToldOfAFaultAndGoesOn) {
  SHOWS(host_end);
  HostDriver driver;
  isa::ProgramBuilder bad, add;
  bad.li(X{5}, 0x30);
  bad.csrrs(X{6}, 0xf14, X{0});
  bad.li(X{7}, 4);
  const auto others = bad.label();
  bad.bne(X{6}, X{7}, others);
  const uint64_t pc = kFirst + bad.here();
  bad.lw(X{6}, 0, X{5});
  bad.bind(others);
  forever(bad);
  addIndex(add);
  et_launch_descriptor faulty = driver.load(bad, kFirst), good = driver.load(add, kSecond);
  faulty.first_core = 3;
  faulty.cores = 2;
  faulty.tag = 1;
  good.arguments = driver.data;
  good.tag = 2;
  driver.open();
  driver.submit(faulty);
  driver.submit(good);
  const et_completion_record record = driver.wait();
  EXPECT_EQ(record.tag, 1u);
  EXPECT_EQ(record.end, uint32_t{ET_LAUNCH_FAULT});
  EXPECT_EQ(record.core, 4u);
  EXPECT_EQ(record.value, 5u) << "load access";
  EXPECT_EQ(record.mepc, pc);
  EXPECT_EQ(record.mtval, 0x30u);
  EXPECT_EQ(driver.wait().end, uint32_t{ET_LAUNCH_EXITED});
}

TEST(HostDriver, IsToldOfADeadlock) {
  SHOWS(host_end);
  HostDriver driver;
  isa::ProgramBuilder p;
  p.li(X{5}, 1);
  const uint64_t pc = kFirst + p.here();
  p.et_wait(X{0}, 3, X{5});
  p.et_halt();
  et_launch_descriptor launch = driver.load(p, kFirst);
  launch.first_core = 9;
  driver.open();
  driver.submit(launch);
  const et_completion_record record = driver.wait();
  EXPECT_EQ(record.end, uint32_t{ET_LAUNCH_DEADLOCK});
  EXPECT_EQ(record.core, 9u);
  EXPECT_EQ(record.mepc, pc);
}

TEST(HostDriver, HasTheHostProtocolOfEachProgram) {
  SHOWS(host_console, host_call, host_answer, host_exit, host_descriptor);
  HostDriver driver;
  const uint64_t block = driver.data + 0x200, text = driver.data + 0x300;
  driver.putOne(block, std::array<uint64_t, 4>{64, 1, text, 3});
  driver.putOne(text, std::array<char, 3>{'r', 'i', 'n'});
  // The same program, with words of its own each time: a console character, a call that answers in fromhost.
  for (const uint64_t words : {driver.data + 0x1000, driver.data + 0x2000}) {
    isa::ProgramBuilder p;
    p.li(X{7}, static_cast<int64_t>(words));
    p.li(X{6}, static_cast<int64_t>(uint64_t{0x0101} << 48 | 'g'));
    p.li(X{5}, static_cast<int64_t>(block));
    p.sd(X{5}, 0, X{7});
    p.sd(X{6}, 0, X{7});
    p.ld(X{6}, 64, X{7});  // fromhost
    p.slli(X{6}, X{6}, 1);
    p.ori(X{6}, X{6}, 1);
    p.sd(X{6}, 0, X{7});
    et_launch_descriptor launch =
        driver.load(p, words == driver.data + 0x1000 ? kFirst : kSecond, words);
    launch.fromhost = words + 64;
    driver.putOne(block, uint64_t{64});
    driver.get(ET_HOST_STATE) == ET_HOST_STATE_IDLE ? driver.open() : void();
    driver.submit(launch);
    const et_completion_record record = driver.wait();
    EXPECT_EQ(record.end, uint32_t{ET_LAUNCH_EXITED});
    EXPECT_EQ(record.value, 1u) << "what the host answered";
  }
  EXPECT_EQ(driver.console, "ringring");
}

TEST(HostDriver, WithoutTohostAStoreIsAStore) {
  SHOWS(host_descriptor);
  HostDriver driver;
  const uint64_t tohost = driver.data + 0x1000;
  isa::ProgramBuilder p;
  exitWithArgument(p, tohost);
  p.et_halt();
  et_launch_descriptor launch = driver.load(p, kFirst);
  driver.putOne(driver.data, uint64_t{5});
  launch.arguments = driver.data;
  driver.open();
  driver.submit(launch);
  EXPECT_EQ(driver.wait().value, 0u);
  EXPECT_EQ(driver.getOne<uint64_t>(tohost), 11u);
}

TEST(HostDriver, LearnsWhatIsWrongWithADescriptor) {
  VIOLATES(host_defect);
  HostDriver driver;
  isa::ProgramBuilder add;
  addIndex(add);
  const et_launch_descriptor good = driver.load(add, kFirst);
  driver.open();
  et_launch_descriptor bad[4] = {good, good, good, good};
  bad[0].zero[3] = 1;
  bad[1].first_core = 64;
  bad[2].entry = 0x1000'0000;
  bad[3].tohost = 4;
  for (const et_launch_descriptor& launch : bad) driver.submit(launch);
  for (const uint64_t defect :
       {ET_DEFECT_RESERVED, ET_DEFECT_CORES, ET_DEFECT_ENTRY, ET_DEFECT_TOHOST}) {
    const et_completion_record record = driver.wait();
    EXPECT_EQ(record.end, uint32_t{ET_LAUNCH_REFUSED});
    EXPECT_EQ(record.value, defect);
  }
}

TEST(HostDriver, AbortsAProgramThatDoesNotEnd) {
  SHOWS(host_abort, host_stop);
  HostDriver driver;
  isa::ProgramBuilder loop, add;
  forever(loop);
  addIndex(add);
  et_launch_descriptor endless = driver.load(loop, kFirst), next = driver.load(add, kSecond);
  endless.cores = 3;
  endless.tag = 1;
  next.arguments = driver.data;
  next.tag = 2;
  driver.open();
  driver.submit(endless);
  driver.submit(next);
  EXPECT_TRUE(driver.host().advance(10'000));
  EXPECT_FALSE(driver.reap().has_value());
  driver.set(ET_HOST_CONTROL, ET_HOST_CONTROL_ABORT);
  const auto record = driver.reap();
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->tag, 1u);
  EXPECT_EQ(record->end, uint32_t{ET_LAUNCH_ABORTED});
  EXPECT_EQ(driver.get(ET_HOST_STATE), uint64_t{ET_HOST_STATE_STOPPED});
  EXPECT_FALSE(driver.host().advance(1));
  driver.set(ET_HOST_CONTROL, ET_HOST_CONTROL_START);
  EXPECT_EQ(driver.wait().tag, 2u);
}

TEST(HostDriver, ResetsADeviceThatRuns) {
  SHOWS(host_reset);
  HostDriver driver;
  isa::ProgramBuilder loop, add;
  forever(loop);
  addIndex(add);
  et_launch_descriptor endless = driver.load(loop, kFirst), next = driver.load(add, kSecond);
  next.arguments = driver.data;
  driver.putOne(driver.data, uint64_t{40});
  driver.open();
  driver.submit(endless);
  EXPECT_TRUE(driver.host().advance(10'000));
  driver.set(ET_HOST_CONTROL, ET_HOST_CONTROL_RESET);
  EXPECT_FALSE(driver.host().advance(1));
  EXPECT_EQ(driver.get(ET_HOST_STATE), uint64_t{ET_HOST_STATE_IDLE});
  EXPECT_EQ(driver.get(ET_HOST_COMPLETION_COUNT), 0u);
  for (unsigned core = 0; core < 64; ++core) {
    EXPECT_EQ(driver.device().core(core).state(), CoreState::halted);
    EXPECT_EQ(driver.device().core(core).retired(), 0u);
  }
  driver.open();
  driver.submit(next);
  EXPECT_EQ(driver.wait().end, uint32_t{ET_LAUNCH_EXITED});
  EXPECT_EQ(driver.getOne<uint64_t>(driver.data + 8), 40u);
}

/// Register traffic without sense, descriptors of any bytes, programs that never end.
TEST(HostDriver, AnyTrafficLeavesADeviceThatWorks) {
  SHOWS(host_reset);
  const auto rounds = static_cast<uint64_t>(100 * fuzzScale());
  HostDriver driver(1, {.observe = false});
  isa::ProgramBuilder add, loop;
  addIndex(add);
  forever(loop);
  et_launch_descriptor good = driver.load(add, kFirst), endless = driver.load(loop, kSecond);
  good.arguments = endless.arguments = driver.data;
  uint64_t completed = 0;
  for (uint64_t seed = 0; seed < rounds; ++seed) {
    std::mt19937_64 random(seed);
    const auto below = [&](uint64_t n) { return random() % n; };
    driver.open();
    for (int step = 0; step < 300; ++step) {
      const uint64_t offsets[] = {
          ET_HOST_CONTROL,  ET_HOST_INTERRUPT,       ET_HOST_RING_BASE,       ET_HOST_RING_SIZE,
          ET_HOST_DOORBELL, ET_HOST_COMPLETION_BASE, ET_HOST_COMPLETION_READ, below(0x20000)};
      const uint64_t offset = offsets[below(8)];
      uint64_t value = 0;
      (void)driver.host().read(offset, 8, value);
      value = below(2) ? value + below(3) : below(2) ? below(20) : driver.data + 64 * below(9);
      // A reset is rare: most of what can happen needs time.
      if (offset == ET_HOST_CONTROL && value == 1 && below(8)) value = ET_HOST_CONTROL_START;
      (void)driver.host().write(offset, below(8) ? 8 : 1u << below(5), value);
      if (below(4) == 0) (void)driver.host().advance(1 + below(100));
      et_launch_descriptor any = below(2) ? good : endless;
      auto* bytes = reinterpret_cast<std::byte*>(&any);
      if (below(2)) bytes[below(64)] = static_cast<std::byte>(below(256));
      driver.putOne(driver.data + 64 * below(9), any);
    }
    completed += driver.get(ET_HOST_COMPLETION_COUNT);
    driver.set(ET_HOST_CONTROL, ET_HOST_CONTROL_RESET);
    EXPECT_FALSE(driver.host().advance(1));
    driver.open();
    good.tag = seed;
    driver.submit(good);
    const et_completion_record record = driver.wait();
    EXPECT_EQ(record.tag, seed);
    EXPECT_EQ(record.end, uint32_t{ET_LAUNCH_EXITED});
    driver.set(ET_HOST_CONTROL, ET_HOST_CONTROL_RESET);
  }
  EXPECT_GT(completed, rounds) << "traffic that gets past the first check";
}

}  // namespace
}  // namespace etalon::sim
