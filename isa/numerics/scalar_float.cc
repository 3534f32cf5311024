// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/scalar_float.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

namespace etalon::numerics::scalar {
namespace {

constexpr uint32_t kInfinity = 0x7f800000;
constexpr uint32_t kLargest = 0x7f7fffff;
constexpr uint32_t kHiddenBit = 0x00800000;
constexpr uint32_t kQuietBit = 0x00400000;
constexpr int kMinExponent = -126;  // of the leading bit of the smallest normal number
constexpr int kMaxExponent = 127;

bool isNegative(uint32_t a) { return (a & kSignBit) != 0; }
bool isNan(uint32_t a) { return (a & ~kSignBit) > kInfinity; }
bool isSignallingNan(uint32_t a) { return isNan(a) && (a & kQuietBit) == 0; }
bool isInfinite(uint32_t a) { return (a & ~kSignBit) == kInfinity; }
bool isZero(uint32_t a) { return (a & ~kSignBit) == 0; }
uint32_t signOf(bool negative) { return negative ? kSignBit : 0; }

Outcome<uint32_t> exactly(uint32_t bits) { return {bits, 0}; }
Outcome<uint32_t> invalid() { return {kCanonicalNan, kInvalid}; }

template <class... Operands>
Outcome<uint32_t> nanFrom(Operands... operands) {
  return {kCanonicalNan, (isSignallingNan(operands) || ...) ? kInvalid : 0};
}

/// A finite number: (-1)^negative * significand * 2^exponent, exactly.
struct Number {
  bool negative;
  int exponent;
  uint64_t significand;
};

Number unpack(uint32_t a) {
  const int field = static_cast<int>((a & kInfinity) >> 23);
  const uint32_t fraction = a & (kHiddenBit - 1);
  return {isNegative(a), std::max(field, 1) - 150, field ? fraction | kHiddenBit : fraction};
}

/// The same number with its leading bit at `bit`; the significand is not 0 and has no bit above.
Number withLeadingBitAt(Number n, int bit) {
  const int shift = bit - (63 - std::countl_zero(n.significand));
  return {n.negative, n.exponent - shift, n.significand << shift};
}

struct Rounded {
  uint64_t value;
  bool inexact;
};

/// significand / 2^drop as an integer, drop >= 1.
Rounded roundShifted(uint64_t significand, int drop, bool negative, Rounding mode) {
  // Past 64 bits all of it lies below the half: one sticky bit of a 64-bit shift says the same.
  if (drop > 64) return roundShifted(significand != 0, 64, negative, mode);
  const uint64_t kept = drop == 64 ? 0 : significand >> drop;
  const uint64_t rest = drop == 64 ? significand : significand & ((uint64_t{1} << drop) - 1);
  const uint64_t half = uint64_t{1} << (drop - 1);
  bool increment = false;
  switch (mode) {
    case Rounding::nearest_even: increment = rest > half || (rest == half && (kept & 1)); break;
    case Rounding::toward_zero: break;
    case Rounding::down: increment = negative && rest; break;
    case Rounding::up: increment = !negative && rest; break;
    case Rounding::nearest_max_magnitude: increment = rest >= half; break;
  }
  return {kept + increment, rest != 0};
}

Outcome<uint32_t> overflow(bool negative, Rounding mode) {
  const bool stays_finite =
      mode == Rounding::toward_zero || mode == (negative ? Rounding::up : Rounding::down);
  return {signOf(negative) | (stays_finite ? kLargest : kInfinity), kOverflow | kInexact};
}

/// Rounds a number that is not 0. Its lowest bit may be a sticky one if it has more than 26
/// significant bits.
Outcome<uint32_t> round(Number n, Rounding mode) {
  n = withLeadingBitAt(n, 63);
  const int leading = n.exponent + 63;
  if (leading > kMaxExponent) return overflow(n.negative, mode);
  constexpr int kDropped = 64 - 24;
  const bool below_normal = leading < kMinExponent;
  const int drop = kDropped + (below_normal ? kMinExponent - leading : 0);
  const auto [kept, inexact] = roundShifted(n.significand, drop, n.negative, mode);
  // The hidden bit of `kept`, and a carry out of it, add to the exponent field.
  const uint32_t field = below_normal ? 0 : static_cast<uint32_t>(leading - kMinExponent);
  const uint32_t magnitude = (field << 23) + static_cast<uint32_t>(kept);
  if (magnitude >= kInfinity) return overflow(n.negative, mode);
  uint32_t flags = inexact ? kInexact : 0;
  if (inexact && below_normal) {
    // After rounding: tiny unless 24 bits with an unbounded exponent would reach the smallest
    // normal number.
    const bool reaches_normal =
        leading == kMinExponent - 1 &&
        roundShifted(n.significand, kDropped, n.negative, mode).value == uint64_t{2} * kHiddenBit;
    if (!reaches_normal) flags |= kUnderflow;
  }
  return {signOf(n.negative) | magnitude, flags};
}

uint64_t shiftRightSticky(uint64_t value, int shift) {
  if (shift == 0) return value;
  if (shift > 63) return value != 0;
  return (value >> shift) | ((value & ((uint64_t{1} << shift) - 1)) != 0);
}

/// a + b of significands below 2^48. Bits fall off only when the exponents are more than 14 apart,
/// where at most one bit cancels, so the sticky bit stays far below the rounding position.
Outcome<uint32_t> sum(Number a, Number b, Rounding mode) {
  const uint32_t opposite_zero = signOf(mode == Rounding::down);
  if (a.significand == 0 && b.significand == 0)
    return exactly(a.negative == b.negative ? signOf(a.negative) : opposite_zero);
  if (a.significand == 0) return round(b, mode);
  if (b.significand == 0) return round(a, mode);
  a = withLeadingBitAt(a, 62);
  b = withLeadingBitAt(b, 62);
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand))
    std::swap(a, b);
  b.significand = shiftRightSticky(b.significand, a.exponent - b.exponent);
  a.significand =
      a.negative == b.negative ? a.significand + b.significand : a.significand - b.significand;
  return a.significand == 0 ? exactly(opposite_zero) : round(a, mode);
}

