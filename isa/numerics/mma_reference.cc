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

/// a * b; magnitudes of both together have 32 bits or fewer.
Number multiply(const Number& a, const Number& b) {
  const bool zero = (!a.infinite && a.magnitude == 0) || (!b.infinite && b.magnitude == 0);
  Number x;
  x.negative = a.negative != b.negative;
  x.infinite = a.infinite || b.infinite;
  x.nan = a.nan || b.nan || (x.infinite && zero);
  x.magnitude = a.magnitude * b.magnitude;
  x.exponent = a.exponent + b.exponent;
  return x;
}

int widthOf(ElementType type) {
  switch (type) {
    case ElementType::f32:
    case ElementType::i32: return 32;
    case ElementType::f16:
    case ElementType::bf16: return 16;
    case ElementType::i4:
    case ElementType::u4:
    case ElementType::f4e2m1: return 4;
    default: return 8;
  }
}

/// Bits of logical element (r, c).
uint32_t bitsAt(const TileRef& tile, size_t r, size_t c) {
  if (tile.transpose) std::swap(r, c);
  const size_t row =
      size_t{tile.ostride} * (r / tile.inner) + size_t{tile.istride} * (r % tile.inner);
  const size_t column = c * tile.step;
  const auto width = static_cast<size_t>(widthOf(tile.type));
  if (width == 4) {
    const auto byte = std::to_integer<uint32_t>(tile.data[row + column / 2]);
    return column % 2 == 0 ? byte & 15 : byte >> 4;
  }
  uint32_t bits = 0;
  for (size_t i = 0; i < width / 8; ++i) {
    bits |= std::to_integer<uint32_t>(tile.data[row + column * (width / 8) + i]) << (8 * i);
  }
  return bits;
}

int64_t integerAt(const TileRef& tile, size_t r, size_t c) {
  const int64_t bits = bitsAt(tile, r, c);
  const bool is_signed = tile.type == ElementType::i8 || tile.type == ElementType::i4;
  const int64_t half = int64_t{1} << (widthOf(tile.type) - 1);
  return is_signed && bits >= half ? bits - 2 * half : bits;
}

Number numberAt(const TileRef& tile, size_t r, size_t c) {
  const uint32_t bits = bitsAt(tile, r, c);
  switch (tile.type) {
    case ElementType::f4e2m1: {
      // Neither infinities nor NaN: the greatest exponent holds numbers as well.
      const uint32_t field = bits >> 1 & 3, mantissa = bits & 1;
      return {false, false, bits >= 8, field == 0 ? mantissa : mantissa | 2,
              std::max(static_cast<int>(field), 1) - 2};
    }
    case ElementType::e8m0: return {bits == 0xff, false, false, 1, static_cast<int>(bits) - 127};
    case ElementType::f8e4m3: return decode(bits, 4, 3, false);
    case ElementType::f8e5m2: return decode(bits, 5, 2, true);
    case ElementType::f16: return decode(bits, 5, 10, true);
    case ElementType::bf16: return decode(bits, 8, 7, true);
    case ElementType::f32: return decode(bits, 8, 23, true);
    default: {
      const int64_t value = integerAt(tile, r, c);
      return {false, false, value < 0, static_cast<uint32_t>(value < 0 ? -value : value), 0};
    }
  }
}

/// Element (r, c) at logical k, with its scale.
Number scaledAt(const Source& source, size_t r, size_t c, size_t k, bool is_b) {
  const Number element = numberAt(source.tile, r, c);
  if (source.scales == nullptr) return element;
  const TileRef& scales = *source.scales;
  const size_t block = k / (scales.type == ElementType::e8m0     ? 32
                            : scales.type == ElementType::f8e4m3 ? 16
                                                                 : 128);
  const size_t row = is_b ? block : r, column = is_b ? c : block;
  const bool turned = source.tile.transpose;
  const Number product =
      multiply(element, numberAt(scales, turned ? column : row, turned ? row : column));
  if (scales.type != ElementType::f32 || product.nan || product.infinite || product.magnitude == 0)
    return product;
  return decode(roundToF32(product.negative, product.magnitude, product.exponent), 8, 23, true);
}

struct Integers {
  using Value = int64_t;
  static Value at(const Source& source, size_t r, size_t c, size_t, bool) {
    return integerAt(source.tile, r, c);
  }
  static uint32_t step(Value x, Value y, uint32_t sum) {
    return static_cast<uint32_t>(int64_t{sum} + x * y);
  }
};

struct Floats {
  using Value = Number;
  static Value at(const Source& source, size_t r, size_t c, size_t k, bool is_b) {
    return scaledAt(source, r, c, k, is_b);
  }
  static uint32_t step(const Value& x, const Value& y, uint32_t sum) { return fmaStep(x, y, sum); }
};

/// Position k of stored column t of row r of A.
size_t positionOf(const Source& a, size_t r, size_t t) {
  if (a.metadata == nullptr) return t;
  const uint32_t both = bitsAt(*a.metadata, r, t / 2);
  return t / 2 * 4 + (t % 2 == 0 ? both % 4 : both / 4);
}

template <class Kind>
void tripleLoop(const Source& a, const Source& b, const TileRef& acc, bool accumulate) {
  using Value = typename Kind::Value;
  const size_t m = size_t{acc.outer} * acc.inner, n = acc.cols;
  const size_t b_rows = size_t{b.tile.outer} * b.tile.inner;
  const size_t k = b.tile.transpose ? b.tile.cols : b_rows;
  const size_t terms = a.metadata ? (k + 3) / 4 * 2 : k;
  // B column by column, with zeros where a position may point past the last k.
  std::vector<Value> bs(n * (k + 3));
  for (size_t j = 0; j < n; ++j) {
    for (size_t x = 0; x < k; ++x) bs[j * (k + 3) + x] = Kind::at(b, x, j, x, true);
  }
  std::vector<Value> as(terms);
  std::vector<size_t> ks(terms);
  for (size_t i = 0; i < m; ++i) {
    for (size_t t = 0; t < terms; ++t) {
      ks[t] = positionOf(a, i, t);
      as[t] = Kind::at(a, i, t, ks[t], false);
    }
    for (size_t j = 0; j < n; ++j) {
      uint32_t sum = accumulate ? bitsAt(acc, i, j) : 0;
      for (size_t t = 0; t < terms; ++t) sum = Kind::step(as[t], bs[j * (k + 3) + ks[t]], sum);
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

void product(const Source& a, const Source& b, const TileRef& acc, bool accumulate) {
  if (acc.type == ElementType::i32) {
    tripleLoop<Integers>(a, b, acc, accumulate);
  } else {
    tripleLoop<Floats>(a, b, acc, accumulate);
  }
}

}  // namespace etalon::reference
