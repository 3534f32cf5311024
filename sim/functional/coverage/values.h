// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>
#include <vector>

#include "sim/functional/coverage/reference/model.h"

namespace etalon::sim::coverage {

using Random = std::mt19937_64;

/// Kinds of element values a case is filled with.
///   random    every bit pattern alike
///   moderate  numbers near 1, so that sums do not drown
///   special   zeros, ones, infinities, NaNs with payloads, subnormals, greatest and least
///   extreme   greatest, least and smallest magnitudes only: overflow and underflow
const std::vector<std::string>& valueKinds();

/// Bits of one element of the kind.
uint64_t elementOfKind(ElementType type, const std::string& kind, Random& random);

/// Fills every element of a tile.
void fillTile(reference::Memory& memory, const reference::Tile& tile, const std::string& kind,
              Random& random);

}  // namespace etalon::sim::coverage
