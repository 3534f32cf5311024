// SPDX-License-Identifier: Apache-2.0
// Matrix multiply-accumulate.
#include <fmt/format.h>

#include "isa/numerics/mma.h"
#include "isa/state/semantics.h"

namespace etalon::isa::semantics {

inline void requireProductShapes(TileOperands& operands, const TileRegister& d,
                                 const TileRegister& a, const TileRegister& b) {
  const auto text = [&] {
    return fmt::format("A is {} x {}, B is {} x {}, td is {} x {}", a.rows(), a.columns(), b.rows(),
                       b.columns(), d.rows(), d.columns());
  };
  operands.require(a.rows() == d.rows(), Rule::mm_shape, 1, text);
  operands.require(b.columns() == d.columns(), Rule::mm_shape, 2, text);
  operands.require(a.columns() == b.rows(), Rule::mm_shape, 2, text);
}

template <CoreContext Core>
void multiply(Core& core, const Instruction& in, bool accumulate) {
  auto operands = core.operands(in, {.transposes = true, .any_step = false});
  const TileRegister& d =
      operands.tile(in.rd, core.tile(in.rd), accumulate ? Role::inout : Role::destination);
  const TileRegister& a = operands.tile(in.rs1, core.tile(in.rs1), Role::source);
  const TileRegister& b = operands.tile(in.rs2, core.tile(in.rs2), Role::source);
  operands.checkRegisters();
  operands.checkTypes();
  requireProductShapes(operands, d, a, b);
  operands.checkPlacement();
  const uint64_t macs = saturatingProduct(d.rows(), d.columns(), a.columns());
  operands.checkWork(macs, saturatingProduct(d.rows(), d.columns()), 0);
  if (!core.begin(operands)) return;
  numerics::multiplyAccumulate(core.tileRef(a), core.tileRef(b), core.tileRef(d), accumulate,
                               numerics::bestMmaKernels(), core.mmaScratch());
  core.finish(operands);
  core.addCounter(Counter::retired_matrix, 1);
  core.addCounter(Counter::macs, macs);
}

SEMANTICS(et_mm) { multiply(core, in, false); }
SEMANTICS(et_mma) { multiply(core, in, true); }

}  // namespace etalon::isa::semantics
