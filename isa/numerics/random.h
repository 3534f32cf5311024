// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/numerics/tile_ref.h"

namespace etalon::numerics {

/// What becomes of a random word.
enum class Distribution : uint8_t {
  Bits,     ///< the word itself, u32
  Uniform,  ///< its 24 high bits as a multiple of 2^-24 in [0, 1), f32, exact
};

/// td(r, c) from word number base + r * pitch + c (modulo 2^64) of a seed's stream, see philox.h: a
/// tile cut in pieces has the same elements.
void randomTile(Distribution distribution, const TileRef& td, uint64_t base, uint64_t pitch,
                uint64_t seed, uint64_t stream);

}  // namespace etalon::numerics
