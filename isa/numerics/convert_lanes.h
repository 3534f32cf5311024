// SPDX-License-Identifier: Apache-2.0
// Branch-free conversions over contiguous elements, compiled once per instruction set; see
// elementwise_lanes.h for why they are tagged. They equal the scalar definitions of float_format.h
// and convert.cc bit for bit (convert_test).
//
// Only pairs with a 32-bit side are here: every other pair of small types goes through f32, i32 or
// u32 exactly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "isa/element_type.h"
#include "isa/numerics/float_format.h"

namespace etalon::numerics {

/// Converts n contiguous elements; src and dst do not overlap and need no alignment.
using ConvertKernel = void (*)(const std::byte* src, std::byte* dst, size_t n);

/// By source, destination and 2 * saturate + toward_zero; nullptr where there is none.
using ConvertTable =
    std::array<std::array<std::array<ConvertKernel, 4>, kElementTypes>, kElementTypes>;

namespace convert_lanes {

template <ElementType Type>
using Storage =
    std::conditional_t<elementInfo(Type).bits == 8, uint8_t,
                       std::conditional_t<elementInfo(Type).bits == 16, uint16_t, uint32_t>>;

constexpr uint32_t kInf = 0x7f800000;

template <class Isa>
constexpr float asFloat(uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}

template <class Isa>
constexpr uint32_t asBits(float value) {
  return __builtin_bit_cast(uint32_t, value);
}

template <class Isa>
constexpr float powerOfTwo(int exponent) {
  return asFloat<Isa>(static_cast<uint32_t>(exponent + 127) << 23);
}

/// Any float type or e8m0 to f32 bits.
template <class Isa, ElementType From>
uint32_t widen(uint32_t code) {
  if constexpr (From == ElementType::e8m0) {
    return code == 0xff ? kNanF32 : code == 0 ? 0x400000u : code << 23;
  } else {
    constexpr FloatFormat kFormat = floatFormat(From);
    constexpr int kShift = 23 - kFormat.mantissa_bits;
    constexpr uint32_t kLeastNormal = 1u << kFormat.mantissa_bits;
    const uint32_t sign = (code >> (kFormat.width() - 1) & 1) << 31;
    const uint32_t magnitude = code & ((1u << (kFormat.width() - 1)) - 1);
    const uint32_t normal =
        (magnitude << kShift) + (static_cast<uint32_t>(127 - kFormat.bias) << 23);
    // A subnormal is an integer count of the least quantum. (bf16's are f32's own: same bias, no
    // change.)
    const float quantum =
        powerOfTwo<Isa>(kFormat.bias == 127 ? 0 : kFormat.emin() - kFormat.mantissa_bits);
    const uint32_t subnormal =
        kFormat.bias == 127
            ? normal
            : asBits<Isa>(static_cast<float>(static_cast<int32_t>(magnitude)) * quantum);
    uint32_t result = magnitude < kLeastNormal ? subnormal : normal;
    if (kFormat.has_inf) result = magnitude == kFormat.over_code ? kInf : result;
    result |= sign;
    return magnitude > (kFormat.has_inf ? kFormat.over_code : kFormat.max_code) ? kNanF32 : result;
  }
}

/// f32 bits to any narrower float type, one rounding.
template <class Isa, ElementType To, bool TowardZero, bool Saturate>
uint32_t narrow(uint32_t bits) {
  constexpr FloatFormat kFormat = floatFormat(To);
  constexpr int kShift = 23 - kFormat.mantissa_bits;
  constexpr uint32_t kRebias = static_cast<uint32_t>(127 - kFormat.bias) << kFormat.mantissa_bits;
  constexpr uint32_t kLeastNormal = static_cast<uint32_t>(kFormat.emin() + 127) << 23;
  const uint32_t magnitude = bits & 0x7fffffff;
  const uint32_t sign = bits >> 31 << (kFormat.width() - 1);
  const uint32_t nearest = TowardZero ? 0 : (1u << (kShift - 1)) - 1 + (magnitude >> kShift & 1);
  uint32_t code = ((magnitude + nearest) >> kShift) - kRebias;
  if constexpr (kFormat.bias != 127) {
    // Below the normals the quantum is fixed: the host's own addition (or truncation) rounds to it.
    const float value = asFloat<Isa>(magnitude < kLeastNormal ? magnitude : 0);
    uint32_t subnormal = 0;
    if constexpr (TowardZero) {
      subnormal = static_cast<uint32_t>(
          static_cast<int32_t>(value * powerOfTwo<Isa>(kFormat.mantissa_bits - kFormat.emin())));
    } else {
      const float magic = powerOfTwo<Isa>(23 - kFormat.mantissa_bits + kFormat.emin());
      subnormal = asBits<Isa>(value + magic) - asBits<Isa>(magic);
    }
    code = magnitude < kLeastNormal ? subnormal : code;
  }
  constexpr bool kClamps = kFormat.saturates && Saturate;
  const bool clamps = kClamps || (TowardZero && magnitude < kInf);
  const uint32_t over = clamps ? kFormat.max_code : kFormat.over_code;
  code = code > kFormat.max_code ? over : code;
  if (kFormat.has_inf) {
    code |= sign;
  } else {
    code = code == kFormat.nan_code ? code : code | sign;
  }
  return magnitude > kInf ? kFormat.nan_code : code;
}

/// f32 bits to an integer type of up to 32 bits, saturating, NaN 0.
template <class Isa, ElementType To, bool TowardZero>
uint32_t toInteger(uint32_t bits) {
  constexpr bool kSigned = elementInfo(To).kind == ElementKind::Int;
  constexpr int kWidth = elementInfo(To).bits;
  const float high =
      powerOfTwo<Isa>(kSigned ? kWidth - 1 : kWidth);  // the first value above the range
  const float low = kSigned ? -high : 0.0f;
  const float given = asFloat<Isa>(bits);
  const float number = given == given ? given : 0.0f;
  const float whole = TowardZero ? __builtin_truncf(number) : __builtin_rintf(number);
  const float raised = whole < low ? low : whole;
  const bool over = raised >= high;
  const float in_range = over ? 0.0f : raised;
  uint32_t result = 0;
  if constexpr (To == ElementType::u32) {
    const bool upper = in_range >= 0x1p31f;
    const float reduced = upper ? in_range - 0x1p31f : in_range;
    result = static_cast<uint32_t>(static_cast<int32_t>(reduced)) ^ (upper ? 0x80000000u : 0u);
  } else {
    result = static_cast<uint32_t>(static_cast<int32_t>(in_range));
  }
  constexpr uint32_t kMost =
      kSigned ? (uint32_t{1} << (kWidth - 1)) - 1 : ~uint32_t{0} >> (32 - kWidth);
  return over ? kMost : result;
}

/// i32 or u32 to an integer type of up to 32 bits.
template <class Isa, ElementType From, ElementType To, bool Saturate>
uint32_t integerToInteger(uint32_t bits) {
  if constexpr (!Saturate) return bits;
  constexpr bool kFromSigned = elementInfo(From).kind == ElementKind::Int;
  constexpr bool kToSigned = elementInfo(To).kind == ElementKind::Int;
  constexpr int kWidth = elementInfo(To).bits;
  constexpr uint32_t kMost = ~uint32_t{0} >> (32 - kWidth + (kToSigned ? 1 : 0));
  if constexpr (!kFromSigned) return bits > kMost ? kMost : bits;
  const int32_t value = static_cast<int32_t>(bits);
  constexpr int32_t kLeast = kToSigned ? -static_cast<int32_t>(kMost) - 1 : 0;
  const int32_t raised = value < kLeast ? kLeast : value;
  if constexpr (kMost > 0x7fffffff) return static_cast<uint32_t>(raised);
  return raised > static_cast<int32_t>(kMost) ? kMost : static_cast<uint32_t>(raised);
}

template <class Isa, ElementType From, ElementType To, bool TowardZero, bool Saturate>
uint32_t convert(uint32_t code) {
  constexpr bool kFromInteger = isInteger(From);
  constexpr bool kToInteger = isInteger(To);
  if constexpr (kFromInteger && elementInfo(From).bits < 32) {
    if constexpr (elementInfo(From).kind == ElementKind::UInt) return code;
    constexpr int kUp = 32 - elementInfo(From).bits;
    return static_cast<uint32_t>(static_cast<int32_t>(code << kUp) >> kUp);
  } else if constexpr (kFromInteger && kToInteger) {
    return integerToInteger<Isa, From, To, Saturate>(code);
  } else if constexpr (From == ElementType::i32) {
    return asBits<Isa>(static_cast<float>(static_cast<int32_t>(code)));
  } else if constexpr (From == ElementType::u32) {
    return asBits<Isa>(static_cast<float>(code));
  } else if constexpr (From == ElementType::f32 && kToInteger) {
    return toInteger<Isa, To, TowardZero>(code);
  } else if constexpr (From == ElementType::f32 && To == ElementType::f32) {
    return (code & 0x7fffffff) > kInf ? kNanF32 : code;
  } else if constexpr (From == ElementType::f32) {
    return narrow<Isa, To, TowardZero, Saturate>(code);
  } else {
    return widen<Isa, From>(code);
  }
}

template <class Isa, ElementType From, ElementType To, bool TowardZero, bool Saturate>
void kernel(const std::byte* __restrict src, std::byte* __restrict dst, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    Storage<From> code;
    __builtin_memcpy(&code, src + i * sizeof(code), sizeof(code));
    const auto result = static_cast<Storage<To>>(
        convert<Isa, From, To, TowardZero, Saturate>(static_cast<uint32_t>(code)));
    __builtin_memcpy(dst + i * sizeof(result), &result, sizeof(result));
  }
}

template <class Isa, ElementType From, ElementType To>
constexpr void fill(ConvertTable& table) {
  auto& modes = table[static_cast<size_t>(From)][static_cast<size_t>(To)];
  modes[0] = kernel<Isa, From, To, false, false>;
  modes[2] = kernel<Isa, From, To, false, true>;
  // f32 has no rounding of 32-bit integers toward zero of the host's own; that pair stays with the
  // scalar definition.
  if constexpr (isInteger(From) && !isInteger(To)) return;
  modes[1] = kernel<Isa, From, To, true, false>;
  modes[3] = kernel<Isa, From, To, true, true>;
}

template <class Isa, ElementType Wide, ElementType... Narrow>
constexpr void fillBoth(ConvertTable& table) {
  (fill<Isa, Narrow, Wide>(table), ...);
  (fill<Isa, Wide, Narrow>(table), ...);
}

}  // namespace convert_lanes

template <class Isa>
constexpr ConvertTable makeConvertTable() {
  using namespace convert_lanes;
  using enum ElementType;
  ConvertTable table{};
  fillBoth<Isa, f32, bf16, f16, f8e4m3, f8e5m2>(table);
  fill<Isa, e8m0, f32>(table);
  fill<Isa, f32, f32>(table);
  fill<Isa, i8, i32>(table);
  fill<Isa, i16, i32>(table);
  fill<Isa, u8, u32>(table);
  fill<Isa, u16, u32>(table);
  const auto fillIntegers = [&]<ElementType... To>() {
    (fill<Isa, i32, To>(table), ...);
    (fill<Isa, u32, To>(table), ...);
    (fill<Isa, f32, To>(table), ...);
  };
  fillIntegers.template operator()<i8, u8, i16, u16, i32, u32>();
  fill<Isa, i32, f32>(table);
  fill<Isa, u32, f32>(table);
  return table;
}

}  // namespace etalon::numerics
