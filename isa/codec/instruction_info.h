// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "isa/instruction_id.h"

namespace etalon::isa {

/// What an operand field selects; decides how it is written in assembly.
enum class OperandKind : uint8_t { x, tile, view, chain, imm, offset, csr, flag, rm, mode };

/// `length` bits of an operand, from value bit `value_low`, at instruction bit `insn_low`.
struct OperandPiece {
  uint8_t value_low;
  uint8_t insn_low;
  uint8_t length;
};

struct OperandInfo {
  std::string_view name;
  OperandKind kind;
  uint8_t width;  // bits of the value
  bool is_signed;
  uint8_t zero_bits;  // low value bits that are not encoded and must be 0
  uint8_t piece_count;
  std::array<OperandPiece, 4> pieces;

  std::span<const OperandPiece> encoded() const { return {pieces.data(), piece_count}; }
};

/// A row of the instruction table, generated from isa/instructions.
struct InstructionInfo {
  std::string_view name;
  InstructionId id;
  uint32_t mask;
  uint32_t match;
  Unit unit;
  std::string_view group;
  std::string_view profile;
  std::string_view syntax;
  std::string_view summary;
  uint8_t operand_count;
  std::array<OperandInfo, 6> operand_infos;

  std::span<const OperandInfo> operands() const { return {operand_infos.data(), operand_count}; }
};

/// Every instruction in description order, `illegal` not among them.
std::span<const InstructionInfo> instructionTable();

/// Row of an instruction; `illegal` has none and is a caller's bug.
const InstructionInfo& instructionInfo(InstructionId id);

/// True if the instruction writes an x register, `rd`; `illegal` does not.
bool writesX(InstructionId id);

/// nullptr if there is no such mnemonic.
const InstructionInfo* instructionNamed(std::string_view mnemonic);

/// nullptr if no CSR has the number or name.
struct CsrInfo {
  std::string_view name;
  uint16_t number;
};
const CsrInfo* csrNumbered(uint32_t number);
const CsrInfo* csrNamed(std::string_view name);

}  // namespace etalon::isa
