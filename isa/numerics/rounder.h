// SPDX-License-Identifier: Apache-2.0
// One rounding of an exact value to a declared format. Internal to isa/numerics.
//
// Values are doubles, which hold every operand, product of two operands and accumulator of the
// standard exactly: 48 bits of significand, magnitudes 2^-298 to 2^286. A sum that no double holds is
// first rounded to odd (cut toward zero, last bit set if anything was lost); as a double has at least
// two bits more than a format (mantissa_bits <= 50), rounding that is rounding the exact sum, in every
// direction (Boldo and Melquiond, 2008).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "isa/numerics/contract.h"

namespace etalon::numerics {

inline constexpr uint64_t kDoubleSign = uint64_t{1} << 63;
inline constexpr uint64_t kDoubleInf = uint64_t{0x7ff} << 52;
inline constexpr int kDoubleBias = 1023;

/// 2^exponent, -1022 <= exponent <= 1023.
constexpr double powerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + kDoubleBias) << 52);
}

/// True if a magnitude between two neighbours goes to the greater one. `odd`: the smaller neighbour
/// has last bit 1; `half`: how what was cut compares with half (-1, 0, 1); something was cut.
template <Direction D>
constexpr bool roundsUp(bool negative, bool odd, int half) {
  switch (D) {
    case Direction::nearest_even: return half > 0 || (half == 0 && odd);
    case Direction::nearest_away: return half >= 0;
    case Direction::toward_zero: return false;
    case Direction::toward_positive: return !negative;
    case Direction::toward_negative: return negative;
    case Direction::odd: return !odd;
  }
  return false;
}

/// The sum of a nonzero finite double and an error below its last bit, rounded to odd.
inline double toOdd(double rounded, double error) {
  if (error == 0) return rounded;
  const auto bits = std::bit_cast<uint64_t>(rounded);
  const bool beyond = std::bit_cast<uint64_t>(error) >> 63 != bits >> 63;
  return std::bit_cast<double>((bits - (beyond ? 1 : 0)) | 1);
}

/// x + y rounded to odd. A sum of zeros, or one that is exactly zero, has the sign of nearest even.
inline double addToOdd(double x, double y) {
  const double sum = x + y;
  const double part = sum - x;
  const double error = (x - (sum - part)) + (y - part);
  const bool finite = (std::bit_cast<uint64_t>(sum) & ~kDoubleSign) < kDoubleInf;
  return finite ? toOdd(sum, error) : sum;
}

/// x rounded to an integer, |x| < 2^62.
template <Direction C>
int64_t toInteger(double x) {
  const auto whole = static_cast<int64_t>(x);
  if constexpr (C == Direction::toward_zero) return whole;
  const double cut = x - static_cast<double>(whole);
  if (cut == 0) return whole;
  const double distance = std::fabs(cut);
  const int half = distance < 0.5 ? -1 : distance == 0.5 ? 0 : 1;
  const bool negative = cut < 0;
  if (!roundsUp<C>(negative, (whole & 1) != 0, half)) return whole;
  return negative ? whole - 1 : whole + 1;
}

/// Rounds to one format under one set of rules.
class Rounder {
 public:
  Rounder(NumberFormat format, const RoundingRules& rules)
      : drop_(52 - format.mantissa_bits),
        least_(kDoubleBias + 2 - (1 << (format.exponent_bits - 1))),
        most_((static_cast<uint64_t>(kDoubleBias - 1 + (1 << (format.exponent_bits - 1))) << 52) |
              ((~uint64_t{0} << drop_) & ((uint64_t{1} << 52) - 1))),
        flushes_(rules.flush_out),
        positive_zero_(rules.positive_zero),
        overflow_(rules.overflow) {}

  /// `x`: exact, or rounded to odd. Infinities and NaN stay.
  template <Direction D>
  double round(double x) const {
    const auto bits = std::bit_cast<uint64_t>(x);
    const uint64_t sign = bits & kDoubleSign;
    const uint64_t magnitude = bits ^ sign;
    if (magnitude - least() >= kDoubleInf - least()) [[unlikely]]
      return magnitude >= kDoubleInf ? x : small<D>(sign, magnitude);
    const uint64_t last = uint64_t{1} << drop_;
    const uint64_t mask = last - 1;
    uint64_t kept = magnitude;
    if constexpr (D == Direction::nearest_even) kept += (mask >> 1) + (magnitude >> drop_ & 1);
    if constexpr (D == Direction::nearest_away) kept += last >> 1;
    if constexpr (D == Direction::toward_positive) kept += sign != 0 ? 0 : mask;
    if constexpr (D == Direction::toward_negative) kept += sign != 0 ? mask : 0;
    kept &= ~mask;
    if constexpr (D == Direction::odd) kept |= (magnitude & mask) != 0 ? last : 0;
    if (kept > most_) [[unlikely]]
      kept = overflowed<D>(sign);
    return std::bit_cast<double>(sign | kept);
  }

