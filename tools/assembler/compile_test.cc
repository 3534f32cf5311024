// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/assembler/child_process.h"
#include "tools/assembler/object_symbols.h"
#include "tools/assembler/test_support.h"

namespace etalon::tools {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::string failure(const std::string& path, const CompileOptions& options = {}) {
  const auto object = compileC(path, options);
  EXPECT_FALSE(object.ok());
  return object.ok() ? "" : object.error().message;
}

CompiledObject good(const std::string& path, const CompileOptions& options = {}) {
  auto object = compileC(path, options);
  EXPECT_TRUE(object.ok()) << object.error().message;
  return object.ok() ? *object : CompiledObject{};
}

TEST(Compile, MakesAnObjectForTheCore) {
  TemporaryFolder folder;
  const auto object = good(folder.write("k.c", "int twice(int x) {\n  return x * 2;\n}\n"));
  const ElfView view = inspect(object.object);
  EXPECT_FALSE(view.executable);
  EXPECT_EQ(view.flags, 0u);
  EXPECT_THAT(view.words(".text"), Contains(0x00008067)) << "ret";
  EXPECT_EQ(lineOf(object.object, view.symbols.at("twice")), folder.path("k.c") + ":2");
  EXPECT_EQ(object.warnings, "");
}

TEST(Compile, KeepsFloatsInIntegerRegistersAndFusesOnlyWhatIsSpelled) {
  TemporaryFolder folder;
  const auto object = good(
      folder.write("k.c",
                   "float f(float a, float b, float c) { return a * b + c; }\n"
                   "__attribute__((section(\".text.fma\")))\n"
                   "float g(float a, float b, float c) { return __builtin_fmaf(a, b, c); }\n"));
  const ElfView view = inspect(object.object);
  // FMUL.S then FADD.S, rd = rs1 = a0, dynamic rounding; FMADD.S in one.
  EXPECT_THAT(view.words(".text"), ::testing::ElementsAre(0x10b57553, 0x00c57553, 0x00008067));
  EXPECT_THAT(view.words(".text.fma"), ::testing::ElementsAre(0x60b57543, 0x00008067));
}

TEST(Compile, CompilesCpp20) {
  TemporaryFolder folder;
  for (const char* name : {"k.cc", "k.cpp"}) {
    const auto has = definesGlobal(good(folder.write(name,
                                                     "template <class T> concept Any = true;\n"
                                                     "int h(Any auto x) { return x; }\n"
                                                     "extern \"C\" int g() { return h(1); }\n"))
                                       .object,
                                   "g");
    ASSERT_TRUE(has.ok());
    EXPECT_TRUE(*has) << name;
  }
}

TEST(Compile, RefusesGlobalConstructors) {
  TemporaryFolder folder;
  EXPECT_THAT(failure(folder.write("k.cc", "int f();\nint x = f();\n")),
              HasSubstr("global constructor"));
}

TEST(Compile, ReportsTheCompilersDiagnostics) {
  TemporaryFolder folder;
  const std::string path = folder.write("k.c", "int f(void) {\n  return y;\n}\n");
  const std::string message = failure(path);
  EXPECT_THAT(message, HasSubstr(path + ":2:10: error: use of undeclared identifier 'y'"));
  EXPECT_THAT(message, HasSubstr("return y;"));
}

TEST(Compile, HandsOutWarnings) {
  TemporaryFolder folder;
  EXPECT_THAT(good(folder.write("k.c", "int f(void) { int unused; return 0; }\n")).warnings,
              HasSubstr("unused variable"));
}

TEST(Compile, PassesFlagsAndIncludeFoldersOn) {
  TemporaryFolder folder, other;
  other.write("h.h", "#define M N\n");
  const std::string path = folder.write("k.c", "#include \"h.h\"\nint f[M];\n");
  EXPECT_THAT(failure(path), HasSubstr("'h.h' file not found"));
  const auto object = good(path, {.include_dirs = {other.path("")}, .flags = {"-DN=5"}});
  EXPECT_EQ(inspect(object.object).sections.at(".bss").size, 20u);
}

TEST(Compile, NamesAFileThatIsMissing) {
  EXPECT_THAT(failure("/nowhere/k.c"), HasSubstr("'/nowhere/k.c'"));
}

TEST(Compile, NamesAnExtensionItDoesNotKnow) {
  EXPECT_THAT(failure("k.rs"), HasSubstr("k.rs: extension '.rs'"));
}

TEST(Compile, NamesThePackageWhenClangIsMissing) {
  TemporaryFolder folder;
  const std::string message = failure(folder.write("k.c", ""), {.clang = "clang-nowhere"});
  EXPECT_THAT(message, HasSubstr("cannot start 'clang-nowhere'"));
  EXPECT_THAT(message, HasSubstr("apt-get install clang-19"));
}

TEST(Compile, GivesTheSameBytesEachTime) {
  TemporaryFolder folder;
  const std::string path = folder.write("k.c", "int f(void) { return 1; }\n");
  EXPECT_EQ(good(path).object, good(path).object);
}

TEST(ChildProcess, CollectsOutputAndStatus) {
  const auto output = runProgram({"sh", "-c", "echo out; echo err >&2; exit 3"}, 10, "");
  ASSERT_TRUE(output.ok());
  EXPECT_EQ(output->out, "out\n");
  EXPECT_EQ(output->err, "err\n");
  EXPECT_EQ(output->exit_status, 3);
}

TEST(ChildProcess, KillsAProgramThatTakesTooLong) {
  const auto output = runProgram({"sleep", "60"}, 1, "");
  ASSERT_FALSE(output.ok());
  EXPECT_THAT(output.error().message, HasSubstr("'sleep' took longer than 1 s"));
}

}  // namespace
}  // namespace etalon::tools
