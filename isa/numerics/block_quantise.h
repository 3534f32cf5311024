// SPDX-License-Identifier: Apache-2.0
// Block quantise and dequantise: elements of 4 and 8 bits, 32 of a row sharing a power of two.
#pragma once

#include <cstdint>

#include "isa/numerics/contract.h"
#include "isa/numerics/tile_ref.h"

namespace etalon::numerics {

/// Columns of a row that share a scale; the last block of a row may be short.
inline constexpr uint32_t kQuantiseBlock = 32;

/// How the scale of a block follows from amax, its greatest magnitude.
enum class ScaleChoice : uint8_t {
  binade,  ///< amax / scale stands in the highest binade of the type; elements above its greatest saturate
  unsaturated,  ///< the least scale for which no element saturates: that, or twice that
};

/// td = a / scale, rounded once to nearest even, saturating; scales(r, b) is that of block b of row r.
///
/// a        any float of 8 bits and more; td: f8e4m3, f8e5m2, f4e2m1, the shape of a; scales: e8m0,
///          rows x ceil(columns / 32). Shapes have been checked, nothing overlaps.
/// scale    2^(floor(log2 amax) - emax), emax the exponent of td's greatest value, within
///          2^-127 .. 2^127. amax 0: code 0. A NaN or infinity: code 0xff and elements +0.
/// contract nullptr: canonical. Scales are canonical under every contract, elements are rounded by
///          its conversions.
/// Source   OCP Microscaling Formats 1.0, section 6.3; docs/spec/06-vector.md, quant.
void quantiseBlocks(ScaleChoice choice, const TileRef& a, const TileRef& td, const TileRef& scales,
                    const VectorContract* contract = nullptr);

/// td = a * scale: RNE to f32, which only an overflow makes inexact, then rounded once to td's type
/// (nearest even, FP8 not saturating) or by the contract's conversions. The scale 0xff makes its
/// block NaN. Types and shapes as above, td and a changed over.
void dequantiseBlocks(const TileRef& a, const TileRef& scales, const TileRef& td,
                      const VectorContract* contract = nullptr);

}  // namespace etalon::numerics
