// SPDX-License-Identifier: Apache-2.0
// What completion, manual pages and --help take from the descriptions of options; tools/etalon_shell_test.py runs the scripts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tools/shell/command_tree.h"
#include "tools/shell/help_formatter.h"
#include "tools/shell/man_page.h"

namespace etalon::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr ExitStatus kStatuses[] = {{0, "fine"}};

/// `tool [-q] [--in NAME=FILE]... load FILE`.
struct Tool {
  Tool() {
    app.formatter(std::make_shared<HelpFormatter>(kStatuses));
    app.add_flag("-q,--quiet", quiet, "Say nothing");
    app.add_option("--in", inputs, "An input")->allow_extra_args(false)->type_name("NAME=FILE");
    CLI::App* load = app.add_subcommand("load", "Load a file");
    load->add_option("FILE", file, "The file")->required()->type_name("FILE");
    load->footer("Examples:\n  tool load .a\\b\nNotes:\nplain");
  }
  CLI::App app{"A tool", "tool"};
  bool quiet = false;
  std::vector<std::string> inputs;
  std::string file;
};

TEST(CommandTree, HoldsWhatHelpSays) {
  const Tool tool;
  const CommandInfo tree = commandTree(tool.app);
  EXPECT_EQ(tree.name(), "tool");
  ASSERT_EQ(tree.options.size(), 3u);
  EXPECT_THAT(tree.options[0].names, ElementsAre("-h", "--help"));
  EXPECT_THAT(tree.options[1].names, ElementsAre("-q", "--quiet"));
  EXPECT_EQ(tree.options[1].value, "");
  EXPECT_EQ(tree.options[2].value, "NAME=FILE");
  EXPECT_TRUE(tree.options[2].repeats);
  ASSERT_EQ(tree.commands.size(), 1u);
  const CommandInfo& load = tree.commands[0];
  EXPECT_EQ(load.name(), "tool load");
  ASSERT_EQ(load.positionals.size(), 1u);
  EXPECT_THAT(load.positionals[0].names, ElementsAre("FILE"));
  EXPECT_TRUE(load.positionals[0].required);
  EXPECT_FALSE(load.positionals[0].repeats);
}

TEST(Choices, AreTheAlternativesOfATypeName) {
  const NameLists names{{"COLOUR", {"red", "green"}}};
  const auto words = [&](const char* value) { return choicesOf(value, names).words; };
  EXPECT_THAT(words("a|b-c"), ElementsAre("a", "b-c"));
  EXPECT_THAT(words("N"), IsEmpty());
  EXPECT_THAT(words("COLOUR|blue"), ElementsAre("red", "green", "blue"));
  EXPECT_THAT(words("here|plugin:FILE"), ElementsAre("here", "plugin:"));
  EXPECT_THAT(words("NAME=FILE"), IsEmpty());
  EXPECT_TRUE(choicesOf("NAME=FILE", names).files);
  EXPECT_TRUE(choicesOf("FILE|-", names).files);
  EXPECT_FALSE(choicesOf("COLOUR", names).files);
}

TEST(HelpFormatter, WrapsDescriptionsAndTellsWhatMayBeRepeated) {
  CLI::App app("A tool", "tool");
  app.formatter(std::make_shared<HelpFormatter>(kStatuses));
  std::vector<std::string> values;
  std::string description;
  for (int i = 0; i < 30; ++i) description += i == 0 ? "word" : " word";
  app.add_option("--in", values, description)->allow_extra_args(false)->type_name("N");
  const std::string help = app.help();
  EXPECT_THAT(help, HasSubstr("\n  --in N                    word word"));
  EXPECT_THAT(help, HasSubstr("word (may be repeated)\n"));
  EXPECT_THAT(help, HasSubstr("word\n" + std::string(28, ' ') + "word"));
  for (const std::string& line : CLI::detail::split(help, '\n')) EXPECT_LE(line.size(), 100u);
}

TEST(HelpFormatter, ShowsExitStatusesOfTheProgramAlone) {
  const Tool tool;
  EXPECT_THAT(tool.app.help(), HasSubstr("\nExit status:\n  0                         fine\n"));
  EXPECT_THAT(tool.app.get_subcommand("load")->help(), testing::Not(HasSubstr("Exit status")));
}

TEST(ManPage, EscapesWhatTroffWouldTakeForItsOwn) {
  const Tool tool;
  const CommandInfo tree = commandTree(tool.app);
  const std::string page = manPage(tree.commands[0], tree, "1.2", kStatuses);
  EXPECT_EQ(page, R"(.TH TOOL\-LOAD 1 "" "Etalon 1.2" "Etalon"
.SH NAME
tool\-load \- Load a file
.SH SYNOPSIS
\fBtool load\fR [\fIOPTIONS\fR] \fIFILE\fR
.SH ARGUMENTS
.TP
\fIFILE\fR
The file
.SH OPTIONS
.TP
\fB\-h\fR, \fB\-\-help\fR
Print this help message and exit
.SH EXAMPLES
.PP
.nf
  tool load .a\eb
.fi
.SH NOTES
plain
.SH EXIT STATUS
.TP
\fB0\fR
fine
.SH SEE ALSO
.BR tool (1)
)");
  EXPECT_THAT(manPage(tree, tree, "1.2", kStatuses), HasSubstr(".BR tool\\-load (1)\n"));
}

}  // namespace
}  // namespace etalon::tools
