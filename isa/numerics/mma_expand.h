// SPDX-License-Identifier: Apache-2.0
// What happens to sources that the kernels of mma_kernels.h do not pack as they are stored: 4-bit
// elements, block scales, sparsity. Blocks of them become f32, bytes or doubles. Internal to
// isa/numerics.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/numerics/mma.h"

namespace etalon::numerics {

/// A rectangle of a tile as it is stored; `column` is even where elements have 4 bits.
struct StoredBlock {
  uint64_t row, column;
  size_t rows, columns;
};

/// i8 for i4, u8 for u4, else the type itself.
ElementType byteType(ElementType type);

/// Elements of i4, u4, i8 or u8 as byteType(); out rows are `stride` bytes apart.
void expandBytes(const TileRef& tile, const StoredBlock& block, std::byte* out, size_t stride);

/// Values e * s (e without scales) of any source type but i32, as f32; `stride` counts elements.
/// `k_in_columns`: stored columns run along k. False if some e * s may overflow f32, which only
/// e8m0 scales can make it do; then `out` means nothing.
bool expandFloats(const MmaSource& source, bool k_in_columns, const StoredBlock& block, float* out,
                  size_t stride);

/// The same values, always exact.
void expandDoubles(const MmaSource& source, bool k_in_columns, const StoredBlock& block,
                   double* out, size_t stride);

/// Positions of the terms of a sparse A, relative to the first k of group `group`:
/// out[r * stride + t] for `rows` rows from `row` and t < 2 * `groups`.
void expandPositions(const TileRef& metadata, uint64_t row, size_t rows, uint64_t group,
                     size_t groups, uint8_t* out, size_t stride);

/// A block of a sparse A of bytes as a dense one. Terms are `terms` apart and `positions` as
/// expandPositions gives them, both `stride` a row; out rows are `columns` apart and as long, terms
/// at or past `columns` are left out. A group whose two terms stand at one place has its second
/// one left out, or with `second` nothing but that. True if there is such a group.
struct SparseBytes {
  const std::byte* terms;
  const uint8_t* positions;
  size_t stride;
  size_t rows, groups, columns;
};
bool expandSparseBytes(const SparseBytes& a, bool second, std::byte* out);

}  // namespace etalon::numerics
