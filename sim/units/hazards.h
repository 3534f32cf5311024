// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/units/token.h"

namespace etalon::sim {

/// What a younger instruction waits for before it may start.
enum class Hazard : uint8_t {
  none,
  write_after_read,  // until the older one has read its last source byte
  after_write,  // read after write, write after write: until the older one's last byte is written
};

/// isa::mayOverlap of two operands in local memory; a displaced one counts by its span.
bool mayOverlap(const TileUse& a, const TileUse& b);

/// The hazard of `younger` behind `older` by mayOverlap (docs/spec/03-operations.md), over every pair of operands of which
/// one is written.
Hazard hazardBetween(const Token& older, const Token& younger);

/// The hazard of a scalar access to bytes of own local memory behind a tile instruction; `writes`: a store.
Hazard hazardOfLocalAccess(const Token& older, const ByteSpan& bytes, bool writes);

/// True if `older` reads or writes bytes that the tile or the view may overlap (et.fence.t, et.fence.v).
bool mayTouch(const Token& older, const TileUse& tile);
bool mayTouch(const Token& older, const ViewUse& view);

}  // namespace etalon::sim
