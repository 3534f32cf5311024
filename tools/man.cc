// SPDX-License-Identifier: Apache-2.0
// etalon man [COMMAND...]: manual pages of this program, made of what --help says.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "isa/base/file.h"
#include "isa/base/text.h"
#include "tools/command.h"
#include "tools/shell/man_page.h"

namespace etalon::tools {
namespace {

constexpr const char* kFooter = R"(Examples:
  etalon man | man -l -
  etalon man run | man -l -
  etalon man machines show
  etalon man --output share/man/man1)";

struct ManOptions {
  std::vector<std::string> command;
  std::string folder;
};

Status writePages(const CommandInfo& command, const CommandInfo& program,
                  const std::string& folder) {
  ETALON_RETURN_IF_ERROR(writeFile(fmt::format("{}/{}.1", folder, manPageName(command)),
                                   manPage(command, program, ETALON_VERSION, kExitStatuses)));
  for (const CommandInfo& below : command.commands)
    ETALON_RETURN_IF_ERROR(writePages(below, program, folder));
  return {};
}

Status printPage(const CommandInfo& program, const std::vector<std::string>& words) {
  const CommandInfo* command = &program;
  for (const std::string& word : words) {
    const auto below = std::ranges::find_if(
        command->commands, [&](const CommandInfo& c) { return c.path.back() == word; });
    if (below == command->commands.end()) {
      std::vector<std::string> known;
      known.reserve(command->commands.size());
      for (const CommandInfo& c : command->commands) known.push_back(c.path.back());
      return Error{known.empty() ? fmt::format("`{}` has no subcommands", command->name())
                                 : fmt::format("`{}` has no subcommand {}; it has {}",
                                               command->name(), quote(word), joined(known))};
    }
    command = &*below;
  }
  printOut(manPage(*command, program, ETALON_VERSION, kExitStatuses));
  return {};
}

int man(const CLI::App& app, const ManOptions& options) {
  const CommandInfo program = commandTree(app);
  const Status status = options.folder.empty() ? printPage(program, options.command)
                                               : writePages(program, program, options.folder);
  return status.ok() ? kSuccess : complain("man", status.error());
}

}  // namespace

void addMan(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<ManOptions>();
  CLI::App* sub =
      app.add_subcommand("man", "Print the manual page of a command, or write all pages");
  sub->add_option("COMMAND", options->command,
                  "The command, as `run` or `machines show` (default: etalon itself)")
      ->type_name("COMMAND");
  sub->add_option("-o,--output", options->folder,
                  "Write the pages of all commands into this folder")
      ->type_name("FILE");
  sub->footer(kFooter);
  sub->callback([&app, options, &exit_status] { exit_status = man(app, *options); });
}

}  // namespace etalon::tools
