// SPDX-License-Identifier: Apache-2.0
// State after reset, control and status registers, traps, as programs see them.
#include <array>

#include "isa/codec/instruction_info.h"
#include "isa/csr.h"
#include "isa/state/rule_test.h"
#include "sim/functional/vector_test_support.h"

namespace etalon::sim {
namespace {

using isa::Chain;
using isa::Tile;
using isa::View;
using isa::X;

constexpr uint64_t kImages = kTestData + 0x1000;

/// 64-bit words of global memory after a run.
std::vector<uint64_t> globalWords(TestProgram& program, uint64_t address, size_t count) {
  std::vector<uint64_t> words(count);
  EXPECT_TRUE(program.device().read(address, std::as_writable_bytes(std::span(words))).ok());
  return words;
}

/// A program that stores values to kTestData, one after another; changes x30 and x31.
class Recorder : public VectorBuilder {
 public:
  void record(X x) {
    li(X{31}, static_cast<int64_t>(kTestData + 8 * count_++));
    sd(x, 0, X{31});
  }
  void recordCsr(uint32_t number) {
    csrrs(X{30}, number, X{0});
    record(X{30});
  }
  std::vector<uint64_t> run(TestProgram& program, unsigned cores = 1) {
    const RunResult result = program.run(cores);
    EXPECT_EQ(result.status, RunStatus::exited);
    return globalWords(program, kTestData, count_);
  }

