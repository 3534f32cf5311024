// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/numerics/tile_ref.h"

namespace etalon::numerics {

// Data movement between tiles: bits move unchanged, so source and destination have one type. By
// index types of 8 bits and more move, otherwise those of 4 bits, too, in tiles of column step 1 whose
// odd rows end with half a byte that is cleared. Transpose flags of the tiles are ignored. Shapes have
// been checked.

/// td(r, c) = a(r, c).
void copyTile(const TileRef& a, const TileRef& td);

/// td(r, c) = a(c, r); td is columns(a) x rows(a).
void transposeTile(const TileRef& a, const TileRef& td);

/// td(r, c) = start + r * row_step + c * column_step; steps 0 are a fill.
///
/// Integers: modulo 2^w of td's type; the operands are whole x registers, of which i64 uses all
/// bits. Floats: the operands are f32 in bits 31:0, r and c are rounded to f32 (exact below 2^24),
/// and the value is fma(c, column_step, fma(r, row_step, start)), NaN canonical, then rounded once
/// to td's type. A step of +-0 is left out, so that a fill moves its value (-0, NaN payload of an
/// f32) and an infinite start stays.
void iotaTile(const TileRef& td, uint64_t start, uint64_t row_step, uint64_t column_step);

/// td(r, c) = a(r, index(r, c)); an index outside 0 <= i < columns(a) reads 0. index: integer type,
/// signed as its type.
void gatherColumns(const TileRef& a, const TileRef& index, const TileRef& td);

/// td(r, index(r, c)) = a(r, c) in ascending c, so the last of equal indices wins; an index outside
/// td drops. Elements of td without an index stay.
void scatterColumns(const TileRef& a, const TileRef& index, const TileRef& td);

/// Row r of td = row index(r) of a; index: rows x 1; an index outside 0 <= i < rows(a) gives a row
/// of 0.
void permuteRows(const TileRef& a, const TileRef& index, const TileRef& td);

}  // namespace etalon::numerics
