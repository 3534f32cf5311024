// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/init_map.h"

#include <bit>

#include "sim/arch/word_mask.h"

namespace etalon::sim {

Result<InitMap> InitMap::create(uint64_t bytes, std::string_view what) {
  // One word beyond the last bit: a scalar access at the end reads 16 bits.
  auto bits = Backing::create(bytes / 8 + sizeof(uint64_t) + 1, what);
  if (!bits.ok()) return bits.error();
  return InitMap(std::move(bits).value(), bytes);
}

void InitMap::setLong(uint64_t offset, uint64_t length) {
  auto* words = bits_.as<uint64_t>();
  const uint64_t end = offset + length;
  uint64_t word = offset / kWordBits;
  const uint64_t last = (end - 1) / kWordBits;
  const uint64_t from = offset % kWordBits;
  const uint64_t to = end - last * kWordBits;
  if (word == last) {
    words[word] |= wordMask(from, to);
    return;
  }
  words[word] |= wordMask(from, kWordBits);
  fillWords(words + word + 1, words + last, ~uint64_t{0});
  words[last] |= wordMask(0, to);
}

void InitMap::clearRange(uint64_t offset, uint64_t length) {
  ETALON_CHECK(offset % kWordBits == 0 && length % kWordBits == 0, "whole words of the map");
  auto* words = bits_.as<uint64_t>();
  fillWords(words + offset / kWordBits, words + (offset + length) / kWordBits, uint64_t{0});
}

std::optional<uint64_t> InitMap::firstUnsetLong(uint64_t offset, uint64_t length) const {
  const auto* words = bits_.as<uint64_t>();
  const uint64_t end = offset + length;
  const uint64_t first = offset / kWordBits;
  const uint64_t last = (end - 1) / kWordBits;
  const auto mask = [&](uint64_t word) {
    return wordMask(word == first ? offset % kWordBits : 0,
                    word == last ? end - last * kWordBits : kWordBits);
  };
  // All of the inner words at once: a loop without a way out is one the compiler vectorises.
  uint64_t all = (words[first] | ~mask(first)) & (words[last] | ~mask(last));
  for (uint64_t word = first + 1; word < last; ++word) all &= words[word];
  if (all == ~uint64_t{0}) [[likely]]
    return std::nullopt;
  for (uint64_t word = first;; ++word) {
    const uint64_t missing = mask(word) & ~words[word];
    if (missing != 0) return word * kWordBits + static_cast<uint64_t>(std::countr_zero(missing));
  }
}

}  // namespace etalon::sim
