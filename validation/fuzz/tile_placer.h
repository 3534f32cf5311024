// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "isa/state/tile_register.h"
#include "validation/fuzz/random.h"

namespace etalon::fuzz {

/// A tile that an instruction wants.
struct TileNeed {
  ElementType type = ElementType::f32;
  uint64_t rows = 1, columns = 1;  // as the instruction sees them
  bool written = false;
  bool steps = true;          // column steps other than 1 are allowed
  bool transposable = false;  // it may be stored transposed
};

/// Lays tiles out and finds places for them in a core's local memory, below kExchange: anywhere that the rules of aliasing
/// allow, and for that reason often right beside, between or over what the same and earlier instructions have.
class TilePlacer {
 public:
  explicit TilePlacer(Random& random) : random_(random) {}

  /// Forgets the operands of the last instruction; they become places to come back to.
  void beginStep();
  /// A tile for the next operand of the instruction.
  isa::TileRegister place(const TileNeed& need);
  /// Adds an operand that was placed by other means.
  void add(const isa::TileRegister& tile, bool written) { placed_.push_back({tile, written}); }
  /// True if the tile may be an operand beside those that the instruction has.
  bool fits(const isa::TileRegister& tile, bool written) const;
  /// True if the tile may be written in place of sources: it overlaps none but those that have the same elements.
  bool fitsInPlace(const isa::TileRegister& tile) const;
  /// True if an operand meets the bytes of local memory.
  bool meets(const isa::ByteInterval& bytes) const;
  /// Gives the tile a base; its other fields stay.
  void findBase(isa::TileRegister& tile, bool written);

 private:
  /// How the operands of an instruction lie between each other.
  enum class Weave : uint8_t { none, rows, columns, blocks };
  struct Placed {
    isa::TileRegister tile;
    bool written = false;
  };

  isa::TileRegister layOut(const TileNeed& need);
  void makeRoom(isa::TileRegister& tile);
  bool weave(isa::TileRegister& tile, const TileNeed& need);
  uint32_t randomBase(const isa::TileRegister& tile);

  Random& random_;
  std::vector<Placed> placed_;
  std::vector<uint32_t> earlier_;  // bases
  Weave weave_ = Weave::none;
  uint32_t woven_ = 0;         // operands in the pattern
  isa::TileRegister pattern_;  // the first of them
};

}  // namespace etalon::fuzz
