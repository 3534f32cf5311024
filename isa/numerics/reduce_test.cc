// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/reduce.h"

#include <gtest/gtest.h>

#include <cmath>

#include "isa/numerics/argreduce.h"
#include "isa/numerics/scan.h"
#include "isa/numerics/tile_test_data.h"
#include "isa/state/rule_test.h"

namespace etalon::numerics {
namespace {

using test::TestTile;
using T = ElementType;

constexpr ReduceOp kOps[] = {ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min};

float asFloat(uint32_t b) { return std::bit_cast<float>(b); }
uint32_t bitsOf(float x) { return x != x ? 0x7fc00000u : std::bit_cast<uint32_t>(x); }

uint32_t combine(ReduceOp op, T type, uint32_t a, uint32_t b) {
  if (type == T::f32) {
    const float x = asFloat(a), y = asFloat(b);
    if (op == ReduceOp::Sum) return bitsOf(x + y);
    if (op == ReduceOp::Prod) return bitsOf(x * y);
    if (std::isnan(x) || std::isnan(y)) return 0x7fc00000;
    if (x == y) return (op == ReduceOp::Max) == std::signbit(x) ? b : a;
    return (x > y) == (op == ReduceOp::Max) ? a : b;
  }
  const int64_t x = type == T::i32 ? int64_t{static_cast<int32_t>(a)} : int64_t{a};
  const int64_t y = type == T::i32 ? int64_t{static_cast<int32_t>(b)} : int64_t{b};
  if (op == ReduceOp::Sum) return static_cast<uint32_t>(x + y);
  if (op == ReduceOp::Prod) return a * b;
  return (x > y) == (op == ReduceOp::Max) ? a : b;
}

uint32_t identity(ReduceOp op, T type) {
  switch (op) {
    case ReduceOp::Sum: return type == T::f32 ? 0x80000000u : 0u;
    case ReduceOp::Prod: return type == T::f32 ? 0x3f800000u : 1u;
    case ReduceOp::Max: return type == T::f32 ? 0xff800000u : type == T::i32 ? 0x80000000u : 0u;
    default: return type == T::f32 ? 0x7f800000u : type == T::i32 ? 0x7fffffffu : ~0u;
  }
}

std::vector<uint32_t> lanesOf(ReduceOp op, const TestTile& a, uint32_t r) {
  std::vector<uint32_t> lanes(64, identity(op, a.ref().type));
  for (uint32_t c = 0; c < a.cols(); ++c)
    lanes[c % 64] = combine(op, a.ref().type, lanes[c % 64], a.get(r, c));
  return lanes;
}

uint32_t folded(ReduceOp op, T type, std::vector<uint32_t> lanes) {
  for (size_t h = 32; h >= 1; h /= 2)
    for (size_t i = 0; i < h; ++i) lanes[i] = combine(op, type, lanes[i], lanes[i + h]);
  return lanes[0];
}

class OnEachHostIsa : public testing::TestWithParam<HostIsa> {};

TEST_P(OnEachHostIsa, RowReductionsFold64LanesInTheStatedOrder) {
  SHOWS(red_lanes, red_fold);
  std::mt19937 random(1);
  for (const ReduceOp op : kOps)
    for (const T type : {T::f32, T::i32, T::u32})
      for (const uint32_t cols :
           {1u, 2u, 63u, 64u, 65u, 127u, 128u, 200u, 511u, 512u, 513u, 1500u}) {
        TestTile a(type, 6, cols, 3, 1, cols % 3), td(type, 6, 1);
        a.fill(random);
        reduceRows(op, a.ref(), td.ref(), false, GetParam());
        for (uint32_t r = 0; r < 6; ++r) {
          uint32_t want = folded(op, type, lanesOf(op, a, r));
          ASSERT_EQ(td.get(r, 0), want)
              << static_cast<int>(op) << " " << elementInfo(type).name << " cols " << cols;
        }
      }
}

TEST_P(OnEachHostIsa, ColumnReductionsTakeAscendingRows) {
  SHOWS(red_columns);
  std::mt19937 random(2);
  for (const ReduceOp op : kOps)
    for (const T type : {T::f32, T::i32, T::u32})
      for (const bool accumulate : {false, true}) {
        TestTile a(type, 15, 70, 5, 2, 1), td(type, 1, 70);
        a.fill(random);
        td.fill(random);
        TestTile want = td;
        for (uint32_t c = 0; c < 70; ++c) {
          uint32_t acc = accumulate ? td.get(0, c) : identity(op, type);
          for (uint32_t r = 0; r < 15; ++r) acc = combine(op, type, acc, a.get(r, c));
          want.set(0, c, acc);
        }
        reduceColumns(op, a.ref(), td.ref(), accumulate, GetParam());
        EXPECT_TRUE(td == want);
      }
}

TEST_P(OnEachHostIsa, ChunksThroughTheLanesTileGiveTheBitsOfTheWholeRow) {
  SHOWS(red_accumulate, red_chunk);
  std::mt19937 random(3);
  for (const ReduceOp op : kOps) {
    TestTile a(T::f32, 4, 300), whole(T::f32, 4, 1), lanes(T::f32, 4, 64), chunked(T::f32, 4, 1);
    a.fill(random);
    for (uint32_t r = 0; r < 4; ++r)
      for (uint32_t c = 0; c < 64; ++c) lanes.set(r, c, identity(op, T::f32));
    for (const auto& [first, count] : {std::pair{0u, 64u}, {64u, 128u}, {192u, 108u}}) {
      TileRef chunk = a.ref();
      chunk.data += first * 4;
      chunk.cols = count;
      reduceRows(op, chunk, lanes.ref(), true, GetParam());
    }
    reduceRows(op, lanes.ref(), chunked.ref(), false, GetParam());
    reduceRows(op, a.ref(), whole.ref(), false, GetParam());
    EXPECT_TRUE(chunked == whole);
    for (uint32_t r = 0; r < 4; ++r)
      EXPECT_EQ(whole.get(r, 0), folded(op, T::f32, lanesOf(op, a, r)));
  }
}

INSTANTIATE_TEST_SUITE_P(Reduce, OnEachHostIsa, testing::ValuesIn(supportedHostIsas()),
                         [](const auto& info) {
                           return info.param == HostIsa::Generic ? "Generic"
                                  : info.param == HostIsa::V3    ? "V3"
                                                                 : "V4";
                         });

TEST(Reduce, EmptyRowsGiveTheIdentityAndLanesStay) {
  SHOWS(red_lanes, red_accumulate, op_empty);
  for (const ReduceOp op : kOps) {
    TestTile a(T::f32, 3, 0), td(T::f32, 3, 1), lanes(T::f32, 3, 64), one(T::f32, 0, 5),
        columns(T::f32, 1, 5);
    reduceRows(op, a.ref(), td.ref(), false);
    for (uint32_t r = 0; r < 3; ++r) EXPECT_EQ(td.get(r, 0), identity(op, T::f32));
    const TestTile before = lanes;
    reduceRows(op, a.ref(), lanes.ref(), true);
    EXPECT_TRUE(lanes == before);
    reduceColumns(op, one.ref(), columns.ref(), false);
    for (uint32_t c = 0; c < 5; ++c) EXPECT_EQ(columns.get(0, c), identity(op, T::f32));
  }
}

TEST(Reduce, RoundsOnceAtTheEndAndWrapsNarrowIntegers) {
  SHOWS(red_fold);
  TestTile a(T::bf16, 1, 3), td(T::bf16, 1, 1), i(T::i8, 1, 4), narrow(T::i8, 1, 1),
      wide(T::i32, 1, 1);
  // 256 + 1 + 1: bf16 rounds 257 back to 256, the f32 sum 258 is a bf16.
  a.set(0, 0, 0x4380), a.set(0, 1, 0x3f80), a.set(0, 2, 0x3f80);
  reduceRows(ReduceOp::Sum, a.ref(), td.ref(), false);
  EXPECT_EQ(td.get(0, 0), 0x4381u);
  for (uint32_t c = 0; c < 4; ++c) i.set(0, c, 100);
  reduceRows(ReduceOp::Sum, i.ref(), narrow.ref(), false);
  reduceRows(ReduceOp::Sum, i.ref(), wide.ref(), false);
  EXPECT_EQ(narrow.get(0, 0), 400u & 0xff);
  EXPECT_EQ(wide.get(0, 0), 400u);
}

TEST(Reduce, SumOfNegativeZerosIsNegativeZero) {
  SHOWS(red_lanes);
  TestTile a(T::f32, 1, 70), td(T::f32, 1, 1);
  for (uint32_t c = 0; c < 70; ++c) a.set(0, c, 0x80000000);
  reduceRows(ReduceOp::Sum, a.ref(), td.ref(), false);
  EXPECT_EQ(td.get(0, 0), 0x80000000u);
}

TEST(ArgReduce, FirstNanWinsElseTheLowestIndexOfTheExtremum) {
  SHOWS(red_argument);
  const float rows[][5] = {{1, 3, 3, -2, 0},
                           {0.0f, -0.0f, -1, -1, -1},
                           {1, NAN, 5, NAN, 0},
                           {-INFINITY, -INFINITY, 0, 0, 0}};
  const int32_t greatest[] = {1, 0, 1, 2}, least[] = {3, 2, 1, 0};
  TestTile a(T::f32, 4, 5), td(T::i32, 4, 1), columns(T::i32, 1, 5);
  for (uint32_t r = 0; r < 4; ++r)
    for (uint32_t c = 0; c < 5; ++c) a.setFloat(r, c, rows[r][c]);
  argReduceRows(ArgOp::Max, a.ref(), td.ref());
  for (uint32_t r = 0; r < 4; ++r) EXPECT_EQ(static_cast<int32_t>(td.get(r, 0)), greatest[r]) << r;
  argReduceRows(ArgOp::Min, a.ref(), td.ref());
  for (uint32_t r = 0; r < 4; ++r) EXPECT_EQ(static_cast<int32_t>(td.get(r, 0)), least[r]) << r;
  argReduceColumns(ArgOp::Max, a.ref(), columns.ref());
  const int32_t by_column[] = {0, 2, 2, 2, 0};
  for (uint32_t c = 0; c < 5; ++c)
    EXPECT_EQ(static_cast<int32_t>(columns.get(0, c)), by_column[c]) << c;
}

TEST(ArgReduce, EmptyGivesMinusOneAndUnsignedComparesUnsigned) {
  SHOWS(red_argument);
  TestTile none(T::f32, 2, 0), td(T::i32, 2, 1), u(T::u8, 1, 3), one(T::i32, 1, 1);
  argReduceRows(ArgOp::Max, none.ref(), td.ref());
  EXPECT_EQ(td.get(0, 0), ~0u);
  u.set(0, 0, 5), u.set(0, 1, 200), u.set(0, 2, 7);
  argReduceRows(ArgOp::Max, u.ref(), one.ref());
  EXPECT_EQ(one.get(0, 0), 1u);
}

TEST(ArgReduce, AccumulatedChunksGiveTheIndexInTheWholeRow) {
  SHOWS(red_argument_accumulate);
  std::mt19937 random(4);
  for (const ArgOp op : {ArgOp::Max, ArgOp::Min})
    for (int trial = 0; trial < 50; ++trial) {
      TestTile a(T::f32, 3, 40), whole(T::i32, 3, 1), values(T::f32, 3, 1), indices(T::i32, 3, 1);
      for (uint32_t r = 0; r < 3; ++r) {
        for (uint32_t c = 0; c < 40; ++c)
          a.setFloat(r, c,
                     random() % 60 == 0
                         ? NAN
                         : static_cast<float>(random() % 9) - INFINITY * (trial % 10 == 0));
        indices.set(r, 0, ~0u);
      }
      argReduceRows(op, a.ref(), whole.ref());
      for (const uint32_t first : {0u, 13u, 26u}) {
        TileRef chunk = a.ref();
        chunk.data += first * 4;
        chunk.cols = first == 26 ? 14 : 13;
        argReduceRowsAccumulate(op, chunk, first, values.ref(), indices.ref());
      }
      EXPECT_TRUE(indices == whole);
      for (uint32_t r = 0; r < 3; ++r)
        EXPECT_EQ(values.get(r, 0), bitsOf(a.getFloat(r, indices.get(r, 0))));
    }
}

TEST(Scan, EveryModeAgreesWithTheSequentialDefinition) {
  SHOWS(scan_order, scan_start);
  std::mt19937 random(5);
  for (const ReduceOp op : kOps)
    for (const T type : {T::f32, T::i32, T::u32})
      for (int mode = 0; mode < 8; ++mode) {
        const bool exclusive = (mode & 1) != 0, reverse = (mode & 2) != 0,
                   carried = (mode & 4) != 0;
        TestTile a(type, 4, 37, 2, 1, 1), td(type, 4, 37), carry(type, 4, 1);
        a.fill(random);
        carry.fill(random);
        const TestTile start = carry;
        scanRows(op, {exclusive, reverse}, a.ref(), td.ref(), carried ? &carry.ref() : nullptr);
        for (uint32_t r = 0; r < 4; ++r) {
          uint32_t acc = carried ? start.get(r, 0) : identity(op, type);
          if (type == T::f32) acc = bitsOf(asFloat(acc));
          for (uint32_t k = 0; k < 37; ++k) {
            const uint32_t c = reverse ? 36 - k : k;
            const uint32_t next = combine(op, type, acc, a.get(r, c));
            ASSERT_EQ(td.get(r, c), exclusive ? acc : next);
            acc = next;
          }
          ASSERT_EQ(carry.get(r, 0), carried ? acc : start.get(r, 0));
        }
      }
}

TEST(Scan, RunsInPlace) {
  std::mt19937 random(6);
  TestTile a(T::f32, 3, 50), td(T::f32, 3, 50);
  a.fill(random);
  scanRows(ReduceOp::Sum, {}, a.ref(), td.ref(), nullptr);
  scanRows(ReduceOp::Sum, {}, a.ref(), a.ref(), nullptr);
  EXPECT_TRUE(a == td);
}

TEST(Recur, IsAFusedRecurrenceCarriedInF32) {
  SHOWS(scan_recurrence);
  std::mt19937 random(7);
  for (const bool reverse : {false, true}) {
    TestTile a(T::f32, 3, 29), b(T::f32, 3, 29), td(T::f32, 3, 29), carry(T::f32, 3, 1);
    a.fill(random), b.fill(random), carry.fill(random);
    const TestTile start = carry;
    recurRows(reverse, a.ref(), b.ref(), td.ref(), &carry.ref());
    for (uint32_t r = 0; r < 3; ++r) {
      float h = start.getFloat(r, 0);
      for (uint32_t k = 0; k < 29; ++k) {
        const uint32_t c = reverse ? 28 - k : k;
        h = std::fma(a.getFloat(r, c), h, b.getFloat(r, c));
        ASSERT_EQ(td.get(r, c), bitsOf(h));
      }
      EXPECT_EQ(carry.get(r, 0), bitsOf(h));
    }
  }
}

}  // namespace
}  // namespace etalon::numerics
