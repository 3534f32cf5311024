// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/codec/instruction_info.h"
#include "isa/state/fault.h"
#include "sim/functional/example_state.h"

namespace etalon::sim {

/// A tile, view or chain operand of an instruction, as diagnostics have to name it.
struct ProbeOperand {
  isa::OperandKind kind;
  std::string name;
  uint8_t
      number;  // in mtval: those of the syntax count from 0, those a chain or a link names follow
  uint8_t reg;
};

/// The operands of a word in a state, by ascending number. With a chain register they are those that rule
/// chain.operands makes operands of its descriptor; with a product those that rule mm.link adds.
std::vector<ProbeOperand> probeOperands(uint32_t word, const ExampleState& state);

/// nullptr if no operand has the number.
const ProbeOperand* operandNumbered(const std::vector<ProbeOperand>& operands, int number);

/// What a tile instruction's fault says other than its mtval, register and text of one of the operands; empty if nothing.
std::string wrongOperand(const isa::Fault& fault, const std::vector<ProbeOperand>& operands);

}  // namespace etalon::sim
