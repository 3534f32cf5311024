// SPDX-License-Identifier: Apache-2.0
// Reductions along rows and columns, and arguments of the extreme.
#include "isa/base/bits.h"
#include "isa/instructions/one_step.h"
#include "isa/numerics/argreduce.h"
#include "isa/numerics/reduce.h"

namespace etalon::isa::semantics {

/// Reductions: funct7 is 000, accumulate, axis, operation.
SEMANTICS(reduction) {
  const auto op = static_cast<numerics::ReduceOp>(bits(in.raw, 26, 25));
  const bool columns = bits(in.raw, 27, 27) != 0;
  const bool accumulate = bits(in.raw, 28, 28) != 0;
  auto operands = core.operands(in);
  const TileRegister& d =
      operands.tile(in.rd, core.tile(in.rd), accumulate ? Role::inout : Role::destination);
  const TileRegister& a = operands.tile(in.rs1, core.tile(in.rs1), Role::source);
  operands.checkRegisters();
  operands.checkTypes();
  const uint64_t row_columns = accumulate ? numerics::kReduceLanes : 1;
  requireShape(operands, 0, columns ? 1 : a.rows(), columns ? a.columns() : row_columns,
               Rule::red_shape);
  operands.checkPlacement();
  operands.countWork(0, std::max(tileElements(a), tileElements(d)), 0);
  if (!core.begin(operands)) return;
  // Nothing to accumulate leaves td's bits.
  if (!d.empty() && !(accumulate && a.empty()) && core.computes()) {
    if (columns)
      numerics::reduceColumns(op, core.tileRef(a), core.tileRef(d), accumulate, numerics::hostIsa(),
                              vectorContract(core));
    else
      numerics::reduceRows(op, core.tileRef(a), core.tileRef(d), accumulate, numerics::hostIsa(),
                           vectorContract(core));
  }
  core.finish(operands);
  retireVector(core, tileElements(a));
}

/// Arguments of the extreme: funct7 is 00100, axis, operation.
SEMANTICS(argument) {
  const auto op = bits(in.raw, 25, 25) ? numerics::ArgOp::Min : numerics::ArgOp::Max;
  const bool columns = bits(in.raw, 26, 26) != 0;
  auto operands = core.operands(in);
  const TileRegister& d = operands.tile(in.rd, core.tile(in.rd), Role::destination);
  const TileRegister& a = operands.tile(in.rs1, core.tile(in.rs1), Role::source);
  operands.checkRegisters();
  operands.checkTypes();
  requireShape(operands, 0, columns ? 1 : a.rows(), columns ? a.columns() : 1, Rule::red_shape);
  operands.checkPlacement();
  operands.countWork(0, std::max(tileElements(a), tileElements(d)), 0);
  if (!core.begin(operands)) return;
  if (!d.empty() && core.computes()) {
    if (columns)
      numerics::argReduceColumns(op, core.tileRef(a), core.tileRef(d));
    else
      numerics::argReduceRows(op, core.tileRef(a), core.tileRef(d));
  }
  core.finish(operands);
  retireVector(core, tileElements(a));
}

/// The accumulate form: the pair (tdv, tdi) holds the best so far, columns count from rs3.
SEMANTICS(argument_accumulate) {
  const auto op = bits(in.raw, 25, 25) ? numerics::ArgOp::Min : numerics::ArgOp::Max;
  auto operands = core.operands(in);
  const TileRegister& value = operands.tile(in.rd, core.tile(in.rd), Role::inout);
  const TileRegister& a = operands.tile(in.rs1, core.tile(in.rs1), Role::source);
  const TileRegister& index = operands.tile(in.rs2, core.tile(in.rs2), Role::inout);
  operands.checkRegisters();
  operands.checkTypes();
  requireShape(operands, 0, a.rows(), 1, Rule::red_shape);
  requireShape(operands, 2, a.rows(), 1, Rule::red_shape);
  operands.checkPlacement();
  operands.countWork(0, std::max(tileElements(a), tileElements(value)), 0);
  if (!core.begin(operands)) return;
  if (!a.empty() && core.computes())
    numerics::argReduceRowsAccumulate(op, core.tileRef(a), static_cast<uint32_t>(core.x(in.rs3)),
                                      core.tileRef(value), core.tileRef(index));
  core.finish(operands);
  retireVector(core, tileElements(a));
}

}  // namespace etalon::isa::semantics
