// SPDX-License-Identifier: Apache-2.0
// etalon isa: the instructions there are, and what the description says about each.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/text.h"
#include "isa/codec/instruction_info.h"
#include "isa/codec/instruction_page.h"
#include "tools/command.h"

namespace etalon::tools {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFooter = R"(Examples:
  etalon isa
  etalon isa --group dma
  etalon isa --unit vector --json
  etalon isa et.mm)";

struct IsaOptions {
  std::string name, group, unit;
  bool json = false;
};

/// In the order of isa::Unit.
constexpr std::array<std::string_view, 7> kUnits = {"scalar", "setup", "matrix", "vector",
                                                    "load",   "store", "sync"};

std::string_view unitName(isa::Unit unit) { return kUnits[static_cast<size_t>(unit)]; }

Json instructionJson(const isa::InstructionInfo& info) {
  Json operands = Json::array();
  for (const isa::OperandInfo& operand : info.operands()) {
    Json bits = Json::array();
    for (const isa::OperandPiece& piece : operand.encoded())
      bits.push_back({{"value_low", piece.value_low},
                      {"instruction_low", piece.insn_low},
                      {"length", piece.length}});
    operands.push_back({{"name", operand.name},
                        {"width", operand.width},
                        {"signed", operand.is_signed},
                        {"bits", bits}});
  }
  return {{"name", info.name},
          {"syntax", info.syntax},
          {"summary", info.summary},
          {"group", info.group},
          {"unit", unitName(info.unit)},
          {"profile", info.profile},
          {"mask", fmt::format("{:#010x}", info.mask)},
          {"match", fmt::format("{:#010x}", info.match)},
          {"operands", operands}};
}

int show(const IsaOptions& options) {
  const isa::InstructionInfo* info = isa::instructionNamed(options.name);
  if (info == nullptr) {
    std::vector<std::string> like;
    for (const isa::InstructionInfo& other : isa::instructionTable())
      if (other.name.find(options.name) != std::string_view::npos) like.emplace_back(other.name);
    return complain("isa",
                    Error{fmt::format("there is no instruction {}{}; `etalon isa` lists all",
                                      quote(options.name),
                                      like.empty() ? "" : "; like it are: " + joined(like))});
  }
  printOut(options.json ? instructionJson(*info).dump(2) + "\n"
                        : std::string(isa::instructionPage(info->name)->text));
  return kSuccess;
}

int list(const IsaOptions& options) {
  std::string text;
  Json json = Json::array();
  std::vector<std::string> groups;
  for (const isa::InstructionInfo& info : isa::instructionTable()) {
    if (std::ranges::find(groups, info.group) == groups.end()) groups.emplace_back(info.group);
    if ((!options.group.empty() && info.group != options.group) ||
        (!options.unit.empty() && unitName(info.unit) != options.unit))
      continue;
    text += fmt::format("{:<14} {:<24} {}\n", info.name, info.syntax, info.summary);
    if (options.json) json.push_back(instructionJson(info));
  }
  if (!options.group.empty() && std::ranges::find(groups, options.group) == groups.end())
    return complain("isa", Error{fmt::format("there is no group {}; groups: {}",
                                             quote(options.group), joined(groups))});
  if (!options.unit.empty() && std::ranges::find(kUnits, options.unit) == kUnits.end())
    return complain("isa", Error{fmt::format("there is no unit {}; units: {}", quote(options.unit),
                                             joined({kUnits.begin(), kUnits.end()}))});
  printOut(options.json ? json.dump(2) + "\n" : text);
  return kSuccess;
}

}  // namespace

void addIsa(CLI::App& app, int& exit_status) {
  auto options = std::make_shared<IsaOptions>();
  CLI::App* sub = app.add_subcommand("isa", "List the instructions, or show one");
  sub->add_option("NAME", options->name, "The instruction to show: its page of the manual")
      ->type_name("INSTRUCTION");
  sub->add_option("--group", options->group, "Only this group")->type_name("GROUP");
  sub->add_option("--unit", options->unit, "Only this unit")
      ->type_name(fmt::format("{}", fmt::join(kUnits, "|")));
  sub->add_flag("--json", options->json, "JSON on stdout");
  sub->footer(kFooter);
  sub->callback([options, &exit_status] {
    exit_status = options->name.empty() ? list(*options) : show(*options);
  });
}

}  // namespace etalon::tools