/// -1, 0, 1 by value; neither operand is a NaN.
int compare(uint32_t a, uint32_t b) {
  const auto key = [](uint32_t v) {
    const auto magnitude = static_cast<int64_t>(v & ~kSignBit);
    return isNegative(v) ? -magnitude : magnitude;
  };
  return (key(a) > key(b)) - (key(a) < key(b));
}

/// `prefers_negative`: the minimum. The sign decides between zeros, which compare equal.
Outcome<uint32_t> select(uint32_t a, uint32_t b, bool prefers_negative) {
  const uint32_t flags = isSignallingNan(a) || isSignallingNan(b) ? kInvalid : 0;
  if (isNan(a)) return {isNan(b) ? kCanonicalNan : b, flags};
  if (isNan(b)) return {a, flags};
  const int order = compare(a, b);
  const bool a_is_less = order < 0 || (order == 0 && isNegative(a));
  return {a_is_less == prefers_negative ? a : b, flags};
}

template <class T>
Outcome<T> toInteger(uint32_t a, Rounding mode) {
  using Limits = std::numeric_limits<T>;
  if (isNan(a)) return {Limits::max(), kInvalid};
  const Outcome<T> saturated = {isNegative(a) ? Limits::min() : Limits::max(), kInvalid};
  const Number n = unpack(a);
  if (isInfinite(a) || n.exponent > 40) return saturated;  // 24 bits shifted by 40 fill 64
  Rounded magnitude{n.significand, false};
  if (n.exponent >= 0)
    magnitude.value <<= n.exponent;
  else
    magnitude = roundShifted(n.significand, -n.exponent, n.negative, mode);
  const auto largest = static_cast<uint64_t>(Limits::max());
  const uint64_t limit = !n.negative ? largest : std::is_signed_v<T> ? largest + 1 : 0;
  if (magnitude.value > limit) return saturated;
  const uint64_t value = n.negative ? 0 - magnitude.value : magnitude.value;
  return {static_cast<T>(value), magnitude.inexact ? kInexact : 0};
}

uint64_t floorSquareRoot(uint64_t value) {
  uint64_t root = 0;
  for (uint64_t bit = uint64_t{1} << 31; bit; bit >>= 1)
    if ((root | bit) * (root | bit) <= value) root |= bit;
  return root;
}

}  // namespace

Outcome<uint32_t> add(uint32_t a, uint32_t b, Rounding mode) {
  if (isNan(a) || isNan(b)) return nanFrom(a, b);
  if (isInfinite(a)) return isInfinite(b) && a != b ? invalid() : exactly(a);
  if (isInfinite(b)) return exactly(b);
  return sum(unpack(a), unpack(b), mode);
}

Outcome<uint32_t> multiply(uint32_t a, uint32_t b, Rounding mode) {
  if (isNan(a) || isNan(b)) return nanFrom(a, b);
  const uint32_t sign = (a ^ b) & kSignBit;
  if (isInfinite(a) || isInfinite(b))
    return isZero(a) || isZero(b) ? invalid() : exactly(sign | kInfinity);
  if (isZero(a) || isZero(b)) return exactly(sign);
  const Number x = unpack(a), y = unpack(b);
  return round({sign != 0, x.exponent + y.exponent, x.significand * y.significand}, mode);
}

