// SPDX-License-Identifier: Apache-2.0
#include "tools/shell/man_page.h"

#include <fmt/format.h>

#include <vector>

namespace etalon::tools {
namespace {

/// Text that troff prints as it stands: no escapes, no requests, a hyphen that can be copied.
std::string roff(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\'')
      out += "\\(aq";
    else if (c == '`')
      out += "\\(ga";
    else
      out += c;
    line_start = c == '\n';
  }
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

std::string synopsis(const CommandInfo& command) {
  std::string text = bold(command.name());
  if (!command.options.empty()) text += " [" + italic("OPTIONS") + "]";
  for (const OptionInfo& positional : command.positionals) {
    const std::string name = italic(positional.names[0]) + (positional.repeats ? "..." : "");
    text += positional.required ? " " + name : " [" + name + "]";
  }
  if (!command.commands.empty()) text += " " + italic("COMMAND");
  return text + "\n";
}

std::string entry(const std::string& tag, std::string_view text) {
  return ".TP\n" + tag + "\n" + roff(text) + "\n";
}

std::string optionEntry(const OptionInfo& option, bool positional) {
  std::string tag;
  for (const std::string& name : option.names)
    tag += (tag.empty() ? "" : ", ") + (positional ? italic(name) : bold(name));
  if (positional && option.repeats) tag += "...";
  if (!positional && !option.value.empty()) tag += " " + italic(option.value);
  return entry(tag,
               option.description + (option.repeats && !positional ? " (may be repeated)" : ""));
}

/// Text behind the options: a line with a colon at its end begins a section, indented lines stand as they are.
std::string footerSections(const std::string& footer) {
  std::string text;
  bool verbatim = false;
  const auto set_verbatim = [&](bool on) {
    if (on != verbatim) text += on ? ".PP\n.nf\n" : ".fi\n";
    verbatim = on;
  };
  for (size_t at = 0; at < footer.size();) {
    const size_t end = std::min(footer.find('\n', at), footer.size());
    const std::string line = footer.substr(at, end - at);
    at = end + 1;
    if (line.empty()) continue;
    const bool indented = line[0] == ' ';
    set_verbatim(indented);
    if (!indented && line.ends_with(':')) {
      std::string title = line.substr(0, line.size() - 1);
      for (char& c : title) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
      text += ".SH " + roff(title) + "\n";
    } else {
      text += roff(line) + "\n";
    }
  }
  set_verbatim(false);
  return text;
}

void references(const CommandInfo& command, std::vector<std::string>& pages) {
  for (const CommandInfo& below : command.commands) pages.push_back(manPageName(below));
}

}  // namespace

std::string manPageName(const CommandInfo& command) {
  return fmt::format("{}", fmt::join(command.path, "-"));
}

std::string manPage(const CommandInfo& command, const CommandInfo& program,
                    std::string_view version, std::span<const ExitStatus> statuses) {
  std::string title = manPageName(command);
  for (char& c : title) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  std::string text =
      fmt::format(".TH {} 1 \"\" \"Etalon {}\" \"Etalon\"\n", roff(title), roff(version));
  text +=
      fmt::format(".SH NAME\n{} \\- {}\n", roff(manPageName(command)), roff(command.description));
  text += ".SH SYNOPSIS\n" + synopsis(command);
  if (!command.commands.empty()) {
    text += ".SH COMMANDS\n";
    for (const CommandInfo& below : command.commands)
      text += entry(bold(below.path.back()), below.description);
  }
  if (!command.positionals.empty()) {
    text += ".SH ARGUMENTS\n";
    for (const OptionInfo& positional : command.positionals) text += optionEntry(positional, true);
  }
  text += ".SH OPTIONS\n";
  for (const OptionInfo& option : command.options) text += optionEntry(option, false);
  text += footerSections(command.footer);
  text += ".SH EXIT STATUS\n";
  for (const ExitStatus& status : statuses)
    text += entry(bold(fmt::format("{}", status.status)), status.meaning);
  std::vector<std::string> pages;
  if (command.path.size() > 1) pages.push_back(manPageName(program));
  references(command, pages);
  std::string list;
  for (const std::string& page : pages)
    list += (list.empty() ? "" : ",\n") + fmt::format(".BR {} (1)", roff(page));
  if (!list.empty()) text += ".SH SEE ALSO\n" + list + "\n";
  return text;
}

}  // namespace etalon::tools
