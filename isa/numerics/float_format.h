// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

#include "isa/base/check.h"
#include "isa/numerics/convert.h"

namespace etalon::numerics {

/// What the fields of a float type do not say: its top codes.
struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  uint32_t max_code;   ///< greatest finite magnitude
  uint32_t nan_code;   ///< canonical NaN; what NaN becomes where there is none
  uint32_t over_code;  ///< non-saturating overflow and infinity
  bool has_inf;
  bool has_nan;
  bool saturates;  ///< obeys the saturation flag

  constexpr int emin() const { return 1 - bias; }
  constexpr int width() const { return 1 + exponent_bits + mantissa_bits; }
};

constexpr FloatFormat floatFormat(ElementType type) {
  const ElementInfo& info = elementInfo(type);
  FloatFormat f{info.exponent_bits, info.mantissa_bits, info.bias, 0, 0, 0, true, true, false};
  const uint32_t inf = ((1u << f.exponent_bits) - 1) << f.mantissa_bits;
  f.max_code = inf - 1;
  f.over_code = inf;
  f.nan_code = inf | (1u << f.mantissa_bits >> 1);
  if (type == ElementType::f8e5m2) f.saturates = true;
  if (type == ElementType::f8e4m3) {
    f.max_code = 0x7e;
    f.nan_code = f.over_code = 0x7f;
    f.has_inf = false;
    f.saturates = true;
  }
  if (type == ElementType::f4e2m1) {
    f.max_code = f.nan_code = f.over_code = 7;
    f.has_inf = f.has_nan = false;
    f.saturates = true;
  }
  return f;
}

/// floor(2^32 * fraction) of significand / 2^shift.
constexpr uint64_t fraction32(uint64_t significand, int shift) {
  if (shift <= 0) return 0;
  const uint64_t dropped = shift < 64 ? significand & ((uint64_t{1} << shift) - 1) : significand;
  if (shift <= 32) return dropped << (32 - shift);
  return shift < 96 ? dropped >> (shift - 32) : 0;
}

/// Code (without sign) of significand * 2^exponent in a format, one rounding. The scalar definition
/// of rounding; stochastic rounding takes its random word from `word`.
constexpr uint32_t roundMagnitude(const FloatFormat& f, uint64_t significand, int exponent,
                                  Rounding rounding, bool saturate, uint32_t word = 0) {
  if (significand == 0) return 0;
  const int top = 63 - std::countl_zero(significand) + exponent;  // floor(log2 of the value)
  const int scale = top > f.emin() ? top : f.emin();
  const int shift =
      scale - f.mantissa_bits - exponent;  // bits below the quantum of the destination
  uint64_t mantissa = 0;
  uint64_t dropped = 0;
  uint64_t half = 1;
  if (shift <= 0) {
    mantissa = significand << -shift;
  } else if (shift <= 64) {
    mantissa = shift == 64 ? 0 : significand >> shift;
    dropped = shift == 64 ? significand : significand & ((uint64_t{1} << shift) - 1);
    half = uint64_t{1} << (shift - 1);
  }
  bool up = rounding == Rounding::NearestEven && shift > 0 &&
            (dropped > half || (dropped == half && (mantissa & 1) != 0));
  if (rounding == Rounding::Stochastic) up = (fraction32(significand, shift) + word) >> 32 != 0;
  mantissa += up ? 1 : 0;
  // Adding the mantissa with its leading one carries into the exponent field, also when rounding
  // overflowed it.
  const int64_t code =
      (static_cast<int64_t>(scale - f.emin()) << f.mantissa_bits) + static_cast<int64_t>(mantissa);
  if (code <= int64_t{f.max_code}) return static_cast<uint32_t>(code);
  const bool clamp = rounding == Rounding::TowardZero || (f.saturates && saturate);
  return clamp ? f.max_code : f.over_code;
}

constexpr uint32_t withSign(const FloatFormat& f, bool negative, uint32_t magnitude) {
  return magnitude | (negative ? 1u << (f.width() - 1) : 0u);
}

/// The scalar definition of f32 to a format.
constexpr uint32_t roundFloatBits(const FloatFormat& f, uint32_t bits, Rounding rounding,
                                  bool saturate, uint32_t word = 0) {
  const bool negative = bits >> 31 != 0;
  const uint32_t exponent = bits >> 23 & 0xff;
  const uint32_t fraction = bits & 0x7fffff;
  if (exponent == 0xff && fraction != 0) return f.nan_code;
  if (exponent == 0xff) {
    if (f.saturates && (saturate || !f.has_nan)) return withSign(f, negative, f.max_code);
    return f.has_inf ? withSign(f, negative, f.over_code) : f.nan_code;
  }
  const uint64_t significand = exponent == 0 ? fraction : fraction | 0x800000;
  const int scale = (exponent == 0 ? 1 : static_cast<int>(exponent)) - 150;
  const uint32_t magnitude = roundMagnitude(f, significand, scale, rounding, saturate, word);
  const bool nan = f.has_nan && !f.has_inf && magnitude == f.nan_code;
  return nan ? f.nan_code : withSign(f, negative, magnitude);
}

/// The scalar definition of a float type (not e8m0) to f32.
constexpr uint32_t widenFloatBits(const FloatFormat& f, uint32_t code) {
  const uint32_t sign = (code >> (f.width() - 1) & 1) << 31;
  const uint32_t magnitude = code & ((1u << (f.width() - 1)) - 1);
  if (magnitude > f.max_code)
    return f.has_inf && magnitude == f.over_code ? sign | 0x7f800000 : kNanF32;
  const uint32_t exponent = magnitude >> f.mantissa_bits;
  const uint32_t fraction = magnitude & ((1u << f.mantissa_bits) - 1);
  const uint64_t significand = exponent == 0 ? fraction : fraction | (1u << f.mantissa_bits);
  const int scale = (exponent == 0 ? 1 : static_cast<int>(exponent)) - f.bias - f.mantissa_bits;
  return sign | roundMagnitude(floatFormat(ElementType::f32), significand, scale,
                               Rounding::NearestEven, false);
}

}  // namespace etalon::numerics
