// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/numerics/contract.h"
#include "isa/numerics/convert.h"
#include "isa/numerics/tile_ref.h"

namespace etalon::numerics {

/// Walks the elements of a tile in row-major order, in runs of any length across row ends.
///
/// The geometry is merged where rows continue at the pitch of the columns, so a packed tile, a
/// column vector or a scalar broadcast over a tile is one run. The transpose flag is ignored
/// (vector sources have none). 4-bit tiles have column step 1; writing the last element of an odd row
/// of one clears the other half of its byte. The tile's memory must outlive the stream; an empty
/// tile has no element to read.
class ElementStream {
 public:
  /// `conversion`: a declared rule that write() rounds by; nullptr for the canonical one.
  explicit ElementStream(const TileRef& tile, const ConversionRule* conversion = nullptr);

  /// The next n elements as 32-bit temporaries: widened exactly, NaNs canonical.
  void read(uint32_t* out, size_t n);
  /// The next n elements' bits, left-aligned in 32: sign bit at bit 31. For what moves bits.
  void readAligned(uint32_t* out, size_t n);
  /// Writes n temporaries of type `from` (f32, i32, u32), rounded once to the tile's type; equal
  /// types move bits.
  void write(const uint32_t* in, size_t n, ElementType from, ConvertMode mode);
  /// The reverse of readAligned.
  void writeAligned(const uint32_t* in, size_t n);

 private:
  /// Part of a row: its first element stands `offset` units (bytes, of 4-bit types nibbles) from data_.
  struct Run {
    uint64_t offset;
    size_t count;
    bool ends_row;
  };
  template <class Visit>
  void advance(size_t n, Visit visit);
  template <class Code>
  void writeNibbles(size_t n, Code code);

  const ConversionRule* conversion_;
  ElementType type_;
  bool four_bit_;
  std::byte* data_;
  uint64_t outer_, inner_, cols_;
  uint64_t ostride_, istride_, pitch_;  // units
  uint64_t o_ = 0, i_ = 0, c_ = 0;      // position of the next element
};

}  // namespace etalon::numerics
