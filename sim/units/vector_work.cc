// SPDX-License-Identifier: Apache-2.0
#include "sim/units/vector_work.h"

#include <algorithm>
#include <array>

#include "isa/base/bits.h"
#include "isa/base/check.h"
#include "isa/codec/instruction_info.h"
#include "isa/elementwise_op.h"
#include "isa/state/chain_operands.h"

namespace etalon::sim {
namespace {

using isa::TileOperands;

// Philox4x32-10 (isa.md, section 5): ten rounds of two multiplications of 32 by 32 bits (low and high half) and four
// exclusive-or make four words, so 10 * (4 + 4) / 4 steps a word; the keys are the same for all elements.
constexpr unsigned kPhiloxSteps = 20;
// Conversion of a word to a float in [0, 1): shift, convert, multiply.
constexpr unsigned kUniformSteps = 3;
// Block quantise: magnitude, maximum of the block (a tree of its own beside the lanes), scale, product.
constexpr unsigned kQuantiseSteps = 4;
constexpr unsigned kDequantiseSteps = 1;  // product
constexpr unsigned kIotaSteps = 2;        // row and column term

/// Stages, slots by operation code.
enum class StepCost : uint8_t { simple, exponential, function };
constexpr std::array<StepCost, 128> kStepCosts = [] {
  std::array<StepCost, 128> costs{};
  for (const ElementwiseInfo& info : kElementwiseOps) {
    const bool exponential = info.op == ElementwiseOp::exp || info.op == ElementwiseOp::exp2;
    costs[static_cast<size_t>(info.op)] = info.cost == CostClass::Simple ? StepCost::simple
                                          : exponential                  ? StepCost::exponential
                                                                         : StepCost::function;
  }
  return costs;
}();

void addStep(VectorWork& work, unsigned op) {
  switch (kStepCosts[op % kStepCosts.size()]) {
    case StepCost::simple: ++work.simple_steps; break;
    case StepCost::exponential: ++work.exp_steps; break;
    case StepCost::function: ++work.function_steps; break;
  }
}

/// Element bits of what is read and written, and how many tiles are read for each element: all but those of a column or a
/// row of results, which `small` names.
void addTiles(VectorWork& work, const TileOperands& operands, uint32_t small = 0) {
  for (int i = 0; i < operands.count(); ++i) {
    const TileOperands::Operand& operand = operands.operand(i);
    if ((small >> i & 1) != 0) continue;
    const auto bits = static_cast<unsigned>(operand.tile.elementBits());
    if (isa::reads(operand.role)) {
      work.sources += operand.displaced() ? operand.displacement_count : 1;
      work.source_bits = std::max(work.source_bits, bits);
    }
    if (isa::writes(operand.role)) work.result_bits = std::max(work.result_bits, bits);
  }
}

VectorWork walkOf(VectorWalk walk, const isa::TileRegister& tile) {
  return {.walk = walk, .rows = tile.rows(), .cols = tile.columns()};
}

VectorWork chainWork(const TileOperands& operands, const isa::ChainDescriptor& chain) {
  VectorWork work = walkOf(VectorWalk::stream, operands.operand(0).tile);
  for (size_t s = 0; s < chain.nsteps; ++s) addStep(work, chain.steps[s].op);
  work.reduces = chain.reduces();
  work.folds = work.reduces && !chain.accumulatesLanes();
  const int last = operands.count() - 1;  // the reduction tile, if there is one
  addTiles(work, operands, work.reduces ? 1U << last : 0);
  return work;
}

VectorWork reductionWork(const TileOperands& operands, std::string_view name) {
  const bool columns = name.starts_with("et.c");  // et.cred, et.cargmax, et.cargmin
  VectorWork work = walkOf(columns ? VectorWalk::column_reduction : VectorWalk::row_reduction,
                           operands.operand(1).tile);
  work.reduces = !columns;
  // Lanes that accumulate are folded by the plain reduction; a pair of argmax joins what it folded.
  work.folds = !columns && !(name.starts_with("et.red") && name.ends_with(".acc"));
  addTiles(work, operands, ~uint32_t{2});
  return work;
}

VectorWork movementWork(const TileOperands& operands, isa::InstructionId id) {
  using enum isa::InstructionId;
  const isa::TileRegister& d = operands.operand(0).tile;
  VectorWork work;
  if (id == et_iota) {
    work = walkOf(VectorWalk::stream, d);
    work.simple_steps = kIotaSteps;
  } else if (id == et_copy) {
    work = walkOf(VectorWalk::move, d);
  } else if (id == et_permute) {
    work = walkOf(VectorWalk::move, d);
    work.ordered = false;
    addTiles(work, operands, 4);  // an index a row
    return work;
  } else if (id == et_transpose) {
    work = walkOf(VectorWalk::transpose, d);
    work.ordered = false;
  } else {
    work = walkOf(VectorWalk::indexed, operands.operand(id == et_lscatter ? 1 : 0).tile);
  }
  addTiles(work, operands);
  return work;
}

}  // namespace

VectorWork vectorWork(const TileOperands& operands, const isa::ChainDescriptor* chain) {
  using enum isa::InstructionId;
  const isa::Instruction& in = operands.instruction();
  const isa::InstructionInfo& info = isa::instructionInfo(in.id);
  ETALON_CHECK(info.unit == isa::Unit::vector, "vector work of an instruction of another unit");
  if (in.id == et_vx) {
    ETALON_CHECK(chain != nullptr, "et.vx without its chain");
    return chainWork(operands, *chain);
  }
  const std::string_view group = info.group;
  if (group == "elementwise" || group == "chain") {
    VectorWork work = walkOf(VectorWalk::stream, operands.operand(0).tile);
    if (group == "elementwise")
      addStep(work, static_cast<unsigned>(bits(in.raw, 31, 25)));
    else
      work.simple_steps = 1;
    addTiles(work, operands);
    return work;
  }
  if (group == "reductions") return reductionWork(operands, info.name);
  if (group == "movement") return movementWork(operands, in.id);
  if (group == "scans") {
    VectorWork work = walkOf(VectorWalk::row_scan, operands.operand(0).tile);
    const bool recurs = in.id == et_recur || in.id == et_recur_rev;
    const bool carries = recurs || operands.count() == 3;
    work.simple_steps = 1;
    addTiles(work, operands, carries ? 1U << (operands.count() - 1) : 0);
    return work;
  }
  if (group == "selection") {
    VectorWork work = walkOf(VectorWalk::sort, operands.operand(1).tile);
    addTiles(work, operands);
    return work;
  }
  if (group == "quantise") {
    VectorWork work = walkOf(VectorWalk::stream, operands.operand(0).tile);
    work.simple_steps = in.id == et_dequant ? kDequantiseSteps : kQuantiseSteps;
    addTiles(work, operands, in.id == et_dequant ? 0 : 4);  // scales are written one a block
    return work;
  }
  if (group == "random") {
    VectorWork work = walkOf(VectorWalk::stream, operands.operand(0).tile);
    work.simple_steps = kPhiloxSteps + (in.id == et_rand_uniform ? kUniformSteps : 0);
    addTiles(work, operands);
    return work;
  }
  ETALON_CHECK(false, "a vector instruction without a walk; give its group one in vectorWork");
}

}  // namespace etalon::sim
