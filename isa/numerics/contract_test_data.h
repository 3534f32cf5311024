// SPDX-License-Identifier: Apache-2.0
// Random products for the tests of declared contracts: sources with block scales, 4-bit elements or
// a sparse A, values that cancel, overflow, are subnormal or special.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <vector>

#include "isa/numerics/contract_mma.h"
#include "isa/numerics/contract_reference.h"

namespace etalon::numerics::test {

using enum ElementType;
using Random = std::mt19937;
using reference::Element;

/// An element type, and that of its block scales; the element type again where it has none.
struct Kind {
  ElementType element, scale;
  bool isScaled() const { return scale != element; }
};
struct Pair {
  Kind a, b;
};
constexpr Kind plain(ElementType type) { return {type, type}; }
/// Elements of logical k that share a scale.
inline uint32_t blockOf(Kind kind) {
  return kind.scale == f32 ? 128 : kind.scale == e8m0 ? 32 : 16;
}

inline uint32_t widthOf(ElementType type) { return static_cast<uint32_t>(elementInfo(type).bits); }
inline uint32_t mantissaBits(ElementType type) {
  return static_cast<uint32_t>(elementInfo(type).mantissa_bits);
}

/// How the values of a product hang together.
enum class Data : uint8_t { close, wide, cancelling, tiny, huge, anything };
inline constexpr int kData = 6;

/// A code whose exponent lies within `spread` of `center` (a fraction of the field, in 1/16).
inline uint32_t near(ElementType type, uint32_t center, uint32_t spread, Random& random) {
  const uint32_t mantissa = mantissaBits(type);
  const uint32_t fields = 1u << (widthOf(type) - 1 - mantissa);
  const uint32_t middle = fields * center / 16;
  const uint32_t low = middle > spread ? middle - spread : 0;
  const uint32_t high = std::min(middle + spread, fields - 2);
  const uint32_t field = low + random() % (high - low + 1);
  // Few bits set makes ties likely.
  uint32_t fraction = random() & ((1u << mantissa) - 1);
  if (random() % 3 == 0) fraction &= random() & random();
  return (random() & 1) << (widthOf(type) - 1) | field << mantissa | fraction;
}

inline uint32_t element(ElementType type, Data data, Random& random) {
  // Every code, special values with the frequency of the type, zeros often.
  const auto any = [&] {
    return random() % 4 == 0 ? (random() & 1) << (widthOf(type) - 1)
                             : random() & (~0u >> (32 - widthOf(type)));
  };
  if (!isFloat(type) || widthOf(type) == 4) return any();
  const bool is_wide = type == bf16 || type == f32;
  switch (data) {
    case Data::close:
    case Data::cancelling: return near(type, 8, 2, random);
    case Data::wide:
      return near(type, 8, 1u << (widthOf(type) - 1 - mantissaBits(type)) >> 2, random);
    case Data::tiny: return near(type, is_wide ? 4 : 0, 2, random);
    case Data::huge: return near(type, is_wide ? 12 : 15, 2, random);
    case Data::anything: break;
  }
  return any();
}

inline uint32_t scale(ElementType type, Data data, Random& random) {
  if (type != e8m0) return element(type, data, random);
  return random() % 40 == 0 || data == Data::anything ? random() & 0xff : 120 + random() % 14;
}

struct Matrix {
  std::vector<std::byte> bytes;
  TileRef ref;

  Matrix(ElementType type, uint32_t rows, uint32_t columns, bool transpose) {
    const uint32_t stored = transpose ? columns : rows, cols = transpose ? rows : columns;
    const uint32_t stride = (cols * widthOf(type) + 7) / 8;
    bytes.resize(size_t{stored} * stride);
    ref = {bytes.data(), type, 1, stored, cols, 0, stride, 1, transpose};
  }
  Matrix(const Matrix&) = delete;
  uint32_t get(uint32_t r, uint32_t c) const {
    uint32_t bits = 0;
    const Place at = place(r, c);
    std::memcpy(&bits, at.byte, (widthOf(ref.type) + 7) / 8);
    return widthOf(ref.type) == 4 ? bits >> at.shift & 15 : bits;
  }
  void set(uint32_t r, uint32_t c, uint32_t bits) const {
    const Place at = place(r, c);
    if (widthOf(ref.type) == 4) {
      bits = (std::to_integer<uint32_t>(*at.byte) & (0xf0u >> at.shift)) | bits << at.shift;
    }
    std::memcpy(at.byte, &bits, (widthOf(ref.type) + 7) / 8);
  }

 private:
  struct Place {
    std::byte* byte;
    uint32_t shift;
  };
  Place place(uint32_t r, uint32_t c) const {
    if (ref.transpose) std::swap(r, c);
    const uint32_t bit = c * widthOf(ref.type);
    return {ref.row(r) + bit / 8, bit % 8};
  }
};

/// A source of a product; k runs along the columns of A and the rows of B.
struct Operand {
  Kind kind;
  Matrix tile;
  std::unique_ptr<Matrix> scales;

