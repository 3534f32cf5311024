// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/assembler.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/assembler/test_support.h"

namespace etalon::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string failure(std::string_view source) {
  const auto object = assemble(source, "k.s", toyEncoder());
  EXPECT_FALSE(object.ok()) << source;
  return object.ok() ? "" : object.error().message;
}

std::vector<std::byte> good(std::string_view source, const std::string& file = "k.s") {
  auto object = assemble(source, file, toyEncoder());
  EXPECT_TRUE(object.ok()) << object.error().message;
  return object.ok() ? *object : std::vector<std::byte>{};
}

TEST(Assembler, MakesARelocatableObject) {
  const ElfView view = inspect(good("  .globl f\nnop\nf: addi x1, x2, 3\n"));
  EXPECT_FALSE(view.executable);
  EXPECT_EQ(view.flags, 0u) << "lp64 without compressed instructions";
  EXPECT_THAT(view.words(".text"), ElementsAre(0x00000013, 0x00310093));
  EXPECT_EQ(view.symbols.at("f"), 4u);
}

TEST(Assembler, AcceptsAnEmptyText) { EXPECT_TRUE(inspect(good("")).words(".text").empty()); }

TEST(Assembler, KnowsEveryScalarExtensionOfTheCore) {
  // Words from the encodings in the RISC-V manual: MUL, AMOADD.W, CSRRS, FENCE.I, FADD.S on x
  // registers.
  EXPECT_THAT(inspect(good("mul x1,x2,x3\namoadd.w x1,x2,(x3)\ncsrr x1,mhartid\nfence.i\n"
                           "fadd.s x1,x2,x3,rne\n"))
                  .words(".text"),
              ElementsAre(0x023100b3, 0x0021a0af, 0xf14020f3, 0x0000100f, 0x003100d3));
}

TEST(Assembler, RefusesExtensionsThatTheCoreLacks) {
  EXPECT_THAT(failure("c.nop\n"), HasSubstr("k.s:1:1: "));
  EXPECT_THAT(failure("fadd.d x1, x2, x3\n"), HasSubstr("k.s:1:1: "));
  EXPECT_THAT(failure("flw f0, 0(x1)\n"), HasSubstr("k.s:1:"));
}

TEST(Assembler, EncodesTileInstructions) {
  // 0x2b | 2 << 12 with rd = 1, rs1 = 2, rs2 = 3, and 0x0b | 0x7f << 25.
  EXPECT_THAT(inspect(good("et.mm x1, x2, x3; et.halt\n")).words(".text"),
              ElementsAre(0x003120ab, 0xfe00000b));
}

TEST(Assembler, ReportsAllErrorsWithPlaceAndLine) {
  const std::string message = failure("  nop\n  addi x1, x2\n  et.mm x1, y2, x3\n\tfoo x1\n");
  EXPECT_THAT(message,
              HasSubstr("k.s:3:13: 'y2' is no register\n  et.mm x1, y2, x3\n            ^"));
  EXPECT_THAT(message, HasSubstr("k.s:2:3: too few operands for instruction\n  addi x1, x2\n  ^"));
  EXPECT_THAT(message, HasSubstr("k.s:4:2: unrecognized instruction mnemonic\n\tfoo x1\n\t^"));
}

TEST(Assembler, PlacesAnErrorBehindATileInstructionOnItsLine) {
  const std::string message = failure("et.mm x1, x2, x3\nfoo\n");
  EXPECT_THAT(message, HasSubstr("k.s:2:1: unrecognized instruction mnemonic\nfoo\n^"));
}

TEST(Assembler, RefusesTileInstructionsWithoutAnEncoder) {
  const auto object = assemble("et.halt\n", "k.s", {});
  ASSERT_FALSE(object.ok());
  EXPECT_THAT(object.error().message, HasSubstr("k.s:1:1: no encoder for 'et.halt'"));
}

TEST(Assembler, ReportsWhatIsFoundAtTheEndOfTheText) {
  EXPECT_THAT(failure("nop\n# 7 \"m.s\"\nnop\n  beq x1, x2, 1f\n# 1 \"n.s\"\n"),
              HasSubstr("m.s:8:"));
}

TEST(Assembler, ReportsWhatIsFoundWhileTheObjectIsLaidOut) {
  EXPECT_EQ(failure("nop\nnop\n  .org 4\n"),
            "k.s:3:8: invalid .org offset '4' (at offset '8')\n  .org 4\n       ^");
}

TEST(Assembler, TakesATextOfTheGreatestSize) {
  std::string source;
  while (source.size() + 4 <= (size_t{1} << 20)) source += "nop\n";
  EXPECT_EQ(inspect(good(source)).words(".text").size(), source.size() / 4);
}

TEST(Assembler, NamesTheUseOfAMacro) {
  const std::string message = failure(".macro m\n foo\n.endm\nnop\nm\n");
  EXPECT_THAT(message, HasSubstr("unrecognized instruction mnemonic\nfoo"));
  EXPECT_THAT(message, HasSubstr("k.s:5:1: while in macro instantiation"));
}

TEST(Assembler, CountsWhatItDoesNotSpellOut) {
  std::string source;
  for (int i = 0; i < 50; i++) source += "foo\n";
  EXPECT_THAT(failure(source), HasSubstr("\nand 30 more"));
}

