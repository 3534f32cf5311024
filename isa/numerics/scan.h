// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/numerics/reduce.h"

namespace etalon::numerics {

struct ScanMode {
  bool exclusive = false;  ///< an element sees those before it, not itself
  bool reverse = false;    ///< from the last column to the first
};

/// Scans along the rows of a into td (same shape): acc = acc op element, carried unrounded in the
/// 32-bit type a widens to; every output is acc after (inclusive) or before (exclusive) its
/// element, rounded once to td's type.
///
/// acc starts at the identity (sum -0), or at the carry: rows x 1, inout, left at the final acc (an
/// f32, i32 or u32 tile carries unrounded). carry may be nullptr. NaNs are canonical. td may be a.
/// With a contract, its arithmetic and conversions.
void scanRows(ReduceOp op, ScanMode mode, const TileRef& a, const TileRef& td, const TileRef* carry,
              const VectorContract* contract = nullptr);

/// h = RNE(a * h + b), one rounding of the exact value as in multiply-accumulate, along the rows
/// (or from the last column with `reverse`); h starts at the carry (rows x 1, inout), +0 without
/// one, and is carried in f32. Every h goes to td, rounded once to its type. td may be a or b.
void recurRows(bool reverse, const TileRef& a, const TileRef& b, const TileRef& td,
               const TileRef* carry, const VectorContract* contract = nullptr);

}  // namespace etalon::numerics
