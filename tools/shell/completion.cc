// SPDX-License-Identifier: Apache-2.0
#include "tools/shell/completion.h"

#include <fmt/format.h>

#include <string_view>

namespace etalon::tools {
namespace {

/// Every command, the program first.
void collect(const CommandInfo& command, std::vector<const CommandInfo*>& all) {
  all.push_back(&command);
  for (const CommandInfo& below : command.commands) collect(below, all);
}
std::vector<const CommandInfo*> allCommands(const CommandInfo& program) {
  std::vector<const CommandInfo*> all;
  collect(program, all);
  return all;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

/// In single quotes, for bash and zsh.
std::string shellQuote(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }
/// The same for fish, where a backslash escapes inside of quotes, too.
std::string fishQuote(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string wordsOf(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

/// Patterns of a `case` that match the command and one of its subcommands, as `etalon run`; empty if there are none.
std::string subcommandPatterns(const CommandInfo& program, std::string_view between) {
  std::string text;
  for (const CommandInfo* command : allCommands(program))
    if (command->path.size() > 1)
      text += (text.empty() ? "" : std::string(between)) + shellQuote(command->name());
  return text;
}

std::string positionalWords(const CommandInfo& command, const NameLists& names, bool& files) {
  std::vector<std::string> words;
  words.reserve(command.commands.size());
  for (const CommandInfo& below : command.commands) words.push_back(below.path.back());
  for (const OptionInfo& positional : command.positionals) {
    const Choices choices = choicesOf(positional.value, names);
    words.insert(words.end(), choices.words.begin(), choices.words.end());
    files |= choices.files;
  }
  return wordsOf(words);
}

constexpr std::string_view kBashHead =
    R"(# bash completion of etalon; made by `etalon completion bash`.
_etalon() {
  local cur=${COMP_WORDS[COMP_CWORD]} last=$((COMP_CWORD - 1)) command=etalon words='' files='' i prev
  # bash breaks words at = and :, so `--device=x`, `A=a.npy` and `plugin:x` come in pieces.
  if [[ $cur == [=:] ]]; then cur='' last=$COMP_CWORD; fi
  for ((i = 1; i <= last; ++i)); do
    case "$command ${COMP_WORDS[i]}" in
)";
constexpr std::string_view kBashMiddle = R"() command+=" ${COMP_WORDS[i]}" ;;
    esac
  done
  prev=${COMP_WORDS[last]}
  if [[ $prev == = && ${COMP_WORDS[last - 1]} == -* ]]; then prev=${COMP_WORDS[last - 1]}; fi
  if [[ $prev == [=:] ]]; then
    files=yes
  else
    case "$command $prev" in
)";
constexpr std::string_view kBashTail = R"(        esac ;;
    esac
  fi
  mapfile -t COMPREPLY < <(
    [[ -z $words ]] || compgen -W "$words" -- "$cur"
    [[ -z $files ]] || compgen -f -- "$cur"
  )
  [[ -z $files ]] || compopt -o filenames 2>/dev/null
  [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *: ]] || compopt -o nospace 2>/dev/null
}
complete -F _etalon etalon
)";

std::string bashSet(const std::string& words, bool files) {
  return fmt::format("words={}{}", shellQuote(words), files ? " files=yes" : "");
}

constexpr std::string_view kZshHead = R"(#compdef etalon
# zsh completion of etalon; made by `etalon completion zsh`.
_etalon_value() {  # files|words WORD...: behind `NAME=` or `plugin:` stands a file
  local kind=$1
  shift
  if [[ $kind == files ]] && compset -P '*[=:]'; then _files; return; fi
  local -a whole=(${@:#*:}) prefixes=(${(M)@:#*:})
  (( $#whole )) && compadd -- $whole
  (( $#prefixes )) && compadd -S '' -- $prefixes
  [[ $kind == files ]] && _files
}
_etalon() {
  local command=etalon
  local -i i at=1
  for ((i = 2; i < CURRENT; ++i)); do
    case "$command ${words[i]}" in
      ()";
constexpr std::string_view kZshMiddle = R"() command+=" ${words[i]}"; at=i ;;
    esac
  done
  shift $((at - 1)) words
  (( CURRENT -= at - 1 ))
  case $command in
)";
constexpr std::string_view kZshTail = R"(  esac
}
if [[ $funcstack[1] == _etalon ]]; then _etalon "$@"; else compdef _etalon etalon; fi
)";

/// Text inside of `[...]` or before a `:` of an argument of _arguments.
std::string zshText(std::string text) {
  for (const char* special : {"\\", "[", "]", ":"})
    text = replaced(std::move(text), special, fmt::format("\\{}", special));
  return text;
}

/// `:message: action` of a value.
std::string zshValue(const std::string& value, const NameLists& names) {
  const Choices choices = choicesOf(value, names);
  std::string message = fmt::format(":{}:", zshText(value));
  if (!choices.files && choices.words.empty()) return message;
  std::string action = fmt::format(" _etalon_value {}", choices.files ? "files" : "words");
  for (const std::string& word : choices.words) action += " " + replaced(word, ":", "\\:");
  return message + action;
}

std::string zshOption(const OptionInfo& option, const NameLists& names) {
  std::string specs;
  for (const std::string& name : option.names) {
    std::string before = option.repeats ? "*" : "";
    if (!option.repeats && option.names.size() > 1)
      before = fmt::format("({})", wordsOf(option.names));
    const std::string_view join = option.value.empty() ? "" : name.starts_with("--") ? "=" : "+";
    std::string spec = fmt::format("{}{}{}[{}]", before, name, join, zshText(option.description));
    if (!option.value.empty()) spec += zshValue(option.value, names);
    specs += " \\\n        " + shellQuote(spec);
  }
  return specs;
}

constexpr std::string_view kFishHead =
    R"(# fish completion of etalon; made by `etalon completion fish`.
function __etalon_command
  set -l command etalon
  for word in (commandline -opc)[2..-1]
    switch "$command $word"
      case )";
constexpr std::string_view kFishMiddle = R"(
        set command "$command $word"
    end
  end
  test "$command" = "$argv"
end
complete -c etalon -f
)";

std::string fishValue(const std::string& value, const NameLists& names) {
  const Choices choices = choicesOf(value, names);
  std::string text = choices.files ? " -F" : " -f";
  if (!choices.words.empty()) text += " -a " + fishQuote(wordsOf(choices.words));
  return text;
}

}  // namespace

std::string bashCompletion(const CommandInfo& program, const NameLists& names) {
  std::string text(kBashHead);
  text += "      " + subcommandPatterns(program, " | ") + std::string(kBashMiddle);
  for (const CommandInfo* command : allCommands(program))
    for (const OptionInfo& option : command->options) {
      if (option.value.empty()) continue;
      std::string pattern;
      for (const std::string& name : option.names)
        pattern += (pattern.empty() ? "" : " | ") + shellQuote(command->name() + " " + name);
      const Choices choices = choicesOf(option.value, names);
      text +=
          fmt::format("      {}) {} ;;\n", pattern, bashSet(wordsOf(choices.words), choices.files));
    }
  text += "      *) case \"$command $cur\" in\n";
  for (const CommandInfo* command : allCommands(program)) {
    std::vector<std::string> options;
    for (const OptionInfo& option : command->options)
      options.insert(options.end(), option.names.begin(), option.names.end());
    text += fmt::format("        {}' -'*) {} ;;\n", shellQuote(command->name()),
                        bashSet(wordsOf(options), false));
  }
  text += "        *) case $command in\n";
  for (const CommandInfo* command : allCommands(program)) {
    bool files = false;
    const std::string words = positionalWords(*command, names, files);
    text +=
        fmt::format("          {}) {} ;;\n", shellQuote(command->name()), bashSet(words, files));
  }
  return text + "        esac ;;\n      " + std::string(kBashTail);
}

std::string zshCompletion(const CommandInfo& program, const NameLists& names) {
  std::string text(kZshHead);
  text += subcommandPatterns(program, "|") + std::string(kZshMiddle);
  for (const CommandInfo* command : allCommands(program)) {
    text += fmt::format("    ({})\n", shellQuote(command->name()));
    if (!command->commands.empty()) {
      text += "      local -a commands=(";
      for (const CommandInfo& below : command->commands)
        text += "\n        " + shellQuote(zshText(below.path.back()) + ":" +
                                          replaced(below.description, ":", "\\:"));
      text += ")\n      [[ $words[CURRENT] == -* ]] || _describe command commands\n";
    }
    text += "      _arguments";
    for (const OptionInfo& option : command->options) text += zshOption(option, names);
    for (const OptionInfo& positional : command->positionals)
      text += " \\\n        " +
              shellQuote((positional.repeats ? "*" : "") + zshValue(positional.value, names));
    text += " ;;\n";
  }
  return text + std::string(kZshTail);
}

std::string fishCompletion(const CommandInfo& program, const NameLists& names) {
  std::string text(kFishHead);
  text += subcommandPatterns(program, " ") + std::string(kFishMiddle);
  for (const CommandInfo* command : allCommands(program)) {
    const std::string when =
        fmt::format("complete -c etalon -n {}", fishQuote("__etalon_command " + command->name()));
    for (const CommandInfo& below : command->commands)
      text +=
          fmt::format("{} -a {} -d {}\n", when, below.path.back(), fishQuote(below.description));
    for (const OptionInfo& positional : command->positionals)
      text += when + fishValue(positional.value, names) + "\n";
    for (const OptionInfo& option : command->options) {
      text += when;
      for (const std::string& name : option.names)
        text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.value.empty()) text += " -r" + fishValue(option.value, names);
      text += fmt::format(" -d {}\n", fishQuote(option.description));
    }
  }
  return text;
}

}  // namespace etalon::tools
