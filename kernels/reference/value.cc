// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/value.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "isa/base/check.h"

namespace etalon::kernels {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool hasInfinity(ElementType type) {
  return type != ElementType::f8e4m3 && type != ElementType::f4e2m1;
}

uint64_t signBit(const ElementInfo& info) { return uint64_t{1} << (info.bits - 1); }

uint64_t largestFiniteBits(ElementType type) {
  const ElementInfo& info = elementInfo(type);
  if (type == ElementType::f4e2m1) return 0x7;
  if (type == ElementType::f8e4m3) return 0x7E;
  return (((uint64_t{1} << info.exponent_bits) - 1) << info.mantissa_bits) - 1;
}

uint64_t canonicalNaN(ElementType type) {
  switch (type) {
    case ElementType::f32: return 0x7FC00000;
    case ElementType::f16: return 0x7E00;
    case ElementType::bf16: return 0x7FC0;
    case ElementType::f8e4m3: return 0x7F;
    case ElementType::f8e5m2: return 0x7E;
    case ElementType::f4e2m1: return 0x7;
    default: break;
  }
  ETALON_CHECK(false, "a float type");
  return 0;
}

double decodeFloat(ElementType type, uint64_t bits) {
  const ElementInfo& info = elementInfo(type);
  const double sign = (bits & signBit(info)) != 0 ? -1.0 : 1.0;
  const uint64_t magnitude = bits & (signBit(info) - 1);
  if (magnitude > largestFiniteBits(type)) {
    const bool infinite = hasInfinity(type) && magnitude == largestFiniteBits(type) + 1;
    return infinite ? sign * kInfinity : kNaN;
  }
  const int exponent = static_cast<int>(magnitude >> info.mantissa_bits);
  uint64_t significand = magnitude & ((uint64_t{1} << info.mantissa_bits) - 1);
  if (exponent != 0) significand |= uint64_t{1} << info.mantissa_bits;
  const int scale = std::max(exponent, 1) - info.bias - info.mantissa_bits;
  return sign * std::ldexp(static_cast<double>(significand), scale);
}

/// floor(log2(magnitude)), but no less than the exponent of the least normal value.
int binade(const ElementInfo& info, double magnitude) {
  const int least = 1 - info.bias;
  return magnitude == 0 ? least : std::max(std::ilogb(magnitude), least);
}

/// Nearest integer, ties to even, of a magnitude in units of the quantum 2^scale.
uint64_t roundToQuantum(double magnitude, int tail, int scale) {
  const double units = std::ldexp(magnitude, -scale);  // exact: below 2^25, or far below one half
  const double whole = std::floor(units);
  const double rest = units - whole;
  uint64_t count = static_cast<uint64_t>(whole);
  const bool tie = rest == 0.5 && tail == 0;
  if (rest > 0.5 || (rest == 0.5 && tail > 0) || (tie && (count & 1) != 0)) ++count;
  return count;
}

}  // namespace

int64_t decodeInteger(ElementType type, uint64_t bits) {
  const ElementInfo& info = elementInfo(type);
  ETALON_CHECK(isInteger(type), "an integer type");
  const int unused = 64 - info.bits;
  if (info.kind == ElementKind::UInt) return static_cast<int64_t>((bits << unused) >> unused);
  return static_cast<int64_t>(bits << unused) >> unused;
}

double decode(ElementType type, uint64_t bits) {
  if (type == ElementType::e8m0) {
    const int code = static_cast<int>(bits & 0xFF);
    return code == 0xFF ? kNaN : std::ldexp(1.0, code - 127);
  }
  if (isFloat(type)) return decodeFloat(type, bits);
  ETALON_CHECK(type != ElementType::i64, "i64 has values that no double holds");
  return static_cast<double>(decodeInteger(type, bits));
}

uint64_t encode(ElementType type, Exact value, bool saturate) {
  const ElementInfo& info = elementInfo(type);
  if (std::isnan(value.head)) return canonicalNaN(type);
  const bool negative = std::signbit(value.head);
  const uint64_t sign = negative ? signBit(info) : 0;
  const uint64_t largest = largestFiniteBits(type);
  uint64_t bits = largest + 1;
  if (std::isfinite(value.head)) {
    const double magnitude = std::fabs(value.head);
    const int exponent = binade(info, magnitude);
    // The formats without infinity use one exponent more; what lies above that overflows anyway.
    if (exponent <= info.bias + 1) {
      const int tail = negative ? -value.tail : value.tail;
      const uint64_t count = roundToQuantum(magnitude, tail, exponent - info.mantissa_bits);
      // The hidden bit, if there is one, carries into the exponent field: it counts from 0 here.
      bits = (static_cast<uint64_t>(exponent + info.bias - 1) << info.mantissa_bits) + count;
    }
  }
  if (bits <= largest) return sign | bits;
  if (saturate || type == ElementType::f4e2m1) return sign | largest;
  return hasInfinity(type) ? sign | (largest + 1) : canonicalNaN(type);
}

float roundToFloat(Exact value) {
  return std::bit_cast<float>(static_cast<uint32_t>(encode(ElementType::f32, value)));
}

uint64_t encodeInteger(ElementType type, double value) {
  const ElementInfo& info = elementInfo(type);
  ETALON_CHECK(isInteger(type) && info.bits <= 32, "an integer type of up to 32 bits");
  if (std::isnan(value)) return 0;
  const bool is_signed = info.kind == ElementKind::Int;
  const double low = is_signed ? -std::ldexp(1.0, info.bits - 1) : 0.0;
  const double high = std::ldexp(1.0, is_signed ? info.bits - 1 : info.bits) - 1;
  const double clamped = std::clamp(value, low, high);
  const double whole = std::floor(clamped);
  const double rest = clamped - whole;
  int64_t integer = static_cast<int64_t>(whole);
  if (rest > 0.5 || (rest == 0.5 && (integer & 1) != 0)) ++integer;
  return static_cast<uint64_t>(integer) & (~uint64_t{0} >> (64 - info.bits));
}

double largestFinite(ElementType type) { return decodeFloat(type, largestFiniteBits(type)); }

double ulpAt(ElementType type, double magnitude) {
  const ElementInfo& info = elementInfo(type);
  ETALON_CHECK(isFloat(type), "a float type");
  if (!std::isfinite(magnitude)) return kInfinity;
  return std::ldexp(1.0, binade(info, std::fabs(magnitude)) - info.mantissa_bits);
}

}  // namespace etalon::kernels
