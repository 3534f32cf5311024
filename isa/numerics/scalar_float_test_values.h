// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <random>

namespace etalon::numerics::scalar {

inline constexpr std::array kModes = {Rounding::nearest_even, Rounding::toward_zero, Rounding::down,
                                      Rounding::up, Rounding::nearest_max_magnitude};

/// Bit patterns at which something changes: zeros, subnormal and normal limits, one and its
/// neighbours, the limits of the integer types, overflow, infinities, NaNs of both kinds.
inline constexpr std::array<uint32_t, 46> kDirected = {
    0x00000000, 0x00000001, 0x00000002, 0x00000003, 0x00400000, 0x007ffffe, 0x007fffff, 0x00800000,
    0x00800001, 0x00ffffff, 0x01000000, 0x01000001, 0x1f800000, 0x20000000, 0x33800000, 0x34000000,
    0x3effffff, 0x3f000000, 0x3f000001, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3f800800, 0x3fc00000,
    0x3fffffff, 0x40000000, 0x40200000, 0x40400000, 0x4affffff, 0x4b7fffff, 0x4b800001, 0x4effffff,
    0x4f000000, 0x4f7fffff, 0x4f800000, 0x5effffff, 0x5f000000, 0x5f7fffff, 0x5f800000, 0x7effffff,
    0x7f000000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000, 0x7fc12345};

/// Random operands where the rounding cases are: half of them uniform bits, the others with few set
/// fraction bits and an exponent near a common centre, so that sums cancel, ties occur and results
/// reach both ends of the range.
class OperandSource {
 public:
  explicit OperandSource(uint32_t seed) : random_(seed) {}

  /// Draws the exponent the next operands stand near.
  void recentre() { centre_ = static_cast<int>(random_() % 256); }

  uint32_t next() {
    const uint32_t word = static_cast<uint32_t>(random_());
    if (word & 1) return static_cast<uint32_t>(random_());
    const int exponent = (centre_ + static_cast<int>(word >> 1 & 63) - 32) & 255;
    uint32_t fraction = 1u << (word >> 7 & 31);
    if (word & 0x1000) fraction |= 1u << (word >> 13 & 31);
    if (word & 0x40000) fraction = 0 - fraction;
    return (word & 0x80000000) | static_cast<uint32_t>(exponent) << 23 | (fraction & 0x7fffff);
  }

 private:
  std::mt19937 random_;
  int centre_ = 127;
};

}  // namespace etalon::numerics::scalar
