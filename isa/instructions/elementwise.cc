// SPDX-License-Identifier: Apache-2.0
// Element-wise instructions: the operation is funct7, its meaning that of the chain step of the same code.
#include "isa/base/bits.h"
#include "isa/instructions/one_step.h"

namespace etalon::isa::semantics {

inline const ElementwiseInfo& operationOf(const Instruction& in) {
  return *elementwiseInfo(static_cast<int>(bits(in.raw, 31, 25)));
}

SEMANTICS(elementwise) {
  const ElementwiseInfo& info = operationOf(in);
  runOneStep(core, in,
             {.op = info.op, .sources = {fromTile(in.rs1), fromTile(in.rs2)}, .count = info.arity});
}
SEMANTICS(elementwise_scalar) {
  const ElementwiseInfo& info = operationOf(in);
  if (info.reversed)
    runOneStep(core, in,
               {.op = info.base,
                .sources = {fromScalar(in.rs2), fromTile(in.rs1)},
                .count = 2,
                .typed = 1});
  else
    runOneStep(core, in,
               {.op = info.op, .sources = {fromTile(in.rs1), fromScalar(in.rs2)}, .count = 2});
}

}  // namespace etalon::isa::semantics
