// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <random>

#include "isa/state/chain_descriptor.h"
#include "isa/state/tile_register.h"

namespace etalon::sim {

/// Bytes of local memory that operands of a random chain lie in; what is above is the test's.
inline constexpr uint32_t kChainOperandBytes = 5 * 0x8000;

/// A legal et.vx: chain, tiles and how they lie. Every operand the chain names is set; a chain without td has
/// kNoDestination, and then td has no meaning.
struct RandomChain {
  isa::ChainDescriptor chain;
  std::array<isa::TileRegister, 3> sources;
  isa::TileRegister td;
  isa::TileRegister reduction;

  /// The tile that gives rows and columns.
  const isa::TileRegister& shape() const { return chain.writesTd() ? td : sources[0]; }
};

/// A chain of 0 to 8 steps over tiles of random types and layouts: column steps, outer and inner rows, repeated rows
/// and columns, displaced windows, td in place, a reduction folded or in lanes. Same generator state, same chain.
RandomChain randomChain(std::mt19937_64& random);

/// Bits of an element of the type: small numbers, special values (NaN payloads among them) or any bits.
uint32_t randomElement(std::mt19937_64& random, ElementType type);

}  // namespace etalon::sim
