// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/build.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/assembler/test_support.h"

namespace etalon::tools {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

std::string failure(const std::string& path) {
  const auto image = buildProgram(path, {.xet = toyEncoder()});
  EXPECT_FALSE(image.ok()) << path;
  return image.ok() ? "" : image.error().message;
}

Image good(const std::string& path, const BuildOptions& options = {.xet = toyEncoder()}) {
  auto image = buildProgram(path, options);
  EXPECT_TRUE(image.ok()) << image.error().message;
  return image.ok() ? *image : Image{};
}

constexpr char kMain[] =
    "#include <etalon/runtime.h>\n"
    "int main(void* args, unsigned long core, unsigned long cores) {\n"
    "  et_assert(core < cores);\n"
    "  et_printf(\"core %lu %f\\n\", core, et_f32(1.5f));\n"
    "  return 0;\n"
    "}\n";

TEST(Build, LinksAProgramWithStartAlone) {
  TemporaryFolder folder;
  const ElfView image = inspect(good(folder.write("k.s", ".globl _start\n_start: et.halt\n")).elf);
  EXPECT_EQ(image.entry, 0x80000000u);
  EXPECT_THAT(image.words(".text"), ::testing::ElementsAre(0xfe00000b));
  EXPECT_FALSE(image.symbols.contains("et_print"));
}

TEST(Build, GivesTheRuntimeToAnAssemblyMain) {
  TemporaryFolder folder;
  const auto elf = good(folder.write("k.s", ".globl main\nmain: li a0, 0\n ret\n")).elf;
  const ElfView image = inspect(elf);
  EXPECT_EQ(image.entry, image.symbols.at("_start"));
  EXPECT_THAT(image.words(".text"), Contains(0xfe00000b)) << "et.halt of the start code";
  EXPECT_TRUE(image.symbols.contains("tohost"));
  EXPECT_TRUE(image.symbols.contains("fromhost"));
  EXPECT_THAT(lineOf(elf, image.entry).value_or("none"), HasSubstr("crt0.s:10"));
  EXPECT_EQ(lineOf(elf, image.symbols.at("main")), folder.path("k.s") + ":2");
}

TEST(Build, BuildsCAndCppAgainstTheRuntimeHeader) {
  TemporaryFolder folder;
  for (const char* name : {"k.c", "k.cc", "k.cpp"}) {
    const Image built = good(folder.write(name, kMain));
    EXPECT_EQ(built.warnings, "") << name;
    const ElfView image = inspect(built.elf);
    EXPECT_EQ(image.entry, image.symbols.at("_start")) << name;
    EXPECT_TRUE(image.symbols.contains("main")) << name;
    EXPECT_THAT(lineOf(built.elf, image.symbols.at("main")).value_or("none"),
                HasSubstr(folder.path(name) + ":2"));
  }
}

TEST(Build, PreprocessesAssemblyWithCapitalS) {
  TemporaryFolder folder;
  folder.write("h.h", "#define RESULT 0\n");
  const std::string path = folder.write(
      "k.S", "#include \"h.h\"\n  .globl main\nmain: li a0, RESULT\n#if 0\n#endif\n  et.halt\n");
  const auto elf = good(path).elf;
  const uint64_t main = inspect(elf).symbols.at("main");
  EXPECT_EQ(lineOf(elf, main), path + ":3");
  EXPECT_EQ(lineOf(elf, main + 4), path + ":6");
  EXPECT_THAT(failure(folder.write("bad.S", "#include \"h.h\"\n\n foo\n")),
              HasSubstr("bad.S:3:2: unrecognized instruction mnemonic"));
}

TEST(Build, PassesFlagsToTheProgram) {
  TemporaryFolder folder;
  const std::string path =
      folder.write("k.c", "int table[N] = {1};\nint main(void) { return table[0]; }\n");
  EXPECT_THAT(failure(path), HasSubstr("'N'"));
  good(path, {.xet = toyEncoder(), .compile = {.flags = {"-DN=9"}}});
}

TEST(Build, LeavesNothingUndefinedForCopiesAndFills) {
  TemporaryFolder folder;
  good(folder.write("k.c",
                    "struct S { char c[5000]; } a, b;\n"
                    "int main(void) { a = b; b = (struct S){{0}}; return 0; }\n"));
}

TEST(Build, NamesTheMissingDoubleFunction) {
  TemporaryFolder folder;
  const std::string path =
      folder.write("k.c", "volatile double x;\nint main(void) {\n  x = x * x;\n  return 0;\n}\n");
  const std::string message = failure(path);
  EXPECT_THAT(message, HasSubstr("undefined symbol: __muldf3"));
  EXPECT_THAT(message, HasSubstr("k.c:3"));
}

TEST(Build, RefusesAProgramWithoutABeginning) {
  TemporaryFolder folder;
  for (const char* name : {"k.s", "k.S", "k.c", "k.cc"})
    EXPECT_THAT(failure(folder.write(name, "")),
                HasSubstr(folder.path(name) + ": defines neither '_start'"));
  EXPECT_THAT(failure(folder.write("local.s", "_start: nop\n")), HasSubstr("as a global symbol"));
}

TEST(Build, NamesFilesThatAreMissingAndExtensionsItDoesNotKnow) {
  for (const char* path : {"/nowhere/k.s", "/nowhere/k.S", "/nowhere/k.c", "/nowhere/k.cc"})
    EXPECT_THAT(failure(path), HasSubstr("'" + std::string(path) + "'"));
  EXPECT_THAT(failure("k.py"), HasSubstr("k.py: do not know how to build '.py' files"));
}

}  // namespace
}  // namespace etalon::tools
