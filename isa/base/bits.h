// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace etalon {

static_assert(std::endian::native == std::endian::little, "the models assume a little-endian host");

/// Bits hi..lo of value, right aligned.
constexpr uint64_t bits(uint64_t value, int hi, int lo) {
  return (value >> lo) & (hi - lo == 63 ? ~uint64_t{0} : (uint64_t{1} << (hi - lo + 1)) - 1);
}

/// The low `width` bits of value as a signed number, 1 <= width <= 64.
constexpr int64_t signExtend(uint64_t value, int width) {
  return static_cast<int64_t>(value << (64 - width)) >> (64 - width);
}

/// One step of a hash that depends on every bit of both: for tables and checksums of one host, never for what is published.
constexpr uint64_t mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 32);
}

template <class T>
T loadBytes(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

template <class T>
void storeBytes(void* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

}  // namespace etalon
