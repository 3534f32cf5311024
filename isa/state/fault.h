// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/rule.h"

namespace etalon::isa {

/// mcause values. 24 and up are Etalon's own (docs/spec).
enum class Cause : uint8_t {
  fetch_misaligned = 0,
  fetch_access = 1,
  illegal = 2,
  breakpoint = 3,
  load_misaligned = 4,
  load_access = 5,
  store_misaligned = 6,
  store_access = 7,
  ecall = 11,
  unsupported = 24,
  shape = 25,
  aliasing = 26,
  local_bounds = 27,
  global_access = 28,
  malformed = 29,
  work_cap = 30,
  vendor = 31,
};

/// Name of a cause as reports write it, e.g. "illegal_instruction".
std::string_view causeName(Cause cause);

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
