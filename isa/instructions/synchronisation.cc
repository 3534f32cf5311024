// SPDX-License-Identifier: Apache-2.0
// Fences, signals, waits, barriers, counters. What blocks has no effect until it passes.
#include "isa/state/semantics.h"

namespace etalon::isa::semantics {

template <CoreContext Core>
void retireSync(Core& core) {
  core.addCounter(Counter::retired_sync, 1);
}

SEMANTICS(et_fence) {
  core.fenceAll();
  retireSync(core);
}
SEMANTICS(et_fence_t) {
  auto operands = core.operands(in);
  const TileRegister tile = operands.tile(in.rs1, core.tile(in.rs1), Role::source);
  operands.checkRegisters();
  operands.checkPlacement();
  operands.countWork(0, saturatingProduct(tile.rows(), tile.columns()), 0);
  if (!core.check(operands)) return;
  core.fenceTile(tile);
  retireSync(core);
}
SEMANTICS(et_fence_v) {
  auto operands = core.operands(in);
  const ViewDescriptor& view = operands.view(in.rs1, core.view(in.rs1), Role::source);
  operands.checkRegisters();
  operands.checkPlacement();
  operands.countWork(0, saturatingProduct(view.rows(), view.columns()), 0);
  if (!core.check(operands)) return;
  core.fenceView(0, view);
  retireSync(core);
}
SEMANTICS(et_sig) {
  if (core.signal(core.x(in.rs1), static_cast<uint32_t>(core.x(in.rs2)))) retireSync(core);
}
SEMANTICS(et_barrier) {
  if (core.barrier(core.x(in.rs1), core.x(in.rs2))) retireSync(core);
}
SEMANTICS(et_halt) {
  core.halt();
  retireSync(core);
}
template <CoreContext Core>
void waitFor(Core& core, const Instruction& in, bool subtract) {
  const auto end = core.wait(bits(in.raw, 25, 20), static_cast<uint32_t>(core.x(in.rs1)), subtract);
  if (!end) return;
  core.setX(in.rd, *end);
  retireSync(core);
}
SEMANTICS(et_wait) { waitFor(core, in, false); }
SEMANTICS(et_waitsub) { waitFor(core, in, true); }
SEMANTICS(et_semr) {
  core.setX(in.rd, core.semaphore(bits(in.raw, 25, 20)));
  retireSync(core);
}
SEMANTICS(et_ctr) {
  const uint64_t number = bits(in.raw, 31, 20);
  core.setX(in.rd, number < kCounterSlots
                       ? core.readCsr(static_cast<uint32_t>(csr::kCounterBase + number))
                       : 0);
  core.addCounter(Counter::retired_setup, 1);
}

}  // namespace etalon::isa::semantics
