// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/codec/instruction_info.h"
#include "isa/state/fault.h"
#include "sim/functional/example_state.h"
#include "sim/functional/probe_operands.h"

namespace etalon::sim {

/// What a probe changes: the state and word of an example that executes.
struct ProbeTarget {
  ExampleState& state;
  uint32_t& word;
  const std::vector<ProbeOperand>& operands;
  int attempt;  // 0 .. kProbeAttempts - 1; probes of one operand take it as the operand's number

  // nullptr if no operand has the number, or it is of another kind.
  isa::TileRegister* tile(int number) const;
  isa::ViewDescriptor* view(int number) const;
  isa::ChainDescriptor* chain() const;  // nullptr if there is no chain operand
  uint64_t& rs1() const { return state.x[word >> 15 & 31]; }
};
inline constexpr int kProbeAttempts = 7;

/// How to break one rule, starting from any example of an instruction whose `faults` list it. Changes nothing where it
/// does not apply.
struct FaultProbe {
  const char* rule;
  std::vector<isa::Cause> causes;  // one of them
  void (*change)(const ProbeTarget& target);
  bool names_operand = false;             // attempt k breaks operand k, which the diagnostic names
  std::vector<std::string> machine = {};  // overrides of the machine it needs
};
std::span<const FaultProbe> faultProbes();

}  // namespace etalon::sim
