// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "isa/codec/instruction_info.h"
#include "validation/fuzz/random.h"

namespace etalon::fuzz {

struct Shape {
  uint64_t rows = 0, columns = 0;
};

/// Shapes of the tile and view operands of an instruction, in syntax order, such as it demands; at most `elements` in each.
/// `any`: each for itself, so that an instruction whose demands are not known here gets fitting ones some day.
std::vector<Shape> operandShapes(const isa::InstructionInfo& info, Random& random,
                                 uint64_t elements, bool any);

/// True if the instruction writes the tile operand of that name.
bool isWritten(std::string_view operand);

}  // namespace etalon::fuzz
