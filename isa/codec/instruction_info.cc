// SPDX-License-Identifier: Apache-2.0
#include "isa/codec/instruction_info.h"

#include <algorithm>
#include <unordered_map>

#include "isa/base/check.h"

namespace etalon::isa {
namespace {

constexpr InstructionInfo kTable[] = {
#include "isa/instruction_table.inc"
};

constexpr CsrInfo kCsrs[] = {
#include "isa/csr_table.inc"
};

}  // namespace

std::span<const InstructionInfo> instructionTable() { return kTable; }

const InstructionInfo& instructionInfo(InstructionId id) {
  ETALON_CHECK(id != InstructionId::illegal, "no table row for an illegal instruction");
  return kTable[static_cast<size_t>(id) - 1];
}

bool writesX(InstructionId id) {
  return id != InstructionId::illegal &&
         std::ranges::any_of(instructionInfo(id).operands(), [](const OperandInfo& operand) {
           return operand.kind == OperandKind::x && operand.name == "rd";
         });
}

const InstructionInfo* instructionNamed(std::string_view mnemonic) {
  static const auto* const by_name = [] {
    auto* map = new std::unordered_map<std::string_view, const InstructionInfo*>;
    for (const InstructionInfo& info : kTable) map->emplace(info.name, &info);
    return map;
  }();
  const auto found = by_name->find(mnemonic);
  return found == by_name->end() ? nullptr : found->second;
}

const CsrInfo* csrNumbered(uint32_t number) {
  const auto* found = std::ranges::find(kCsrs, number, &CsrInfo::number);
  return found == std::end(kCsrs) ? nullptr : found;
}

const CsrInfo* csrNamed(std::string_view name) {
  const auto* found = std::ranges::find(kCsrs, name, &CsrInfo::name);
  return found == std::end(kCsrs) ? nullptr : found;
}

}  // namespace etalon::isa
