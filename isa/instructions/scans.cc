// SPDX-License-Identifier: Apache-2.0
// Scans and recurrences along rows.
#include "isa/base/bits.h"
#include "isa/instructions/one_step.h"
#include "isa/numerics/scan.h"

namespace etalon::isa::semantics {

/// Scans: funct7 is 01, carry, exclusive, reverse, operation.
SEMANTICS(scan) {
  const auto op = static_cast<numerics::ReduceOp>(bits(in.raw, 26, 25));
  const numerics::ScanMode mode = {.exclusive = bits(in.raw, 28, 28) != 0,
                                   .reverse = bits(in.raw, 27, 27) != 0};
  const bool carries = bits(in.raw, 29, 29) != 0;
  auto operands = core.operands(in);
  const TileRegister& d = operands.tile(in.rd, core.tile(in.rd), Role::destination);
  const TileRegister& a = operands.tile(in.rs1, core.tile(in.rs1), Role::source);
  if (carries) operands.tile(in.rs2, core.tile(in.rs2), Role::inout);
  operands.checkRegisters();
  operands.checkTypes();
  requireShape(operands, 0, a.rows(), a.columns(), Rule::scan_shape);
  if (carries) requireShape(operands, 2, a.rows(), 1, Rule::scan_shape);
  operands.checkPlacement();
  operands.countWork(0, tileElements(d), 0);
  if (!core.begin(operands)) return;
  if (!d.empty() && core.computes()) {
    numerics::TileRef carry;
    if (carries) carry = core.tileRef(operands.operand(2).tile);
    numerics::scanRows(op, mode, core.tileRef(a), core.tileRef(d), carries ? &carry : nullptr,
                       vectorContract(core));
  }
  core.finish(operands);
  retireVector(core, tileElements(d));
}

/// et.recur and et.recur.rev: bit 25 is the direction.
SEMANTICS(recurrence) {
  const bool reverse = bits(in.raw, 25, 25) != 0;
  auto operands = core.operands(in);
  const TileRegister& d = operands.tile(in.rd, core.tile(in.rd), Role::destination);
  const TileRegister& a = operands.tile(in.rs1, core.tile(in.rs1), Role::source);
  const TileRegister& b = operands.tile(in.rs2, core.tile(in.rs2), Role::source);
  const TileRegister& carry = operands.tile(in.rs3, core.tile(in.rs3), Role::inout);
  operands.checkRegisters();
  operands.checkTypes();
  requireShape(operands, 0, a.rows(), a.columns(), Rule::scan_shape);
  requireShape(operands, 2, a.rows(), a.columns(), Rule::scan_shape);
  requireShape(operands, 3, a.rows(), 1, Rule::scan_shape);
  operands.checkPlacement();
  operands.countWork(0, tileElements(d), 0);
  if (!core.begin(operands)) return;
  if (!d.empty() && core.computes()) {
    const numerics::TileRef carried = core.tileRef(carry);
    numerics::recurRows(reverse, core.tileRef(a), core.tileRef(b), core.tileRef(d), &carried,
                        vectorContract(core));
  }
  core.finish(operands);
  retireVector(core, tileElements(d));
}

}  // namespace etalon::isa::semantics