TEST(Assembler, WritesNothingToStderr) {
  ::testing::internal::CaptureStderr();
  failure("foo\n.error \"loud\"\n.warning \"louder\"\n");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Assembler, MapsEveryInstructionToItsLine) {
  const auto object = good("nop\n\net.mm x1, x2, x3\n  nop; et.halt\n\n  nop\n", "dir/k.s");
  EXPECT_EQ(lineOf(object, 0), "dir/k.s:1");
  EXPECT_EQ(lineOf(object, 4), "dir/k.s:3");
  EXPECT_EQ(lineOf(object, 8), "dir/k.s:4");
  EXPECT_EQ(lineOf(object, 12), "dir/k.s:4");
  EXPECT_EQ(lineOf(object, 16), "dir/k.s:6");
}

TEST(Assembler, MapsLinesOfOtherExecutableSections) {
  const auto object = good(".section .text.init, \"ax\"\net.halt\nnop\n");
  EXPECT_EQ(lineOf(object, 0, ".text.init"), "k.s:2");
  EXPECT_EQ(lineOf(object, 4, ".text.init"), "k.s:3");
}

TEST(Assembler, MapsTileInstructionsInMacrosToTheBody) {
  const auto object = good(".macro m\n et.halt\n.endm\nnop\nm\n");
  EXPECT_EQ(lineOf(object, 0), "k.s:4");
  EXPECT_EQ(lineOf(object, 4), "k.s:2");
}

TEST(Assembler, FollowsIncludesInErrorsAndDebugLines) {
  TemporaryFolder folder;
  const std::string main = folder.path("a.s");
  const std::string inner = folder.write("b.s", "nop\net.halt\n");
  const auto object = good("nop\n.include \"b.s\"\net.halt\nnop\n", main);
  EXPECT_EQ(lineOf(object, 0), main + ":1");
  EXPECT_EQ(lineOf(object, 4), inner + ":1");
  EXPECT_EQ(lineOf(object, 8), inner + ":2");
  EXPECT_EQ(lineOf(object, 12), main + ":3");
  EXPECT_EQ(lineOf(object, 16), main + ":4");

  folder.write("b.s", "nop\n foo\n et.mm x1\n");
  const auto bad = assemble("nop\n.include \"b.s\"\nbar\n", main, toyEncoder());
  ASSERT_FALSE(bad.ok());
  EXPECT_THAT(bad.error().message, HasSubstr(inner + ":2:2: unrecognized"));
  EXPECT_THAT(bad.error().message, HasSubstr(inner + ":3:2: et.mm takes 3 operands, not 1"));
  EXPECT_THAT(bad.error().message, HasSubstr(main + ":3:1: unrecognized"));
}

TEST(Assembler, ReadsBinaryFilesBesideTheSource) {
  TemporaryFolder folder;
  folder.write("data.bin", std::string_view("\x13\0\0\0", 4));
  EXPECT_THAT(inspect(good(".incbin \"data.bin\"\n", folder.path("a.s"))).words(".text"),
              ElementsAre(0x13));
  EXPECT_THAT(failure(".incbin \"nowhere.bin\"\n"), HasSubstr("k.s:1:"));
}

TEST(Assembler, GivesTheSameBytesEachTime) {
  EXPECT_EQ(good("nop\net.halt\n"), good("nop\net.halt\n"));
}

TEST(Assembler, RefusesATextThatIsTooLong) {
  EXPECT_THAT(failure(std::string((size_t{1} << 20) + 1, '\n')),
              HasSubstr("has 1048577 bytes; at most 1048576"));
}

TEST(Assembler, SurvivesTextsMadeToExhaustIt) {
  for (const char* source : {
           ".space 1<<40\n",
           ".org 1<<40\n",
           ".zero 1<<62\n",
           ".fill 1<<62, 8, 1\n",
           ".balign 1<<40\nnop\n.balign 1<<40\n",
           ".rept 1<<30\nnop\n.endr\n",
           ".incbin \"/dev/zero\"\n",
           ".include \"/dev/zero\"\n",
           ".macro a\na\na\n.endm\na\n",
       }) {
    const auto object = assemble(source, "k.s", toyEncoder());
    EXPECT_FALSE(object.ok()) << source;
    if (!object.ok()) EXPECT_THAT(object.error().message, HasSubstr("k.s")) << source;
  }
}

TEST(Assembler, SurvivesGarbage) {
  uint64_t state = 1;
  const std::string_view pieces[] = {"et.",  "mm",      " ",      ",",    "x1", "\n",    ";",  ":",
                                     "\"",   "'",       "(",      ")",    "\\", "#",     "/*", "*/",
                                     ".loc", ".file",   ".macro", "\0",   "+",  ".endm", "1",  "-",
                                     "%hi(", ".rept 3", ".endr",  "\xff", "=",  ".if",   "\t"};
  for (int text = 0; text < 200; text++) {
    std::string source;
    for (int i = 0; i < 40; i++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      source += pieces[(state >> 33) % std::size(pieces)];
      if ((state >> 60) == 0) source += '\0';
    }
    const auto object = assemble(source, "k.s", toyEncoder());
    if (!object.ok()) EXPECT_THAT(object.error().message, Not(HasSubstr("signal"))) << source;
  }
}

}  // namespace
}  // namespace etalon::tools
