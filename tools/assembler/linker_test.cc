// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/linker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/assembler/assembler.h"
#include "tools/assembler/runtime_files.h"
#include "tools/assembler/test_support.h"

namespace etalon::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kScript = ETALON_SOURCE_DIR "/tools/runtime/etalon.ld";

ObjectFile object(const std::string& name, std::string_view source) {
  auto bytes = assemble(source, name, toyEncoder());
  EXPECT_TRUE(bytes.ok()) << bytes.error().message;
  return {name, bytes.ok() ? *bytes : std::vector<std::byte>{}};
}

std::vector<std::byte> linked(const std::vector<ObjectFile>& objects) {
  const auto image = link(objects, {.script = kScript});
  EXPECT_TRUE(image.ok()) << image.error().message;
  return image.ok() ? *image : std::vector<std::byte>{};
}

std::string failure(const std::vector<ObjectFile>& objects, const LinkOptions& options) {
  const auto image = link(objects, options);
  EXPECT_FALSE(image.ok());
  return image.ok() ? "" : image.error().message;
}

TEST(Linker, PlacesTheImageInGlobalMemory) {
  const auto elf = linked({object("a.s", "nop\n.globl _start\n_start: call f\n"),
                           object("b.s", ".globl f\nf: et.halt\n")});
  const ElfView image = inspect(elf);
  EXPECT_TRUE(image.executable);
  EXPECT_EQ(image.entry, 0x80000004u);
  // nop; auipc ra, 0; jalr ra, 8(ra); et.halt
  EXPECT_THAT(image.words(".text"), ElementsAre(0x00000013, 0x00000097, 0x008080e7, 0xfe00000b));
  EXPECT_EQ(lineOf(elf, 0x80000000), "a.s:1");
  EXPECT_EQ(lineOf(elf, 0x8000000c), "b.s:2");
}

TEST(Linker, PutsTheStartSectionOfTheRiscvTestsFirst) {
  const ElfView image = inspect(linked(
      {object("a.s", ".text\nnop\n.section .text.init,\"ax\"\n.globl _start\n_start: nop\n")}));
  EXPECT_EQ(image.entry, 0x80000000u);
}

TEST(Linker, LaysOutDataBssAndStacks) {
  const ElfView image =
      inspect(linked({object("a.s",
                             ".globl _start\n_start: nop\n.data\nd: .word 1\n.bss\nb: .space 100\n"
                             ".section .rodata\nr: .word 2\n")}));
  const auto& symbols = image.symbols;
  EXPECT_LT(symbols.at("r"), symbols.at("d"));
  EXPECT_LT(symbols.at("d"), symbols.at("__bss_start"));
  EXPECT_LE(symbols.at("__bss_start"), symbols.at("b"));
  EXPECT_GE(symbols.at("__bss_end"), symbols.at("b") + 100);
  EXPECT_GE(symbols.at("__stack_base"), symbols.at("__bss_end"));
  EXPECT_EQ(symbols.at("__stack_base") % 4096, 0u);
  EXPECT_EQ(symbols.at("_end") - symbols.at("__stack_base"), 64u * 65536);
  EXPECT_TRUE(image.sections.at(".bss").nobits);
  EXPECT_TRUE(image.sections.at(".stack").nobits);
  ASSERT_EQ(image.loads.size(), 3u);
  EXPECT_EQ(image.loads[0].rights, 5u) << "read, execute";
  EXPECT_EQ(image.loads[1].rights, 4u) << "read";
  EXPECT_EQ(image.loads[2].rights, 6u) << "read, write";
  EXPECT_LT(image.loads[2].file_size, 4096u);
  EXPECT_EQ(image.loads[2].address + image.loads[2].memory_size, symbols.at("_end"));
}

TEST(Linker, KeepsAndLoadsTheNoteSection) {
  const ElfView image = inspect(linked({object(
      "a.s", ".globl _start\n_start: nop\n.section .note.etalon, \"a\", @note\n.word 1,2,3\n")}));
  EXPECT_THAT(image.words(".note.etalon"), ElementsAre(1, 2, 3));
  EXPECT_TRUE(image.sections.at(".note.etalon").allocated);
}

