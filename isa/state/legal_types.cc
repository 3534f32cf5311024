// SPDX-License-Identifier: Apache-2.0
#include "isa/state/legal_types.h"

#include <algorithm>
#include <iterator>

#include "isa/codec/instruction_info.h"
#include "isa/element_type.h"

namespace etalon::isa {
namespace {

constexpr LegalTypes kLegalTypes[] = {
#include "isa/legal_types.inc"
};

/// Row at which each instruction's tuples begin; they stand in the order of InstructionId.
constexpr auto kFirstLegalTypes = [] {
  std::array<uint16_t, kInstructions + 1> first{};
  size_t row = 0;
  for (size_t id = 0; id < first.size(); ++id) {
    while (row < std::size(kLegalTypes) && static_cast<size_t>(kLegalTypes[row].id) < id) ++row;
    first[id] = static_cast<uint16_t>(row);
  }
  return first;
}();

bool matches(const LegalTypes& row, std::span<const uint8_t> types) {
  if (static_cast<size_t>(row.count) != types.size()) return false;
  for (size_t i = 0; i < types.size(); ++i)
    if (types[i] >= kElementTypes || (row.masks[i] >> types[i] & 1) == 0) return false;
  return true;
}

}  // namespace

std::span<const LegalTypes> legalTypes(InstructionId id) {
  const auto at = static_cast<size_t>(id);
  return std::span(kLegalTypes)
      .subspan(kFirstLegalTypes[at],
               static_cast<size_t>(kFirstLegalTypes[at + 1] - kFirstLegalTypes[at]));
}

const LegalTypes* findLegalTypes(InstructionId id, std::span<const uint8_t> types) {
  const auto rows = legalTypes(id);
  const auto row =
      std::ranges::find_if(rows, [=](const LegalTypes& r) { return matches(r, types); });
  return row == rows.end() ? nullptr : &*row;
}

std::string_view missingProfile(std::string_view needed, std::string_view machine) {
  const auto has = [&](std::string_view name) {
    for (size_t at = machine.find(name); at != machine.npos; at = machine.find(name, at + 1))
      if (machine[at - 1] == ' ' && machine[at + name.size()] == ' ') return true;
    return false;
  };
  while (!needed.empty()) {
    const std::string_view name = needed.substr(0, needed.find(' '));
    if (!has(name)) return name;
    needed.remove_prefix(std::min(needed.size(), name.size() + 1));
  }
  return {};
}

bool isSupported(InstructionId id, uint64_t types, std::string_view machine) {
  if (id == InstructionId::illegal) return false;
  const auto rows = legalTypes(id);
  std::string_view needed = instructionInfo(id).profile;
  if (!rows.empty()) {
    std::array<uint8_t, kMostTypes> codes{};
    const auto count = static_cast<size_t>(rows[0].count);
    for (size_t i = 0; i < count; ++i) codes[i] = static_cast<uint8_t>(types >> 8 * i);
    const LegalTypes* row = findLegalTypes(id, std::span(codes).first(count));
    if (row == nullptr) return false;
    needed = row->profiles;
  }
  return missingProfile(needed, machine).empty();
}

}  // namespace etalon::isa
