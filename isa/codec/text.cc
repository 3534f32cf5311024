// SPDX-License-Identifier: Apache-2.0
// Assembly text of single instructions, both ways, from the syntax strings of the description.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include "isa/codec/codec.h"

namespace etalon::isa {
namespace {

constexpr std::array<std::string_view, 32> kAbiNames = {
    "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
    "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
constexpr std::array<std::string_view, 8> kRoundingModes = {"rne", "rtz", "rdn", "rup",
                                                            "rmm", "5",   "6",   "dyn"};
constexpr std::array<std::string_view, 4> kConversionModes = {"rne", "rne.sat", "rz", "rz.sat"};

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}

std::optional<int64_t> parseInteger(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  uint64_t magnitude = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), magnitude, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty() ||
      magnitude > (uint64_t{1} << 62))
    return std::nullopt;
  return negative ? -static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude);
}

std::optional<int64_t> parseNumbered(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  if (text.empty() || !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  return parseInteger(text);
}

template <size_t N>
std::optional<int64_t> indexOf(const std::array<std::string_view, N>& names,
                               std::string_view text) {
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) return std::nullopt;
  return found - names.begin();
}

std::optional<int64_t> parseOperand(OperandKind kind, std::string_view text) {
  switch (kind) {
    case OperandKind::x:
      if (text == "fp") return 8;
      if (auto number = indexOf(kAbiNames, text)) return number;
      return parseNumbered(text, "x");
    case OperandKind::tile: return parseNumbered(text, "tr");
    case OperandKind::view: return parseNumbered(text, "vr");
    case OperandKind::chain: return parseNumbered(text, "ch");
    case OperandKind::csr:
      if (const CsrInfo* csr = csrNamed(text)) return csr->number;
      return parseInteger(text);
    case OperandKind::rm: return indexOf(kRoundingModes, text);
    case OperandKind::mode:
      if (auto mode = indexOf(kConversionModes, text)) return mode;
      return parseInteger(text);
    case OperandKind::imm:
    case OperandKind::offset:
    case OperandKind::flag: return parseInteger(text);
  }
  return std::nullopt;
}

std::string_view expected(OperandKind kind) {
  switch (kind) {
    case OperandKind::x: return "a scalar register (x0..x31 or its ABI name)";
    case OperandKind::tile: return "a tile register (tr0..tr31)";
    case OperandKind::view: return "a view register (vr0..vr15)";
    case OperandKind::chain: return "a chain register (ch0..ch7)";
    case OperandKind::csr: return "a CSR name or number";
    case OperandKind::rm: return "a rounding mode (rne, rtz, rdn, rup, rmm, dyn)";
    case OperandKind::mode: return "a conversion mode (rne, rne.sat, rz, rz.sat)";
    default: return "an integer";
  }
}

std::string printOperand(const OperandInfo& operand, int64_t value) {
  switch (operand.kind) {
    case OperandKind::x: return fmt::format("x{}", value);
    case OperandKind::tile: return fmt::format("tr{}", value);
    case OperandKind::view: return fmt::format("vr{}", value);
    case OperandKind::chain: return fmt::format("ch{}", value);
    case OperandKind::csr:
      if (const CsrInfo* csr = csrNumbered(static_cast<uint32_t>(value)))
        return std::string(csr->name);
      return fmt::format("{:#x}", value);
    case OperandKind::rm: return std::string(kRoundingModes[static_cast<size_t>(value)]);
    case OperandKind::mode: return std::string(kConversionModes[static_cast<size_t>(value)]);
    default: return fmt::format("{}", value);
  }
}

/// Ordering bits are a suffix of the mnemonic: .aq, .rl, .aqrl. Returns the mnemonic without it.
std::string_view splitOrdering(std::string_view mnemonic, bool& aq, bool& rl) {
  for (const auto& [suffix, a, r] :
       {std::tuple{".aqrl", true, true}, {".aq", true, false}, {".rl", false, true}}) {
    if (!mnemonic.ends_with(suffix)) continue;
    aq = a;
    rl = r;
    return mnemonic.substr(0, mnemonic.size() - std::string_view(suffix).size());
  }
  return mnemonic;
}

bool isHidden(const OperandInfo& operand) {
  return operand.name == "aq" || operand.name == "rl" || operand.name == "rm" ||
         operand.name == "fm";
}

size_t shownOperands(const InstructionInfo& info) {
  return static_cast<size_t>(
      std::ranges::count_if(info.operands(), [](const OperandInfo& o) { return !isHidden(o); }));
}

