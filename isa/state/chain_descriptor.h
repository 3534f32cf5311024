// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "isa/elementwise_op.h"
#include "isa/numerics/chain_codes.h"
#include "isa/state/malformed.h"

namespace etalon::isa {

inline constexpr int kChainRegisters = 8;
inline constexpr int kChainImageBytes = 128;
inline constexpr uint8_t kNoTile = 0xFF;

/// What a one-byte selector names.
struct Selector {
  enum class Kind : uint8_t { Reserved, Tile, Temporary, Constant, Displaced };
  Kind kind = Kind::Reserved;
  uint8_t tile = 0;   ///< Tile: 0 a, 1 b, 2 c. Displaced: 0 a, 1 b
  uint8_t index = 0;  ///< number of the temporary, or of the constant (Displaced: the one that
                      ///< holds the displacement, i32 bytes)
};
Selector decodeSelector(uint8_t code);

/// One step: result = op(a, b, c) in compute_type, kept in a temporary as result_type's exact
/// 32-bit widening. All fields raw; a step of a checked chain has legal ones.
struct ChainStep {
  uint8_t op = 0;            ///< ElementwiseOp
  uint8_t compute_type = 0;  ///< f32, i32 or u32
  uint8_t result_type = 0;
  uint8_t mode = 0;
  uint8_t destination = 0;             ///< temporary 0..3
  std::array<uint8_t, 3> selectors{};  ///< a, b, c; those past stepSelectors() are ignored
  bool operator==(const ChainStep&) const = default;
};

/// A chain register: an element-wise program. Layout: isa-reference.md, "Chain descriptor".
/// Steps past nsteps, and the reduction fields without `reduce`, have no meaning; they are kept,
/// so that a stored image is the loaded one, and not checked.
struct ChainDescriptor {
  static constexpr uint8_t kNoDestination = 1, kReduce = 2, kAccumulate = 4;  ///< bits of flags

  uint8_t nsteps = 0;
  uint8_t flags = kNoDestination;
  uint8_t reduction_op = 0;
  uint8_t third_source = kNoTile;    ///< tile register, FF none
  uint8_t reduction_tile = kNoTile;  ///< tile register, FF none
  uint8_t reduction_selector = 0;    ///< a temporary
  uint8_t td_selector = 0;
  std::array<ChainStep, kChainSteps> steps{};
  std::array<uint32_t, kChainConstants> constants{};

  bool operator==(const ChainDescriptor&) const = default;

  bool writesTd() const { return !(flags & kNoDestination); }
  bool reduces() const { return flags & kReduce; }
  bool accumulatesLanes() const { return flags & kAccumulate; }
};

/// The 128-byte image of et.cld, et.cst. Loading drops version and spare bytes: ask
/// checkChainImage first.
ChainDescriptor loadChainImage(std::span<const std::byte, kChainImageBytes> image);
void storeChainImage(const ChainDescriptor& chain, std::span<std::byte, kChainImageBytes> image);

/// Everything et.cld refuses: version, spare bytes, and checkChain of the fields.
std::optional<Malformed> checkChainImage(std::span<const std::byte, kChainImageBytes> image);

/// Rules on the fields; see chain_check.cc for the decisions the manual leaves open. Types of tile
/// operands are asked at et.vx.
std::optional<Malformed> checkChain(const ChainDescriptor& chain);

/// The 32-bit type a temporary has after the first `steps` steps; nullopt while unwritten. For a
/// checked chain.
std::optional<uint8_t> temporaryType(const ChainDescriptor& chain, int temporary, int steps);

}  // namespace etalon::isa
