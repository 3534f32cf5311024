// SPDX-License-Identifier: Apache-2.0
// etalon isa: the instructions there are, and what the description says about each.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "isa/base/text.h"
#include "isa/codec/instruction_info.h"
#include "tools/command.h"

namespace etalon::tools {
namespace {

constexpr const char* kFooter = R"(Examples:
  etalon isa
  etalon isa --group dma
  etalon isa --unit vector --json
  etalon isa et.mm)";

struct IsaOptions {
  std::string name, group, unit;
  bool json = false;
};

int list(const IsaOptions&) {
  std::string text;
  for (const isa::InstructionInfo& info : isa::instructionTable())
    text +=
        fmt::format("{:<14} {:<20} {:<16} {}\n", info.name, info.syntax, info.group, info.summary);
  printOut(text);
  return kSuccess;
}

}  // namespace

void addIsa(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<IsaOptions>();
  CLI::App* sub = app.add_subcommand("isa", "List the instructions, or show one");
  sub->add_option("NAME", options->name, "The instruction to show");
  sub->add_option("--group", options->group, "Only this group");
  sub->add_option("--unit", options->unit, "Only this unit");
  sub->add_flag("--json", options->json, "JSON on stdout");
  sub->footer(kFooter);
  sub->callback([options, &exit_status] { exit_status = list(*options); });
}

}  // namespace etalon::tools
