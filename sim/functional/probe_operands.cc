// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/probe_operands.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/codec/codec.h"
#include "isa/elementwise_op.h"

namespace etalon::sim {
namespace {

using isa::OperandKind;
using isa::Rule;

constexpr uint8_t kThirdSource = 4, kReductionTile = 5;           // rule chain.operands
constexpr uint8_t kMetadata = 3, kScalesOfA = 4, kScalesOfB = 5;  // rule mm.link

/// True if a selector that is read names source tile `tile` (0 ta, 1 tb, 2 the third source), displaced or not.
bool chainReads(const isa::ChainDescriptor& chain, int tile) {
  const auto names = [&](uint8_t selector) {
    const bool displaced =
        (tile == 0 && selector >= 32 && selector < 44) || (tile == 1 && selector >= 48);
    return selector == tile || displaced;
  };
  for (size_t s = 0; s < chain.nsteps; ++s) {
    const isa::ChainStep& step = chain.steps[s];
    const ElementwiseInfo& info = *elementwiseInfo(step.op);
    const bool stochastic = info.op == ElementwiseOp::cvt && (step.mode & 7) == 2;
    for (int i = 0; i < (stochastic ? 2 : info.arity); ++i) {
      const bool coefficients = info.op == ElementwiseOp::mask && i == 1;
      if (!coefficients && names(step.selectors[static_cast<size_t>(i)])) return true;
    }
  }
  return chain.writesTd() ? names(chain.td_selector) : tile == 0;
}

/// Leaves of td, ta, tb those that the chain makes operands, and adds what the chain names itself.
void applyChain(const isa::ChainDescriptor& chain, std::vector<ProbeOperand>& operands) {
  std::erase_if(operands, [&](const ProbeOperand& operand) {
    if (operand.name == "td") return !chain.writesTd();
    if (operand.name == "ta") return !chainReads(chain, 0);
    return operand.name == "tb" && !chainReads(chain, 1);
  });
  if (chainReads(chain, 2))
    operands.push_back({OperandKind::tile, "third source", kThirdSource, chain.third_source});
  if (chain.reduces())
    operands.push_back({OperandKind::tile, "reduction tile", kReductionTile, chain.reduction_tile});
}

/// Adds what the links of A and B of a product name.
void applyLinks(const ExampleState& state, std::vector<ProbeOperand>& operands) {
  const auto follow = [&](const isa::TileRegister& from, const char* name, uint8_t number) {
    if (from.link_valid) operands.push_back({OperandKind::tile, name, number, from.link});
  };
  const isa::TileRegister &a = state.tiles[operands[1].reg], &b = state.tiles[operands[2].reg];
  const bool sparse =
      a.link_valid && state.tiles[a.link].type == static_cast<uint8_t>(ElementType::u4);
  if (sparse) follow(a, "metadata of ta", kMetadata);
  follow(sparse ? state.tiles[a.link] : a, "scales of ta", kScalesOfA);
  follow(b, "scales of tb", kScalesOfB);
}

/// Rules of instructions that have no tile, view or chain operand.
bool namesNoRegister(Rule rule) {
  return rule == Rule::sync_signal || rule == Rule::sync_barrier_self ||
         rule == Rule::sync_barrier_open;
}

/// Rules about the value of an x register or a number: the text names that operand.
bool namesScalar(Rule rule) {
  return namesNoRegister(rule) || rule == Rule::tile_field || rule == Rule::view_update;
}

/// Rules about what stands in a descriptor: the text names the field.
bool namesField(Rule rule) {
  return rule == Rule::tile_spare || rule == Rule::view_malformed ||
         rule == Rule::chain_malformed || rule == Rule::chain_empty_register;
}

bool isScalarOperand(uint32_t word, const std::string& name) {
  const auto operands = isa::instructionInfo(isa::decode(word).id).operands();
  return std::ranges::any_of(operands, [&](const isa::OperandInfo& operand) {
    return operand.name == name &&
           (operand.kind == OperandKind::x || operand.kind == OperandKind::imm);
  });
}

uint64_t registerClass(OperandKind kind) {  // rule fault.value
  return kind == OperandKind::tile ? 1 : kind == OperandKind::view ? 2 : 3;
}

}  // namespace

std::vector<ProbeOperand> probeOperands(uint32_t word, const ExampleState& state) {
  const isa::InstructionInfo& info = isa::instructionInfo(isa::decode(word).id);
  const auto values = isa::operandValues(info, word);
  std::vector<ProbeOperand> operands;
  const isa::ChainDescriptor* chain = nullptr;
  for (size_t i = 0; i < values.size(); ++i) {
    const isa::OperandInfo& operand = info.operand_infos[i];
    const auto reg = static_cast<uint8_t>(values[i]);
    if (operand.kind == OperandKind::chain) chain = &state.chains[reg];
    if (operand.kind == OperandKind::tile || operand.kind == OperandKind::view ||
        operand.kind == OperandKind::chain)
      operands.push_back(
          {operand.kind, std::string(operand.name), static_cast<uint8_t>(operands.size()), reg});
  }
  if (chain && operands.size() > 1) applyChain(*chain, operands);
  if (info.unit == isa::Unit::matrix) applyLinks(state, operands);
  return operands;
}

const ProbeOperand* operandNumbered(const std::vector<ProbeOperand>& operands, int number) {
  const auto found = std::ranges::find(operands, number, &ProbeOperand::number);
  return found == operands.end() ? nullptr : &*found;
}

std::string wrongOperand(const isa::Fault& fault, const std::vector<ProbeOperand>& operands) {
  const uint64_t reg_class = fault.value >> 20 & 15, number = fault.value >> 16 & 15,
                 reg = fault.value >> 24 & 255;
  const std::string named =
      fmt::format("mtval names operand {}, register {} of class {}", number, reg, reg_class);
  const ProbeOperand* operand = nullptr;
  if (namesNoRegister(fault.rule)) {
    if (reg_class != 0 || number != 0 || reg != 0) return named;
  } else {
    operand = operandNumbered(operands, static_cast<int>(number));
    if (!operand || reg_class != registerClass(operand->kind) || reg != operand->reg) return named;
  }
  if (namesField(fault.rule)) return fault.operand.empty() ? "text names no field" : "";
  if (namesScalar(fault.rule))
    return isScalarOperand(fault.instruction, fault.operand)
               ? ""
               : fmt::format("text names '{}'", fault.operand);
  const std::string text = fmt::format("{} ({}{})", operand->name,
                                       operand->kind == OperandKind::view ? "vr" : "tr", reg);
  return fault.operand == text ? "" : fmt::format("text names '{}', mtval {}", fault.operand, text);
}

}  // namespace etalon::sim
