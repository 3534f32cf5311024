// SPDX-License-Identifier: Apache-2.0
// Elements of 4 bits against single elements: conversions one by one, and the halves of bytes by hand.
#include "isa/numerics/nibbles.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "isa/numerics/contract_convert.h"
#include "isa/numerics/move.h"

namespace etalon::numerics {
namespace {

using enum ElementType;
using Bytes = std::vector<std::byte>;

constexpr ElementType kNibbleTypes[] = {i4, u4, f4e2m1};
constexpr ElementType kOthers[] = {i8, u8, i16, u16, i32, u32, f8e4m3, f8e5m2, f16, bf16, f32};

Bytes bytes(std::initializer_list<int> values) {
  Bytes all;
  for (const int value : values) all.push_back(static_cast<std::byte>(value));
  return all;
}

Bytes anyBytes(size_t n, std::mt19937& random) {
  Bytes all(n);
  for (std::byte& byte : all) byte = static_cast<std::byte>(random());
  return all;
}

/// Element i of a run, at its place counted in halves of bytes.
uint64_t elementAt(const Bytes& memory, size_t origin, ElementType type, int64_t stride,
                   int64_t nibble, size_t i) {
  const int64_t at = nibble + static_cast<int64_t>(i) * stride;
  if (elementInfo(type).bits == 4) {
    const int64_t half = 2 * static_cast<int64_t>(origin) + at;
    const auto byte = std::to_integer<unsigned>(memory[static_cast<size_t>(half / 2)]);
    return half % 2 != 0 ? byte >> 4 : byte & 15;
  }
  uint64_t bits = 0;
  for (int k = 0; k < elementInfo(type).bits / 8; ++k)
    bits |= std::to_integer<uint64_t>(
                memory[static_cast<size_t>(static_cast<int64_t>(origin) + at + k)])
            << 8 * k;
  return bits;
}

TEST(NibbleMover, ConvertsEveryElementAsAloneThroughAnyStrides) {
  std::mt19937 random(1);
  ConversionRule declared;
  declared.rounding = Direction::toward_positive;
  declared.overflow = Overflow::saturate;
  std::vector<std::pair<ElementType, ElementType>> pairs;
  for (const ElementType a : kNibbleTypes) {
    for (const ElementType b : kNibbleTypes) pairs.emplace_back(a, b);
    for (const ElementType b : kOthers) {
      pairs.emplace_back(a, b);
      pairs.emplace_back(b, a);
    }
  }
  constexpr size_t kElements = 37, kOrigin = 400;
  for (const auto& [from, to] : pairs)
    for (int round = 0; round < 16; ++round) {
      const bool odd = random() % 2 != 0;
      const auto strideOf = [&](ElementType type) -> int64_t {
        if (elementInfo(type).bits == 4)
          return odd ? 1 : 2 * static_cast<int64_t>(random() % 7) - 6;
        return (static_cast<int64_t>(random() % 5) - 2) * elementInfo(type).bits / 8;
      };
      const int64_t from_stride = strideOf(from);
      int64_t to_stride = strideOf(to);
      if (to_stride == 0) to_stride = elementInfo(to).bits == 4 ? 2 : elementInfo(to).bits / 8;
      const ConversionRule* rule = random() % 2 != 0 ? &declared : nullptr;
      const ConvertMode mode{random() % 2 ? Rounding::TowardZero : Rounding::NearestEven,
                             random() % 2 != 0};
      Bytes src = anyBytes(800, random), dst = anyBytes(800, random);
      const int64_t nibble = elementInfo(from).bits == 4 && from_stride == 1 ? random() % 2 : 0;
      NibbleMover(rule, from, to, mode)
          .run({src.data() + kOrigin, from_stride, nibble}, {dst.data() + kOrigin, to_stride, 0},
               kElements);
      for (size_t i = 0; i < kElements; ++i) {
        const uint64_t bits = elementAt(src, kOrigin, from, from_stride, nibble, i);
        const uint64_t expected =
            from == to ? bits
            : rule     ? convertElementUnder(*rule, from, bits, to, mode)
                       : convertElement(from, bits, to, mode.rounding, mode.saturate);
        ASSERT_EQ(elementAt(dst, kOrigin, to, to_stride, 0, i), expected)
            << elementInfo(from).name << " to " << elementInfo(to).name << " element " << i;
      }
    }
}

TEST(NibbleMover, WritesWholeBytesAndNothingElse) {
  const Bytes src = bytes({0x21, 0x43, 0x65});
  Bytes copy = src;
  const auto moved = [&](const ElementRun& from, int64_t stride, int64_t nibble, size_t n) {
    Bytes dst = bytes({0xff, 0xff, 0xff, 0xff, 0xff});
    NibbleMover(nullptr, u4, u4, {}).run(from, {dst.data() + 1, stride, nibble}, n);
    return dst;
  };
  const ElementRun packed{copy.data(), 1};
  EXPECT_EQ(moved(packed, 1, 0, 5), bytes({0xff, 0x21, 0x43, 0x05, 0xff}));
  EXPECT_EQ(moved(packed, 1, 0, 4), bytes({0xff, 0x21, 0x43, 0xff, 0xff}));
  EXPECT_EQ(moved({copy.data(), 1, 1}, 1, 0, 3), bytes({0xff, 0x32, 0x04, 0xff, 0xff}));
  EXPECT_EQ(moved(packed, 1, 1, 3), bytes({0xff, 0x1f, 0x32, 0xff, 0xff})) << "the low half stays";
  EXPECT_EQ(moved(packed, 2, 0, 3), bytes({0xff, 0x01, 0x02, 0x03, 0xff}));
  EXPECT_EQ(moved(packed, -2, 0, 2), bytes({0x02, 0x01, 0xff, 0xff, 0xff}));
}

/// A tile of odd rows with a byte between them.
TileRef tileOf(Bytes& memory, ElementType type, uint32_t rows, uint32_t cols) {
  return {memory.data(), type, 1, rows, cols, 0, (cols + 1) / 2 + 1};
}

TEST(MoveNibbles, CopyAndTransposeClearTheHalfBehindAnOddRow) {
  Bytes a = bytes({0x21, 0xf3, 0xff, 0x54, 0xf6, 0xff});  // {1, 2, 3}, {4, 5, 6}
  Bytes copied(6, std::byte{0xee}), transposed(6, std::byte{0xee});
  for (const ElementType type : kNibbleTypes) {
    copyTile(tileOf(a, type, 2, 3), tileOf(copied, type, 2, 3));
    EXPECT_EQ(copied, bytes({0x21, 0x03, 0xee, 0x54, 0x06, 0xee}));
    transposeTile(tileOf(a, type, 2, 3), tileOf(transposed, type, 3, 2));
    EXPECT_EQ(transposed, bytes({0x41, 0xee, 0x52, 0xee, 0x63, 0xee}));
  }
}

TEST(MoveNibbles, IotaCountsModulo16AndRoundsToFp4) {
  Bytes td(6, std::byte{0xee});
  iotaTile(tileOf(td, i4, 2, 3), 14, 100, 1);  // 14, 15, 16 and 114, 115, 116
  EXPECT_EQ(td, bytes({0xfe, 0x00, 0xee, 0x32, 0x04, 0xee}));
  const auto f32_bits = [](float x) { return uint64_t{std::bit_cast<uint32_t>(x)}; };
  iotaTile(tileOf(td, f4e2m1, 2, 3), f32_bits(0.25f), f32_bits(-100), f32_bits(1.5f));
  EXPECT_EQ(td, bytes({0x40, 0x05, 0xee, 0xff, 0x0f, 0xee}));  // 0, 2 (of 1.75), 3 (of 3.25); -6
}

}  // namespace
}  // namespace etalon::numerics
