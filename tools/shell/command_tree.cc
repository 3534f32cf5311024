// SPDX-License-Identifier: Apache-2.0
#include "tools/shell/command_tree.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace etalon::tools {
namespace {

OptionInfo optionInfo(const CLI::Option& option) {
  OptionInfo info;
  for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  if (info.names.empty()) info.names.push_back(option.get_name());
  if (option.get_type_size() != 0) info.value = option.get_type_name();
  info.description = option.get_description();
  info.repeats = repeats(option);
  info.required = option.get_required();
  return info;
}

CommandInfo infoOf(const CLI::App& app, std::vector<std::string> path) {
  CommandInfo info;
  path.push_back(app.get_name());
  info.path = path;
  info.description = app.get_description();
  info.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? info.positionals : info.options).push_back(optionInfo(*option));
  for (const CLI::App* command : app.get_subcommands({}))
    info.commands.push_back(infoOf(*command, path));
  return info;
}

bool hasCapitals(const std::string& text) {
  return std::ranges::any_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

std::string CommandInfo::name() const {
  std::string text;
  for (const std::string& word : path) text += (text.empty() ? "" : " ") + word;
  return text;
}

CommandInfo commandTree(const CLI::App& app) { return infoOf(app, {}); }

bool repeats(const CLI::Option& option) {
  return option.get_items_expected_max() >= CLI::detail::expected_max_vector_size;
}

Choices choicesOf(const std::string& value, const NameLists& names) {
  constexpr std::string_view kFile = "FILE";
  Choices choices;
  for (const std::string& alternative : CLI::detail::split(value, '|')) {
    if (alternative.ends_with(kFile)) {
      const std::string prefix = alternative.substr(0, alternative.size() - kFile.size());
      if (!prefix.empty() && !hasCapitals(prefix)) choices.words.push_back(prefix);
      choices.files = true;
    } else if (!hasCapitals(alternative)) {
      if (!alternative.empty()) choices.words.push_back(alternative);
    } else if (const auto list = names.find(alternative); list != names.end()) {
      choices.words.insert(choices.words.end(), list->second.begin(), list->second.end());
    }
  }
  return choices;
}

}  // namespace etalon::tools
