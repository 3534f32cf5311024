// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "isa/base/units.h"
#include "isa/codec/instruction.h"
#include "isa/state/interval.h"
#include "isa/state/tile_operands.h"
#include "sim/units/matrix_work.h"
#include "sim/units/vector_work.h"

namespace etalon::sim {

/// Bytes of own local memory that a tile instruction reads or writes.
struct TileUse {
  isa::TileRegister tile;
  /// Of a source read at several displacements: all of them.
  std::optional<isa::ByteInterval> hull;
  bool reads = false, writes = false;
};

/// The box of a view that a DMA instruction reads or writes.
struct ViewUse {
  isa::ViewDescriptor view;
  int named_axis = isa::kNoNamedAxis;
  bool reads = false, writes = false;  // both: an update
};

/// A tile instruction on its way through the timed units. Its values were computed when it was issued; what travels is
/// which bytes it reads and writes and how much work it is.
struct Token {
  static constexpr int kMostTiles = isa::TileOperands::kMost;

  uint64_t sequence = 0;  // program order among the core's tile instructions, from 1
  uint64_t pc = 0;
  isa::Instruction instruction;
  isa::Unit unit = isa::Unit::matrix;  // matrix, vector, load or store
  uint8_t tile_count = 0;
  std::array<TileUse, kMostTiles> tiles;  // in operand order, empty operands left out
  std::optional<ViewUse> view;
  MatrixWork matrix;  // of matrix instructions
  VectorWork vector;  // of vector instructions
};

}  // namespace etalon::sim
