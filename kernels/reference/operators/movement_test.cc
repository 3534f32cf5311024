// SPDX-License-Identifier: Apache-2.0
// Operators that move or convert elements: gather, copy, transpose, cast.
#include <gmock/gmock.h>

#include "kernels/reference/test_support.h"

namespace etalon::kernels {
namespace {

using enum ElementType;

void expectEveryFlipCaught(const std::string& operation, const Named& arrays,
                           const Attributes& attributes = {}) {
  EXPECT_TRUE(reportOf(runCheck(operation, arrays, attributes)).passed);
  const Array& good = *arrays.back().second;
  for (uint64_t index = 0; index < abi::elementCount(good.shape); ++index)
    for (int bit = 0; bit < elementInfo(good.type).bits; ++bit) {
      const Array bad = withFlippedBit(good, index, bit);
      Named mutated = arrays;
      mutated.back().second = &bad;
      EXPECT_FALSE(reportOf(runCheck(operation, mutated, attributes)).passed) << index;
    }
}

TEST(Gather, TakesRowsAndFillsForIdsOutside) {
  const Array table = arrayOfValues(bf16, {3, 2}, {1, 2, 3, 4, 5, 6});
  const Array ids = arrayOfValues(i32, {2, 2}, {2, 0, -1, 3});
  const Array y = arrayOfValues(bf16, {2, 2, 2}, {5, 6, 1, 2, 0, 0, 0, 0});
  expectEveryFlipCaught("gather", {{"table", &table}, {"ids", &ids}, {"y", &y}});
  const Array filled = arrayOfValues(bf16, {2, 2, 2}, {5, 6, 1, 2, -1, -1, -1, -1});
  expectEveryFlipCaught("gather", {{"table", &table}, {"ids", &ids}, {"y", &filled}},
                        {{"fill", "-1"}});
}

TEST(Gather, ReadsWideIdsAndTablesWithoutRows) {
  const Array empty = arrayOfValues(i8, {0, 2}, {});
  const Array ids = arrayOfValues(i64, {2}, {-9223372036854775807.0, 1099511627776.0});
  const Array y = arrayOfValues(i8, {2, 2}, {7, 7, 7, 7});
  expectEveryFlipCaught("gather", {{"table", &empty}, {"ids", &ids}, {"y", &y}}, {{"fill", "7"}});
}

TEST(Gather, NamesShapesAndTypes) {
  const Array table = arrayOfValues(bf16, {3, 2}, {1, 2, 3, 4, 5, 6});
  const Array ids = arrayOfValues(i32, {1}, {0});
  EXPECT_EQ(messageOf(runCheck("gather", {{"table", &table}, {"ids", &ids}, {"y", &table}})),
            "check gather: output y has the shape [3, 2]; from table: bf16[3, 2], ids: i32[1] it "
            "would be [1, 2]");
  EXPECT_EQ(messageOf(runCheck("gather", {{"table", &table}, {"ids", &table}, {"y", &table}})),
            "check gather: ids: bf16[3, 2]; it must be an array of i32, i64");
}

TEST(Copy, MovesEveryBitOfEveryType) {
  for (const ElementType type : {i4, u8, i32, f8e4m3, bf16, i64}) {
    std::vector<uint64_t> bits(6);
    ProbeRandom random(4);
    for (uint64_t& element : bits) {
      element = random.next() >> (64 - elementInfo(type).bits);
      if (type == f8e4m3) element &= 0x77;  // no NaN, which equals any
      if (type == bf16) element &= 0x7BFF;
    }
    const Array x = arrayOf(type, {2, 3}, bits);
    const Array y = arrayOf(type, {3, 2}, bits);
    EXPECT_TRUE(reportOf(runCheck("copy", {{"x", &x}, {"y", &y}})).passed);
    for (uint64_t index = 0; index < 6; ++index) {
      const Array bad = withFlippedBit(y, index, 0);
      EXPECT_FALSE(reportOf(runCheck("copy", {{"x", &x}, {"y", &bad}})).passed);
    }
  }
  const Array x = arrayOfValues(i8, {2}, {1, 2});
  const Array y = arrayOfValues(i8, {3}, {1, 2, 3});
  EXPECT_EQ(messageOf(runCheck("copy", {{"x", &x}, {"y", &y}})),
            "check copy: output y has the shape [3]; from x: i8[2] it would be [2]");
}

TEST(Transpose, ReversesOrPermutesTheAxes) {
  const Array x = arrayOfValues(i16, {2, 3}, {1, 2, 3, 4, 5, 6});
  const Array y = arrayOfValues(i16, {3, 2}, {1, 4, 2, 5, 3, 6});
  expectEveryFlipCaught("transpose", {{"x", &x}, {"y", &y}});
  const Array cube = arrayOfValues(u8, {2, 1, 3}, {1, 2, 3, 4, 5, 6});
  const Array turned = arrayOfValues(u8, {3, 2, 1}, {1, 4, 2, 5, 3, 6});
  expectEveryFlipCaught("transpose", {{"x", &cube}, {"y", &turned}}, {{"perm", "[2, 0, 1]"}});
  EXPECT_EQ(
      messageOf(runCheck("transpose", {{"x", &cube}, {"y", &turned}}, {{"perm", "[2, 0, 0]"}})),
      "check transpose: attribute perm names axis 0 twice");
  EXPECT_EQ(messageOf(runCheck("transpose", {{"x", &x}, {"y", &x}})),
            "check transpose: output y has the shape [2, 3]; from x: i16[2, 3] it would be [3, 2]");
}

TEST(Cast, RoundsOnceOrSaturatesOrWraps) {
  const Array x = arrayOfValues(f32, {4}, {2.5, -300, 1e9, 0.5});
  const Array bytes = arrayOfValues(i8, {4}, {2, -128, 127, 0});
  expectEveryFlipCaught("cast", {{"x", &x}, {"y", &bytes}});
  const Array large = arrayOfValues(i32, {3}, {257, 16777217, -1});
  const Array wrapped = arrayOfValues(u8, {3}, {1, 1, 255});
  expectEveryFlipCaught("cast", {{"x", &large}, {"y", &wrapped}});
  const Array clamped = arrayOfValues(u8, {3}, {255, 255, 0});
  expectEveryFlipCaught("cast", {{"x", &large}, {"y", &clamped}}, {{"saturate", "1"}});
  // 16777217 lies between two bf16, 2^17 apart; 257 is a tie between 256 and 258.
  const Array rounded = arrayOfValues(bf16, {3}, {256, 16777216, -1});
  expectEveryFlipCaught("cast", {{"x", &large}, {"y", &rounded}});
}

}  // namespace
}  // namespace etalon::kernels