  Operand(Kind k, uint32_t rows, uint32_t columns, bool transpose, uint32_t scale_rows,
          uint32_t scale_columns)
      : kind(k), tile(kind.element, rows, columns, transpose) {
    if (!kind.isScaled()) return;
    // Stored transposed where the source is; the flag of its own is clear.
    if (transpose) std::swap(scale_rows, scale_columns);
    scales = std::make_unique<Matrix>(kind.scale, scale_rows, scale_columns, false);
  }
  /// Scale of line `line` (row of A, column of B) in a block of k.
  uint32_t scaleAt(uint32_t line, uint32_t block, bool is_b) const {
    return is_b != tile.ref.transpose ? scales->get(block, line) : scales->get(line, block);
  }
  MmaSource source() const {
    MmaSource result = tile.ref;
    if (scales) result.scales = scales->ref;
    return result;
  }
};

/// A product of random data: A, B and what the accumulator holds before.
struct Problem {
  Problem(Pair pair, uint32_t rows, uint32_t columns, uint32_t depth, bool has_metadata,
          Random& random)
      : m(rows),
        n(columns),
        k(depth),
        terms(has_metadata ? 2 * ((k + 3) / 4) : k),
        accumulates(random() % 4 != 0),
        a(pair.a, m, terms, !has_metadata && random() % 2 != 0, m, blocks(pair.a)),
        b(pair.b, k, n, random() % 2 != 0, blocks(pair.b), n),
        acc(f32, m, n, false) {
    const Data data = static_cast<Data>(random() % kData);
    for (uint32_t i = 0; i < terms; ++i)
      for (uint32_t r = 0; r < m; ++r) a.tile.set(r, i, element(pair.a.element, data, random));
    for (uint32_t i = 0; i < k; ++i)
      for (uint32_t c = 0; c < n; ++c) b.tile.set(i, c, element(pair.b.element, data, random));
    for (const Operand* operand : {&a, &b})
      for (uint32_t r = 0; operand->scales && r < operand->scales->ref.storedRows(); ++r)
        for (uint32_t c = 0; c < operand->scales->ref.cols; ++c)
          operand->scales->set(r, c, scale(operand->kind.scale, data, random));
    for (uint32_t r = 0; r < m; ++r)
      for (uint32_t c = 0; c < n; ++c)
        acc.set(r, c, random() % 8 == 0 ? random() : element(f32, data, random));
    if (has_metadata) {
      metadata = std::make_unique<Matrix>(u4, m, terms / 2, false);
      for (uint32_t r = 0; r < m; ++r)
        for (uint32_t g = 0; g < terms / 2; ++g) metadata->set(r, g, random() & 15);
    } else if (data == Data::cancelling && isFloat(pair.b.element)) {
      cancel(random);
    }
  }

  /// Half of the terms are others with one sign changed, and a last bit here and there.
  void cancel(Random& random) const {
    for (uint32_t i = 1; i < k; i += 2) {
      const uint32_t from = random() % i;
      for (uint32_t r = 0; r < m; ++r)
        a.tile.set(r, i, a.tile.get(r, from) ^ (random() % 16 == 0 ? 1u : 0u));
      for (uint32_t c = 0; c < n; ++c)
        b.tile.set(i, c, b.tile.get(from, c) ^ 1u << (widthOf(b.kind.element) - 1));
    }
  }

  uint32_t blocks(Kind kind) const { return (k + blockOf(kind) - 1) / blockOf(kind); }

  Element ofA(uint32_t r, uint32_t term, uint32_t at) const {
    Element element{a.kind.element, a.tile.get(r, term), {}, 0};
    if (!a.scales) return element;
    element.scale_type = a.kind.scale;
    element.scale = a.scaleAt(r, at / blockOf(a.kind), false);
    return element;
  }
  Element ofB(uint32_t at, uint32_t c) const {
    if (at >= k) return {b.kind.element, 0, {}, 0};  // as a sparse A may ask for
    Element element{b.kind.element, b.tile.get(at, c), {}, 0};
    if (!b.scales) return element;
    element.scale_type = b.kind.scale;
    element.scale = b.scaleAt(c, at / blockOf(b.kind), true);
    return element;
  }
  uint32_t expected(const ProductRule& rule, uint32_t r, uint32_t c) const {
    std::vector<Element> row, column;
    for (uint32_t t = 0; t < terms; ++t) {
      uint32_t at = t;
      if (metadata) {
        const uint32_t positions = metadata->get(r, t / 2);
        at = t / 2 * 4 + (t % 2 == 0 ? positions % 4 : positions / 4);
      }
      row.push_back(ofA(r, t, at));
      column.push_back(ofB(at, c));
    }
    std::optional<uint32_t> start;
    if (accumulates) start = acc.get(r, c);
    return reference::productUnder(rule, row, column, start);
  }
  void multiply(const ProductRule& rule) const {
    MmaSource source = a.source();
    if (metadata) source.metadata = metadata->ref;
    multiplyAccumulateUnder(rule, source, b.source(), acc.ref, accumulates);
  }

  uint32_t m, n, k;
  uint32_t terms;  // of each output
  bool accumulates;
  Operand a, b;
  Matrix acc;
  std::unique_ptr<Matrix> metadata;
};

}  // namespace etalon::numerics::test
