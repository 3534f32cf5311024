// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/init_map.h"

#include <algorithm>
#include <bit>

namespace etalon::sim {
namespace {

constexpr uint64_t kWordBits = 64;

// Bits [from, to) of a word, 0 <= from < to <= 64.
uint64_t wordMask(uint64_t from, uint64_t to) {
  return (~uint64_t{0} >> (kWordBits - (to - from))) << from;
}

}  // namespace

Result<InitMap> InitMap::create(uint64_t bytes, std::string_view what) {
  // One word beyond the last bit: a scalar access at the end reads 16 bits.
  auto bits = Backing::create(bytes / 8 + sizeof(uint64_t) + 1, what);
  if (!bits.ok()) return bits.error();
  return InitMap(std::move(bits).value(), bytes);
}

void InitMap::setLong(uint64_t offset, uint64_t length) {
  auto* words = bits_.as<uint64_t>();
  const uint64_t end = offset + length;
  while (offset < end) {
    const uint64_t base = offset / kWordBits * kWordBits;
    const uint64_t to = std::min(end - base, kWordBits);
    words[base / kWordBits] |= wordMask(offset - base, to);
    offset = base + to;
  }
}

std::optional<uint64_t> InitMap::firstUnsetLong(uint64_t offset, uint64_t length) const {
  const auto* words = bits_.as<uint64_t>();
  const uint64_t end = offset + length;
  while (offset < end) {
    const uint64_t base = offset / kWordBits * kWordBits;
    const uint64_t to = std::min(end - base, kWordBits);
    const uint64_t missing = wordMask(offset - base, to) & ~words[base / kWordBits];
    if (missing != 0) return base + static_cast<uint64_t>(std::countr_zero(missing));
    offset = base + to;
  }
  return std::nullopt;
}

}  // namespace etalon::sim
