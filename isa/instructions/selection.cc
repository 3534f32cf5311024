// SPDX-License-Identifier: Apache-2.0
// Sorting rows: values and the columns they came from.
#include "isa/base/bits.h"
#include "isa/instructions/one_step.h"
#include "isa/numerics/sort.h"

namespace etalon::isa::semantics {

/// et.sort and et.topk: bit 25 tells them apart, bit 27 is the order.
SEMANTICS(sort) {
  const bool top = bits(in.raw, 25, 25) != 0;
  const auto order =
      bits(in.raw, 27, 27) != 0 ? numerics::SortOrder::Descending : numerics::SortOrder::Ascending;
  auto operands = core.operands(in);
  const TileRegister& values = operands.tile(in.rd, core.tile(in.rd), Role::destination);
  const TileRegister& a = operands.tile(in.rs1, core.tile(in.rs1), Role::source);
  const TileRegister& indices = operands.tile(in.rs2, core.tile(in.rs2), Role::second_destination);
  operands.checkRegisters();
  operands.checkTypes();
  const uint64_t columns = top ? std::min(values.columns(), a.columns()) : a.columns();
  requireShape(operands, 0, a.rows(), columns, Rule::sort_shape);
  requireShape(operands, 2, a.rows(), columns, Rule::sort_shape);
  operands.checkPlacement();
  operands.countWork(0, tileElements(a), 0);
  if (!core.begin(operands)) return;
  if (!values.empty() && core.computes())
    numerics::sortRows(order, core.tileRef(a), core.tileRef(values), core.tileRef(indices));
  core.finish(operands);
  retireVector(core, tileElements(a));
}

}  // namespace etalon::isa::semantics
