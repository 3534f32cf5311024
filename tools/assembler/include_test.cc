// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/include.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/assembler/test_support.h"

namespace etalon::tools {
namespace {

using ::testing::HasSubstr;

TEST(Include, PutsTheTextInPlaceBetweenLineMarkers) {
  TemporaryFolder folder;
  const std::string main = folder.path("a.s");
  const std::string inner = folder.write("b.s", "two\nthree");
  const Result<std::string> text = expandIncludes("one\n .include \"b.s\" # why\nfour\n", main);
  ASSERT_TRUE(text.ok()) << text.error().message;
  EXPECT_EQ(*text, "one\n# 1 \"" + inner + "\"\ntwo\nthree\n# 3 \"" + main + "\"\nfour\n");
}

TEST(Include, LeavesAMissingFileToTheAssembler) {
  const std::string source = ".if 0\n.include \"nowhere.s\"\n.endif\n";
  const Result<std::string> text = expandIncludes(source, "a.s");
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, source);
}

TEST(Include, RefusesAFileThatIncludesItself) {
  TemporaryFolder folder;
  const std::string main = folder.write("a.s", ".include \"a.s\"\n");
  const Result<std::string> text = expandIncludes(".include \"a.s\"\n", main);
  ASSERT_FALSE(text.ok());
  EXPECT_THAT(text.error().message, HasSubstr("does it include itself"));
}

TEST(Include, RefusesTextThatGrowsWithoutBound) {
  TemporaryFolder folder;
  const std::string main = folder.path("a.s");
  folder.write("b.s", ".include \"c.s\"\n.include \"c.s\"\n.include \"c.s\"\n.include \"c.s\"\n");
  folder.write("c.s", std::string(600'000, '\n'));
  const Result<std::string> text = expandIncludes(".include \"b.s\"\n", main);
  ASSERT_FALSE(text.ok());
  EXPECT_THAT(text.error().message, HasSubstr("2097152 bytes"));
}

TEST(LineMap, FollowsLineMarkers) {
  const std::vector<SourceLine> lines =
      mapLines("a\n# 10 \"b.s\" 1 2\nx\ny\n# 2 \"a.s\"\nz\n# no\n", "a.s");
  ASSERT_EQ(lines.size(), 8u);
  EXPECT_EQ(lines[0].file + std::to_string(lines[0].line), "a.s1");
  EXPECT_EQ(lines[2].file + std::to_string(lines[2].line), "b.s10");
  EXPECT_EQ(lines[3].file + std::to_string(lines[3].line), "b.s11");
  EXPECT_EQ(lines[5].file + std::to_string(lines[5].line), "a.s2");
  EXPECT_EQ(lines[7].file + std::to_string(lines[7].line), "a.s4");
}

}  // namespace
}  // namespace etalon::tools
