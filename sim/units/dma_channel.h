// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sim/units/burst_walk.h"
#include "sim/units/dma_engine.h"

namespace etalon::sim {

/// One channel of a DMA engine: the instruction it has, and how far that is.
struct DmaEngine::Channel {
  uint8_t number = 0;

  const Token* token = nullptr;  // nullptr: free
  isa::TileRegister tile;        // the one that is loaded or stored; empty where there is none
  uint32_t tile_bits = 0, view_bits = 0;  // of an element
  FabricAccess access = FabricAccess::read;
  bool moves_locally = false;  // the view is in own local memory
  uint64_t moved = 0;          // from an address of the view to its place in the span, modulo 2^64

  Cycles ready = 0;         // descriptor read, hazards over, indices there
  uint64_t waits_done = 0;  // channels whose instructions must be over first, one bit each
  uint64_t waits_read = 0;  // or must have read their sources
  bool begun = false;       // the walk has
  std::optional<BurstWalk> walk;
  WalkItem item;  // next to be formed
  bool has_item = false;
  Cycles index_begin = 0;  // the first indices are asked for
  uint64_t index_bytes_read = 0;

  uint64_t outstanding = 0;              // bursts
  uint64_t answers = 0;                  // requests whose answer is to come
  Cycles last_read = 0, last_write = 0;  // of local memory or, for stores, at home: ends
  // Ends that are known, ahead of their time, and whether the core has been told.
  bool read_known = false, read_told = false;
  bool over = false;
  unsigned place = 0;  // in the dispatch window
  UnitStamps stamps;

  bool free() const { return token == nullptr; }
  bool works() const { return token != nullptr && !over; }
  bool waits() const { return (waits_done | waits_read) != 0; }

  /// Byte offset of an element of the tile, and the bytes from it to past the last of `elements` >= 1 of its row.
  uint64_t offsetOf(uint64_t row, uint64_t column) const {
    const uint64_t rows = row < tile.inner
                              ? row * tile.istride
                              : row / tile.inner * tile.ostride + row % tile.inner * tile.istride;
    return tile.base + rows + (tile_bits == 4 ? column / 2 : column * tile.step * (tile_bits / 8));
  }
  Bytes bytesOf(uint64_t elements) const {
    return tile_bits == 4 ? (elements + 1) / 2 : ((elements - 1) * tile.step + 1) * (tile_bits / 8);
  }
};

}  // namespace etalon::sim
