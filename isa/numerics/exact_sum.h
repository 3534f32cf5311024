// SPDX-License-Identifier: Apache-2.0
// Exact sums of many doubles. Internal to isa/numerics.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "isa/numerics/rounder.h"

namespace etalon::numerics {

/// magnitude * 2^exponent with the sign, rounded to odd; `rest`: something nonzero below magnitude.
inline double oddDouble(bool negative, uint64_t magnitude, bool rest, int exponent) {
  const int extra = std::bit_width(magnitude) - 53;
  if (extra > 0) {
    rest |= (magnitude & ((uint64_t{1} << extra) - 1)) != 0;
    magnitude >>= extra;
    exponent += extra;
  }
  const double value = static_cast<double>(magnitude | (rest ? 1 : 0)) * powerOfTwo(exponent);
  return negative ? -value : value;
}

/// A sum in fixed point that covers all products of two operands and all accumulators (see
/// rounder.h): bit 0 of word 0 stands for 2^-352, 2^30 addends of magnitude below 2^288 fit.
class ExactSum {
 public:
  /// `x` is finite.
  void add(double x) {
    const auto bits = std::bit_cast<uint64_t>(x);
    const uint64_t significand = (bits & ((uint64_t{1} << 52) - 1)) | static_cast<uint64_t>(x != 0)
                                                                          << 52;
    if (significand == 0) return;
    const int position = static_cast<int>(bits >> 52 & 0x7ff) - kDoubleBias - 52 - kLowest;
    const auto word = static_cast<size_t>(position / 32);
    const int shift = position % 32;
    const uint64_t low = (significand & 0xffffffff) << shift;
    const uint64_t high = (significand >> 32 << shift) + (low >> 32);
    const int64_t sign = bits >> 63 != 0 ? -1 : 1;
    words_[word] += sign * static_cast<int64_t>(low & 0xffffffff);
    words_[word + 1] += sign * static_cast<int64_t>(high & 0xffffffff);
    words_[word + 2] += sign * static_cast<int64_t>(high >> 32);
    if (word < first_) first_ = word;
    if (word + 3 > last_) last_ = word + 3;
  }

  /// The sum rounded to odd (+0 if it is zero); starts the next one at zero.
  double take() {
    if (last_ == 0) return 0;
    bool negative = carry() < 0;
    if (negative) {
      for (size_t w = first_; w < last_; ++w) words_[w] = -words_[w];
      carry();
    }
    size_t top = last_;
    while (top > first_ && words_[top - 1] == 0) --top;
    double value = 0;
    if (top > first_) {
      uint64_t magnitude = static_cast<uint64_t>(words_[top - 1]);
      size_t lowest = top - 1;
      if (lowest > first_) magnitude = magnitude << 32 | static_cast<uint64_t>(words_[--lowest]);
      int exponent = kLowest + 32 * static_cast<int>(lowest);
      bool rest = false;
      // A short top word leaves room for bits of the third.
      if (lowest > first_ && magnitude < uint64_t{1} << 54) {
        const int room = 64 - std::bit_width(magnitude);
        const int taken = room < 32 ? room : 32;
        const auto third = static_cast<uint64_t>(words_[--lowest]);
        magnitude = magnitude << taken | third >> (32 - taken);
        rest = (third & ((uint64_t{1} << (32 - taken)) - 1)) != 0;
        exponent -= taken;
      }
      while (lowest > first_) rest |= words_[--lowest] != 0;
      value = oddDouble(negative, magnitude, rest, exponent);
    }
    for (size_t w = first_; w < last_; ++w) words_[w] = 0;
    first_ = kWords;
    last_ = 0;
    return value;
  }

 private:
  static constexpr int kLowest = -352;
  static constexpr size_t kWords = 24;

  /// Words to 0..2^32-1; returns the sign of the whole in what is carried out.
  int64_t carry() {
    int64_t carried = 0;
    for (size_t w = first_; w < last_; ++w) {
      const int64_t sum = words_[w] + carried;
      words_[w] = sum & 0xffffffff;
      carried = sum >> 32;
    }
    // A positive carry needs another word; a negative one says that the sum is negative.
    while (carried > 0) {
      words_[last_++] = carried & 0xffffffff;
      carried >>= 32;
    }
    if (carried < 0) {
      // Back to digits with the sign outside them, so that the caller can negate them one by one.
      words_[last_ - 1] += carried * (int64_t{1} << 32);
    }
    return carried;
  }

  std::array<int64_t, kWords> words_{};
  size_t first_ = kWords;
  size_t last_ = 0;
};

}  // namespace etalon::numerics
