// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/coverage/reference/number.h"

#include <bit>
#include <cmath>
#include <limits>

namespace etalon::reference {
namespace {

/// A binary float format by its definition (OCP OFP8, OCP MX, IEEE 754, bf16).
struct Format {
  int exponent_bits, mantissa_bits, bias;
  bool infinities;  // the greatest exponent field holds Inf and NaN
  uint64_t nan;     // canonical
  double greatest;  // finite
  bool saturates;   // has a saturating mode
};

Format formatOf(ElementType type) {
  switch (type) {
    case ElementType::f4e2m1: return {2, 1, 1, false, 0x7, 6, true};
    case ElementType::f8e4m3: return {4, 3, 7, false, 0x7f, 448, true};
    case ElementType::f8e5m2: return {5, 2, 15, true, 0x7e, 57344, true};
    case ElementType::f16: return {5, 10, 15, true, 0x7e00, 65504, false};
    case ElementType::bf16: return {8, 7, 127, true, 0x7fc0, std::ldexp(255, 120), false};
    default: return {8, 23, 127, true, 0x7fc00000, std::ldexp(16777215, 104), false};
  }
}

double decodeFloat(ElementType type, uint64_t bits) {
  const Format f = formatOf(type);
  const uint64_t mantissa = bits & ((uint64_t{1} << f.mantissa_bits) - 1);
  const uint64_t top = (uint64_t{1} << f.exponent_bits) - 1;
  const uint64_t exponent = bits >> f.mantissa_bits & top;
  const double sign = bits >> (f.mantissa_bits + f.exponent_bits) & 1 ? -1 : 1;
  if (f.infinities && exponent == top)
    return mantissa ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  if (type == ElementType::f8e4m3 && exponent == top && mantissa == 7)
    return std::numeric_limits<double>::quiet_NaN();
  const uint64_t one = exponent ? uint64_t{1} << f.mantissa_bits : 0;
  const int scale = (exponent ? static_cast<int>(exponent) : 1) - f.bias - f.mantissa_bits;
  return sign * std::ldexp(static_cast<double>(mantissa + one), scale);
}

/// floor(q) or the neighbour above, q >= 0.
double roundToInteger(double q, bool toward_zero) {
  const double low = std::floor(q);
  const double fraction = q - low;
  const bool odd = std::fmod(low, 2) != 0;
  return !toward_zero && (fraction > 0.5 || (fraction == 0.5 && odd)) ? low + 1 : low;
}

uint64_t encodeFloat(ElementType to, double value, Mode mode) {
  const Format f = formatOf(to);
  if (std::isnan(value)) return f.nan;
  const uint64_t sign = uint64_t{std::signbit(value)} << (f.mantissa_bits + f.exponent_bits);
  const double magnitude = std::fabs(value);
  const int least_exponent = 1 - f.bias;
  double rounded = magnitude;
  if (std::isfinite(magnitude) && magnitude != 0) {
    const int quantum = std::max(std::ilogb(magnitude), least_exponent) - f.mantissa_bits;
    rounded =
        std::ldexp(roundToInteger(std::ldexp(magnitude, -quantum), mode.toward_zero), quantum);
  }
  if (rounded > f.greatest) {
    const bool finite_stays = mode.toward_zero && std::isfinite(magnitude);
    const bool saturated = f.saturates && (mode.saturate || to == ElementType::f4e2m1);
    if (finite_stays || saturated)
      rounded = f.greatest;
    else if (!f.infinities)
      return f.nan;
    else
      return sign | ((uint64_t{1} << f.exponent_bits) - 1) << f.mantissa_bits;
  }
  if (rounded == 0) return sign;
  const int exponent = std::ilogb(rounded);
  if (exponent < least_exponent)
    return sign | static_cast<uint64_t>(std::ldexp(rounded, f.mantissa_bits - least_exponent));
  const auto whole = static_cast<uint64_t>(std::ldexp(rounded, f.mantissa_bits - exponent));
  const uint64_t field = static_cast<uint64_t>(exponent + f.bias);
  return sign | field << f.mantissa_bits | (whole - (uint64_t{1} << f.mantissa_bits));
}

/// The double nearest to `rounded` + `error` whose last bit is odd, unless the error is 0.
double toOdd(double rounded, double error) {
  if (error == 0 || !std::isfinite(rounded)) return rounded;
  if (std::bit_cast<uint64_t>(rounded) & 1) return rounded;
  return std::nextafter(rounded, error > 0 ? std::numeric_limits<double>::infinity()
                                           : -std::numeric_limits<double>::infinity());
}

}  // namespace

bool isFloatType(ElementType type) { return type >= ElementType::f4e2m1; }

bool isSignedType(ElementType type) {
  return type == ElementType::i4 || type == ElementType::i8 || type == ElementType::i16 ||
         type == ElementType::i32 || type == ElementType::i64;
}

int bitsOf(ElementType type) {
  switch (type) {
    case ElementType::i4:
    case ElementType::u4:
    case ElementType::f4e2m1: return 4;
    case ElementType::i8:
    case ElementType::u8:
    case ElementType::e8m0:
    case ElementType::f8e4m3:
    case ElementType::f8e5m2: return 8;
    case ElementType::i16:
    case ElementType::u16:
    case ElementType::f16:
    case ElementType::bf16: return 16;
    case ElementType::i64: return 64;
    default: return 32;
  }
}

ElementType widened(ElementType type) {
  return isFloatType(type)    ? ElementType::f32
         : isSignedType(type) ? ElementType::i32
                              : ElementType::u32;
}

double greatest(ElementType type) {
  if (isFloatType(type)) return formatOf(type).greatest;
  return std::ldexp(1, bitsOf(type) - (isSignedType(type) ? 1 : 0)) - 1;
}

double least(ElementType type) {
  if (isFloatType(type)) return -formatOf(type).greatest;
  return isSignedType(type) ? -std::ldexp(1, bitsOf(type) - 1) : 0;
}

uint64_t canonicalNan(ElementType type) { return formatOf(type).nan; }

int64_t integer(ElementType type, uint64_t bits) {
  const int shift = 64 - bitsOf(type);
  const uint64_t high = bits << shift;
  return isSignedType(type) ? static_cast<int64_t>(high) >> shift
                            : static_cast<int64_t>(high >> shift);
}

uint64_t wrap(ElementType to, int64_t value) {
  return static_cast<uint64_t>(value) & (~uint64_t{0} >> (64 - bitsOf(to)));
}

double decode(ElementType type, uint64_t bits) {
  if (type == ElementType::e8m0)
    return bits == 0xff ? std::numeric_limits<double>::quiet_NaN()
                        : std::ldexp(1, static_cast<int>(bits) - 127);
  if (isFloatType(type)) return decodeFloat(type, bits);
  return static_cast<double>(integer(type, bits));
}

uint64_t encode(ElementType to, double value, Mode mode) {
  if (isFloatType(to)) return encodeFloat(to, value, mode);
  if (std::isnan(value)) return 0;
  double whole =
      std::isfinite(value) ? roundToInteger(std::fabs(value), mode.toward_zero) : std::fabs(value);
  whole = std::fmin(std::fmax(std::copysign(whole, value), least(to)), greatest(to));
  return wrap(to, static_cast<int64_t>(whole));
}

uint64_t encodeStochastic(ElementType to, double value, bool saturate, uint32_t word) {
  const Format f = formatOf(to);
  if (std::isfinite(value) && value != 0) {
    const int quantum = std::max(std::ilogb(value), 1 - f.bias) - f.mantissa_bits;
    const double counted = std::ldexp(std::fabs(value), -quantum);
    const double whole = std::floor(counted);
    const double share = std::floor(std::ldexp(counted - whole, 32));
    const bool up = share + static_cast<double>(word) >= std::ldexp(1, 32);
    const double rounded = std::ldexp(up ? whole + 1 : whole, quantum);
    value = std::copysign(rounded > f.greatest ? std::numeric_limits<double>::infinity() : rounded,
                          value);
  }
  return encodeFloat(to, value, {false, saturate});
}

uint64_t convert(ElementType from, uint64_t bits, ElementType to, Mode mode) {
  if (isFloatType(from) || isFloatType(to) || mode.saturate)
    return encode(to, decode(from, bits), mode);
  return wrap(to, integer(from, bits));
}

double addOdd(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  // Knuth's exact error of an addition.
  const double part = sum - a;
  return toOdd(sum, (a - (sum - part)) + (b - part));
}

double mulOdd(double a, double b) {
  const double product = a * b;
  if (!std::isfinite(product)) return product;
  return toOdd(product, std::fma(a, b, -product));
}

double fmaOdd(double a, double b, double c) {
  // Two f32 have 48 significant bits between them and exponents far inside a double's.
  return addOdd(a * b, c);
}

double roundF32(double value) { return decode(ElementType::f32, encode(ElementType::f32, value)); }

double fmaF32(double a, double b, double c) { return roundF32(fmaOdd(a, b, c)); }

}  // namespace etalon::reference
