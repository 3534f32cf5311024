// SPDX-License-Identifier: Apache-2.0
// Movement between tiles: bits move unchanged.
#include <algorithm>
#include <cstring>

#include "isa/instructions/one_step.h"
#include "isa/numerics/move.h"

namespace etalon::isa::semantics {

/// Checks, opens, executes `move(a, td)` and retires an instruction td, ta whose td must have the given shape.
template <CoreContext Core, class Shape, class Move>
void moveTile(Core& core, const Instruction& in, Shape shape, Move move) {
  auto operands = core.operands(in);
  const TileRegister& d = operands.tile(in.rd, core.tile(in.rd), Role::destination);
  const TileRegister& a = operands.tile(in.rs1, core.tile(in.rs1), Role::source);
  operands.checkRegisters();
  operands.checkTypes();
  const auto [rows, columns] = shape(a);
  requireShape(operands, 0, rows, columns, Rule::move_shape);
  operands.checkPlacement();
  operands.countWork(0, tileElements(d), 0);
  if (!core.begin(operands)) return;
  if (!d.empty() && core.computes()) move(core.tileRef(a), core.tileRef(d));
  core.finish(operands);
  retireVector(core, tileElements(d));
}
SEMANTICS(et_copy) {
  moveTile(
      core, in, [](const TileRegister& a) { return std::pair(a.rows(), a.columns()); },
      numerics::copyTile);
}
SEMANTICS(et_transpose) {
  moveTile(
      core, in, [](const TileRegister& a) { return std::pair(a.columns(), a.rows()); },
      numerics::transposeTile);
}

/// Calls f(row, column, index) for every element of an index tile.
template <class F>
void forEachIndex(const numerics::TileRef& tile, F f) {
  const size_t bytes = static_cast<size_t>(elementInfo(tile.type).bits) / 8;
  for (uint64_t r = 0; r < tile.storedRows(); ++r)
    for (uint64_t c = 0; c < tile.cols; ++c) {
      uint64_t value = 0;
      std::memcpy(&value, tile.row(r) + c * tile.step * bytes, bytes);
      f(r, c, numerics::widenToInt(tile.type, value));
    }
}

/// The tile that an index picks elements (or rows) of, how many there are, and what one pick touches.
struct Picked {
  int operand;
  uint64_t extent;
  bool whole_rows;
  bool written;
};

/// Records what the indices touch of the picked tile, and the sticky status if one is outside.
template <CoreContext Core>
void recordPicked(Core& core, const TileRegister& tile, const numerics::TileRef& index,
                  const Picked& picked) {
  bool outside = false;
  forEachIndex(index, [&](uint64_t r, uint64_t c, int64_t at) {
    if (at < 0 || static_cast<uint64_t>(at) >= picked.extent) {
      outside = true;
      return;
    }
    const auto position = static_cast<uint64_t>(at);
    if (picked.whole_rows)
      core.recordElements(tile, position, 0, tile.columns(), picked.written);
    else
      core.recordElements(tile, r, position, 1, picked.written);
  });
  if (outside) core.noteIndexOutside(Unit::vector);
}

/// The instructions td, ta, ti: which operand ti has the shape of, and what it picks from.
enum class Pick : uint8_t { permute, gather, scatter };

inline Picked requirePickShapes(TileOperands& operands, Pick pick) {
  const TileRegister& d = operands.operand(0).tile;
  const TileRegister& a = operands.operand(1).tile;
  switch (pick) {
    case Pick::permute:
      requireShape(operands, 1, a.rows(), d.columns(), Rule::move_shape);
      requireShape(operands, 2, d.rows(), 1, Rule::move_shape);
      return {1, a.rows(), true, false};
    case Pick::gather:
      requireShape(operands, 1, d.rows(), a.columns(), Rule::move_shape);
      requireShape(operands, 2, d.rows(), d.columns(), Rule::move_shape);
      return {1, a.columns(), false, false};
    default:
      requireShape(operands, 1, d.rows(), a.columns(), Rule::move_shape);
      requireShape(operands, 2, a.rows(), a.columns(), Rule::move_shape);
      return {0, d.columns(), false, true};
  }
}

inline void pickElements(Pick pick, const numerics::TileRef& a, const numerics::TileRef& indices,
                         const numerics::TileRef& d) {
  switch (pick) {
    case Pick::permute: return numerics::permuteRows(a, indices, d);
    case Pick::gather: return numerics::gatherColumns(a, indices, d);
    case Pick::scatter: return numerics::scatterColumns(a, indices, d);
  }
}

template <CoreContext Core>
void moveByIndex(Core& core, const Instruction& in, Pick pick) {
  auto operands = core.operands(in);
  const TileRegister& d = operands.tile(in.rd, core.tile(in.rd), Role::destination);
  const TileRegister& a = operands.tile(in.rs1, core.tile(in.rs1), Role::source);
  const TileRegister& index = operands.tile(in.rs2, core.tile(in.rs2), Role::source);
  operands.checkRegisters();
  operands.checkTypes();
  const Picked picked = requirePickShapes(operands, pick);
  operands.checkPlacement();
  const uint64_t elements = tileElements(pick == Pick::scatter ? a : d);
  operands.countWork(0, elements, 0);
  operands.recordByElement(picked.operand);
  operands.useAsIndex(2);
  if (!core.begin(operands)) return;
  if (!d.empty()) {
    const numerics::TileRef indices = core.tileRef(index);
    recordPicked(core, operands.operand(picked.operand).tile, indices, picked);
    if (core.computes()) pickElements(pick, core.tileRef(a), indices, core.tileRef(d));
  }
  core.finish(operands);
  retireVector(core, elements);
}
SEMANTICS(et_permute) { moveByIndex(core, in, Pick::permute); }
SEMANTICS(et_lgather) { moveByIndex(core, in, Pick::gather); }
SEMANTICS(et_lscatter) { moveByIndex(core, in, Pick::scatter); }

SEMANTICS(et_iota) {
  auto operands = core.operands(in);
  const TileRegister& d = operands.tile(in.rd, core.tile(in.rd), Role::destination);
  operands.checkRegisters();
  operands.checkTypes();
  operands.checkPlacement();
  operands.countWork(0, tileElements(d), 0);
  if (!core.begin(operands)) return;
  if (!d.empty() && core.computes())
    numerics::iotaTile(core.tileRef(d), core.x(in.rs1), core.x(in.rs2), core.x(in.rs3));
  core.finish(operands);
  retireVector(core, tileElements(d));
}

}  // namespace etalon::isa::semantics
