// SPDX-License-Identifier: Apache-2.0
// Chains, the element-wise instructions of three sources, and conversion.
#include <algorithm>

#include "isa/base/bits.h"
#include "isa/instructions/one_step.h"
#include "isa/state/chain_operands.h"
#include "isa/state/descriptor_memory.h"

namespace etalon::isa::semantics {

SEMANTICS(et_fma) {
  runOneStep(core, in,
             {.op = ElementwiseOp::fma,
              .sources = {fromTile(in.rs1), fromTile(in.rs2), fromTile(in.rs3)},
              .count = 3});
}
SEMANTICS(et_fma_x) {
  runOneStep(core, in,
             {.op = ElementwiseOp::fma,
              .sources = {fromTile(in.rs1), fromScalar(in.rs2), fromTile(in.rs3)},
              .count = 3});
}
SEMANTICS(et_select) {
  runOneStep(core, in,
             {.op = ElementwiseOp::select,
              .sources = {fromTile(in.rs1), fromTile(in.rs2), fromTile(in.rs3)},
              .count = 3,
              .typed = 1});
}
SEMANTICS(et_select_x) {
  runOneStep(core, in,
             {.op = ElementwiseOp::select,
              .sources = {fromTile(in.rs1), fromTile(in.rs2), fromScalar(in.rs3)},
              .count = 3,
              .typed = 1});
}
SEMANTICS(et_requant) {
  runOneStep(core, in,
             {.op = ElementwiseOp::requant,
              .sources = {fromTile(in.rs1), fromTile(in.rs2), fromTile(in.rs3)},
              .count = 3});
}
SEMANTICS(et_requant_x) {
  runOneStep(core, in,
             {.op = ElementwiseOp::requant,
              .sources = {fromTile(in.rs1), fromScalar(in.rs2), fromScalar(in.rs3)},
              .count = 3});
}
/// Mode byte of a conversion.
inline uint8_t modeOf(const Instruction& in) { return static_cast<uint8_t>(bits(in.raw, 28, 25)); }
SEMANTICS(et_cvt) {
  runOneStep(
      core, in,
      {.op = ElementwiseOp::cvt, .sources = {fromTile(in.rs1)}, .count = 1, .mode = modeOf(in)});
}
SEMANTICS(stochastic_conversion) {
  runOneStep(core, in,
             {.op = ElementwiseOp::cvt,
              .sources = {fromTile(in.rs1), fromTile(in.rs2)},
              .count = 2,
              .mode = modeOf(in)});
}

/// The chain as isa/numerics runs it.
inline numerics::ChainProgram chainProgram(const ChainDescriptor& chain) {
  numerics::ChainProgram program;
  program.nsteps = chain.nsteps;
  program.constants = chain.constants;
  program.td_selector = chain.td_selector;
  program.reduce = chain.reduces();
  program.accumulate = chain.accumulatesLanes();
  program.reduce_op = static_cast<numerics::ReduceOp>(chain.reduction_op);
  program.reduce_selector = chain.reduction_selector;
  for (size_t s = 0; s < chain.nsteps; ++s) {
    const ChainStep& step = chain.steps[s];
    program.steps[s] = {.op = static_cast<ElementwiseOp>(step.op),
                        .compute = static_cast<ElementType>(step.compute_type),
                        .result = static_cast<ElementType>(step.result_type),
                        .mode = step.mode,
                        .dest = step.destination,
                        .a = step.selectors[0],
                        .b = step.selectors[1],
                        .c = step.selectors[2]};
  }
  return program;
}

/// True if a step computes in f32 or leaves one.
inline bool computesInFloat(const ChainDescriptor& chain) {
  const auto is_float = [](uint8_t type) { return isFloat(static_cast<ElementType>(type)); };
  return std::any_of(chain.steps.begin(), chain.steps.begin() + chain.nsteps,
                     [&](const ChainStep& step) {
                       return is_float(step.compute_type) || is_float(step.result_type);
                     });
}

/// The values of a chain.
template <CoreContext Core>
void computeChain(Core& core, const TileOperands& operands, const ChainDescriptor& chain,
                  const ChainTileOperands& at) {
  std::array<numerics::TileRef, TileOperands::kMost> refs;
  numerics::ChainTiles tiles;
  const auto ref = [&](int operand) -> const numerics::TileRef* {
    if (operand < 0) return nullptr;
    refs[operand] = core.tileRef(operands.operand(operand).tile);
    return &refs[operand];
  };
  for (size_t i = 0; i < tiles.sources.size(); ++i) tiles.sources[i] = ref(at.sources[i]);
  tiles.td = ref(at.td);
  tiles.reduction = ref(at.reduction);
  numerics::runChain(chainProgram(chain), tiles, numerics::hostIsa(), vectorContract(core));
}

inline constexpr uint8_t kChainClass = 3, kChainOperand = 3;  // of ch in mtval

SEMANTICS(et_vx) {
  const uint8_t number = in.rs3 & 7;
  const ChainDescriptor& chain = core.chain(number);
  if (!chain.writesTd() && !chain.reduces())
    return trapMalformed(core, in, number, kChainClass, Rule::chain_empty_register,
                         {Problem::Flags, "ch",
                          "the chain writes neither td nor a reduction tile; load one with et.cld"},
                         kChainOperand);
  const ChainUse use = chainUse(chain);
  auto operands = core.operands(in, {.in_place = true});
  const ChainTileOperands at = addChainOperands(
      operands, in, chain, use, [&](int i) -> const TileRegister& { return core.tile(i); });
  operands.checkRegisters();
  checkChainTypes(operands, chain, at);
  checkChainShapes(operands, chain, at);
  operands.checkPlacement();
  const TileRegister& shape = operands.operand(at.td >= 0 ? at.td : at.sources[0]).tile;
  operands.countWork(0, tileElements(shape), 0);
  if (computesInFloat(chain)) operands.leaveOutValues();
  if (!core.begin(operands)) return;
  if (core.computes()) computeChain(core, operands, chain, at);
  core.finish(operands);
  retireVector(core, tileElements(shape));
}

}  // namespace etalon::isa::semantics
