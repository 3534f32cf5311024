// SPDX-License-Identifier: Apache-2.0
// Elements of 4 bits: two to a byte, the even one in bits 3:0.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "isa/element_type.h"
#include "isa/numerics/convert.h"

namespace etalon::numerics {

/// Element `at`, counted from the low half of data[0].
inline uint32_t loadNibble(const std::byte* data, uint64_t at) {
  return std::to_integer<uint32_t>(data[at / 2] >> (at % 2 * 4)) & 15;
}

/// Leaves the other half of the byte.
inline void storeNibble(std::byte* data, uint64_t at, uint32_t code) {
  std::byte& byte = data[at / 2];
  const auto low = at % 2 == 0;
  byte = (byte & std::byte{static_cast<uint8_t>(low ? 0xf0 : 0x0f)}) |
         std::byte{static_cast<uint8_t>((code & 15) << (low ? 0 : 4))};
}

/// Every code of a 4-bit type widened exactly: f32, i32 or u32.
inline std::array<uint32_t, 16> widenedNibbles(ElementType type) {
  std::array<uint32_t, 16> table;
  for (uint32_t code = 0; code < table.size(); ++code)
    table[code] = isInteger(type) ? static_cast<uint32_t>(widenToInt(type, code))
                                  : std::bit_cast<uint32_t>(widenToFloat(type, code));
  return table;
}

}  // namespace etalon::numerics
