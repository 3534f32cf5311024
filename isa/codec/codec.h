// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/status.h"
#include "isa/codec/instruction.h"
#include "isa/codec/instruction_info.h"

namespace etalon::isa {

/// Total: every 32-bit word decodes, to `illegal` if nothing else.
Instruction decode(uint32_t word);

/// Values of the operands of a word, in table order; the word decodes to `info`.
std::vector<int64_t> operandValues(const InstructionInfo& info, uint32_t word);

/// The word of an instruction with the operand values in table order (assembly order, then aq, rl, rm, fm).
/// Errors name the operand, its value and its range.
Result<uint32_t> encode(InstructionId id, std::span<const int64_t> operands);

/// Assembly text of a word, e.g. `addi x1, x2, -5`, `et.mm tr0, tr1, tr2`, `.4byte 0x0000000b` if it is illegal.
/// `assembleInstruction` reads it back to the same word.
std::string disassemble(uint32_t word);

/// One instruction of assembly text, no labels: branches and jumps take a byte offset. x registers by number or ABI name.
Result<uint32_t> assembleInstruction(std::string_view text);

/// The same with mnemonic and operands already apart (LLVM's assembler front end does that).
Result<uint32_t> assembleInstruction(std::string_view mnemonic,
                                     std::span<const std::string> operands);

}  // namespace etalon::isa