TEST(Linker, TakesTheHostWordsOfTheProgram) {
  const ElfView image = inspect(
      linked({object("a.s",
                     ".globl _start\n_start: la t0, tohost\n.section .tohost, \"aw\", @progbits\n"
                     ".align 6\n.globl tohost\ntohost: .dword 0\n.align 6\n.globl "
                     "fromhost\nfromhost: .dword 0\n")}));
  EXPECT_EQ(image.symbols.at("tohost"), image.sections.at(".tohost").address);
  EXPECT_EQ(image.symbols.at("fromhost"), image.symbols.at("tohost") + 64);
  EXPECT_EQ(image.symbols.at("tohost") % 64, 0u);
}

TEST(Linker, SuppliesHostWordsThatTheProgramOnlyNames) {
  const ElfView image =
      inspect(linked({object("a.s", ".globl _start\n_start: la t0, tohost\nla t1, fromhost\n")}));
  const auto& section = image.sections.at(".tohost");
  EXPECT_EQ(image.symbols.at("tohost"), section.address);
  EXPECT_EQ(image.symbols.at("fromhost"), section.address + 64);
  EXPECT_EQ(section.address % 64, 0u);
  EXPECT_FALSE(section.nobits);
}

TEST(Linker, NamesUndefinedSymbolsAndTheirPlace) {
  const std::string message =
      failure({object("a.s", ".globl _start\n_start:\n  call nowhere\n")}, {.script = kScript});
  EXPECT_THAT(message, HasSubstr("undefined symbol: nowhere"));
  EXPECT_THAT(message, HasSubstr("a.s:3"));
  EXPECT_THAT(message, Not(HasSubstr("/proc/")));
  EXPECT_THAT(message, Not(HasSubstr("ld.lld")));
}

TEST(Linker, NamesBothPlacesOfADuplicate) {
  const std::string message = failure({object("a.s", ".globl _start\n_start: nop\n"),
                                       object("b.s", ".globl _start\n_start: nop\n")},
                                      {.script = kScript});
  EXPECT_THAT(message, HasSubstr("duplicate symbol: _start"));
  EXPECT_THAT(message, HasSubstr("a.s"));
  EXPECT_THAT(message, HasSubstr("b.s"));
}

TEST(Linker, RefusesWhatIsNoObject) {
  const std::vector<std::byte> garbage(100, std::byte{0x7f});
  EXPECT_THAT(failure({{"g.o", garbage}}, {.script = kScript}), HasSubstr("'g.o' is not an ELF"));
  EXPECT_THAT(failure({{"e.o", {}}}, {.script = kScript}), HasSubstr("'e.o' is not an ELF"));
  ObjectFile cut = object("c.o", ".globl _start\n_start: nop\n");
  cut.bytes.resize(200);
  EXPECT_THAT(failure({cut}, {.script = kScript}), HasSubstr("c.o"));
  EXPECT_THAT(failure({}, {.script = kScript}), HasSubstr("no object"));
}

TEST(Linker, RefusesAnImageWithoutEntry) {
  EXPECT_THAT(failure({object("a.s", ".globl f\nf: nop\n")}, {.script = kScript}),
              HasSubstr("cannot find entry symbol _start"));
}

TEST(Linker, SaysWhichScriptIsMissingOrWrong) {
  const ObjectFile start = object("a.s", ".globl _start\n_start: nop\n");
  EXPECT_THAT(failure({start}, {.script = "/nowhere.ld"}), HasSubstr("/nowhere.ld"));
  TemporaryFolder folder;
  const std::string script = folder.write("bad.ld", "SECTIONS {\n  .text : { oops\n");
  EXPECT_THAT(failure({start}, {.script = script}), HasSubstr("bad.ld:"));
}

TEST(Linker, GivesTheSameBytesEachTime) {
  const std::vector<ObjectFile> objects = {object("a.s", ".globl _start\n_start: nop\n")};
  EXPECT_EQ(linked(objects), linked(objects));
}

TEST(RuntimeFiles, AreWhereTheEnvironmentSays) {
  TemporaryFolder folder;
  folder.write("etalon.ld", "");
  ASSERT_EQ(::setenv("ETALON_RUNTIME", folder.path("").c_str(), 1), 0);
  const auto found = findRuntimeFiles();
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->folder, folder.path(""));
  ASSERT_EQ(::setenv("ETALON_RUNTIME", "/nowhere", 1), 0);
  const auto missing = findRuntimeFiles();
  ::unsetenv("ETALON_RUNTIME");
  ASSERT_FALSE(missing.ok());
  EXPECT_THAT(missing.error().message, HasSubstr("'/nowhere'"));
  EXPECT_THAT(missing.error().message, HasSubstr("ETALON_RUNTIME"));
}

}  // namespace
}  // namespace etalon::tools
