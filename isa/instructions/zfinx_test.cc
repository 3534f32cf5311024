// SPDX-License-Identifier: Apache-2.0
// What zfinx.cc adds to the arithmetic of scalar_float.h: registers, rounding-mode selection,
// traps, flags.
#include "isa/instructions/zfinx.cc"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

#include "isa/codec/codec.h"
#include "isa/state/rule_test.h"

namespace etalon::isa {
namespace {

/// Registers, frm, fflags and the last trap; Zfinx touches nothing else of a core.
class FloatCore {
 public:
  std::array<uint64_t, 32> registers{};
  uint32_t frm = 0;
  uint32_t fflags = 0;
  bool trapped = false;
  uint64_t trap_value = 0;
  Rule trap_rule = Rule::none;

  uint64_t x(int number) const { return registers[static_cast<size_t>(number)]; }
  void setX(int number, uint64_t value) {
    if (number) registers[static_cast<size_t>(number)] = value;
  }
  uint32_t roundingMode() const { return frm; }
  void accrueFlags(uint32_t flags) { fflags |= flags; }
  void trap(Cause cause, uint64_t value, Rule rule) {
    EXPECT_EQ(cause, Cause::illegal);
    trapped = true;
    trap_value = value;
    trap_rule = rule;
  }

  uint64_t pc() const { return 0; }
  bool jump(uint64_t) { return false; }
  bool load(uint64_t, uint64_t&) { return false; }
  bool store(uint64_t, uint64_t) { return false; }
  bool loadReserved(uint64_t, bool, bool, int32_t&) { return false; }
  bool storeConditional(uint64_t, bool, bool, int32_t, bool&) { return false; }
  bool csrAccessible(uint32_t, bool) { return false; }
  uint64_t readCsr(uint32_t) { return 0; }
  void writeCsr(uint32_t, uint64_t) {}
  void orderScalar(uint32_t, uint32_t) {}
  void synchroniseFetch() {}
  void returnFromTrap() {}
  void sleep() {}
};

uint32_t assembled(std::string_view text) {
  const Result<uint32_t> word = assembleInstruction(text);
  EXPECT_TRUE(word.ok()) << text;
  return word.ok() ? *word : 0;
}

constexpr uint64_t kOne = 0x3f800000, kTiny = 0x33800000;  // 1, 2^-24

TEST(Zfinx, IgnoresTheUpperHalfOfSourcesAndSignExtendsResults) {
  SHOWS(zfinx_as_ratified);
  FloatCore core;
  core.registers[2] = 0xdeadbeef00000000 | kOne;
  core.registers[3] = 0x12345678c0000000;  // -2
  semantics::fadd_s(core, decode(assembled("fadd.s x1, x2, x3")));
  EXPECT_EQ(core.registers[1], 0xffffffffbf800000);
  semantics::fsgnj_s(core, decode(assembled("fsgnj.s x1, x2, x3")));
  EXPECT_EQ(core.registers[1], 0xffffffffbf800000);
  core.registers[2] = 0x12345678ffffffff;
  semantics::fcvt_s_wu(core, decode(assembled("fcvt.s.wu x1, x2, rtz")));
  EXPECT_EQ(core.registers[1], 0x4f7fffffu);
}

TEST(Zfinx, SignExtendsAnUnsignedWordResult) {
  FloatCore core;
  core.registers[2] = 0x4f000000;  // 2^31
  semantics::fcvt_wu_s(core, decode(assembled("fcvt.wu.s x1, x2")));
  EXPECT_EQ(core.registers[1], 0xffffffff80000000);
}

TEST(Zfinx, TakesTheRoundingModeOfTheInstructionBeforeThatOfFrm) {
  SHOWS(zfinx_as_ratified, zfinx_rounding_mode);
  FloatCore core;
  core.registers[2] = kOne;
  core.registers[3] = kTiny;
  core.frm = 3;  // up
  semantics::fadd_s(core, decode(assembled("fadd.s x1, x2, x3")));
  EXPECT_EQ(core.registers[1], kOne + 1);
  semantics::fadd_s(core, decode(assembled("fadd.s x1, x2, x3, rtz")));
  EXPECT_EQ(core.registers[1], kOne);
}

TEST(Zfinx, TrapsOnAReservedStaticRoundingMode) {
  VIOLATES(zfinx_rounding_mode);
  for (const char* text : {"fadd.s x1, x2, x3, 5", "fmadd.s x1, x2, x3, x4, 6",
                           "fcvt.l.s x1, x2, 5", "fsqrt.s x1, x2, 6"}) {
    FloatCore core;
    const uint32_t word = assembled(text);
    const Instruction in = decode(word);
    if (in.id == InstructionId::fadd_s) semantics::fadd_s(core, in);
    if (in.id == InstructionId::fmadd_s) semantics::fmadd_s(core, in);
    if (in.id == InstructionId::fcvt_l_s) semantics::fcvt_l_s(core, in);
    if (in.id == InstructionId::fsqrt_s) semantics::fsqrt_s(core, in);
    EXPECT_TRUE(core.trapped) << text;
    EXPECT_EQ(core.trap_value, word) << text;
    EXPECT_EQ(core.trap_rule, Rule::zfinx_rounding_mode) << text;
  }
}

TEST(Zfinx, TrapsOnAReservedFrmOnlyWhenItIsSelected) {
  for (uint32_t frm : {5u, 6u, 7u}) {
    FloatCore core;
    core.frm = frm;
    core.registers[1] = 99;
    core.registers[2] = core.registers[3] = 0x7f7fffff;
    semantics::fmul_s(core, decode(assembled("fmul.s x1, x2, x3")));
    EXPECT_TRUE(core.trapped);
    EXPECT_EQ(core.registers[1], 99u);
    EXPECT_EQ(core.fflags, 0u);
    core.trapped = false;
    semantics::fmul_s(core, decode(assembled("fmul.s x1, x2, x3, rne")));
    semantics::fmax_s(core, decode(assembled("fmax.s x1, x2, x3")));
    EXPECT_FALSE(core.trapped);
  }
}

TEST(Zfinx, AccruesFlags) {
  FloatCore core;
  core.registers[2] = kOne;
  semantics::fdiv_s(core, decode(assembled("fdiv.s x1, x2, x0")));
  EXPECT_EQ(core.fflags, 0x08u);
  core.registers[3] = kTiny;
  semantics::fadd_s(core, decode(assembled("fadd.s x0, x2, x3")));
  EXPECT_EQ(core.fflags, 0x09u);
}

TEST(Zfinx, NegatesTheExactProductAndTheAddend) {
  FloatCore core;
  core.registers[2] = 0x40000000;  // 2
  core.registers[3] = 0x40400000;  // 3
  core.registers[4] = kOne;
  semantics::fmadd_s(core, decode(assembled("fmadd.s x1, x2, x3, x4")));
  EXPECT_EQ(core.registers[1], 0x40e00000u);
  semantics::fmsub_s(core, decode(assembled("fmsub.s x1, x2, x3, x4")));
  EXPECT_EQ(core.registers[1], 0x40a00000u);
  semantics::fnmsub_s(core, decode(assembled("fnmsub.s x1, x2, x3, x4")));
  EXPECT_EQ(core.registers[1], 0xffffffffc0a00000);
  semantics::fnmadd_s(core, decode(assembled("fnmadd.s x1, x2, x3, x4")));
  EXPECT_EQ(core.registers[1], 0xffffffffc0e00000);
}

}  // namespace
}  // namespace etalon::isa
