// SPDX-License-Identifier: Apache-2.0
#include "isa/state/tile_register.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "isa/base/bits.h"
#include "isa/state/brute_force.h"
#include "isa/state/rule_test.h"

namespace etalon::isa {
namespace {

using brute_force::Rng;
using testing::HasSubstr;

TileRegister bf16Tile() {
  TileRegister t;
  t.type = static_cast<uint8_t>(ElementType::bf16);
  t.base = 0x1000;
  t.outer = 2;
  t.inner = 4;
  t.cols = 8;
  t.ostride = 0x400;
  t.istride = 0x40;
  return t;
}

// Every field has a value that shows in its own bits only, written by hand from isa-reference.md.
constexpr TileWords kWords = {
    0x12345678 | 0xABCDEFull << 32 | 14ull << 56 | 3ull << 62,
    0x111111 | 0x222222ull << 24 | 1ull << 48 | 1ull << 49 | 21ull << 50,
    0x89ABCDEF | 0xFEDCBA98ull << 32,
};

TEST(TileRegister, ReadsEveryFieldOfTheWords) {
  SHOWS(tile_layout);
  const TileRegister t = unpackTile(kWords);
  EXPECT_EQ(t.base, 0x12345678u);
  EXPECT_EQ(t.cols, 0xABCDEFu);
  EXPECT_EQ(t.elementType(), ElementType::bf16);
  EXPECT_EQ(t.step, 4);
  EXPECT_EQ(t.outer, 0x111111u);
  EXPECT_EQ(t.inner, 0x222222u);
  EXPECT_TRUE(t.transpose);
  EXPECT_TRUE(t.link_valid);
  EXPECT_EQ(t.link, 21);
  EXPECT_EQ(t.ostride, 0x89ABCDEFu);
  EXPECT_EQ(t.istride, 0xFEDCBA98u);
  EXPECT_EQ(packTile(t), kWords);
}

TEST(TileRegister, CodesTheColumnStepsInOrder) {
  SHOWS(tile_layout);
  for (uint64_t code = 0; code < 4; ++code) {
    const TileRegister t = unpackTile({code << 62, 0, 0});
    EXPECT_EQ(t.step, (std::array<int, 4>{0, 1, 2, 4}[code]));
    EXPECT_EQ(packTile(t)[0], code << 62);
  }
}

TEST(TileRegister, KeepsEveryTypeCodeIncludingReservedOnes) {
  for (uint64_t code = 0; code < 64; ++code) {
    const TileRegister t = unpackTile({code << 56 | 1ull << 62, 0, 0});
    EXPECT_EQ(t.type, code);
    EXPECT_EQ(t.hasType(), code < 16);
    EXPECT_EQ(packTile(t)[0], code << 56 | 1ull << 62);
  }
}

TEST(TileRegister, ImageIsTheWordsInLittleEndianAndZero) {
  SHOWS(tile_layout, tile_image, state_data);
  std::array<std::byte, kTileImageBytes> image;
  image.fill(std::byte{0xEE});
  storeTileImage(unpackTile(kWords), image);
  const uint8_t expected[kTileImageBytes] = {
      0x78, 0x56, 0x34, 0x12, 0xEF, 0xCD, 0xAB, 0xCE,  // base, cols, 14 | 3 << 6
      0x11, 0x11, 0x11, 0x22, 0x22, 0x22, 0x57, 0x00,  // outer, inner, 1 | 1 << 1 | 21 << 2
      0xEF, 0xCD, 0xAB, 0x89, 0x98, 0xBA, 0xDC, 0xFE,  // ostride, istride
      0,    0,    0,    0,    0,    0,    0,    0};
  for (int i = 0; i < kTileImageBytes; ++i)
    EXPECT_EQ(static_cast<uint8_t>(image[i]), expected[i]) << "byte " << i;
  EXPECT_EQ(loadTileImage(image), unpackTile(kWords));
  EXPECT_FALSE(checkTileImage(image));
}

TEST(TileRegister, RefusesSpareBitsOfTheWords) {
  for (int bit = 55; bit < 64; ++bit) {
    TileWords words = kWords;
    words[1] |= uint64_t{1} << bit;
    const auto malformed = checkTileWords(words);
    ASSERT_TRUE(malformed) << bit;
    EXPECT_EQ(malformed->problem, Problem::SpareBits);
    EXPECT_EQ(malformed->field, "word 1");
  }
  EXPECT_FALSE(checkTileWords(kWords));
}

TEST(TileRegister, RefusesSpareBytesOfTheImage) {
  VIOLATES(tile_spare);
  for (int i = 24; i < 32; ++i) {
    std::array<std::byte, kTileImageBytes> image{};
    image[i] = std::byte{1};
    const auto malformed = checkTileImage(image);
    ASSERT_TRUE(malformed) << i;
    EXPECT_EQ(malformed->problem, Problem::SpareBits);
  }
  std::array<std::byte, kTileImageBytes> image{};
  image[15] = std::byte{1};
  EXPECT_TRUE(checkTileImage(image)) << "spare bits of word 1";
}

TEST(TileRegister, RefusesReservedTypes) {
  TileRegister t = bf16Tile();
  t.type = 16;
  const auto malformed = checkTile(t);
  ASSERT_TRUE(malformed);
  EXPECT_EQ(malformed->problem, Problem::ReservedType);
  EXPECT_THAT(malformed->text, HasSubstr("16"));
}

TEST(TileRegister, RefusesBaseAndStridesOffTheElement) {
  const std::pair<const char*, uint32_t TileRegister::*> fields[] = {
      {"base", &TileRegister::base},
      {"ostride", &TileRegister::ostride},
      {"istride", &TileRegister::istride}};
  for (const auto& [name, field] : fields) {
    for (int code = 0; code < kElementTypes; ++code) {
      const int size = std::max(1, brute_force::typeBits(code) / 8);
      for (uint32_t extra = 0; extra < 8; ++extra) {
        TileRegister t = bf16Tile();
        t.type = static_cast<uint8_t>(code);
        t.*field += extra;
        const auto malformed = checkTile(t);
        ASSERT_EQ(malformed.has_value(), extra % size != 0) << name << " " << code << " " << extra;
        if (!malformed) continue;
        EXPECT_EQ(malformed->problem, Problem::Misaligned);
        EXPECT_EQ(malformed->field, name);
      }
    }
  }
}

TEST(TileRegister, RefusesFourBitColumnsWithAStep) {
  for (const ElementType type : {ElementType::i4, ElementType::u4, ElementType::f4e2m1})
    for (const uint8_t step : {0, 1, 2, 4}) {
      TileRegister t = bf16Tile();
      t.type = static_cast<uint8_t>(type);
      t.step = step;
      const auto malformed = checkTile(t);
      ASSERT_EQ(malformed.has_value(), step != 1);
      if (!malformed) continue;
      EXPECT_EQ(malformed->problem, Problem::FourBitRule);
    }
}

TEST(TileRegister, TransposeSwapsTheLogicalExtents) {
  SHOWS(tile_transpose);
  TileRegister t = bf16Tile();
  EXPECT_EQ(t.rows(), 8u);
  t.inner = 5;
  EXPECT_EQ(t.rows(), 10u);
  EXPECT_EQ(t.columns(), 8u);
  t.transpose = true;
  EXPECT_EQ(t.rows(), 8u);
  EXPECT_EQ(t.columns(), 10u);
  EXPECT_EQ(t.storedRows(), 10u);
}

TEST(TileRegister, HullIsExactlyTheFirstAndLastByte) {
  Rng rng(11);
  for (int seed = 0; seed < 20000; ++seed) {
    const TileRegister t = brute_force::randomTile(rng);
    const ByteInterval hull = t.hull();
    std::set<uint64_t> bytes;
    for (uint64_t r = 0; r < uint64_t{t.outer} * t.inner; ++r)
      for (uint64_t c = 0; c < t.cols; ++c)
        for (int n = 0; n < brute_force::typeBits(t.type) / 4; ++n)
          bytes.insert((brute_force::tileNibble(t, r, c) + n) / 2);
    ASSERT_EQ(hull.empty(), bytes.empty());
    if (bytes.empty()) continue;
    ASSERT_TRUE(hull.lo == Int128{*bytes.begin()}) << "seed " << seed;
    ASSERT_TRUE(hull.hi == Int128{*bytes.rbegin()} + 1) << "seed " << seed;
  }
}

TEST(TileRegister, HullOfTheLargestTileDoesNotWrap) {
  TileRegister t = bf16Tile();
  t.type = static_cast<uint8_t>(ElementType::i64);
  t.base = t.ostride = t.istride = 0xFFFFFFF8;
  t.outer = t.inner = t.cols = kMaxCount;
  t.step = 4;
  const Int128 stride = 0xFFFFFFF8;
  const Int128 most = kMaxCount - 1;
  EXPECT_TRUE(t.hull().hi == stride + 2 * most * stride + most * 4 * 8 + 8);
}

TEST(TileRegister, CanonicalFormMergesEvenBlocks) {
  SHOWS(overlap_canonical);
  TileRegister t = bf16Tile();
  t.ostride = t.inner * t.istride;
  const CanonicalTile c = canonical(t);
  EXPECT_EQ(c.outer, 1u);
  EXPECT_EQ(c.inner, 8u);
  EXPECT_EQ(c.ostride, 0u);
  EXPECT_EQ(c.istride, 0x40u);
  EXPECT_EQ(c.width, 16u);
  EXPECT_EQ(c.span, 7 * 0x40u + 16);
}

TEST(TileRegister, CanonicalFormMovesOuterRowsInward) {
  SHOWS(overlap_canonical);
  TileRegister t = bf16Tile();
  t.inner = 1;
  const CanonicalTile c = canonical(t);
  EXPECT_EQ(c.outer, 1u);
  EXPECT_EQ(c.inner, 2u);
  EXPECT_EQ(c.istride, 0x400u);
}

TEST(SameElements, SeesThroughDifferentDescriptionsOfOneTile) {
  SHOWS(alias_in_place);
  const TileRegister a = bf16Tile();
  EXPECT_TRUE(sameElements(a, a));
  TileRegister merged = a, split = a;
  merged.outer = 1, merged.inner = 8, merged.ostride = 12;
  split.ostride = 4 * 0x40;
  EXPECT_TRUE(sameElements(merged, split));
  TileRegister other_type = a;
  other_type.type = static_cast<uint8_t>(ElementType::i16);
  EXPECT_TRUE(sameElements(a, other_type)) << "only the element size counts";
}

TEST(SameElements, IgnoresTheStepOfASingleColumn) {
  TileRegister a = bf16Tile(), b = bf16Tile();
  a.cols = b.cols = 1;
  b.step = 4;
  EXPECT_TRUE(sameElements(a, b));
}

TEST(SameElements, SeesEveryDifference) {
  SHOWS(alias_in_place);
  const TileRegister a = bf16Tile();
  std::vector<TileRegister> others(8, a);
  others[0].base += 2;
  others[1].outer += 1;
  others[2].inner += 1;
  others[3].cols += 1;
  others[4].ostride += 2;
  others[5].istride += 2;
  others[6].step = 2;
  others[7].type = static_cast<uint8_t>(ElementType::f32);
  for (size_t i = 0; i < others.size(); ++i) EXPECT_FALSE(sameElements(a, others[i])) << i;
  TileRegister transposed = a;
  transposed.transpose = true;
  EXPECT_FALSE(sameElements(transposed, transposed));
  // 4-bit and 8-bit elements have one canonical size, not one width.
  TileRegister byte = a, nibble = a;
  byte.type = static_cast<uint8_t>(ElementType::u8);
  nibble.type = static_cast<uint8_t>(ElementType::u4);
  EXPECT_FALSE(sameElements(byte, nibble));
}

}  // namespace
}  // namespace etalon::isa
