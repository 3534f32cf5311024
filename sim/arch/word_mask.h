// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace etalon::sim {

inline constexpr uint64_t kWordBits = 64;

/// Bits [from, to) of a word, 0 <= from < to <= 64.
constexpr uint64_t wordMask(uint64_t from, uint64_t to) {
  return (~uint64_t{0} >> (kWordBits - (to - from))) << from;
}

}  // namespace etalon::sim
