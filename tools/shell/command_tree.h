// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): as CLI11 has it
class App;
class Option;
}  // namespace CLI

namespace etalon::tools {

/// An option or a positional argument as `--help` knows it.
struct OptionInfo {
  std::vector<std::string> names;  // "-o", "--output"; of a positional its name alone
  std::string value;               // what it takes, as choicesOf() reads it; empty: nothing
  std::string description;
  bool repeats = false;
  bool required = false;
};

/// A command and those below it: the one source of help, completion and manual pages.
struct CommandInfo {
  std::vector<std::string> path;  // {"etalon", "run"}
  std::string description;
  std::string footer;
  std::vector<OptionInfo> options;
  std::vector<OptionInfo> positionals;
  std::vector<CommandInfo> commands;

  /// "etalon run".
  std::string name() const;
};

/// The command and all below it, in the order in which they were added.
CommandInfo commandTree(const CLI::App& app);

/// True if the option or positional may be given more than once.
bool repeats(const CLI::Option& option);

/// Names that stand for what is looked up: {"MACHINE", {"base", ...}}.
using NameLists = std::map<std::string, std::vector<std::string>>;

/// What a shell can offer for a value.
struct Choices {
  std::vector<std::string> words;
  bool files = false;
};

/// Of a type name: alternatives separated by `|`. One without capitals is itself a word; FILE at its end is any file, behind
/// a prefix that is a word if it has no capitals (`plugin:FILE`); others are looked up in `names`, or free text.
Choices choicesOf(const std::string& value, const NameLists& names);

}  // namespace etalon::tools
