// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/move.h"

#include <gtest/gtest.h>

#include <cmath>

#include "isa/numerics/tile_test_data.h"
#include "isa/state/rule_test.h"

namespace etalon::numerics {
namespace {

using test::TestTile;
using T = ElementType;

constexpr T kTypes[] = {T::i8, T::bf16, T::f32, T::f8e4m3, T::u16, T::i32};

TEST(Move, CopyMovesBitsThroughStridesAndRepeats) {
  SHOWS(move_bits);
  std::mt19937 random(1);
  for (const T type : kTypes) {
    TestTile a(type, 12, 33, 4, 2, 3), td(type, 12, 33, 6, 1, 1);
    a.fill(random);
    a.set(0, 0, 0xffffffff);  // a NaN with all payload bits where there are NaNs
    TestTile want = td;
    for (uint32_t r = 0; r < 12; ++r)
      for (uint32_t c = 0; c < 33; ++c) want.set(r, c, a.get(r, c));
    copyTile(a.ref(), td.ref());
    EXPECT_TRUE(td == want) << elementInfo(type).name;

    TestTile row = TestTile::repeated(type, 5, 9, true, true), filled(type, 5, 9);
    row.set(0, 0, 0x81818181);
    copyTile(row.ref(), filled.ref());
    for (uint32_t r = 0; r < 5; ++r)
      for (uint32_t c = 0; c < 9; ++c) EXPECT_EQ(filled.get(r, c), row.get(0, 0));
  }
}

TEST(Move, TransposeSwapsRowsAndColumnsOfAnyShape) {
  SHOWS(move_bits, move_shape);
  std::mt19937 random(2);
  for (const T type : kTypes)
    for (const auto& [rows, cols] :
         {std::pair{1u, 1u}, {1u, 70u}, {70u, 1u}, {6u, 130u}, {66u, 65u}}) {
      TestTile a(type, rows, cols, rows % 2 == 0 ? rows / 2 : 1, 1, 2),
          td(type, cols, rows, 0, 1, 1);
      a.fill(random);
      TestTile want = td;
      for (uint32_t r = 0; r < cols; ++r)
        for (uint32_t c = 0; c < rows; ++c) want.set(r, c, a.get(c, r));
      transposeTile(a.ref(), td.ref());
      EXPECT_TRUE(td == want) << elementInfo(type).name << " " << rows << " x " << cols;
    }
}

TEST(Move, IotaCountsModuloTheWidthOfIntegers) {
  SHOWS(move_iota);
  TestTile bytes(T::u8, 4, 100, 2, 1, 1), words(T::i32, 4, 100);
  iotaTile(bytes.ref(), 250, 3, 7);
  iotaTile(words.ref(), 0x123456787ffffff0, static_cast<uint64_t>(-5), 9);
  for (uint32_t r = 0; r < 4; ++r)
    for (uint32_t c = 0; c < 100; ++c) {
      EXPECT_EQ(bytes.get(r, c), (250 + 3 * r + 7 * c) & 0xff);
      EXPECT_EQ(words.get(r, c), 0x7ffffff0u - 5 * r + 9 * c);
    }
}

TEST(Move, IotaUsesWholeRegistersFor64Bits) {
  SHOWS(move_iota);
  std::vector<int64_t> data(6);
  TileRef td{.data = reinterpret_cast<std::byte*>(data.data()),
             .type = T::i64,
             .outer = 1,
             .inner = 2,
             .cols = 3,
             .ostride = 0,
             .istride = 24};
  iotaTile(td, static_cast<uint64_t>(-10'000'000'000), 100, 1);
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(data[static_cast<size_t>(i)], -10'000'000'000 + 100 * (i / 3) + i % 3);
}

TEST(Move, FloatIotaIsTwoFusedStepsThenOneRounding) {
  SHOWS(move_iota);
  const auto bits = [](float x) { return uint64_t{std::bit_cast<uint32_t>(x)} | 0xabcd00000000; };
  TestTile f(T::f32, 5, 60), half(T::bf16, 1, 3);
  iotaTile(f.ref(), bits(0.1f), bits(1e7f), bits(0.3f));
  for (uint32_t r = 0; r < 5; ++r)
    for (uint32_t c = 0; c < 60; ++c)
      EXPECT_EQ(f.getFloat(r, c),
                std::fma(static_cast<float>(c), 0.3f, std::fma(static_cast<float>(r), 1e7f, 0.1f)));
  iotaTile(half.ref(), bits(256), bits(0), bits(1));  // 256, 257 ties down, 258
  EXPECT_EQ(half.get(0, 0), 0x4380u);
  EXPECT_EQ(half.get(0, 1), 0x4380u);
  EXPECT_EQ(half.get(0, 2), 0x4381u);
}

TEST(Move, AFloatFillMovesItsValue) {
  SHOWS(move_iota);
  TestTile f(T::f32, 2, 2);
  for (const uint32_t value : {0x80000000u, 0xff800001u, 0x7f800000u}) {
    iotaTile(f.ref(), value, 0, 0x80000000);
    EXPECT_EQ(f.get(1, 1), value);
  }
  iotaTile(f.ref(), 0x7f800000, std::bit_cast<uint32_t>(-INFINITY), 0);
  EXPECT_EQ(f.get(0, 0), 0x7fc00000u);  // 0 * -Inf
}

TEST(Move, GatherReadsZeroOutsideAndScatterDropsLastWins) {
  SHOWS(move_gather, move_scatter, move_index_outside);
  std::mt19937 random(3);
  for (const T type : kTypes)
    for (const T index_type : {T::i32, T::i8, T::u8}) {
      TestTile a(type, 6, 20, 2), index(index_type, 6, 31), td(type, 6, 31, 3, 2);
      a.fill(random);
      for (uint32_t r = 0; r < 6; ++r)
        for (uint32_t c = 0; c < 31; ++c) index.set(r, c, random() % 26 - 3);
      const auto at = [&](uint32_t r, uint32_t c) {
        const uint32_t raw = index.get(r, c);
        return index_type == T::u8   ? int{static_cast<uint8_t>(raw)}
               : index_type == T::i8 ? int{static_cast<int8_t>(raw)}
                                     : static_cast<int>(raw);
      };
      gatherColumns(a.ref(), index.ref(), td.ref());
      for (uint32_t r = 0; r < 6; ++r)
        for (uint32_t c = 0; c < 31; ++c) {
          const int i = at(r, c);
          EXPECT_EQ(td.get(r, c), i < 0 || i >= 20 ? 0 : a.get(r, static_cast<uint32_t>(i)));
        }

      TestTile source(type, 6, 31), target(type, 6, 20);
      source.fill(random), target.fill(random);
      TestTile want = target;
      for (uint32_t r = 0; r < 6; ++r)
        for (uint32_t c = 0; c < 31; ++c)
          if (at(r, c) >= 0 && at(r, c) < 20)
            want.set(r, static_cast<uint32_t>(at(r, c)), source.get(r, c));
      scatterColumns(source.ref(), index.ref(), target.ref());
      EXPECT_TRUE(target == want);
    }
}

TEST(Move, PermuteTakesRowsByIndexAndZeroOutside) {
  SHOWS(move_permute, move_index_outside);
  std::mt19937 random(4);
  TestTile a(T::bf16, 6, 40, 3), index(T::i32, 5, 1), td(T::bf16, 5, 40, 0, 2);
  a.fill(random);
  const int rows[] = {5, 0, -1, 6, 2};
  for (uint32_t r = 0; r < 5; ++r) index.set(r, 0, static_cast<uint32_t>(rows[r]));
  permuteRows(a.ref(), index.ref(), td.ref());
  for (uint32_t r = 0; r < 5; ++r)
    for (uint32_t c = 0; c < 40; ++c)
      EXPECT_EQ(td.get(r, c),
                rows[r] < 0 || rows[r] > 5 ? 0 : a.get(static_cast<uint32_t>(rows[r]), c));
}

}  // namespace
}  // namespace etalon::numerics
