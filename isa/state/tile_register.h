// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "isa/element_type.h"
#include "isa/state/interval.h"
#include "isa/state/malformed.h"

namespace etalon::isa {

inline constexpr int kTileRegisters = 32;
inline constexpr int kTileWords = 3;
inline constexpr int kTileImageBytes = 32;
inline constexpr uint32_t kMaxCount = (1u << 24) - 1;  ///< most outer, inner, cols; most box extent

using TileWords = std::array<uint64_t, kTileWords>;

/// A tile register: it names a tile in local memory. Stored row r stands at
/// base + (r / inner) * ostride + (r % inner) * istride, its column c `c * step` elements further.
/// Layout: isa-reference.md, "Tile register". Reset value: an empty tile.
struct TileRegister {
  uint32_t base = 0;     ///< byte offset into local memory
  uint32_t outer = 0;    ///< < 2^24
  uint32_t inner = 0;    ///< < 2^24
  uint32_t cols = 0;     ///< stored columns, < 2^24
  uint32_t ostride = 0;  ///< bytes, unsigned; 0 repeats
  uint32_t istride = 0;  ///< bytes, unsigned; 0 repeats
  uint8_t type = 0;      ///< raw 6-bit code, reserved ones included
  uint8_t step = 1;      ///< column step in elements: 0, 1, 2 or 4
  bool transpose = false;
  bool link_valid = false;
  uint8_t link = 0;  ///< tile register 0..31; kept also while link_valid is false

  bool operator==(const TileRegister&) const = default;

  bool hasType() const { return type < kElementTypes; }
  /// The element type; the register must have one (hasType).
  ElementType elementType() const;
  int elementBits() const { return elementInfo(elementType()).bits; }
  /// Bytes of an element, 1 for 4-bit types.
  uint32_t elementBytes() const { return elementBits() < 8 ? 1 : elementBits() / 8; }

  uint64_t storedRows() const { return uint64_t{outer} * inner; }
  /// Logical extents: those the instruction computes with.
  uint64_t rows() const { return transpose ? cols : storedRows(); }
  uint64_t columns() const { return transpose ? storedRows() : cols; }
  bool empty() const { return storedRows() == 0 || cols == 0; }

  /// Smallest byte interval of local memory that holds every element; empty for an empty tile.
  /// Exact: at most 2^58, so nothing wraps.
  ByteInterval hull() const;
};

/// The three words of et.tset, et.tget. Spare bits are dropped: ask checkTileWords first.
TileRegister unpackTile(const TileWords& words);
TileWords packTile(const TileRegister& tile);

/// The 32-byte memory image of et.tld, et.tst.
TileRegister loadTileImage(std::span<const std::byte, kTileImageBytes> image);
void storeTileImage(const TileRegister& tile, std::span<std::byte, kTileImageBytes> image);

/// Spare bits of the words (word 1, bits 63:55), and of the image (bytes 24..31 as well).
std::optional<Malformed> checkTileWords(const TileWords& words);
std::optional<Malformed> checkTileImage(std::span<const std::byte, kTileImageBytes> image);

/// What makes a tile register unusable as an operand, whatever the instruction: a reserved type
/// code, base or a stride that is no multiple of the element size, a 4-bit tile with a column step
/// other than 1. Registers may hold such values (field updates come one at a time), so this is
/// asked at issue. Strides count even where the extent leaves them unused: one comparison in
/// hardware, and a stale stride is a mistake worth hearing of.
std::optional<Malformed> checkTile(const TileRegister& tile);

/// Canonical form of a nonempty tile (isa-reference.md, "mayOverlap"): equal tiles of bytes in one
/// shape get one description. 64 bits: merging outer into inner gives up to 2^48 rows.
struct CanonicalTile {
  uint64_t base, outer, inner, cols, ostride, istride;
  uint32_t step;
  uint32_t size;   ///< bytes of an element, 1 for 4-bit types
  uint64_t width;  ///< bytes from a row's first to past its last
  uint64_t span;   ///< bytes from the first row of an inner block to past its last
};
CanonicalTile canonical(const TileRegister& tile);

/// The in-place rule: base, canonical shape, strides and element size are identical and neither is
/// transposed, so element (r, c) of both is the same bytes. Empty tiles are never "the same".
bool sameElements(const TileRegister& a, const TileRegister& b);

/// Calls f(byte offset, bytes) for every contiguous piece of a nonempty tile's real bytes, rows in ascending order;
/// repeated rows come once an outer block.
template <class F>
void forEachRun(const TileRegister& tile, F&& f) {
  const uint64_t size = tile.elementBytes();
  const bool four_bit = tile.elementBits() == 4;
  const uint64_t row_bytes = four_bit ? (uint64_t{tile.cols} + 1) / 2 : tile.cols * size;
  for (uint64_t o = 0; o < (tile.ostride == 0 ? 1 : tile.outer); ++o) {
    const uint64_t block = tile.base + o * tile.ostride;
    if (tile.step == 1 && tile.istride == row_bytes) {
      f(block, row_bytes * tile.inner);
      continue;
    }
    for (uint64_t i = 0; i < (tile.istride == 0 ? 1 : tile.inner); ++i) {
      const uint64_t row = block + i * tile.istride;
      if (tile.step == 1) {
        f(row, row_bytes);
        continue;
      }
      for (uint64_t c = 0; c < (tile.step == 0 ? 1 : tile.cols); ++c)
        f(row + c * tile.step * size, size);
    }
  }
}

}  // namespace etalon::isa
