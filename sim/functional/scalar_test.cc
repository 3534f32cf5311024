// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "isa/codec/program_builder.h"
#include "isa/machines/address_map.h"
#include "isa/state/rule_test.h"
#include "sim/functional/functional_device.h"
#include "sim/functional/test_support.h"

namespace etalon::sim {
namespace {

using isa::X;

TEST(FunctionalDevice, EndsARunByTohost) {
  SHOWS(host_exit, launch_end);
  TestBuilder p;
  p.li(X{1}, 7 << 1 | 1);
  p.li(X{2}, kTestTohost);
  p.sd(X{1}, 0, X{2});
  TestProgram program(p);
  const RunResult result = program.run();
  EXPECT_EQ(result.status, RunStatus::exited);
  EXPECT_EQ(result.exit_code, 7u);
  EXPECT_GE(result.instructions, 3u);
}

TEST(FunctionalDevice, ReportsAnIllegalInstructionWithItsPlace) {
  VIOLATES(scalar_illegal, csr_trap_vector);
  TestBuilder p;
  p.addi(X{1}, X{0}, 1);
  p.word(0xffffffff);
  TestProgram program(p);
  const RunResult result = program.run();
  EXPECT_EQ(result.status, RunStatus::fault);
  ASSERT_EQ(program.device().findings().faults().size(), 1u);
  const isa::Fault& fault = program.device().findings().faults()[0];
  EXPECT_EQ(fault.cause, isa::Cause::illegal);
  EXPECT_EQ(fault.rule, isa::Rule::scalar_illegal);
  EXPECT_EQ(fault.pc, kTestEntry + 4);
  EXPECT_EQ(fault.value, 0xffffffffu);
}

TEST(FunctionalDevice, TrapsToTheHandlerOnceMtvecIsWritten) {
  SHOWS(csr_trap_vector, scalar_ecall);
  TestBuilder p;
  auto handler = p.label();
  p.la(X{5}, handler);
  p.csrrw(X{0}, 0x305, X{5});
  p.ecall();
  p.word(0);  // skipped by the handler
  p.bind(handler);
  p.csrrs(X{10}, 0x342, X{0});
  p.slli(X{10}, X{10}, 1);
  p.ori(X{10}, X{10}, 1);
  p.li(X{2}, kTestTohost);
  p.sd(X{10}, 0, X{2});
  TestProgram program(p);
  EXPECT_EQ(program.run().exit_code, 11u);
}

TEST(FunctionalDevice, ExecutesAfterFenceIWhatWasStoredOverAnInstruction) {
  TestBuilder p;
  auto patched = p.label(), done = p.label();
  p.la(X{6}, patched);
  p.li(X{7}, 0x00200513);  // addi x10, x0, 2
  p.bind(patched);
  p.addi(X{10}, X{0}, 1);
  p.bne(X{5}, X{0}, done);
  p.addi(X{5}, X{0}, 1);
  p.sw(X{7}, 0, X{6});
  p.fence_i(0, X{0}, X{0});
  p.jal(X{0}, patched);
  p.bind(done);
  p.exitWithRegister(X{10});
  TestProgram program(p);
  EXPECT_EQ(program.run().exit_code, 2u);
}

TEST(FunctionalDevice, JumpsToTheSamePlaceOfTheNextPage) {
  // From the first word of a page whose number is even, so that both addresses differ in one bit.
  TestBuilder p;
  auto next = p.label();
  while ((kTestEntry + p.here()) % 0x2000 != 0) p.addi(X{0}, X{0}, 0);
  p.jal(X{0}, next);
  while ((kTestEntry + p.here()) % 0x1000 != 0) p.word(0);
  p.bind(next);
  p.exit(7);
  TestProgram program(p);
  EXPECT_EQ(program.run().exit_code, 7u);
}

TEST(FunctionalDevice, EndsTheWindowOfACoreWithItsDevicePage) {
  const auto brokenAt = [](uint64_t before_end) {
    TestBuilder p;
    const uint64_t end = isa::kCoreWindowBase + 3 * isa::kCoreWindowStride +
                         isa::openMachine("functional64", {})->local_bytes + kDevicePageBytes;
    p.li(X{5}, static_cast<int64_t>(end - before_end));
    p.amoadd_w(X{0}, X{5}, X{5});
    TestProgram program(p);
    EXPECT_EQ(program.run().status, RunStatus::fault);
    return program.device().findings().faults()[0].rule;
  };
  EXPECT_EQ(brokenAt(4), isa::Rule::mem_amo_region);
  EXPECT_EQ(brokenAt(0), isa::Rule::mem_scalar_bounds);
}

TEST(FunctionalDevice, FaultsOnALoadOutsideEveryMemoryAndSaysWhatThereIs) {
  VIOLATES(map_unmapped);
  TestBuilder p;
  p.li(X{5}, 0x2000'0000);
  p.lw(X{1}, 0, X{5});
  TestProgram program(p);
  EXPECT_EQ(program.run().status, RunStatus::fault);
  const isa::Fault& fault = program.device().findings().faults()[0];
  EXPECT_EQ(fault.cause, isa::Cause::load_access);
  EXPECT_EQ(fault.rule, isa::Rule::mem_scalar_bounds);
  EXPECT_NE(fault.detail.find("global memory 0x80000000"), std::string::npos) << fault.detail;
}

TEST(FunctionalDevice, ReportsAReadOfMemoryNobodyWrote) {
  VIOLATES(launch_memory);
  TestBuilder p;
  p.li(X{2}, 0x90000000);
  p.ld(X{1}, 0, X{2});
  p.exit(0);
  TestProgram program(p);
  program.run();
  ASSERT_EQ(program.device().findings().uninitialised().size(), 1u);
  EXPECT_EQ(program.device().findings().uninitialised()[0].address, 0x90000000u);
}

TEST(FunctionalDevice, StopsAtTheInstructionLimitAndSaysWhere) {
  TestBuilder p;
  auto loop = p.label();
  p.bind(loop);
  p.jal(X{0}, loop);
  TestProgram program(p);
  LaunchOptions options;
  options.instruction_limit = 1000;
  const RunResult result = program.launch(options);
  EXPECT_EQ(result.status, RunStatus::instruction_limit);
  ASSERT_EQ(result.stopped.size(), 1u);
  EXPECT_EQ(result.stopped[0].core, 0u);
  EXPECT_EQ(result.stopped[0].pc, kTestEntry);
  EXPECT_EQ(result.stopped[0].instruction, 0x6fu);
  EXPECT_EQ(result.stopped[0].waiting, "");
  EXPECT_EQ(result.instructions, 1000u);
}

TEST(FunctionalDevice, EndsWithTheLastInstructionThatTheLimitAllows) {
  TestBuilder p;
  p.addi(X{5}, X{0}, 1);
  p.et_halt();
  TestProgram program(p);
  LaunchOptions options;
  options.instruction_limit = 2;
  EXPECT_EQ(program.launch(options).status, RunStatus::exited);
  options.instruction_limit = 1;
  EXPECT_EQ(program.launch(options).status, RunStatus::instruction_limit);
}

TEST(FunctionalDevice, SaysWhereACoreStandsThatHasNothingToFetch) {
  TestBuilder p;
  p.jalr(X{0}, 16, X{0});
  TestProgram program(p);
  LaunchOptions options;
  options.instruction_limit = 1;
  const RunResult result = program.launch(options);
  ASSERT_EQ(result.stopped.size(), 1u);
  EXPECT_EQ(result.stopped[0].pc, 16u);
  EXPECT_EQ(result.stopped[0].instruction, 0u);
}

TEST(FunctionalDevice, RunsEveryCoreWithItsNumber) {
  TestBuilder
      p;  // each core adds 1 << (8 * mhartid) to a word; the last one to arrive exits with the sum
  p.csrrs(X{5}, 0xf14, X{0});
  p.slli(X{5}, X{5}, 3);
  p.li(X{6}, 1);
  p.sll(X{6}, X{6}, X{5});
  p.li(X{7}, kTestData);
  p.amoadd_d(X{8}, X{6}, X{7});
  p.add(X{8}, X{8}, X{6});
  p.li(X{9}, 0x01010101);
  auto wait = p.label();
  p.bind(wait);
  p.bne(X{8}, X{9}, wait);
  p.exit(3);
  TestProgram program(p);
  LaunchOptions options;
  options.cores = 4;
  const RunResult result = program.launch(options);
  EXPECT_EQ(result.status, RunStatus::exited);
  EXPECT_EQ(result.exit_code, 3u);
}

TEST(FunctionalDevice, BreaksAReservationByAnotherCoresStore) {
  for (const int64_t offset : {0, 4}) {  // of the store in the reserved eight bytes
    TestBuilder p;
    auto other = p.label(), spin = p.label(), wait = p.label();
    p.li(X{7}, kTestData);
    p.csrrs(X{5}, 0xf14, X{0});
    p.bne(X{5}, X{0}, other);
    p.lr_d(X{8}, X{7});
    p.sd(X{7}, 8, X{7});  // tells core 1
    p.bind(spin);
    p.ld(X{9}, 16, X{7});
    p.beq(X{9}, X{0}, spin);
    p.sc_d(X{10}, X{8}, X{7});
    p.slli(X{10}, X{10}, 1);
    p.ori(X{10}, X{10}, 1);
    p.li(X{2}, kTestTohost);
    p.sd(X{10}, 0, X{2});
    p.bind(other);
    p.ld(X{9}, 8, X{7});
    p.beq(X{9}, X{0}, other);
    p.sw(X{9}, offset, X{7});
    p.sd(X{9}, 16, X{7});
    p.bind(wait);
    p.jal(X{0}, wait);
    TestProgram program(p);
    LaunchOptions options;
    options.cores = 2;
    EXPECT_EQ(program.launch(options).exit_code, 1u);
  }
}

TEST(FunctionalDevice, ReadsTheRetiredCountAndSuppressesTheIncrementOfItsWrite) {
  TestBuilder p;
  p.csrrwi(X{0}, 0xb02, 20);
  p.csrrs(X{10}, 0xb02, X{0});
  p.slli(X{10}, X{10}, 1);
  p.ori(X{10}, X{10}, 1);
  p.li(X{2}, kTestTohost);
  p.sd(X{10}, 0, X{2});
  TestProgram program(p);
  EXPECT_EQ(program.run().exit_code, 20u);
}

TEST(FunctionalDevice, AccessesLocalMemoriesOfCoresThatDoNotRun) {
  SHOWS(map_core_window, map_local);
  for (const unsigned cores : {1u, 2u}) {
    TestBuilder p;
    p.li(X{5}, static_cast<int64_t>(isa::kCoreWindowBase + 63 * isa::kCoreWindowStride));
    p.li(X{6}, 5);
    p.sw(X{6}, 0, X{5});
    p.amoadd_w(X{0}, X{6}, X{5});
    p.lr_w(X{7}, X{5});
    p.lw(X{7}, 0, X{5});
    p.exitWithRegister(X{7});
    TestProgram program(p);
    EXPECT_EQ(program.run(cores).exit_code, 10u);
    EXPECT_EQ(program.device().findings().uninitialisedCount(), 0u);
  }
}

TEST(FunctionalDevice, RefusesAnAllocationLargerThanTheMemory) {
  TestBuilder p;
  p.exit(0);
  TestProgram program(p);
  const auto address = program.device().allocate(~uint64_t{0} - 5);
  ASSERT_FALSE(address.ok());
  EXPECT_NE(address.error().message.find("global memory are left"), std::string::npos);
}

}  // namespace
}  // namespace etalon::sim
