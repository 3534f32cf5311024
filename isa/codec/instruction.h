// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/instruction_id.h"

namespace etalon::isa {

/// A decoded instruction. The four register slots are always bits 11:7, 19:15, 24:20 and 31:27 of the word,
/// whatever register file an instruction takes them from; `imm` is its wide immediate, if it has one.
struct Instruction {
  InstructionId id = InstructionId::illegal;
  uint8_t rd = 0;
  uint8_t rs1 = 0;
  uint8_t rs2 = 0;
  uint8_t rs3 = 0;
  int32_t imm = 0;
  uint32_t raw = 0;
};

}  // namespace etalon::isa
