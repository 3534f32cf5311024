// SPDX-License-Identifier: Apache-2.0
// Random numbers, by the number of the element and the seed and stream in CSRs.
#include "isa/numerics/random.h"

#include "isa/base/bits.h"
#include "isa/csr.h"
#include "isa/instructions/one_step.h"

namespace etalon::isa::semantics {

/// Bit 27 is the distribution.
SEMANTICS(random) {
  const auto distribution =
      bits(in.raw, 27, 27) != 0 ? numerics::Distribution::Uniform : numerics::Distribution::Bits;
  auto operands = core.operands(in);
  const TileRegister& d = operands.tile(in.rd, core.tile(in.rd), Role::destination);
  operands.checkRegisters();
  operands.checkTypes();
  operands.checkPlacement();
  operands.countWork(0, tileElements(d), 0);
  if (!core.begin(operands)) return;
  if (!d.empty() && core.computes())
    numerics::randomTile(distribution, core.tileRef(d), core.x(in.rs1), core.x(in.rs2),
                         core.readCsr(csr::kEtseed), core.readCsr(csr::kEtstream));
  core.finish(operands);
  retireVector(core, tileElements(d));
}

}  // namespace etalon::isa::semantics
