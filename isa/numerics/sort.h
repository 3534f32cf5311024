// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/numerics/tile_ref.h"

namespace etalon::numerics {

enum class SortOrder : uint8_t { Ascending, Descending };

/// The first columns of each row of a in order, as many as `values` has.
///
/// Inputs   a: rows x n, types of 8 to 32 bits. values: rows x k of a's type, k <= n. indices: rows x k, i32.
/// Numerics isa.md section 5: stable, every NaN is equal to every other and above all numbers, -0
///          equals +0, and of equal elements the lower column comes first in both orders. Elements
///          move bits; indices are columns of a.
/// The three tiles share no byte.
void sortRows(SortOrder order, const TileRef& a, const TileRef& values, const TileRef& indices);

}  // namespace etalon::numerics
