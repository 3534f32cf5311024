// SPDX-License-Identifier: Apache-2.0
// Interrupts as programs see them: which is taken, when, and what it leaves.
#include "isa/state/rule_test.h"
#include "sim/functional/interrupt_test_support.h"

namespace etalon::sim {
namespace {

using enum isa::Interrupt;
using isa::X;

uint64_t bit(isa::Interrupt interrupt) { return InterruptBuilder::bit(interrupt); }
uint64_t cause(isa::Interrupt interrupt) { return InterruptBuilder::cause(interrupt); }
uint64_t x(TestProgram& program, int i, unsigned core = 0) {
  return program.device().core(core).x(i);
}

TEST(Interrupt, IsTakenBetweenTwoInstructionsAndSaysWhere) {
  SHOWS(irq_taken, irq_when, csr_trap_entry, csr_interrupts);
  InterruptBuilder p;
  auto handler = p.label(), next = p.label();
  p.handleAt(handler);
  p.enable(bit(software));
  p.allow();
  p.la(X{5}, next);
  p.software(0);
  p.bind(next);
  p.li(X{6}, 77);
  p.et_halt();
  p.bind(handler);
  p.read(X{10}, isa::csr::kMepc);
  p.read(X{11}, isa::csr::kMcause);
  p.read(X{12}, isa::csr::kMtval);
  p.read(X{13}, isa::csr::kMstatus);
  p.read(X{14}, isa::csr::kMip);
  p.addi(X{15}, X{6}, 0);
  p.software(0, false);
  p.read(X{16}, isa::csr::kMip);
  p.mret();
  TestProgram program(p);
  EXPECT_EQ(program.run().status, RunStatus::exited);
  EXPECT_EQ(x(program, 10), x(program, 5));
  EXPECT_EQ(x(program, 11), uint64_t{1} << 63 | 3);
  EXPECT_EQ(x(program, 12), 0u);
  EXPECT_EQ(x(program, 13), 0x1880u) << "MIE is clear, MPIE set";
  EXPECT_EQ(x(program, 14), 8u);
  EXPECT_EQ(x(program, 15), 0u) << "the next instruction had no effect yet";
  EXPECT_EQ(x(program, 16), 0u);
  EXPECT_EQ(x(program, 6), 77u) << "the program went on";
}

TEST(Interrupt, OfSeveralTheFirstInTheTableIsTaken) {
  SHOWS(irq_taken, csr_interrupts, csr_unit_errors);
  InterruptBuilder p;
  auto handler = p.label();
  p.handleAt(handler);
  p.software(0);
  p.timerOf(0, 0);
  p.li(X{28}, 5);
  p.csrrw(X{0}, isa::csr::kEterrvec, X{28});
  p.read(X{7}, isa::csr::kMip);
  p.enable(~uint64_t{0});
  p.allow();
  p.et_halt();
  p.bind(handler);  // x10, x11, ... are shifted up: the last cause is in x10
  for (uint8_t i = 14; i > 10; --i) p.addi(X{i}, X{static_cast<uint8_t>(i - 1)}, 0);
  p.read(X{10}, isa::csr::kMcause);
  p.li(X{28}, 1);
  p.sll(X{28}, X{28}, X{10});
  p.csrrc(X{0}, isa::csr::kMie, X{28});
  p.mret();
  TestProgram program(p);
  LaunchOptions options;
  ASSERT_TRUE(program.device().start(options).ok());
  program.device().memory().interrupts().setAbort(true);
  EXPECT_EQ(program.device().advance(1000)->status, RunStatus::exited);
  EXPECT_EQ(x(program, 7), bit(host_abort) | bit(machine_check) | bit(software) | bit(timer));
  EXPECT_EQ(x(program, 13), cause(host_abort));
  EXPECT_EQ(x(program, 12), cause(machine_check));
  EXPECT_EQ(x(program, 11), cause(software));
  EXPECT_EQ(x(program, 10), cause(timer));
  EXPECT_EQ(x(program, 14), 0u);
}

/// What makes an interrupt due that was pending all along, last of all.
void makeDue(InterruptBuilder& p, int how) {
  if (how != 0) p.enable(bit(software));
  p.software(0);
  auto after = p.label();
  switch (how) {
    case 0:
      p.allow();
      p.csrrsi(X{0}, isa::csr::kMie, 8);
      break;
    case 1: p.allow(); break;
    default:
      p.la(X{28}, after);
      p.csrrw(X{0}, isa::csr::kMepc, X{28});
      p.csrrwi(X{0}, isa::csr::kMstatus, 0);
      p.li(X{28}, 0x80);
      p.csrrs(X{0}, isa::csr::kMstatus, X{28});
      p.mret();
      break;
  }
  p.bind(after);
}

TEST(Interrupt, WaitsForItsEnableAndIsTakenBeforeTheInstructionAfterThat) {
  SHOWS(irq_taken, irq_when);
  for (int how = 0; how < 3; ++how) {
    InterruptBuilder p;
    auto handler = p.label();
    p.handleAt(handler);
    makeDue(p, how);
    p.li(X{6}, 77);
    p.bind(handler);
    p.exitWithRegister(X{6});
    TestProgram program(p);
    const RunResult result = program.run();
    EXPECT_EQ(result.status, RunStatus::exited) << how;
    EXPECT_EQ(result.exit_code, 0u) << how;
  }
}

TEST(Interrupt, GoesToItsPlaceInAVectoredTable) {
  SHOWS(csr_trap_entry);
  InterruptBuilder p;
  auto start = p.label(), table = p.label();
  p.jal(X{0}, start);
  p.bind(table);
  for (int i = 0; i < 18; ++i) p.addi(X{5}, X{5}, 1);
  p.exitWithRegister(X{5});
  p.bind(start);
  p.la(X{28}, table);
  p.addi(X{28}, X{28}, 1);
  p.csrrw(X{0}, isa::csr::kMtvec, X{28});
  p.enable(bit(machine_check));
  p.csrrwi(X{0}, isa::csr::kEterrld, 1);
  p.allow();
  TestProgram program(p);
  EXPECT_EQ(program.run().exit_code, 2u) << "entries 16 and 17 of 18";
}

TEST(Interrupt, WithoutAHandlerEndsTheRun) {
  SHOWS(irq_vector);
  VIOLATES(irq_vector);
  for (const bool sleeps : {false, true}) {
    InterruptBuilder p;
    auto loop = p.label();
    p.enable(bit(timer));
    p.timerIn(0, 1000);
    p.allow();
    p.bind(loop);
    if (sleeps) p.wfi();
    p.jal(X{0}, loop);
    TestProgram program(p);
    EXPECT_EQ(program.run().status, RunStatus::fault);
    const isa::Fault& fault = program.device().findings().faults().at(0);
    EXPECT_EQ(fault.cause, isa::Cause::fetch_access);
    EXPECT_EQ(fault.rule, isa::Rule::irq_vector);
    EXPECT_NE(fault.detail.find("interrupt timer"), std::string::npos) << fault.detail;
    EXPECT_NE(fault.hint.find("mtvec"), std::string::npos);
  }
}

TEST(Timer, InterruptsAProgramThatRunsInBoundedTime) {
  SHOWS(irq_when, map_time);
  constexpr int kAhead = 5000;
  InterruptBuilder p;
  auto handler = p.label(), loop = p.label();
  p.handleAt(handler);
  p.enable(bit(timer));
  p.timerIn(0, kAhead);
  p.addi(X{11}, X{30}, 0);
  p.allow();
  p.bind(loop);
  p.addi(X{5}, X{5}, 1);
  p.jal(X{0}, loop);
  p.bind(handler);
  p.loadDouble(X{10}, kTimeRegister);
  p.read(X{12}, isa::csr::kMcause);
  p.exit(0);
  TestProgram program(p);
  EXPECT_EQ(program.run().status, RunStatus::exited);
  EXPECT_EQ(x(program, 12), cause(timer));
  EXPECT_GE(x(program, 10), x(program, 11));
  EXPECT_LE(x(program, 10), x(program, 11) + Schedule::kTurn + 2);
  EXPECT_NEAR(static_cast<double>(2 * x(program, 5)), kAhead, Schedule::kTurn);
}

TEST(Timer, CountsInstructionsOfAllCoresFromLaunchToLaunch) {
  SHOWS(map_time);
  InterruptBuilder p;
  p.loadDouble(X{5}, kTimeRegister);
  p.loadDouble(X{6}, kTimeRegister);
  p.sub(X{7}, X{6}, X{5});
  p.et_halt();
  TestProgram program(p);
  const RunResult first = program.run(1);
  EXPECT_EQ(x(program, 5), 1u) << "li is one instruction here";
  EXPECT_EQ(x(program, 7), 2u);
  program.device().memory().interrupts().setTime(1000 + first.instructions);
  EXPECT_EQ(program.run(3).status, RunStatus::exited);
  EXPECT_EQ(x(program, 5), 1000 + first.instructions + 1);
  EXPECT_EQ(x(program, 5, 2), 1000 + 3 * first.instructions + 1) << "after two other cores";
}

TEST(Registers, HoldWhatTheirCoresStore) {
  SHOWS(map_device_registers, map_time);
  InterruptBuilder p;
  p.loadDouble(X{5}, kTimeCompareRegisters);
  p.timerOf(0, 0x1234567890);
  p.loadDouble(X{6}, kTimeCompareRegisters);
  p.storeWord(kSoftwareInterrupts + 4 * 5, -1);
  p.li(X{28}, kSoftwareInterrupts + 4 * 5);
  p.lw(X{7}, 0, X{28});
  p.storeWord(kSoftwareInterrupts + 4 * 5, -2);
  p.lw(X{8}, 0, X{28});
  p.et_halt();
  TestProgram program(p);
  for (int launch = 0; launch < 2; ++launch) {
    EXPECT_EQ(program.run().status, RunStatus::exited);
    EXPECT_EQ(x(program, 5), ~uint64_t{0}) << "after reset";
    EXPECT_EQ(x(program, 6), 0x1234567890u);
    EXPECT_EQ(x(program, 7), 1u);
    EXPECT_EQ(x(program, 8), 0u);
  }
}

TEST(Registers, AreAllTheHosts) {
  InterruptRegisters registers(2);
  EXPECT_TRUE(registers.store(kNoCore, kTimeRegister, 8, 500));
  EXPECT_TRUE(registers.store(kNoCore, kTimeCompareRegisters + 8, 8, 500));
  EXPECT_TRUE(registers.store(kNoCore, kSoftwareInterrupts, 4, 1));
  EXPECT_EQ(registers.load(kNoCore, kTimeRegister, 8), 500u);
  EXPECT_EQ(registers.load(kNoCore, kTimeCompareRegisters + 8, 8), 500u);
  EXPECT_EQ(registers.load(kNoCore, kSoftwareInterrupts, 4), 1u);
  EXPECT_EQ(registers.pending(0), bit(software));
  EXPECT_EQ(registers.pending(1), bit(timer));
  registers.setTime(499);
  EXPECT_EQ(registers.pending(1), 0u);
  EXPECT_FALSE(registers.store(kNoCore, kTimeCompareRegisters + 16, 8, 0)) << "of no core";
  EXPECT_FALSE(registers.load(kNoCore, kSoftwareInterrupts - 4, 4)) << "no register";
}

}  // namespace
}  // namespace etalon::sim
