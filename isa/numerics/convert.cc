// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/convert.h"

#include <bit>

#include "isa/base/bits.h"
#include "isa/base/check.h"
#include "isa/numerics/float_format.h"

namespace etalon::numerics {
namespace {

/// Least and greatest value of an integer type.
struct IntRange {
  int64_t low;
  int64_t high;
};

constexpr IntRange intRange(ElementType type) {
  const ElementInfo& info = elementInfo(type);
  if (info.kind == ElementKind::UInt) return {0, (int64_t{1} << info.bits) - 1};
  const int64_t high = static_cast<int64_t>((uint64_t{1} << (info.bits - 1)) - 1);
  return {-high - 1, high};
}

constexpr uint64_t lowBits(uint64_t value, int width) { return bits(value, width - 1, 0); }

uint64_t intToFloat(int64_t value, ElementType to, Rounding rounding, bool saturate,
                    uint32_t word = 0) {
  const FloatFormat format = floatFormat(to);
  const uint64_t magnitude =
      value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  const uint32_t code = roundMagnitude(format, magnitude, 0, rounding, saturate, word);
  const bool nan = !format.has_inf && format.has_nan && code == format.nan_code;
  return nan ? code : withSign(format, value < 0, code);
}

uint64_t floatToInt(uint32_t f32_bits, ElementType to, Rounding rounding) {
  const IntRange range = intRange(to);
  const int exponent = static_cast<int>(f32_bits >> 23 & 0xff);
  const uint32_t fraction = f32_bits & 0x7fffff;
  const bool negative = f32_bits >> 31 != 0;
  if (exponent == 0xff && fraction != 0) return 0;
  int64_t value = 0;
  const int shift = exponent - 150;
  const uint64_t significand = exponent == 0 ? fraction : fraction | 0x800000;
  if (shift >= 40) {  // at least 2^63
    value = negative ? range.low : range.high;
    return lowBits(static_cast<uint64_t>(value), elementInfo(to).bits);
  }
  if (shift >= 0) {
    value = static_cast<int64_t>(significand << shift);
  } else if (shift >= -25) {
    value = static_cast<int64_t>(significand >> -shift);
    const uint64_t dropped = significand & ((uint64_t{1} << -shift) - 1);
    const uint64_t half = uint64_t{1} << (-shift - 1);
    if (rounding == Rounding::NearestEven &&
        (dropped > half || (dropped == half && (value & 1) != 0)))
      ++value;
  }
  if (negative) value = -value;
  if (value < range.low) value = range.low;
  if (value > range.high) value = range.high;
  return lowBits(static_cast<uint64_t>(value), elementInfo(to).bits);
}

uint64_t intToInt(int64_t value, ElementType to, bool saturate) {
  if (saturate) {
    const IntRange range = intRange(to);
    if (value < range.low) value = range.low;
    if (value > range.high) value = range.high;
  }
  return lowBits(static_cast<uint64_t>(value), elementInfo(to).bits);
}

}  // namespace

uint32_t canonicalNan(ElementType type) {
  ETALON_CHECK(isFloat(type), "only float types have a NaN");
  return floatFormat(type).nan_code;
}

float widenToFloat(ElementType type, uint32_t code) {
  if (type == ElementType::e8m0) {
    const uint32_t b = code & 0xff;
    if (b == 0xff) return std::bit_cast<float>(kNanF32);
    return std::bit_cast<float>(b == 0 ? 0x400000u : b << 23);
  }
  ETALON_CHECK(isFloat(type), "widenToFloat takes float types and e8m0");
  return std::bit_cast<float>(widenFloatBits(floatFormat(type), code));
}

int64_t widenToInt(ElementType type, uint64_t code) {
  ETALON_CHECK(isInteger(type), "widenToInt takes integer types");
  const ElementInfo& info = elementInfo(type);
  if (info.kind == ElementKind::UInt) return static_cast<int64_t>(lowBits(code, info.bits));
  return signExtend(code, info.bits);
}

uint32_t roundFromFloat(ElementType to, float value, Rounding rounding, bool saturate) {
  ETALON_CHECK(isFloat(to), "roundFromFloat rounds to float types");
  ETALON_CHECK(rounding != Rounding::Stochastic, "convertStochastic rounds with random words");
  return roundFloatBits(floatFormat(to), std::bit_cast<uint32_t>(value), rounding, saturate);
}

uint64_t convertElement(ElementType from, uint64_t code, ElementType to, Rounding rounding,
                        bool saturate) {
  ETALON_CHECK(convertible(from, to), "no conversion to e8m0 is defined");
  ETALON_CHECK((ConvertMode{rounding, saturate}.supported()),
               "reserved rounding mode; decoders refuse it");
  if (to == ElementType::e8m0) return code & 0xff;
  if (isInteger(from)) {
    const int64_t value = widenToInt(from, code);
    return isInteger(to) ? intToInt(value, to, saturate)
                         : intToFloat(value, to, rounding, saturate);
  }
  const float value = widenToFloat(from, static_cast<uint32_t>(code));
  if (isInteger(to)) return floatToInt(std::bit_cast<uint32_t>(value), to, rounding);
  return roundFromFloat(to, value, rounding, saturate);
}

uint64_t convertStochastic(ElementType from, uint64_t code, ElementType to, bool saturate,
                           uint32_t word) {
  ETALON_CHECK(isFloat(to), "only conversions to float types round stochastically");
  constexpr Rounding kRounding = Rounding::Stochastic;
  if (isInteger(from)) return intToFloat(widenToInt(from, code), to, kRounding, saturate, word);
  const float value = widenToFloat(from, static_cast<uint32_t>(code));
  return roundFloatBits(floatFormat(to), std::bit_cast<uint32_t>(value), kRounding, saturate, word);
}

}  // namespace etalon::numerics
