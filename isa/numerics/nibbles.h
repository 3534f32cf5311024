// SPDX-License-Identifier: Apache-2.0
// Elements of 4 bits: two to a byte, the even one in bits 3:0.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "isa/element_type.h"
#include "isa/numerics/contract.h"
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

/// Writes elements in ascending order: one in a low half writes its byte whole, the high half then 0.
inline void appendNibble(std::byte* data, uint64_t at, uint32_t code) {
  if (at % 2 == 0)
    data[at / 2] = std::byte{static_cast<uint8_t>(code & 15)};
  else
    storeNibble(data, at, code);
}

/// Every code of a 4-bit type widened exactly: f32, i32 or u32.
inline std::array<uint32_t, 16> widenedNibbles(ElementType type) {
  std::array<uint32_t, 16> table;
  for (uint32_t code = 0; code < table.size(); ++code)
    table[code] = isInteger(type) ? static_cast<uint32_t>(widenToInt(type, code))
                                  : std::bit_cast<uint32_t>(widenToFloat(type, code));
  return table;
}

/// A run of elements in memory: element i stands at data + i * stride bytes; of a 4-bit type it is
/// nibble `nibble` + i * stride, counted from the low half of `data`.
struct ElementRun {
  std::byte* data;
  int64_t stride;
  int64_t nibble = 0;
};

/// Brings runs of elements from one type to another, one of them or both of 4 bits.
///
/// Equal types move bits, others convert as convertElement() or by a declared rule. A destination of
/// 4 bits is written as appendNibble() has it, so that runs come in ascending order and a byte whose
/// high half is no element's has 0 there.
class NibbleMover {
 public:
  /// `rule`: nullptr for the canonical conversions; outlives the mover.
  NibbleMover(const ConversionRule* rule, ElementType from, ElementType to, ConvertMode mode);
  void run(const ElementRun& src, const ElementRun& dst, size_t n) const;

 private:
  uint64_t convert(uint64_t bits) const;
  uint64_t load(const ElementRun& run, size_t i) const;

  const ConversionRule* rule_;
  ElementType from_, to_;
  ConvertMode mode_;
  int from_bits_, to_bits_;
  std::array<uint64_t, 16> table_{};  // of the codes of a 4-bit source
};

}  // namespace etalon::numerics
