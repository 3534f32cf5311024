// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "isa/base/units.h"
#include "isa/codec/instruction.h"
#include "isa/state/interval.h"
#include "isa/state/tile_operands.h"
#include "sim/units/matrix_work.h"
#include "sim/units/vector_work.h"

namespace etalon::sim {

/// Bytes [lo, hi) of one address space.
struct ByteSpan {
  uint64_t lo = 0, hi = 0;

  bool empty() const { return hi <= lo; }
  bool meets(const ByteSpan& other) const { return lo < other.hi && other.lo < hi; }
  bool operator==(const ByteSpan&) const = default;
};

/// Bytes of own local memory that a tile instruction reads or writes.
struct TileUse {
  isa::TileRegister tile;
  ByteSpan span;           // from its first to past its last byte, over all displacements
  bool displaced = false;  // read at several displacements: it counts by its span
  bool reads = false, writes = false;
};

/// The box of a view that a DMA instruction reads or writes.
struct ViewUse {
  isa::ViewDescriptor view;
  int named_axis = isa::kNoNamedAxis;
  ByteSpan
      span;  // offsets of own local memory if `local`, else addresses without the own device's id
  uint64_t moved = 0;                  // span less the view's own addresses, modulo 2^64
  bool local = false;                  // in own local memory, where it counts by its span
  bool reads = false, writes = false;  // both: an update
  /// Of a gather or scatter: the values of the index tile when it was issued, in row-major order. Its tile is the last.
  std::shared_ptr<const std::vector<int64_t>> indices;
};

/// A tile instruction on its way through the timed units. Its values were computed when it was issued; what travels is
/// which bytes it reads and writes and how much work it is.
struct Token {
  static constexpr int kMostTiles = isa::TileOperands::kMost;

  uint64_t sequence = 0;  // program order among the core's tile instructions and signals, from 1
  uint64_t pc = 0;
  isa::Instruction instruction;
  isa::Unit unit =
      isa::Unit::matrix;  // matrix, vector, load, store; sync: a signal, in the store queue
  uint8_t tile_count = 0;
  std::array<TileUse, kMostTiles> tile_uses;  // in operand order, empty operands left out
  std::optional<ViewUse> view;
  MatrixWork matrix;                           // of matrix instructions
  VectorWork vector;                           // of vector instructions
  uint64_t macs = 0, elements = 0, bytes = 0;  // work as the architectural counters have it
  uint64_t target = 0;                         // of a signal: the core whose semaphore it is

  std::span<const TileUse> tiles() const { return {tile_uses.data(), tile_count}; }
};

}  // namespace etalon::sim
