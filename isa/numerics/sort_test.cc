// SPDX-License-Identifier: Apache-2.0
// The reference decodes elements by their fields and counts, for each element, how many stand before
// it: no sorting, no integer keys.
#include "isa/numerics/sort.h"

#include <gtest/gtest.h>

#include <cmath>

#include "isa/numerics/tile_test_data.h"
#include "isa/state/rule_test.h"

namespace etalon::numerics {
namespace {

using test::TestTile;
using T = ElementType;

constexpr T kTypes[] = {T::i8,  T::i16,  T::i32,    T::u8,     T::u16, T::u32,
                        T::f16, T::bf16, T::f8e4m3, T::f8e5m2, T::f32};
constexpr SortOrder kOrders[] = {SortOrder::Ascending, SortOrder::Descending};

struct Fields {
  int exponent_bits, fraction_bits, bias;
};

double decodeFloat(T type, uint32_t code, const Fields& f) {
  const int e = static_cast<int>(code >> f.fraction_bits & ((1u << f.exponent_bits) - 1));
  const int m = static_cast<int>(code & ((1u << f.fraction_bits) - 1));
  const double sign = code >> (f.exponent_bits + f.fraction_bits) & 1 ? -1 : 1;
  if (e == (1 << f.exponent_bits) - 1) {
    if (type == T::f8e4m3 ? m == 7 : m != 0) return NAN;
    if (type != T::f8e4m3) return sign * INFINITY;
  }
  const double fraction = std::ldexp(m, -f.fraction_bits);
  return sign * (e == 0 ? std::ldexp(fraction, 1 - f.bias) : std::ldexp(1 + fraction, e - f.bias));
}

double decode(T type, uint32_t code) {
  switch (type) {
    case T::i8: return static_cast<int8_t>(code);
    case T::i16: return static_cast<int16_t>(code);
    case T::i32: return static_cast<int32_t>(code);
    case T::u8:
    case T::u16:
    case T::u32: return code;
    case T::f16: return decodeFloat(type, code, {5, 10, 15});
    case T::bf16: return decodeFloat(type, code, {8, 7, 127});
    case T::f8e4m3: return decodeFloat(type, code, {4, 3, 7});
    case T::f8e5m2: return decodeFloat(type, code, {5, 2, 15});
    default: return decodeFloat(type, code, {8, 23, 127});
  }
}

/// x stands strictly before y, wherever they are.
bool before(SortOrder order, double x, double y) {
  if (order == SortOrder::Descending) std::swap(x, y);
  if (std::isnan(x)) return false;
  return std::isnan(y) || x < y;
}

/// Place of column c in the sorted row.
uint32_t placeOf(SortOrder order, const TestTile& a, uint32_t r, uint32_t c) {
  const double value = decode(a.ref().type, a.get(r, c));
  uint32_t place = 0;
  for (uint32_t i = 0; i < a.cols(); ++i) {
    const double other = decode(a.ref().type, a.get(r, i));
    place += before(order, other, value) || (i < c && !before(order, value, other));
  }
  return place;
}

void expectFirst(SortOrder order, const TestTile& a, const TestTile& values,
                 const TestTile& indices) {
  for (uint32_t r = 0; r < a.rows(); ++r)
    for (uint32_t c = 0; c < a.cols(); ++c) {
      const uint32_t place = placeOf(order, a, r, c);
      if (place >= values.cols()) continue;
      ASSERT_EQ(indices.get(r, place), c) << elementInfo(a.ref().type).name << " row " << r;
      ASSERT_EQ(values.get(r, place), a.get(r, c)) << elementInfo(a.ref().type).name;
    }
}

TEST(Sort, RowsOfEveryTypeKeepTheOrderOfEqualElements) {
  SHOWS(sort_order, sort_stable, sort_result);
  std::mt19937 random(1);
  for (const T type : kTypes)
    for (const SortOrder order : kOrders)
      for (const uint32_t columns : {0u, 1u, 2u, 17u, 150u}) {
        TestTile a(type, 6, columns, 2, 2, 1), values(type, 6, columns, 3, 1, 2),
            indices(T::i32, 6, columns, 6, 4);
        a.fill(random);
        // Few different elements, so that many are equal.
        for (uint32_t c = 0; c < columns; ++c) a.set(1, c, a.get(1, random() % (columns / 4 + 1)));
        sortRows(order, a.ref(), values.ref(), indices.ref());
        expectFirst(order, a, values, indices);
      }
}

TEST(Sort, TheFirstColumnsOfARowAreThoseOfTheWholeSort) {
  SHOWS(sort_top);
  std::mt19937 random(2);
  for (const T type : kTypes)
    for (const SortOrder order : kOrders)
      for (const uint32_t kept : {0u, 1u, 5u, 63u, 99u, 100u}) {
        TestTile a(type, 4, 100), values(type, 4, kept, 2, 2), indices(T::i32, 4, kept);
        a.fill(random);
        for (uint32_t c = 0; c < 100; ++c) a.set(2, c, a.get(2, c % 3));
        sortRows(order, a.ref(), values.ref(), indices.ref());
        expectFirst(order, a, values, indices);
      }
}

TEST(Sort, EveryElementOfAnEightBitTypeFindsItsPlace) {
  std::mt19937 random(3);
  for (const T type : {T::i8, T::u8, T::f8e4m3, T::f8e5m2})
    for (const SortOrder order : kOrders) {
      TestTile a(type, 1, 256), values(type, 1, 256), indices(T::i32, 1, 256);
      std::vector<uint32_t> codes(256);
      for (uint32_t c = 0; c < 256; ++c) codes[c] = c;
      std::shuffle(codes.begin(), codes.end(), random);
      for (uint32_t c = 0; c < 256; ++c) a.set(0, c, codes[c]);
      sortRows(order, a.ref(), values.ref(), indices.ref());
      expectFirst(order, a, values, indices);
    }
}

TEST(Sort, NansOfEitherSignAreGreatestAndZerosAreEqual) {
  SHOWS(sort_order);
  // -0, NaN, +0, -NaN, +Inf, -Inf, a signalling NaN, the least subnormal
  const uint32_t row[] = {0x80000000, 0x7fc00000, 0,          0xffc00001,
                          0x7f800000, 0xff800000, 0x7f800001, 1};
  TestTile a(T::f32, 1, 8), values(T::f32, 1, 8), indices(T::i32, 1, 8);
  for (uint32_t c = 0; c < 8; ++c) a.set(0, c, row[c]);
  const uint32_t ascending[] = {5, 0, 2, 7, 4, 1, 3, 6}, descending[] = {1, 3, 6, 4, 7, 0, 2, 5};
  for (const SortOrder order : kOrders) {
    sortRows(order, a.ref(), values.ref(), indices.ref());
    for (uint32_t i = 0; i < 8; ++i) {
      const uint32_t c = order == SortOrder::Ascending ? ascending[i] : descending[i];
      EXPECT_EQ(indices.get(0, i), c);
      EXPECT_EQ(values.get(0, i), row[c]);
    }
  }
}

TEST(Sort, ARepeatedRowIsSortedOnceForEachRow) {
  TestTile a = TestTile::repeated(T::i32, 3, 4, true, false), values(T::i32, 3, 4),
           indices(T::i32, 3, 4);
  const uint32_t row[] = {3, 1, 2, 1};
  for (uint32_t c = 0; c < 4; ++c) a.set(0, c, row[c]);
  sortRows(SortOrder::Ascending, a.ref(), values.ref(), indices.ref());
  const uint32_t want[] = {1, 3, 2, 0};
  for (uint32_t r = 0; r < 3; ++r)
    for (uint32_t c = 0; c < 4; ++c) EXPECT_EQ(indices.get(r, c), want[c]);
}

}  // namespace
}  // namespace etalon::numerics
