// SPDX-License-Identifier: Apache-2.0
// Sources and accumulators with values for the tests of the tile product, and the comparison of all
// that computes it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "isa/numerics/mma.h"

namespace etalon::numerics::test {

using Random = std::mt19937;

/// What values a tile is filled with.
enum class Fill { Ordinary, FewSpecials, FiniteEdges };
inline constexpr std::array kFills = {Fill::Ordinary, Fill::FewSpecials, Fill::FiniteEdges};

/// How the rows of a tile lie in memory; the last two are for sources alone.
enum class Rows { Dense, Padded, Blocks, Woven, RepeatedInner, RepeatedOuter };
inline constexpr std::array kRows = {Rows::Dense, Rows::Padded,        Rows::Blocks,
                                     Rows::Woven, Rows::RepeatedInner, Rows::RepeatedOuter};

template <class Values>
auto pick(const Values& values, Random& random) {
  return values[random() % values.size()];
}

int bitsOf(ElementType type);
/// Bits of 1.
uint32_t oneOf(ElementType type);
/// Bits of one element; ordinary floats lie within a few powers of two of 1.
uint32_t randomElement(ElementType type, Fill fill, Random& random);

struct Tile {
  Tile() = default;
  Tile(Tile&&) = default;
  Tile& operator=(Tile&&) = default;
  Tile& operator=(const Tile& other) { return *this = Tile(other); }
  Tile(const Tile& other) : bytes(other.bytes), ref(other.ref) { ref.data = bytes.data(); }

  std::vector<std::byte> bytes;
  TileRef ref;

  /// Sets stored element (r, c).
  void set(uint32_t r, uint32_t c, uint32_t bits);
};

/// A tile of `rows` x `columns` logical elements in a buffer that ends with its last byte, so that
/// a sanitizer sees one byte too many; gaps are filled with noise. Step 0 or 1.
Tile makeTile(ElementType type, uint32_t rows, uint32_t columns, bool transpose, Rows layout,
              Fill fill, Random& random, uint8_t step = 1);

/// A tile of the product with what its links name.
struct Source {
  Source(Tile elements) : tile(std::move(elements)) {}

  Tile tile;
  std::optional<Tile> scales, metadata;
};

/// Runs every kernel set and the scalar loop on copies of acc; all bytes, gaps included, must equal
/// the reference's.
void expectAllEqual(const Source& a, const Source& b, const Tile& acc, bool accumulate,
                    MmaScratch* scratch);

}  // namespace etalon::numerics::test
