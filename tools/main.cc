// SPDX-License-Identifier: Apache-2.0
// The `etalon` program: one file a subcommand beside this one.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/text.h"
#include "tools/command.h"
#include "tools/shell/help_formatter.h"

namespace etalon::tools {
namespace {

/// Insertions, deletions and replacements that turn one word into the other.
size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

/// Complains about a first word that is no subcommand, naming those there are and any that is like it; false if it is one.
bool refuseUnknownSubcommand(const CLI::App& app, const std::string& word) {
  std::string message = fmt::format("there is no subcommand {}", quote(word));
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands({})) {
    if (sub->get_name() == word) return false;
    names.push_back(sub->get_name());
    if (editDistance(word, sub->get_name()) <= 2)
      message += fmt::format("; did you mean `{}`?", sub->get_name());
  }
  fmt::print(stderr, "etalon: {}\nsubcommands: {} (etalon --help)\n", message, joined(names));
  return true;
}

int mainOf(int argc, char** argv) {
  CLI::App app("Etalon: run, assemble, take apart and look up programs of the reference NPU",
               "etalon");
  app.set_version_flag("--version", ETALON_VERSION);
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>(kExitStatuses));
  app.footer(
      "etalon SUBCOMMAND --help shows options and examples, etalon man SUBCOMMAND its manual "
      "page.");
  int exit_status = kSuccess;
  addRun(app, exit_status);
  addSweep(app, exit_status);
  addAsm(app, exit_status);
  addDis(app, exit_status);
  addDiff(app, exit_status);
  addIsa(app, exit_status);
  addMachines(app, exit_status);
  addDevices(app, exit_status);
  addCompletion(app, exit_status);
  addMan(app, exit_status);
  if (argc > 1 && argv[1][0] != '-' && refuseUnknownSubcommand(app, argv[1])) return kBadInput;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kSuccess : kBadInput;  // --help and --version arrive here, too
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    std::fputs("etalon: cannot write to stdout\n", stderr);
    return kBadInput;
  }
  return exit_status;
}

}  // namespace
}  // namespace etalon::tools

int main(int argc, char** argv) { return etalon::tools::mainOf(argc, argv); }
