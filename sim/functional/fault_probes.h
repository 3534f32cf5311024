// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/codec/instruction_info.h"
#include "isa/state/fault.h"
#include "sim/functional/example_state.h"

namespace etalon::sim {

/// A tile, view or chain operand of an instruction, in syntax order: the numbering of mtval.
struct ProbeOperand {
  isa::OperandKind kind;
  std::string name;
  uint8_t reg;
};
std::vector<ProbeOperand> probeOperands(uint32_t word);

/// What a probe changes: the state and word of an example that executes.
struct ProbeTarget {
  ExampleState& state;
  uint32_t& word;
  std::vector<ProbeOperand> operands;
  int attempt;  // 0 .. kProbeAttempts - 1; probes of one operand take it as the operand's number

  isa::TileRegister* tile(size_t i) const;  // nullptr if operand i is no tile
  isa::ChainDescriptor* chain() const;      // of the first chain operand; nullptr if there is none
  isa::ViewDescriptor* view(size_t i) const;  // nullptr if operand i is no view
  uint64_t& rs1() const { return state.x[word >> 15 & 31]; }
};
inline constexpr int kProbeAttempts = 6;

/// How to break one rule, starting from any example of an instruction whose `faults` list it.
struct FaultProbe {
  const char* rule;
  std::vector<isa::Cause> causes;  // one of them
  void (*change)(const ProbeTarget& target);
  std::vector<std::string> machine;  // overrides of the machine it needs
  bool no_work =
      false;  // on a machine whose instructions may do one element, product and byte at most
};
std::span<const FaultProbe> faultProbes();

}  // namespace etalon::sim
