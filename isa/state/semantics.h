// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "isa/base/bits.h"
#include "isa/codec/instruction.h"
#include "isa/counter.h"
#include "isa/csr.h"
#include "isa/numerics/contract.h"
#include "isa/numerics/tile_ref.h"
#include "isa/state/chain_descriptor.h"
#include "isa/state/fault.h"
#include "isa/state/tile_operands.h"

namespace etalon::isa {

/// What a scalar instruction's meaning sees of the core that executes it. sim/arch implements it;
/// there are no virtual calls, since the interpreter inlines it. Every member that can trap says so
/// by returning false, and then the instruction has no further effect.
template <class C>
concept CoreContext = requires(C& core, uint64_t& wide, int32_t& narrow, bool& flag) {
  { core.x(0) } -> std::same_as<uint64_t>;
  core.setX(0, uint64_t{});
  { core.pc() } -> std::same_as<uint64_t>;
  { core.jump(uint64_t{}) } -> std::same_as<bool>;
  { core.load(uint64_t{}, wide) } -> std::same_as<bool>;
  { core.store(uint64_t{}, uint64_t{}) } -> std::same_as<bool>;
  { core.loadReserved(uint64_t{}, true, true, narrow) } -> std::same_as<bool>;
  { core.storeConditional(uint64_t{}, true, true, int32_t{}, flag) } -> std::same_as<bool>;
  { core.csrAccessible(0u, true) } -> std::same_as<bool>;
  { core.readCsr(0u) } -> std::same_as<uint64_t>;
  core.writeCsr(0u, uint64_t{});
  core.orderScalar(0u, 0u);
  core.synchroniseFetch();
  core.returnFromTrap();
  core.sleep();                                       // until an interrupt is pending
  { core.roundingMode() } -> std::same_as<uint32_t>;  // frm
  core.accrueFlags(0u);                               // into fflags
  core.trap(Cause::illegal, uint64_t{}, Rule::none);
};

/// What all other instructions see beside that: the tile, view and chain registers, their operands
/// with the machine's limits, and begin() and finish() around the effect.
template <class C>
concept TileContext = CoreContext<C> && requires(C& core, TileOperands& operands) {
  core.trapWith(Fault{});
  core.addCounter(Counter::macs, uint64_t{});
  { core.tile(0) } -> std::same_as<TileRegister&>;
  { core.view(0) } -> std::same_as<ViewDescriptor&>;
  { core.chain(0) } -> std::same_as<ChainDescriptor&>;
  { core.operands(Instruction{}, OperandRules{}) } -> std::same_as<TileOperands>;
  { core.limits() } -> std::same_as<const MachineLimits&>;
  { core.begin(operands) } -> std::same_as<bool>;
  // After begin(): false if this run leaves the instruction's values out. All its other effects take place.
  { core.computes() } -> std::same_as<bool>;
  // After begin(): false if nothing depends on which bytes of memory the instruction's views have it read.
  { core.readsViews() } -> std::same_as<bool>;
  core.finish(operands);
  // The declared numerics contract; nullptr for the canonical arithmetic.
  { core.contract() } -> std::same_as<const numerics::Contract*>;
};

/// What the vector unit and conversions go by; nullptr for the canonical arithmetic.
template <class Core>
const numerics::VectorContract* vectorContract(const Core& core) {
  return core.contract() != nullptr ? &core.contract()->vector : nullptr;
}

/// Product that stays at 2^64 - 1 when it overflows.
inline uint64_t saturatingProduct(uint64_t a, uint64_t b) {
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? ~uint64_t{0} : product;
}
inline uint64_t saturatingProduct(uint64_t a, uint64_t b, uint64_t c) {
  return saturatingProduct(saturatingProduct(a, b), c);
}

namespace semantics {}

}  // namespace etalon::isa

/// Opens the meaning of an instruction: `SEMANTICS(addi) { core.setX(in.rd, core.x(in.rs1) + in.imm); }`.
#define SEMANTICS(name)                         \
  template <::etalon::isa::CoreContext Core>    \
  inline void name([[maybe_unused]] Core& core, \
                   [[maybe_unused]] const ::etalon::isa::Instruction& in)
