// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <array>

#include "isa/numerics/chain.h"
#include "isa/state/semantics.h"

namespace etalon::isa::semantics {

inline uint64_t tileElements(const TileRegister& tile) {
  return saturatingProduct(tile.rows(), tile.columns());
}

/// Operand i has `rows` x `columns` elements; else a fault under `rule`.
inline void requireShape(TileOperands& operands, int i, uint64_t rows, uint64_t columns,
                         Rule rule) {
  const TileRegister& tile = operands.operand(i).tile;
  operands.require(tile.rows() == rows && tile.columns() == columns, rule, i, [&] {
    return fmt::format("{} is {} x {}, it must be {} x {}", operands.operand(i).name, tile.rows(),
                       tile.columns(), rows, columns);
  });
}

template <CoreContext Core>
void retireVector(Core& core, uint64_t elements) {
  core.addCounter(Counter::retired_vector, 1);
  core.addCounter(Counter::vector_elements, elements);
}

/// A source of a one-step instruction: a tile register, or an x register whose low 32 bits are a constant.
struct StepSource {
  bool is_tile;
  uint8_t reg;
};
inline StepSource fromTile(uint8_t reg) { return {true, reg}; }
inline StepSource fromScalar(uint8_t reg) { return {false, reg}; }

/// An element-wise instruction as a chain of one step. The compute type is that of source `typed` after widening.
struct OneStep {
  ElementwiseOp op;
  std::array<StepSource, 3> sources;
  int count;
  int typed = 0;
  uint8_t mode = 0;
};

/// Type a step results in before td's rounding: saturating operations and conversions take td's.
inline ElementType stepResult(const ElementwiseInfo& info, ElementType compute, ElementType td) {
  using enum ElementwiseOp;
  if (info.result == ResultKind::Mask) return ElementType::u32;
  const bool of_td = info.result == ResultKind::Converted || info.op == add_sat ||
                     info.op == sub_sat || info.op == mul_sat || info.op == requant;
  return of_td ? td : compute;
}

/// The values of a one-step instruction; operand_of: operand that is source i, where that is a tile.
template <CoreContext Core>
void computeOneStep(Core& core, const TileOperands& operands, const OneStep& one,
                    const std::array<int, 3>& operand_of) {
  const ElementwiseInfo& info = *elementwiseInfo(static_cast<int>(one.op));
  numerics::ChainProgram program;
  numerics::ChainTiles tiles;
  std::array<numerics::TileRef, 3> refs;
  std::array<uint8_t, 3> selectors{};
  for (uint8_t i = 0; i < one.count; ++i) {
    if (one.sources[i].is_tile) {
      refs[i] = core.tileRef(operands.operand(operand_of[i]).tile);
      tiles.sources[i] = &refs[i];
      selectors[i] = kSelectorTile + i;
    } else {
      program.constants[i] = static_cast<uint32_t>(core.x(one.sources[i].reg));
      selectors[i] = kSelectorConstant + i;
    }
  }
  const ElementType compute =
      elementInfo(operands.operand(operand_of[one.typed]).tile.elementType()).widens_to;
  const numerics::TileRef td = core.tileRef(operands.operand(0).tile);
  tiles.td = &td;
  program.nsteps = 1;
  program.steps[0] = {.op = one.op,
                      .compute = compute,
                      .result = stepResult(info, compute, td.type),
                      .mode = one.mode,
                      .dest = 0,
                      .a = selectors[0],
                      .b = selectors[1],
                      .c = selectors[2]};
  numerics::runChain(program, tiles, numerics::hostIsa(), vectorContract(core));
}

/// Checks and executes a one-step instruction: td is rd, tile sources stand in the order of the syntax.
template <CoreContext Core>
void runOneStep(Core& core, const Instruction& in, const OneStep& one) {
  auto operands = core.operands(in, {.in_place = true});
  const TileRegister& d = operands.tile(in.rd, core.tile(in.rd), Role::destination);
  std::array<int, 3> operand_of{};
  for (int i = 0; i < one.count; ++i) {
    if (!one.sources[i].is_tile) continue;
    operand_of[i] = operands.count();
    operands.tile(one.sources[i].reg, core.tile(one.sources[i].reg), Role::source);
  }
  operands.checkRegisters();
  operands.checkTypes();
  for (int i = 1; i < operands.count(); ++i)
    requireShape(operands, i, d.rows(), d.columns(), Rule::vec_shape);
  operands.checkPlacement();
  operands.countWork(0, tileElements(d), 0);
  if (!core.begin(operands)) return;
  if (core.computes()) computeOneStep(core, operands, one, operand_of);
  core.finish(operands);
  retireVector(core, tileElements(d));
}

}  // namespace etalon::isa::semantics