/// Operands as written, split at commas and parentheses: "x1, -4(x2)" gives x1, -4, x2.
std::vector<std::string> splitOperands(std::string_view text) {
  std::vector<std::string> operands;
  std::string current;
  for (char c : text) {
    if (c == ',' || c == '(' || c == ')') {
      if (!trimmed(current).empty()) operands.emplace_back(trimmed(current));
      current.clear();
    } else {
      current += c;
    }
  }
  if (!trimmed(current).empty()) operands.emplace_back(trimmed(current));
  return operands;
}

}  // namespace

std::string disassemble(uint32_t word) {
  const Instruction in = decode(word);
  if (in.id == InstructionId::illegal) return fmt::format(".4byte {:#010x}", word);
  const InstructionInfo& info = instructionInfo(in.id);
  const std::vector<int64_t> values = operandValues(info, word);
  std::string text(info.name), tail;
  for (size_t i = 0; i < values.size(); ++i) {
    const OperandInfo& operand = info.operands()[i];
    if (operand.kind == OperandKind::flag && isHidden(operand) && values[i]) {
      text +=
          text.ends_with(".aq") && operand.name == "rl" ? "rl" : fmt::format(".{}", operand.name);
    } else if (operand.kind == OperandKind::rm && values[i] != 7) {
      tail += ", " + printOperand(operand, values[i]);
    } else if (operand.name == "fm" && values[i]) {
      tail += fmt::format(", {}", values[i]);
    }
  }
  if (!info.syntax.empty()) text += ' ';
  for (size_t at = 0; at < info.syntax.size();) {
    size_t end = at;
    while (end < info.syntax.size() && isWordCharacter(info.syntax[end])) ++end;
    if (end == at) {
      text += info.syntax[at++];
      continue;
    }
    for (size_t i = 0; i < values.size(); ++i)
      if (info.operands()[i].name == info.syntax.substr(at, end - at))
        text += printOperand(info.operands()[i], values[i]);
    at = end;
  }
  return text + tail;
}

Result<uint32_t> assembleInstruction(std::string_view mnemonic,
                                     std::span<const std::string> texts) {
  bool aq = false, rl = false;
  const InstructionInfo* info = instructionNamed(mnemonic);
  if (!info) info = instructionNamed(splitOrdering(mnemonic, aq, rl));
  if (!info)
    return Error{fmt::format("unknown instruction '{}'; `etalon isa` lists them", mnemonic)};
  const size_t shown = shownOperands(*info);
  const bool extra = texts.size() == shown + 1 && info->operands().size() > shown && !aq && !rl;
  if (texts.size() != shown && !extra)
    return Error{fmt::format("{} takes {} operands ({}), got {}", info->name, shown, info->syntax,
                             texts.size())};
  std::vector<int64_t> values;
  for (size_t i = 0; i < info->operands().size(); ++i) {
    const OperandInfo& operand = info->operands()[i];
    if (operand.name == "aq" || operand.name == "rl") {
      values.push_back(operand.name == "aq" ? aq : rl);
      continue;
    }
    if (i >= texts.size()) {
      values.push_back(operand.kind == OperandKind::rm ? 7 : 0);
      continue;
    }
    const auto value = parseOperand(operand.kind, texts[i]);
    if (!value)
      return Error{fmt::format("{}: operand {} is '{}', must be {}", info->name, operand.name,
                               texts[i], expected(operand.kind))};
    values.push_back(*value);
  }
  if ((aq || rl) &&
      std::ranges::none_of(info->operands(), [](const OperandInfo& o) { return o.name == "aq"; }))
    return Error{fmt::format("{} takes no .aq or .rl", info->name)};
  return encode(info->id, values);
}

Result<uint32_t> assembleInstruction(std::string_view text) {
  text = trimmed(text);
  const size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view mnemonic = text.substr(0, end);
  const std::vector<std::string> operands = splitOperands(text.substr(end));
  if (mnemonic == ".4byte") {
    const auto value = operands.size() == 1 ? parseInteger(operands[0]) : std::nullopt;
    if (!value || *value < 0 || *value > 0xffffffffLL)
      return Error{
          fmt::format(".4byte takes one integer of 32 bits, got '{}'", trimmed(text.substr(end)))};
    return static_cast<uint32_t>(*value);
  }
  return assembleInstruction(mnemonic, operands);
}

}  // namespace etalon::isa
