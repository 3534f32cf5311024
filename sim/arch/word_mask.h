// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace etalon::sim {

inline constexpr uint64_t kWordBits = 64;

/// Bits [from, to) of a word, 0 <= from < to <= 64.
constexpr uint64_t wordMask(uint64_t from, uint64_t to) {
  return (~uint64_t{0} >> (kWordBits - (to - from))) << from;
}

/// Writes `value` to the words of [first, end). The runs of a tile are mostly a few words, for which a call of memset, which
/// compilers make of a plain loop, costs more than the stores.
inline void fillWords(uint64_t* first, uint64_t* end, uint64_t value) {
  constexpr ptrdiff_t kFew = 8;
  if (end - first > kFew) return std::fill(first, end, value);
  for (volatile uint64_t* word = first; word < end; word = word + 1) *word = value;
}

}  // namespace etalon::sim
