// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "isa/base/bits.h"
#include "isa/state/tile_register.h"

namespace etalon::sim {

/// Tiles that a core poisoned as a whole, the last ones: what they hold then need not be looked at again.
class PoisonedTiles {
 public:
  /// `cleared`: the state of the map of poisoned bytes (PoisonMap::cleared()).
  void note(const isa::TileRegister& tile, uint64_t cleared) { slot(tile) = {tile, cleared}; }
  /// True if it was poisoned, and nothing has been cleared since.
  bool holds(const isa::TileRegister& tile, uint64_t cleared) {
    const Entry& last = slot(tile);
    return last.tile == tile && last.cleared == cleared;
  }

 private:
  struct Entry {
    isa::TileRegister tile;
    uint64_t cleared = 0;
  };

  Entry& slot(const isa::TileRegister& tile) {
    return entries_[mixed(mixed(tile.base, tile.cols), tile.ostride) % entries_.size()];
  }

  std::array<Entry, 64> entries_{};
};

}  // namespace etalon::sim
