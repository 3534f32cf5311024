// SPDX-License-Identifier: Apache-2.0
// Block quantise and dequantise: elements and the power of two that each block of columns shares.
#include "isa/base/bits.h"
#include "isa/instructions/one_step.h"
#include "isa/numerics/block_quantise.h"

namespace etalon::isa::semantics {

/// td has the shape of ta, the scales (operand 2) one column for each block of ta's.
inline void requireBlockShapes(TileOperands& operands) {
  const TileRegister& a = operands.operand(1).tile;
  requireShape(operands, 0, a.rows(), a.columns(), Rule::quant_shape);
  const uint64_t blocks = (a.columns() + numerics::kQuantiseBlock - 1) / numerics::kQuantiseBlock;
  requireShape(operands, 2, a.rows(), blocks, Rule::quant_shape);
}

/// What both directions have in common: td, ta, the scales in `role`. `move` takes their bytes in this order.
template <CoreContext Core, class Move>
void onBlocks(Core& core, const Instruction& in, Role role, Move move) {
  auto operands = core.operands(in);
  const TileRegister& d = operands.tile(in.rd, core.tile(in.rd), Role::destination);
  const TileRegister& a = operands.tile(in.rs1, core.tile(in.rs1), Role::source);
  const TileRegister& scales = operands.tile(in.rs2, core.tile(in.rs2), role);
  operands.checkRegisters();
  operands.checkTypes();
  requireBlockShapes(operands);
  operands.checkPlacement();
  operands.countWork(0, tileElements(d), 0);
  if (!core.begin(operands)) return;
  if (!d.empty() && core.computes()) move(core.tileRef(d), core.tileRef(a), core.tileRef(scales));
  core.finish(operands);
  retireVector(core, tileElements(d));
}

/// et.quant and et.quant.up: bit 25 tells them apart.
SEMANTICS(quantise) {
  const auto choice = bits(in.raw, 25, 25) != 0 ? numerics::ScaleChoice::unsaturated
                                                : numerics::ScaleChoice::binade;
  onBlocks(core, in, Role::second_destination,
           [&](const auto& d, const auto& a, const auto& scales) {
             numerics::quantiseBlocks(choice, a, d, scales, vectorContract(core));
           });
}

SEMANTICS(dequantise) {
  onBlocks(core, in, Role::source, [&](const auto& d, const auto& a, const auto& scales) {
    numerics::dequantiseBlocks(a, scales, d, vectorContract(core));
  });
}

}  // namespace etalon::isa::semantics