 private:
  size_t count_ = 0;
};

/// What the three register files hold, as images at kImages.
void storeImages(VectorBuilder& p) {
  p.li(X{5}, static_cast<int64_t>(kImages));
  p.et_tst(Tile{7}, X{5});
  p.addi(X{5}, X{5}, isa::kTileImageBytes);
  p.et_vst(View{3}, X{5});
  p.addi(X{5}, X{5}, isa::kViewImageBytes);
  p.et_cst(Chain{2}, X{5});
}

TEST(Reset, LeavesRegistersEmptyAndTheRestZero) {
  SHOWS(state_reset);
  Recorder p;
  storeImages(p);
  p.et_semr(X{6}, 9);
  p.record(X{6});
  for (const uint32_t number :
       {isa::csr::kMscratch, isa::csr::kMtvec, isa::csr::kEtseed, isa::csr::kEtstream,
        isa::csr::kEtstatus, isa::csr::kEtindexv, isa::csr::kEterrmx, isa::csr::kFcsr})
    p.recordCsr(number);
  // What the next launch must not see.
  p.setTile(7, denseTile(ElementType::f32, 2, 2, 64));
  p.li(X{5}, static_cast<int64_t>(isa::kLocalWindowBase + (64 << 20)));
  p.li(X{6}, 5);
  p.sw(X{6}, 36, X{5});
  p.csrrw(X{0}, isa::csr::kMscratch, X{6});
  p.csrrw(X{0}, isa::csr::kEtseed, X{6});
  p.exit(0);
  TestProgram program(p);
  for (int launch = 0; launch < 2; ++launch) {
    for (const uint64_t word : p.run(program)) EXPECT_EQ(word, 0u);
    // A tile has column step 1, whose code is 1 in bits 63:62.
    EXPECT_EQ(globalWords(program, kImages, 4),
              (std::vector<uint64_t>{uint64_t{1} << 62, 0, 0, 0}));
    // A view has version 1 at byte 12.
    std::vector<uint64_t> view(isa::kViewImageBytes / 8);
    view[1] = uint64_t{1} << 32;
    EXPECT_EQ(globalWords(program, kImages + 32, view.size()), view);
    // A chain: version 1, no steps, flags "no td", no third source, no reduction tile.
    std::vector<uint64_t> chain(isa::kChainImageBytes / 8);
    chain[0] = 0x0000'ffff'0001'0001;
    EXPECT_EQ(globalWords(program, kImages + 32 + 256, chain.size()), chain);
  }
}

TEST(Csrs, NameTheMachine) {
  SHOWS(csr_table, csr_machine_mode, csr_interrupts);
  Recorder p;
  p.li(X{6}, -1);
  p.csrrw(X{0}, isa::csr::kMstatus, X{6});
  p.csrrw(X{0}, isa::csr::kMisa, X{6});
  p.csrrw(X{0}, isa::csr::kMtvec, X{6});
  p.csrrw(X{0}, isa::csr::kMie, X{6});
  p.csrrw(X{0}, isa::csr::kMip, X{6});
  for (const uint32_t number :
       {isa::csr::kMisa, isa::csr::kMstatus, isa::csr::kMtvec, isa::csr::kMhartid,
        isa::csr::kEtversion, isa::csr::kEtlocalbytes, isa::csr::kEtlocalbase, isa::csr::kEtself,
        isa::csr::kEtcontract, isa::csr::kEtworkcap, 0xb03u, 0x33fu, isa::csr::kMvendorid,
        isa::csr::kMie, isa::csr::kMip})
    p.recordCsr(number);
  p.exit(0);
  TestProgram program(p);
  EXPECT_EQ(p.run(program),
            (std::vector<uint64_t>{uint64_t{2} << 62 | 1 << 8 | 1 << 12 | 1, 0x1888, ~uint64_t{2},
                                   0, 1, 64 << 20, isa::kLocalWindowBase, 1 << 16, 0,
                                   40 | 32 << 8 | 34 << 16, 0, 0, 0, 0x30888, 0}));
}

TEST(Csrs, OfOtherModesAndWritesToReadOnlyOnesTrap) {
  VIOLATES(csr_access, csr_machine_mode, reserved_vendor);
  // sstatus, satp, ustatus, pmpcfg0, tselect, mideleg, mcounteren; vendors' of both kinds.
  for (const uint32_t number :
       {0x100u, 0x180u, 0x000u, 0x3a0u, 0x7a0u, 0x303u, 0x306u, 0x7f0u, 0xfe0u}) {
    TestBuilder p;
    p.csrrs(X{5}, number, X{0});
    TestProgram program(p);
    EXPECT_EQ(program.run().status, RunStatus::fault) << number;
    EXPECT_EQ(program.device().findings().faults()[0].rule, isa::Rule::csr_access) << number;
  }
  for (const uint32_t number : {isa::csr::kEtversion, isa::csr::kCycle, isa::csr::kCounterBase}) {
    TestBuilder p;
    p.csrrw(X{0}, number, X{0});
    TestProgram program(p);
    EXPECT_EQ(program.run().status, RunStatus::fault) << number;
  }
}

TEST(Vendors, HaveEncodingsThatNoInstructionTakesAndThatTrap) {
  SHOWS(reserved_vendor);
  VIOLATES(reserved_vendor);
  for (const uint32_t opcode : {0x0bu, 0x2bu, 0x5bu, 0x7bu}) {
    for (const isa::InstructionInfo& info : isa::instructionTable())
      EXPECT_FALSE((info.match & 0x7f) == opcode && (info.match & info.mask & 0x7000) == 0x7000)
          << info.name;
    TestBuilder p;
    p.word(opcode | 7u << 12);
    TestProgram program(p);
    EXPECT_EQ(program.run().status, RunStatus::fault);
    EXPECT_EQ(program.device().findings().faults()[0].cause, isa::Cause::illegal);
  }
}

TEST(Csrs, HoldTheErrorsOfUnitsUntilTheyAreCleared) {
  SHOWS(csr_unit_errors);
  Recorder p;
  p.li(X{5}, 9);
  for (uint32_t number = isa::csr::kEterrmx; number <= isa::csr::kEterrst; ++number) {
    p.recordCsr(number);
    p.csrrw(X{0}, number, X{5});
    p.recordCsr(number);
    p.csrrwi(X{0}, number, 0);
    p.recordCsr(number);
  }
  p.exit(0);
  TestProgram program(p);
  EXPECT_EQ(p.run(program), (std::vector<uint64_t>{0, 9, 0, 0, 9, 0, 0, 9, 0, 0, 9, 0}));
}

TEST(Csrs, CountersAreAtTheirNumbersAndMachineOnesReadZero) {
  SHOWS(csr_counters);
  Recorder p;
  p.setTile(1, denseTile(ElementType::f32, 2, 2, 64));
  p.storeFloats(64, {1, 2, 3, 4});
  p.et_neg(Tile{1}, Tile{1});
  p.csrrs(X{5}, isa::csr::kCounterBase + 9, X{0});
  p.et_ctr(X{6}, 9);
  p.record(X{5});
  p.record(X{6});
  p.recordCsr(isa::csr::kCounterBase + 32);
  p.recordCsr(isa::csr::kCounterBase + 63);
  p.csrrs(X{5}, isa::csr::kMcycle, X{0});
  p.csrrs(X{6}, isa::csr::kMinstret, X{0});
  p.sub(X{5}, X{6}, X{5});
  p.record(X{5});
  p.exit(0);
  TestProgram program(p);
  EXPECT_EQ(p.run(program), (std::vector<uint64_t>{4, 4, 0, 0, 1}));
}

TEST(Traps, SaveTheirCauseAndReturn) {
  SHOWS(csr_trap_entry, scalar_ebreak, scalar_illegal);
  VIOLATES(scalar_illegal);
  Recorder p;
  const auto handler = p.label(), after = p.label();
  p.li(X{11}, 0);
  p.la(X{5}, handler);
  p.ori(X{5}, X{5}, 1);  // vectored: exceptions still go to the base
  p.csrrw(X{0}, isa::csr::kMtvec, X{5});
  p.csrrwi(X{0}, isa::csr::kMstatus, 8);  // MIE
  const uint64_t at = p.here();
  p.ebreak();
  p.word(0);
  p.jal(X{0}, after);
  p.bind(handler);
  p.csrrs(X{6}, isa::csr::kMepc, X{0});
  p.csrrs(X{7}, isa::csr::kMcause, X{0});
  p.csrrs(X{8}, isa::csr::kMtval, X{0});
  p.csrrs(X{9}, isa::csr::kMstatus, X{0});
  p.li(X{10}, static_cast<int64_t>(kTestData));
  p.add(X{10}, X{10}, X{11});
  p.sd(X{6}, 0, X{10});
  p.sd(X{7}, 8, X{10});
  p.sd(X{8}, 16, X{10});
  p.sd(X{9}, 24, X{10});
  p.addi(X{11}, X{11}, 32);
  p.addi(X{6}, X{6}, 4);
  p.csrrw(X{0}, isa::csr::kMepc, X{6});
  p.mret();
  p.bind(after);
  p.csrrs(X{9}, isa::csr::kMstatus, X{0});
  p.li(X{10}, static_cast<int64_t>(kTestData));
  p.sd(X{9}, 64, X{10});
  p.exit(0);
  TestProgram program(p);
  LaunchOptions options;
  EXPECT_EQ(program.launch(options).status, RunStatus::exited);
  const uint64_t pc = kTestEntry + at;
  EXPECT_EQ(globalWords(program, kTestData, 9),
            (std::vector<uint64_t>{pc, 3, pc, 0x1880, pc + 4, 2, 0, 0x1880, 0x1888}));
}

TEST(Csrs, AWriteOfACountSuppressesItsOwnIncrement) {
  SHOWS(csr_count_write);
  Recorder p;
  p.csrrwi(X{0}, isa::csr::kMinstret, 20);
  p.csrrs(X{5}, isa::csr::kMinstret, X{0});
  p.csrrwi(X{0}, isa::csr::kMcycle, 7);
  p.csrrs(X{6}, isa::csr::kMcycle, X{0});
  p.record(X{5});
  p.record(X{6});
  p.exit(0);
  TestProgram program(p);
  EXPECT_EQ(p.run(program), (std::vector<uint64_t>{20, 7}));
}

TEST(Descriptors, AreReadAndWrittenAsByScalarAccesses) {
  SHOWS(desc_scalar);
  Recorder p;
  p.li(X{5}, static_cast<int64_t>(kImages));
  p.li(X{6}, 0x1234);
  p.sd(X{6}, 0, X{5});  // no fence between the store and the load of the descriptor
  p.et_tld(Tile{4}, X{5});
  p.et_tst(Tile{4}, X{5});
  p.ld(X{7}, 0, X{5});
  p.record(X{7});
  p.exit(0);
  TestProgram program(p);
  EXPECT_EQ(p.run(program), (std::vector<uint64_t>{0x1234}));
  EXPECT_EQ(program.device().races().raceCount(), 0u);
  EXPECT_EQ(program.device().findings().uninitialisedCount(), 0u);
}

TEST(Descriptors, AreReadWordByWord) {
  isa::ViewDescriptor view;
  view.base = kTestData;
  view.type = static_cast<uint8_t>(ElementType::i32);
  view.naxes = isa::kMaxAxes;
  view.nbox = isa::kMaxBoxDims;
  view.ncol = 2;
  view.fill = 77;
  for (uint8_t a = 0; a < view.naxes; ++a)
    view.axes[a] = {.dim = 100u + a, .stride = 4 * a, .origin = -1 - a};
  for (uint8_t b = 0; b < view.nbox; ++b)
    view.box[b] = {.extent = 1u + b, .axis = static_cast<uint8_t>(b % 6), .step = 1 + b};
  std::array<std::byte, isa::kViewImageBytes> image;
  isa::storeViewImage(view, image);
  std::vector<uint64_t> words(isa::kViewImageBytes / 8);
  std::memcpy(words.data(), image.data(), image.size());
  Recorder p;
  p.li(X{5}, static_cast<int64_t>(kImages));
  p.et_vld(View{3}, X{5});
  for (size_t i = 0; i < words.size(); ++i) {
    p.et_vget(X{6}, View{3}, static_cast<int64_t>(i));
    p.record(X{6});
  }
  p.exit(0);
  TestProgram program(p);
  ASSERT_TRUE(program.device().write(kImages, image).ok());
  EXPECT_EQ(p.run(program), words);
}

TEST(Descriptors, ATypeCodeHasSixBits) {
  for (const int64_t type : {63, 64}) {
    Recorder p;
    p.li(X{5}, type);
    p.li(X{6}, 1);
    p.et_ttype(Tile{1}, X{5}, X{6});
    p.exit(0);
    TestProgram program(p);
    program.run();
    const auto& faults = program.device().findings().faults();
    ASSERT_EQ(faults.size(), type == 64 ? 1u : 0u);
    if (type == 64) {
      EXPECT_EQ(faults[0].rule, isa::Rule::tile_field);
    }
  }
}

TEST(Scalar, ComparesEqualValuesAsNotLess) {
  Recorder p;
  p.li(X{5}, 7);
  p.li(X{6}, 7);
  p.slt(X{7}, X{5}, X{6});
  p.record(X{7});
  p.sltu(X{7}, X{5}, X{6});
  p.record(X{7});
  p.slti(X{7}, X{5}, 7);
  p.record(X{7});
  p.sltiu(X{7}, X{5}, 7);
  p.record(X{7});
  p.exit(0);
  TestProgram program(p);
  EXPECT_EQ(p.run(program), std::vector<uint64_t>(4));
}

TEST(Counters, CountABarrierOnceHoweverLongItWaits) {
  TestBuilder p;
  p.li(X{28}, -1);
  p.et_barrier(X{28}, X{28});
  p.et_halt();
  TestProgram program(p);
  EXPECT_EQ(program.run(3).status, RunStatus::exited);
  EXPECT_EQ(program.device().counterTotal(isa::Counter::retired_sync), 6u);
}

}  // namespace
}  // namespace etalon::sim
