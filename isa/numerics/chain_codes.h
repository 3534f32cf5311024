// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/elementwise_op.h"

namespace etalon {

// Codes that chain registers hold and that executing a chain goes by (isa-reference.md, "Chain
// descriptor"): one place for the descriptor (isa/state) and for its execution (isa/numerics).

inline constexpr int kChainSteps = 8;
inline constexpr int kTemporaries = 4;
inline constexpr int kChainConstants = 12;

inline constexpr uint8_t kSelectorTile = 0;         ///< + 0..2: tile a, b, c
inline constexpr uint8_t kSelectorTemporary = 8;    ///< + 0..3
inline constexpr uint8_t kSelectorConstant = 16;    ///< + 0..11
inline constexpr uint8_t kSelectorDisplacedA = 32;  ///< + 0..11: tile a, displaced by a constant
inline constexpr uint8_t kSelectorDisplacedB = 48;  ///< + 0..11
inline constexpr uint8_t kSelectorEnd = kSelectorDisplacedB + kChainConstants;

enum class ReduceOp : uint8_t { Sum = 0, Prod = 1, Max = 2, Min = 3 };

/// Rounding of a conversion: bits 2:0 of a mode byte. A stochastic one has a second source, the
/// random words.
enum class Rounding : uint8_t { NearestEven = 0, TowardZero = 1, Stochastic = 2 };
inline constexpr uint8_t kModeRoundingMask = 7;
inline constexpr uint8_t kModeSaturate = 8;

constexpr bool roundsStochastically(uint8_t mode) {
  return static_cast<Rounding>(mode & kModeRoundingMask) == Rounding::Stochastic;
}

/// Selectors a, b, c that a step has: those of its operation, and b with the random words of a
/// stochastic conversion.
constexpr int stepSelectors(const ElementwiseInfo& info, uint8_t mode) {
  return info.op == ElementwiseOp::cvt && roundsStochastically(mode) ? 2 : info.arity;
}

}  // namespace etalon
