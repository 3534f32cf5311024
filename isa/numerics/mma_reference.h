// SPDX-License-Identifier: Apache-2.0
// Tile product in exact integer arithmetic, for tests. Shares nothing with isa/numerics but
// TileRef: own decoders, own addressing, own rounding.
#pragma once

#include <cstdint>

#include "isa/numerics/tile_ref.h"

namespace etalon::reference {

/// RNE_f32(a*b + c) on f32 bits, from the exact value; NaN is 0x7fc00000.
uint32_t exactFma(uint32_t a, uint32_t b, uint32_t c);

/// A tile and what links name beside it, as isa.md section 3 has it; A alone has metadata.
struct Source {
  numerics::TileRef tile;
  const numerics::TileRef* scales = nullptr;
  const numerics::TileRef* metadata = nullptr;
};

/// acc = A * B [+ acc], as isa.md section 5 says.
void product(const Source& a, const Source& b, const numerics::TileRef& acc, bool accumulate);

}  // namespace etalon::reference