Outcome<uint32_t> divide(uint32_t a, uint32_t b, Rounding mode) {
  if (isNan(a) || isNan(b)) return nanFrom(a, b);
  const uint32_t sign = (a ^ b) & kSignBit;
  if (isInfinite(a)) return isInfinite(b) ? invalid() : exactly(sign | kInfinity);
  if (isInfinite(b)) return exactly(sign);
  if (isZero(b)) return isZero(a) ? invalid() : Outcome<uint32_t>{sign | kInfinity, kDivideByZero};
  if (isZero(a)) return exactly(sign);
  const Number x = withLeadingBitAt(unpack(a), 63), y = withLeadingBitAt(unpack(b), 23);
  const uint64_t quotient = x.significand / y.significand;  // 40 or 41 bits
  const bool sticky = x.significand % y.significand != 0;
  return round({sign != 0, x.exponent - y.exponent, quotient | sticky}, mode);
}

Outcome<uint32_t> squareRoot(uint32_t a, Rounding mode) {
  if (isNan(a)) return nanFrom(a);
  if (isZero(a)) return exactly(a);
  if (isNegative(a)) return invalid();
  if (isInfinite(a)) return exactly(a);
  Number n = withLeadingBitAt(unpack(a), 62);
  if (n.exponent & 1) n = withLeadingBitAt(n, 63);
  const uint64_t root = floorSquareRoot(n.significand);  // 32 bits
  const bool sticky = root * root != n.significand;
  return round({false, n.exponent / 2 - 1, root << 1 | sticky}, mode);
}

Outcome<uint32_t> multiplyAdd(uint32_t a, uint32_t b, uint32_t c, Rounding mode) {
  if ((isInfinite(a) && isZero(b)) || (isZero(a) && isInfinite(b))) return invalid();
  if (isNan(a) || isNan(b) || isNan(c)) return nanFrom(a, b, c);
  const uint32_t sign = (a ^ b) & kSignBit;
  if (isInfinite(a) || isInfinite(b))
    return isInfinite(c) && (c & kSignBit) != sign ? invalid() : exactly(sign | kInfinity);
  if (isInfinite(c)) return exactly(c);
  const Number x = unpack(a), y = unpack(b);
  return sum({sign != 0, x.exponent + y.exponent, x.significand * y.significand}, unpack(c), mode);
}

Outcome<uint32_t> minimumNumber(uint32_t a, uint32_t b) { return select(a, b, true); }
Outcome<uint32_t> maximumNumber(uint32_t a, uint32_t b) { return select(a, b, false); }

Outcome<uint32_t> equal(uint32_t a, uint32_t b) {
  if (isNan(a) || isNan(b)) return {0, nanFrom(a, b).flags};
  return exactly(compare(a, b) == 0);
}
Outcome<uint32_t> less(uint32_t a, uint32_t b) {
  if (isNan(a) || isNan(b)) return {0, kInvalid};
  return exactly(compare(a, b) < 0);
}
Outcome<uint32_t> lessOrEqual(uint32_t a, uint32_t b) {
  if (isNan(a) || isNan(b)) return {0, kInvalid};
  return exactly(compare(a, b) <= 0);
}

uint32_t classify(uint32_t a) {
  if (isNan(a)) return isSignallingNan(a) ? 1u << 8 : 1u << 9;
  const uint32_t magnitude = a & ~kSignBit;
  // Distance from the zeros, which are bits 3 and 4.
  const int distance = magnitude == 0           ? 0
                       : magnitude < kHiddenBit ? 1
                       : magnitude < kInfinity  ? 2
                                                : 3;
  return 1u << (isNegative(a) ? 3 - distance : 4 + distance);
}

Outcome<int32_t> toInt32(uint32_t a, Rounding mode) { return toInteger<int32_t>(a, mode); }
Outcome<uint32_t> toUint32(uint32_t a, Rounding mode) { return toInteger<uint32_t>(a, mode); }
Outcome<int64_t> toInt64(uint32_t a, Rounding mode) { return toInteger<int64_t>(a, mode); }
Outcome<uint64_t> toUint64(uint32_t a, Rounding mode) { return toInteger<uint64_t>(a, mode); }

Outcome<uint32_t> fromInt64(int64_t value, Rounding mode) {
  if (value >= 0) return fromUint64(static_cast<uint64_t>(value), mode);
  return round({true, 0, 0 - static_cast<uint64_t>(value)}, mode);
}
Outcome<uint32_t> fromUint64(uint64_t value, Rounding mode) {
  return value == 0 ? exactly(0) : round({false, 0, value}, mode);
}

}  // namespace etalon::numerics::scalar
