// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "isa/instruction_id.h"

namespace etalon::isa {

/// What the description says about an instruction for people, beyond its row of the instruction table. Lists are one entry
/// a line; what the description leaves out is empty.
struct InstructionDetails {
  std::string_view encoding;  // the pattern, bit 31 first: `0000000 tb ta 010 td 0101011`
  int since;                  // version of the ISA
  std::string_view shape;
  std::string_view aliasing;
  std::string_view types;   // legal combinations, with the profile if it is not the instruction's
  std::string_view rules;   // ids of the rules that give the meaning
  std::string_view faults;  // ids of the rules it may violate
  std::string_view examples;
};

/// Details of an instruction; `illegal` has none and is a caller's bug.
const InstructionDetails& instructionDetails(InstructionId id);

}  // namespace etalon::isa
