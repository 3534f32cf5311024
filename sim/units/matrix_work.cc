// SPDX-License-Identifier: Apache-2.0
#include "sim/units/matrix_work.h"

#include "isa/base/check.h"
#include "isa/codec/instruction_info.h"

namespace etalon::sim {

namespace {

constexpr uint8_t kMetadataNumber = 3;  // operand number of a sparse A's metadata (rule mm.link)

bool hasMetadata(const isa::TileOperands& operands) {
  for (int i = 3; i < operands.count(); ++i)
    if (operands.operand(i).number == kMetadataNumber) return true;
  return false;
}

}  // namespace

MatrixWork matrixWork(const isa::TileOperands& operands) {
  const isa::InstructionId id = operands.instruction().id;
  ETALON_CHECK(isa::instructionInfo(id).unit == isa::Unit::matrix,
               "matrix work of an instruction of another unit");
  const isa::TileRegister& d = operands.operand(0).tile;
  const isa::TileRegister& a = operands.operand(1).tile;
  const isa::TileRegister& b = operands.operand(2).tile;
  return {.m = d.rows(),
          .n = d.columns(),
          .k = b.rows(),
          .a_bits = static_cast<unsigned>(a.elementBits()),
          .b_bits = static_cast<unsigned>(b.elementBits()),
          .a_transposed = a.transpose,
          .b_transposed = b.transpose,
          .sparse = hasMetadata(operands),
          .accumulates = id == isa::InstructionId::et_mma};
}

}  // namespace etalon::sim
