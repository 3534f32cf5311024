// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/numerics/tile_ref.h"

namespace etalon::numerics {

/// Index of the greatest (or least) element: the first NaN wins, else the lowest index; -0 equals
/// +0. Rows or columns without elements give -1. Compares in the 32-bit type the source widens to.
enum class ArgOp : uint8_t { Max, Min };

/// td: rows x 1 (integer type, indices wrap to it) of the column index in each row of a.
void argReduceRows(ArgOp op, const TileRef& a, const TileRef& td);

/// td: 1 x columns of the row index in each column of a.
void argReduceColumns(ArgOp op, const TileRef& a, const TileRef& td);

/// The accumulate form along rows: (values, indices), rows x 1 each, hold the best so far; columns
/// of a count from base, modulo 2^32. A pair whose index is -1 holds nothing yet, so chunks after
/// one another give the index of the whole row whatever the first value was. The value is converted
/// to its tile's type, a NaN becomes canonical.
void argReduceRowsAccumulate(ArgOp op, const TileRef& a, uint32_t base, const TileRef& values,
                             const TileRef& indices);

}  // namespace etalon::numerics
