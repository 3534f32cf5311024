// SPDX-License-Identifier: Apache-2.0
// Zicsr, Zifencei and the machine-mode instructions.
#include "isa/state/semantics.h"

namespace etalon::isa::semantics {

/// rd = csr, then csr = f(csr) if `writes`. An illegal access traps before any effect.
template <CoreContext Core, class F>
void accessCsr(Core& core, const Instruction& in, bool reads, bool writes, F f) {
  const uint32_t number = static_cast<uint32_t>(in.imm) & 0xfff;
  uint64_t old = 0;
  if (!core.csrAccessible(number, writes)) return;
  if (reads) old = core.readCsr(number);
  if (writes) core.writeCsr(number, f(old));
  core.setX(in.rd, old);
}

SEMANTICS(csrrw) {
  const uint64_t value = core.x(in.rs1);
  accessCsr(core, in, in.rd != 0, true, [&](uint64_t) { return value; });
}
SEMANTICS(csrrs) {
  const uint64_t value = core.x(in.rs1);
  accessCsr(core, in, true, in.rs1 != 0, [&](uint64_t old) { return old | value; });
}
SEMANTICS(csrrc) {
  const uint64_t value = core.x(in.rs1);
  accessCsr(core, in, true, in.rs1 != 0, [&](uint64_t old) { return old & ~value; });
}
SEMANTICS(csrrwi) {
  accessCsr(core, in, in.rd != 0, true, [&](uint64_t) { return uint64_t{in.rs1}; });
}
SEMANTICS(csrrsi) {
  accessCsr(core, in, true, in.rs1 != 0, [&](uint64_t old) { return old | in.rs1; });
}
SEMANTICS(csrrci) {
  accessCsr(core, in, true, in.rs1 != 0, [&](uint64_t old) { return old & ~uint64_t{in.rs1}; });
}
SEMANTICS(mret) { core.returnFromTrap(); }
SEMANTICS(wfi) { core.sleep(); }
SEMANTICS(fence_i) { core.synchroniseFetch(); }

}  // namespace etalon::isa::semantics
