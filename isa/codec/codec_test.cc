// SPDX-License-Identifier: Apache-2.0
#include "isa/codec/codec.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "isa/codec/program_builder.h"

namespace etalon::isa {
namespace {

TEST(Codec, DecodesWordsOfThePublicManual) {
  // Words as GNU as prints them for these instructions.
  EXPECT_EQ(decode(0xffb10093).id, InstructionId::addi);
  EXPECT_EQ(decode(0xffb10093).imm, -5);
  EXPECT_EQ(decode(0x00208463).id, InstructionId::beq);
  EXPECT_EQ(decode(0x00208463).imm, 8);
  EXPECT_EQ(decode(0xff9ff06f).id, InstructionId::jal);
  EXPECT_EQ(decode(0xff9ff06f).imm, -8);
  EXPECT_EQ(decode(0x12345637).imm, 0x12345000);
  EXPECT_EQ(decode(0x00000073).id, InstructionId::ecall);
  EXPECT_EQ(decode(0x30200073).id, InstructionId::mret);
  EXPECT_EQ(decode(0x0000000f).id, InstructionId::fence);
}

TEST(Codec, DecodesZeroAndAllOnesAsIllegal) {
  EXPECT_EQ(decode(0).id, InstructionId::illegal);
  EXPECT_EQ(decode(0xffffffff).id, InstructionId::illegal);
}

TEST(Codec, RoundTripsEveryEncodingThroughItsText) {
  std::mt19937 random(1);
  for (const InstructionInfo& info : instructionTable()) {
    for (int i = 0; i < 200; ++i) {
      const uint32_t word = info.match | (static_cast<uint32_t>(random()) & ~info.mask);
      ASSERT_EQ(decode(word).id, info.id) << info.name;
      const std::string text = disassemble(word);
      const Result<uint32_t> back = assembleInstruction(text);
      ASSERT_TRUE(back.ok()) << text << ": " << back.error().message;
      ASSERT_EQ(*back, word) << text;
    }
  }
}

TEST(Codec, RoundTripsRandomWords) {
  std::mt19937 random(2);
  for (int i = 0; i < 200000; ++i) {
    const uint32_t word = static_cast<uint32_t>(random());
    const Result<uint32_t> back = assembleInstruction(disassemble(word));
    ASSERT_TRUE(back.ok()) << disassemble(word);
    ASSERT_EQ(*back, word) << disassemble(word);
  }
}

TEST(Codec, TakesEachRegisterFromItsFiveBits) {
  std::mt19937 random(3);
  for (int i = 0; i < 1000; ++i) {
    const auto word = static_cast<uint32_t>(random());
    const Instruction in = decode(word);
    ASSERT_EQ(in.raw, word);
    ASSERT_EQ(in.rd, word / 0x80 % 32) << word;
    ASSERT_EQ(in.rs1, word / 0x8000 % 32) << word;
    ASSERT_EQ(in.rs2, word / 0x100000 % 32) << word;
    ASSERT_EQ(in.rs3, word / 0x8000000) << word;
  }
}

TEST(Codec, RefusesTheFirstValuePastEitherEndOfAnOperand) {
  const auto imm = [](int64_t value) {
    return encode(InstructionId::addi, std::array<int64_t, 3>{1, 2, value}).ok();
  };
  EXPECT_TRUE(imm(2047) && imm(-2048));
  EXPECT_FALSE(imm(2048));
  EXPECT_FALSE(imm(-2049));
  const auto shift = [](int64_t value) {
    return encode(InstructionId::slli, std::array<int64_t, 3>{1, 2, value}).ok();
  };
  EXPECT_TRUE(shift(0) && shift(63));
  EXPECT_FALSE(shift(64));
  EXPECT_FALSE(shift(-1));
  const auto branch = [](int64_t value) {
    return encode(InstructionId::beq, std::array<int64_t, 3>{1, 2, value}).ok();
  };
  EXPECT_TRUE(branch(4094) && branch(-4096));
  EXPECT_FALSE(branch(4096));
  EXPECT_FALSE(branch(-4098));
}

TEST(Codec, NamesTheOperandThatIsOutOfRange) {
  const Result<uint32_t> word = assembleInstruction("addi x1, x2, 4096");
  ASSERT_FALSE(word.ok());
  EXPECT_EQ(word.error().message, "addi: operand imm is 4096, must be -2048..2047");
}

TEST(Codec, NamesTheOperandOfTheWrongKind) {
  const Result<uint32_t> word = assembleInstruction("addi x1, tr2, 4");
  ASSERT_FALSE(word.ok());
  EXPECT_EQ(word.error().message,
            "addi: operand rs1 is 'tr2', must be a scalar register (x0..x31 or its ABI name)");
}

TEST(Codec, NamesAnUnknownInstruction) {
  const Result<uint32_t> word = assembleInstruction("frobnicate x1");
  ASSERT_FALSE(word.ok());
  EXPECT_EQ(word.error().message, "unknown instruction 'frobnicate'; `etalon isa` lists them");
}

TEST(Codec, CountsOperands) {
  const Result<uint32_t> word = assembleInstruction("add x1, x2");
  ASSERT_FALSE(word.ok());
  EXPECT_EQ(word.error().message, "add takes 3 operands (rd, rs1, rs2), got 2");
}

TEST(Codec, RefusesAnOddBranchOffset) {
  const Result<uint32_t> word = assembleInstruction("beq x1, x2, 3");
  ASSERT_FALSE(word.ok());
  EXPECT_EQ(word.error().message, "beq: operand offset is 3, must be a multiple of 2");
}

TEST(ProgramBuilder, ResolvesLabelsBothWays) {
  ProgramBuilder p;
  auto start = p.label(), end = p.label();
  p.bind(start);
  p.beq(X{1}, X{2}, end);
  p.jal(X{0}, start);
  p.bind(end);
  const auto words = p.finish();
  ASSERT_TRUE(words.ok());
  EXPECT_EQ(decode((*words)[0]).imm, 8);
  EXPECT_EQ(decode((*words)[1]).imm, -4);
}

TEST(ProgramBuilder, RefusesALabelThatIsNeverBound) {
  ProgramBuilder p;
  p.jal(X{0}, p.label());
  const auto words = p.finish();
  ASSERT_FALSE(words.ok());
  EXPECT_EQ(words.error().message, "instruction 1: label 0 is never bound");
}

TEST(ProgramBuilder, RefusesAnImmediateOutOfRange) {
  ProgramBuilder p;
  p.addi(X{1}, X{0}, 5000);
  const auto words = p.finish();
  ASSERT_FALSE(words.ok());
  EXPECT_EQ(words.error().message, "instruction 0: addi: operand imm is 5000, must be -2048..2047");
}

}  // namespace
}  // namespace etalon::isa
