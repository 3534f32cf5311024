// SPDX-License-Identifier: Apache-2.0
// etalon completion SHELL: the script that makes a shell complete this program.
#include "tools/shell/completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "isa/base/text.h"
#include "isa/codec/instruction_info.h"
#include "tools/command.h"

namespace etalon::tools {
namespace {

constexpr const char* kFooter =
    R"(Installations have the scripts where the shells look. For this session alone:
  source <(etalon completion bash)
  source <(etalon completion zsh)         in zsh, after compinit
  etalon completion fish | source)";

/// What the words of type names in capitals stand for.
Result<NameLists> nameLists() {
  Result<std::vector<std::string>> machines = machineNames();
  if (!machines.ok()) return machines.error();
  NameLists names{{"MACHINE", *std::move(machines)}};
  std::vector<std::string>& groups = names["GROUP"];
  for (const isa::InstructionInfo& info : isa::instructionTable()) {
    names["INSTRUCTION"].emplace_back(info.name);
    if (std::ranges::find(groups, info.group) == groups.end()) groups.emplace_back(info.group);
  }
  return names;
}

int complete(const CLI::App& program, const std::string& shell) {
  const Result<NameLists> names = nameLists();
  if (!names.ok()) return complain("completion", names.error());
  const CommandInfo tree = commandTree(program);
  if (shell == "bash")
    printOut(bashCompletion(tree, *names));
  else if (shell == "zsh")
    printOut(zshCompletion(tree, *names));
  else if (shell == "fish")
    printOut(fishCompletion(tree, *names));
  else
    return complain("completion",
                    Error{fmt::format("there is no script for {}; there is one for bash, zsh, fish",
                                      quote(shell))});
  return kSuccess;
}

}  // namespace

void addCompletion(CLI::App& app, int& exit_status) {
  auto shell = std::make_shared<std::string>();
  CLI::App* sub =
      app.add_subcommand("completion", "Print the script that makes a shell complete etalon");
  sub->add_option("SHELL", *shell, "bash, zsh or fish")->required()->type_name("bash|zsh|fish");
  sub->footer(kFooter);
  sub->callback([&app, shell, &exit_status] { exit_status = complete(app, *shell); });
}

}  // namespace etalon::tools
