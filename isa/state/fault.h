// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/cause.h"
#include "isa/rule.h"

namespace etalon::isa {

/// The rule's sentence in docs/spec; empty for Rule::none.
std::string_view ruleText(Rule rule);

/// An illegal thing the simulated program did: ends the instruction before any effect. Never our bug, never bad input.
struct Fault {
  Cause cause = Cause::illegal;
  Rule rule = Rule::none;
  uint16_t core = 0;
  uint64_t pc = 0;
  uint32_t instruction = 0;
  uint64_t value = 0;   // mtval
  std::string operand;  // the operand at fault as the syntax names it, or empty
  std::string detail;   // what was found and what the limit is
  std::string hint;     // the way out, or empty
};

/// mtval of a tile instruction's fault: instruction 63:32, register 31:24, class 23:20, operand 19:16, rule 15:0.
constexpr uint64_t tileTrapValue(uint32_t instruction, uint8_t reg, uint8_t reg_class,
                                 uint8_t operand, Rule rule) {
  return uint64_t{instruction} << 32 | uint64_t{reg} << 24 | uint64_t{reg_class & 15u} << 20 |
         uint64_t{operand & 15u} << 16 | static_cast<uint16_t>(rule);
}

}  // namespace etalon::isa
