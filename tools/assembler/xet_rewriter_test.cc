// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/xet_rewriter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace etalon::tools {
namespace {

/// `<mnemonic|operand|operand>`, so that a test sees what the encoder was given.
std::variant<std::string, XetError> show(const XetStatement& statement) {
  if (statement.mnemonic == "et.bad") return XetError{1, "second operand is bad"};
  if (statement.mnemonic == "et.worse") return XetError{-1, "no such instruction"};
  std::string text = "<" + std::string(statement.mnemonic);
  for (const std::string_view operand : statement.operands) text += "|" + std::string(operand);
  return text + ">";
}

std::string rewritten(std::string_view source) {
  std::vector<SourceDiagnostic> diagnostics;
  const std::string result = rewriteXet(source, show, diagnostics);
  EXPECT_TRUE(diagnostics.empty());
  return result;
}

TEST(XetRewriter, ReplacesStatementsAndNothingElse) {
  struct Case {
    const char *what, *source, *expected;
  };
  const Case cases[] = {
      {"empty", "", ""},
      {"no statement of ours", "  add x1, x2, x3\n", "  add x1, x2, x3\n"},
      {"operands", "  et.mm t0, t1 , t2\n", "  <et.mm|t0|t1|t2>\n"},
      {"no operand, end of text", "et.halt", "<et.halt>"},
      {"label", "loop: et.halt\n", "loop: <et.halt>\n"},
      {"several labels", "a: 1: \"q;x\" : et.halt\n", "a: 1: \"q;x\" : <et.halt>\n"},
      {"label of such a name", "et.loop: nop\n", "et.loop: nop\n"},
      {"separators", "nop; et.a x1 ;et.b;nop\n", "nop; <et.a|x1>;<et.b>;nop\n"},
      {"hash comment", "et.a x1, x2 # et.b x3\n# et.c\n", "<et.a|x1|x2>\n# et.c\n"},
      {"slash comment", "et.a x1 // x; et.b\n", "<et.a|x1>\n"},
      {"block comment before", "/* et.a */ et.b\n", "/* et.a */ <et.b>\n"},
      {"block comment between", "et.a /* one */ x1, x2 /* two */\n", "<et.a|x1|x2>\n"},
      {"block comment over lines keeps lines", "et.a x1, /* \n\n */ x2\nnop\n",
       "<et.a|x1|x2>\n\n\nnop\n"},
      {"block comment never closed", "/* et.a\net.b\n", "/* et.a\net.b\n"},
      {"string", ".ascii \"a\\\"; et.a\"; et.b\n", ".ascii \"a\\\"; et.a\"; <et.b>\n"},
      {"string never closed ends with its line", ".ascii \"a\net.b\n", ".ascii \"a\n<et.b>\n"},
      {"characters", "li x1, ';'; li x2, '#'; li x3, '\\''; et.a '\"', x1\n",
       "li x1, ';'; li x2, '#'; li x3, '\\''; <et.a|'\"'|x1>\n"},
      {"parentheses keep commas", "et.a f(1, 2), x1\n", "<et.a|f(1, 2)|x1>\n"},
      {"empty operands", "et.a ,x1,\n", "<et.a||x1|>\n"},
      {"macro argument", ".macro m a\n et.a \\a, x1\n.endm\n",
       ".macro m a\n <et.a|\\a|x1>\n.endm\n"},
      {"directive argument", ".set et.x, 5\n", ".set et.x, 5\n"},
      {"upper case", "ET.a x1\n", "<ET.a|x1>\n"},
      {"carriage return", "et.a x1\r\nnop\r\n", "<et.a|x1>\nnop\r\n"},
      {"prefix alone", "et. x1\n", "et. x1\n"},
      {"word that only begins alike", "etx.a x1\n", "etx.a x1\n"},
  };
  for (const Case& c : cases) EXPECT_EQ(rewritten(c.source), c.expected) << c.what;
}

TEST(XetRewriter, DropsARefusedStatementAndPointsAtTheOperand) {
  std::vector<SourceDiagnostic> diagnostics;
  const std::string result =
      rewriteXet("nop\n  et.bad x1,  x2 ; et.a\nl: et.worse x1\n", show, diagnostics);
  EXPECT_EQ(result, "nop\n  ; <et.a>\nl: \n");
  ASSERT_EQ(diagnostics.size(), 2u);
  EXPECT_EQ(diagnostics[0].line, 2);
  EXPECT_EQ(diagnostics[0].column, 15);
  EXPECT_EQ(diagnostics[0].message, "second operand is bad");
  EXPECT_EQ(diagnostics[1].line, 3);
  EXPECT_EQ(diagnostics[1].column, 4);
}

TEST(XetRewriter, PointsAtAMissingOperandThroughTheStatement) {
  std::vector<SourceDiagnostic> diagnostics;
  rewriteXet("\n\tet.bad x1\n", show, diagnostics);
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics[0].line, 2);
  EXPECT_EQ(diagnostics[0].column, 2);
}

TEST(XetRewriter, RefusesAnOperandThatSpansLines) {
  std::vector<SourceDiagnostic> diagnostics;
  EXPECT_EQ(rewriteXet("et.a x1, x/*\n*/2\nnop\n", show, diagnostics), "\n\nnop\n");
  ASSERT_EQ(diagnostics.size(), 1u);
  EXPECT_EQ(diagnostics[0].line, 1);
  EXPECT_EQ(diagnostics[0].column, 10);
  EXPECT_EQ(diagnostics[0].message, "a comment over several lines inside an operand");
}

TEST(XetRewriter, TellsTheEncoderThePhysicalLine) {
  std::vector<int> lines;
  std::vector<SourceDiagnostic> diagnostics;
  rewriteXet(
      "et.a\n/*\n*/ et.b /*\n*/ x1\n\"\net.c",
      [&](const XetStatement& statement) {
        lines.push_back(statement.line);
        return std::string("nop");
      },
      diagnostics);
  EXPECT_THAT(lines, ::testing::ElementsAre(1, 3, 6));
}

TEST(XetRewriter, KeepsTheNumberOfLinesOfAnyText) {
  // Every text of up to five characters out of those that matter to the scanner.
  const std::string_view alphabet = "e;\n\"'#/*\\:, ";
  std::vector<std::string> texts = {""};
  for (int length = 0; length < 4; length++) {
    std::vector<std::string> longer;
    for (const std::string& text : texts)
      for (const char c : alphabet) longer.push_back(text + c);
    for (const std::string& text : longer) {
      const std::string source = "et.a " + text + "\net.b";
      std::vector<SourceDiagnostic> diagnostics;
      const std::string result = rewriteXet(source, show, diagnostics);
      ASSERT_EQ(std::ranges::count(result, '\n'), std::ranges::count(source, '\n')) << source;
    }
    texts = std::move(longer);
  }
}

}  // namespace
}  // namespace etalon::tools
