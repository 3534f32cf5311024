// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "isa/instruction_id.h"

namespace etalon::isa {

inline constexpr int kMostTypes = 6;

/// A legal type tuple: a mask of type codes for each tile and view operand in syntax order, and the
/// profiles it needs, apart by spaces.
struct LegalTypes {
  InstructionId id;
  std::string_view profiles;
  int count;
  std::array<uint16_t, kMostTypes> masks;
};

/// The tuples of an instruction; none if it has no operand with a type.
std::span<const LegalTypes> legalTypes(InstructionId id);

/// The first tuple, which needs the fewest profiles, that these type codes match; nullptr if none.
const LegalTypes* findLegalTypes(InstructionId id, std::span<const uint8_t> types);

/// The first of `needed` (names apart by spaces) that is not in `machine`, whose names have a space
/// on either side; empty if all are.
std::string_view missingProfile(std::string_view needed, std::string_view machine);

/// True if a machine with these profiles executes the instruction on operands of these types, one
/// code a byte from the low end on in syntax order. Bytes beyond the operands are ignored, and all
/// of them for instructions without types. `illegal` is executed nowhere.
bool isSupported(InstructionId id, uint64_t types, std::string_view machine);

}  // namespace etalon::isa
