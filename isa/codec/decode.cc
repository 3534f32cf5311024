// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "isa/base/bits.h"
#include "isa/codec/codec.h"

namespace etalon::isa {
namespace {

InstructionId decodeId(uint32_t word) {
#include "isa/decode.inc"
}

int32_t decodeImmediate(InstructionId id, uint32_t word) {
#include "isa/immediate.inc"
}

}  // namespace

Instruction decode(uint32_t word) {
  Instruction in;
  in.id = decodeId(word);
  in.rd = static_cast<uint8_t>(bits(word, 11, 7));
  in.rs1 = static_cast<uint8_t>(bits(word, 19, 15));
  in.rs2 = static_cast<uint8_t>(bits(word, 24, 20));
  in.rs3 = static_cast<uint8_t>(bits(word, 31, 27));
  in.imm = decodeImmediate(in.id, word);
  in.raw = word;
  return in;
}

std::vector<int64_t> operandValues(const InstructionInfo& info, uint32_t word) {
  std::vector<int64_t> values;
  for (const OperandInfo& operand : info.operands()) {
    uint64_t value = 0;
    for (const OperandPiece& piece : operand.encoded())
      value |= bits(word, piece.insn_low + piece.length - 1, piece.insn_low) << piece.value_low;
    values.push_back(operand.is_signed ? signExtend(value, operand.width)
                                       : static_cast<int64_t>(value));
  }
  return values;
}

Result<uint32_t> encode(InstructionId id, std::span<const int64_t> operands) {
  const InstructionInfo& info = instructionInfo(id);
  if (operands.size() != info.operands().size())
    return Error{fmt::format("{} takes {} operands ({}), got {}", info.name, info.operands().size(),
                             info.syntax, operands.size())};
  uint32_t word = info.match;
  for (size_t i = 0; i < operands.size(); ++i) {
    const OperandInfo& operand = info.operands()[i];
    const int64_t low = operand.is_signed ? -(int64_t{1} << (operand.width - 1)) : 0;
    const int64_t high =
        (int64_t{1} << (operand.is_signed ? operand.width - 1 : operand.width)) - 1;
    if (operands[i] < low || operands[i] > high)
      return Error{fmt::format("{}: operand {} is {}, must be {}..{}", info.name, operand.name,
                               operands[i], low, high)};
    if (operands[i] & ((int64_t{1} << operand.zero_bits) - 1))
      return Error{fmt::format("{}: operand {} is {}, must be a multiple of {}", info.name,
                               operand.name, operands[i], 1 << operand.zero_bits)};
    for (const OperandPiece& piece : operand.encoded())
      word |= static_cast<uint32_t>(bits(static_cast<uint64_t>(operands[i]),
                                         piece.value_low + piece.length - 1, piece.value_low))
              << piece.insn_low;
  }
  return word;
}

}  // namespace etalon::isa
