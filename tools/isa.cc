// SPDX-License-Identifier: Apache-2.0
// etalon isa: the instructions there are, and what the description says about each.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/text.h"
#include "isa/codec/instruction_details.h"
#include "isa/codec/instruction_info.h"
#include "isa/rule.h"
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

std::vector<std::string> linesOf(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// A piece of an encoding pattern with the bits it takes.
struct Piece {
  std::string text;
  int bits;
};

/// Pieces from bit 31 down. The width of a named one is that of its operand, or of the range behind its name.
std::vector<Piece> piecesOf(const isa::InstructionInfo& info, std::string_view pattern) {
  std::vector<Piece> pieces;
  std::istringstream stream{std::string(pattern)};
  for (std::string token; stream >> token;) {
    int bits = static_cast<int>(token.size());
    if (token.front() != '0' && token.front() != '1') {
      const int at = 32 - [&] {
        int sum = 0;
        for (const Piece& piece : pieces) sum += piece.bits;
        return sum;
      }();
      for (const isa::OperandInfo& operand : info.operands())
        for (const isa::OperandPiece& piece : operand.encoded())
          if (piece.insn_low + piece.length == at) bits = piece.length;
    }
    pieces.push_back({token, bits});
  }
  return pieces;
}

/// The 32 bits as two lines: bit numbers, and what stands there.
std::string drawEncoding(const isa::InstructionInfo& info, std::string_view pattern) {
  std::string numbers, fields;
  int high = 31;
  for (const Piece& piece : piecesOf(info, pattern)) {
    const int low = high - piece.bits + 1;
    const std::string ends =
        low == high ? fmt::format("{}", high) : fmt::format("{}:{}", high, low);
    const size_t width = std::max(ends.size(), piece.text.size());
    numbers += fmt::format("  {:^{}} ", ends, width);
    fields += fmt::format("| {:^{}} ", piece.text, width);
    high = low - 1;
  }
  return "  " + numbers + "\n  " + fields + "|\n";
}

Json instructionJson(const isa::InstructionInfo& info) {
  const isa::InstructionDetails& details = isa::instructionDetails(info.id);
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
          {"since", details.since},
          {"mask", fmt::format("{:#010x}", info.mask)},
          {"match", fmt::format("{:#010x}", info.match)},
          {"encoding", details.encoding},
          {"operands", operands},
          {"shape", details.shape},
          {"aliasing", details.aliasing},
          {"types", linesOf(details.types)},
          {"rules", linesOf(details.rules)},
          {"faults", linesOf(details.faults)},
          {"examples", linesOf(details.examples)}};
}

std::string ruleLines(std::string_view title, std::string_view names) {
  std::string text;
  for (const std::string& name : linesOf(names)) {
    const auto* rule = std::ranges::find(isa::kRules, std::string_view(name), &isa::RuleInfo::name);
    text += fmt::format("  [{}] {}\n", name, rule == isa::kRules.end() ? "" : rule->text);
  }
  return text.empty() ? "" : fmt::format("{}\n{}", title, text);
}

std::string plainLines(std::string_view title, std::string_view text) {
  std::string out;
  for (const std::string& line : linesOf(text)) out += fmt::format("  {}\n", line);
  return out.empty() ? "" : fmt::format("{}\n{}", title, out);
}

std::string instructionText(const isa::InstructionInfo& info) {
  const isa::InstructionDetails& details = isa::instructionDetails(info.id);
  std::string text = fmt::format("{} {}\n  {}\n  group {}, unit {}, profile {}, since version {}\n",
                                 info.name, info.syntax, info.summary, info.group,
                                 unitName(info.unit), info.profile, details.since);
  text += "encoding\n" + drawEncoding(info, details.encoding);
  text += plainLines("types", details.types) + plainLines("shape", details.shape) +
          plainLines("aliasing", details.aliasing);
  text += ruleLines("rules", details.rules) + ruleLines("faults", details.faults);
  return text + plainLines("examples", details.examples);
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
  printOut(options.json ? instructionJson(*info).dump(2) + "\n" : instructionText(*info));
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
  sub->add_option("NAME", options->name,
                  "The instruction to show: encoding, types, rules, examples");
  sub->add_option("--group", options->group, "Only this group");
  sub->add_option("--unit", options->unit, "Only this unit");
  sub->add_flag("--json", options->json, "JSON on stdout");
  sub->footer(kFooter);
  sub->callback([options, &exit_status] {
    exit_status = options->name.empty() ? list(*options) : show(*options);
  });
}

}  // namespace etalon::tools
