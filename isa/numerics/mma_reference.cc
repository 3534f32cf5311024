// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/mma_reference.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace etalon::reference {
namespace {

using numerics::TileRef;
using Wide = unsigned __int128;
constexpr uint32_t kNan = 0x7fc00000, kInf = 0x7f800000;

/// (-1)^negative * magnitude * 2^exponent, or a special.
struct Number {
  bool nan = false, infinite = false, negative = false;
  uint32_t magnitude = 0;
  int exponent = 0;
};

/// Sign, `exponent_bits`, `mantissa_bits`; `ieee` has infinities, else all ones alone is NaN.
Number decode(uint32_t bits, int exponent_bits, int mantissa_bits, bool ieee) {
  const uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
  const uint32_t top = (1u << exponent_bits) - 1;
  const uint32_t field = (bits >> mantissa_bits) & top;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  Number x;
  x.negative = (bits >> (exponent_bits + mantissa_bits)) & 1;
  if (field == top && ieee) {
    x.nan = mantissa != 0;
    x.infinite = mantissa == 0;
    return x;
  }
  x.nan = !ieee && field == top && mantissa == (1u << mantissa_bits) - 1;
  x.magnitude = field == 0 ? mantissa : mantissa | (1u << mantissa_bits);
  x.exponent = std::max<int>(static_cast<int>(field), 1) - bias - mantissa_bits;
  return x;
}

int highestBit(Wide x) {
  const uint64_t high = static_cast<uint64_t>(x >> 64);
  return high != 0 ? 127 - std::countl_zero(high) : 63 - std::countl_zero(static_cast<uint64_t>(x));
}

/// x * 2^exponent, x not 0, to nearest even. Lowest bit of x may be a sticky one.
uint32_t roundToF32(bool negative, Wide x, int exponent) {
  const int lowest = std::max(highestBit(x) + exponent - 23, -149);
  const int shift = lowest - exponent;
  Wide kept = 0;
  if (shift <= 0) {
    kept = x << -shift;
  } else if (shift < 128) {
    const Wide half = Wide{1} << (shift - 1);
    const Wide rest = x & (half * 2 - 1);
    kept = x >> shift;
    if (rest > half || (rest == half && (kept & 1))) ++kept;
  }
  const uint32_t sign = negative ? 0x80000000u : 0;
  // As bits, a carry out of the significand lands in the exponent field, where it belongs.
  const uint64_t bits = (static_cast<uint64_t>(lowest + 149) << 23) + static_cast<uint64_t>(kept);
  return sign | static_cast<uint32_t>(std::min<uint64_t>(bits, kInf));
}

/// Leading bit moved to 124; what a later right shift loses is folded into the lowest bit.
void normalise(Wide& x, int& exponent) {
  const int shift = 124 - highestBit(x);
  x <<= shift;
  exponent -= shift;
}

/// The exact sum of two nonzero terms, rounded. The smaller term keeps 70 bits or more below the
/// other's last one before bits turn sticky, so a cancellation never meets a sticky bit.
uint32_t addRounded(bool p_negative, Wide p, int pe, bool c_negative, Wide c, int ce) {
  normalise(p, pe);
  normalise(c, ce);
  if (pe < ce || (pe == ce && p < c)) {
    std::swap(p, c);
    std::swap(pe, ce);
    std::swap(p_negative, c_negative);
  }
  const int shift = pe - ce;
  const Wide moved = shift < 128 ? c >> shift : 0;
  const bool lost = shift >= 128 || (moved << shift) != c;
  const Wide small = moved | static_cast<Wide>(lost);
  const Wide sum = p_negative == c_negative ? p + small : p - small;
  return sum == 0 ? 0 : roundToF32(p_negative, sum, pe);
}

uint32_t fmaStep(const Number& a, const Number& b, uint32_t c_bits) {
  const Number c = decode(c_bits, 8, 23, true);
  const bool negative = a.negative != b.negative;
  if (a.nan || b.nan || c.nan) return kNan;
  if (a.infinite || b.infinite) {
    const bool zero = (!a.infinite && a.magnitude == 0) || (!b.infinite && b.magnitude == 0);
    if (zero || (c.infinite && c.negative != negative)) return kNan;
    return kInf | (negative ? 0x80000000u : 0);
  }
  if (c.infinite) return c_bits;
  const uint64_t p = uint64_t{a.magnitude} * b.magnitude;
  if (p == 0) return c.magnitude != 0 || negative == c.negative ? c_bits : 0;
  if (c.magnitude == 0) return roundToF32(negative, p, a.exponent + b.exponent);
  return addRounded(negative, p, a.exponent + b.exponent, c.negative, c.magnitude, c.exponent);
}

size_t sizeOf(ElementType type) {
  switch (type) {
    case ElementType::f32:
    case ElementType::i32: return 4;
    case ElementType::f16:
    case ElementType::bf16: return 2;
    default: return 1;
  }
}

/// Stored bytes of logical element (r, c), in the low bits.
uint32_t bitsAt(const TileRef& tile, size_t r, size_t c) {
  if (tile.transpose) std::swap(r, c);
  const size_t size = sizeOf(tile.type);
  const size_t at =
      size_t{tile.ostride} * (r / tile.inner) + size_t{tile.istride} * (r % tile.inner);
  uint32_t bits = 0;
  for (size_t i = 0; i < size; ++i) {
    bits |= std::to_integer<uint32_t>(tile.data[at + c * size + i]) << (8 * i);
  }
  return bits;
}

Number numberAt(const TileRef& tile, size_t r, size_t c) {
  const uint32_t bits = bitsAt(tile, r, c);
  switch (tile.type) {
    case ElementType::f8e4m3: return decode(bits, 4, 3, false);
    case ElementType::f8e5m2: return decode(bits, 5, 2, true);
    case ElementType::f16: return decode(bits, 5, 10, true);
    case ElementType::bf16: return decode(bits, 8, 7, true);
    default: return decode(bits, 8, 23, true);
  }
}

int64_t integerAt(const TileRef& tile, size_t r, size_t c) {
  const int64_t bits = bitsAt(tile, r, c);
  return tile.type == ElementType::i8 && bits > 127 ? bits - 256 : bits;
}

/// Logical elements, row by row (or column by column), so that a dot product is two runs.
template <class T, class At>
std::vector<T> gather(const TileRef& tile, size_t rows, size_t columns, bool by_column, At at) {
  std::vector<T> all;
  all.reserve(rows * columns);
  for (size_t i = 0; i < (by_column ? columns : rows); ++i) {
    for (size_t j = 0; j < (by_column ? rows : columns); ++j) {
      all.push_back(by_column ? at(tile, j, i) : at(tile, i, j));
    }
  }
  return all;
}

template <class T, class At, class Step>
void tripleLoop(const TileRef& a, const TileRef& b, const TileRef& acc, bool accumulate, At at,
                Step step) {
  const size_t m = size_t{acc.outer} * acc.inner, n = acc.cols;
  const size_t k = a.transpose ? size_t{a.outer} * a.inner : a.cols;
  const std::vector<T> as = gather<T>(a, m, k, false, at), bs = gather<T>(b, k, n, true, at);
  for (size_t i = 0; i < m; ++i) {
    for (size_t j = 0; j < n; ++j) {
      uint32_t sum = accumulate ? bitsAt(acc, i, j) : 0;
      for (size_t x = 0; x < k; ++x) sum = step(as[i * k + x], bs[j * k + x], sum);
      std::memcpy(acc.data + size_t{acc.ostride} * (i / acc.inner) +
                      size_t{acc.istride} * (i % acc.inner) + 4 * j,
                  &sum, 4);
    }
  }
}

}  // namespace

uint32_t exactFma(uint32_t a, uint32_t b, uint32_t c) {
  return fmaStep(decode(a, 8, 23, true), decode(b, 8, 23, true), c);
}

void product(const TileRef& a, const TileRef& b, const TileRef& acc, bool accumulate) {
  if (acc.type == ElementType::i32) {
    tripleLoop<int64_t>(a, b, acc, accumulate, integerAt, [](int64_t x, int64_t y, uint32_t sum) {
      return static_cast<uint32_t>(int64_t{sum} + x * y);
    });
  } else {
    tripleLoop<Number>(a, b, acc, accumulate, numberAt, fmaStep);
  }
}

}  // namespace etalon::reference