  /// One rounding of the exact sum. A sum of zero from other addends than equal zeros is -0 toward
  /// negative, else +0.
  template <Direction D>
  double add(double x, double y) const {
    const double sum = addToOdd(x, y);
    if (sum == 0) [[unlikely]]
      return zeroSum<D>(std::bit_cast<uint64_t>(x) == 0 && std::bit_cast<uint64_t>(y) == 0,
                        std::bit_cast<uint64_t>(sum) != 0);
    return round<D>(sum);
  }

  /// An exact sum of zero of several addends: all of them +0, or all of them -0, or others.
  template <Direction D>
  double zeroSum(bool all_positive, bool all_negative) const {
    const bool negative = all_negative || (D == Direction::toward_negative && !all_positive);
    return negative && !positive_zero_ ? -0.0 : 0.0;
  }

 private:
  uint64_t least() const { return static_cast<uint64_t>(least_) << 52; }

  double zero(uint64_t sign) const {
    return std::bit_cast<double>(positive_zero_ ? uint64_t{0} : sign);
  }

  template <Direction D>
  uint64_t overflowed(uint64_t sign) const {
    constexpr bool kNearest = D == Direction::nearest_even || D == Direction::nearest_away;
    const bool away = kNearest || (D == Direction::toward_positive && sign == 0) ||
                      (D == Direction::toward_negative && sign != 0);
    const bool infinity = overflow_ == Overflow::infinity || (overflow_ == Overflow::ieee && away);
    return infinity ? kDoubleInf : most_;
  }

  /// Zeros and what is below the least normal: a multiple of the least quantum.
  template <Direction D>
  double small(uint64_t sign, uint64_t magnitude) const {
    if (magnitude == 0) return zero(sign);
    const uint64_t significand = (magnitude & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
    const int shift = drop_ + least_ - static_cast<int>(magnitude >> 52);
    uint64_t count = 0;
    int half = -1;
    if (shift <= 53) {
      const uint64_t cut = significand & ((uint64_t{1} << shift) - 1);
      const uint64_t middle = uint64_t{1} << (shift - 1);
      count = significand >> shift;
      half = cut < middle ? -1 : cut == middle ? 0 : 1;
      if (cut == 0) return multiple(sign, count);
    }
    if (roundsUp<D>(sign != 0, (count & 1) != 0, half)) ++count;
    return multiple(sign, count);
  }
  double multiple(uint64_t sign, uint64_t count) const {
    const bool subnormal = count >> (52 - drop_) == 0;
    if (count == 0 || (subnormal && flushes_)) return zero(sign);
    const double value =
        static_cast<double>(count) * powerOfTwo(least_ - kDoubleBias - (52 - drop_));
    return sign != 0 ? -value : value;
  }

  int drop_;       // low bits of a double's significand that the format has not
  int least_;      // double's exponent field of the least normal
  uint64_t most_;  // double's bits of the greatest number
  bool flushes_;
  bool positive_zero_;
  Overflow overflow_;
};

/// Calls f.template operator()<D>() for a direction known at run time.
template <class F>
auto withDirection(Direction direction, F f) {
  switch (direction) {
    case Direction::nearest_even: return f.template operator()<Direction::nearest_even>();
    case Direction::nearest_away: return f.template operator()<Direction::nearest_away>();
    case Direction::toward_zero: return f.template operator()<Direction::toward_zero>();
    case Direction::toward_positive: return f.template operator()<Direction::toward_positive>();
    case Direction::toward_negative: return f.template operator()<Direction::toward_negative>();
    case Direction::odd: break;
  }
  return f.template operator()<Direction::odd>();
}

/// Zero of its sign if `x`, a number of a format with this least normal exponent, is below it.
inline double flushedBelow(double x, double least_normal) {
  return x < least_normal && x > -least_normal ? x * 0.0 : x;
}

}  // namespace etalon::numerics
