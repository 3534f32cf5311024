// SPDX-License-Identifier: Apache-2.0
#include "tools/shell/help_formatter.h"

#include "tools/shell/command_tree.h"

namespace etalon::tools {
namespace {

constexpr size_t kColumns = 100;

}  // namespace

std::string HelpFormatter::entry(const std::string& name, const std::string& description) const {
  const size_t column = get_column_width();
  std::string text = "  " + name;
  size_t at = text.size();
  const auto new_line = [&] {
    text += "\n" + std::string(column, ' ');
    at = column;
  };
  if (at + 2 > column)
    new_line();
  else
    text.append(column - at, ' '), at = column;
  for (const std::string& word : CLI::detail::split(description, ' ')) {
    if (at > column && at + 1 + word.size() > kColumns) new_line();
    if (at > column) text += ' ', ++at;
    text += word;
    at += word.size();
  }
  return text + "\n";
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  std::string name = is_positional ? option->get_name() : option->get_name(false, true);
  if (!is_positional && option->get_type_size() != 0) name += " " + option->get_type_name();
  std::string description = option->get_description();
  if (repeats(*option) && is_positional) name += "...";
  if (repeats(*option) && !is_positional) description += " (may be repeated)";
  if (is_positional && !option->get_required()) name = "[" + name + "]";
  return entry(name, description);
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  std::string text = Formatter::make_footer(app);
  if (app->get_parent() != nullptr) return text;
  text += "\nExit status:\n";
  for (const ExitStatus& status : statuses_)
    text += entry(std::to_string(status.status), std::string(status.meaning));
  return text;
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description());
}

}  // namespace etalon::tools
