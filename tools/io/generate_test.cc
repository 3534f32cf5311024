// SPDX-License-Identifier: Apache-2.0
#include "tools/io/generate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "isa/base/bits.h"
#include "isa/numerics/philox.h"

namespace etalon::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class T>
std::vector<T> values(std::string_view spec, ElementType type, const std::vector<uint64_t>& shape) {
  const Array array = generate(spec, type, shape).value();
  std::vector<T> out(array.data.size() / sizeof(T));
  std::memcpy(out.data(), array.data.data(), array.data.size());
  return out;
}
std::string refusal(std::string_view spec, ElementType type,
                    const std::vector<uint64_t>& shape = {2}) {
  const Result<Array> array = generate(spec, type, shape);
  return array.ok() ? "accepted" : array.error().message;
}

TEST(Generate, FillsWithConstants) {
  EXPECT_THAT(values<float>("zeros", ElementType::f32, {2}), ElementsAre(0.0f, 0.0f));
  EXPECT_THAT(values<uint16_t>("ones", ElementType::bf16, {2}), ElementsAre(0x3f80, 0x3f80));
  EXPECT_THAT(values<uint16_t>("ones", ElementType::f16, {1}), ElementsAre(0x3c00));
  EXPECT_THAT(values<uint8_t>("ones", ElementType::f8e4m3, {1}), ElementsAre(0x38));
  EXPECT_THAT(values<uint8_t>("ones", ElementType::e8m0, {1}), ElementsAre(127));
  EXPECT_THAT(values<int8_t>("const:-128", ElementType::i8, {2}), ElementsAre(-128, -128));
  EXPECT_THAT(values<float>("const:0.1", ElementType::f32, {1}), ElementsAre(0.1f));
  EXPECT_THAT(values<uint16_t>("const:0.1", ElementType::bf16, {1}), ElementsAre(0x3dcd));
  EXPECT_THAT(values<uint16_t>("const:inf", ElementType::f16, {1}), ElementsAre(0x7c00));
  EXPECT_THAT(values<uint8_t>("const:0.25", ElementType::e8m0, {1}), ElementsAre(125));
}

TEST(Generate, CountsUp) {
  EXPECT_THAT(values<int64_t>("iota", ElementType::i64, {2, 2}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(values<float>("iota", ElementType::f32, {3}), ElementsAre(0.0f, 1.0f, 2.0f));
  EXPECT_EQ(values<uint8_t>("iota", ElementType::u8, {300})[299], 43);
  EXPECT_EQ(values<uint16_t>("iota", ElementType::bf16, {258})[257], 0x4380)
      << "257 lies between 256 and 258: to even";
  EXPECT_EQ(values<uint8_t>("iota", ElementType::f8e4m3, {600})[599], 0x7e) << "448, the greatest";
}

// The words come from Philox, which the test above holds against known answers; the scaling is done
// in double.
TEST(Generate, RandomIsPhiloxScaledExactly) {
  const std::vector<float> got = values<float>("random:7", ElementType::f32, {9});
  for (uint32_t i = 0; i < 9; ++i) {
    const auto word = static_cast<int32_t>(numerics::philox4x32({i / 4, 0, 0, 0}, {7, 0})[i % 4]);
    EXPECT_EQ(got[i], std::floor(word / 256.0) / 8388608.0) << i;
  }
}

TEST(Generate, RandomSeedsHave64Bits) {
  const auto word = static_cast<int32_t>(numerics::philox4x32({0, 0, 0, 0}, {1, 2})[0]);
  EXPECT_EQ(values<float>("random:0x200000001", ElementType::f32, {1})[0],
            std::floor(word / 256.0) / 8388608.0);
}

TEST(Generate, RandomFillsItsRangeEvenly) {
  double sum = 0;
  for (const float value : values<float>("random:1", ElementType::f32, {100000})) {
    ASSERT_GE(value, -1.0f);
    ASSERT_LT(value, 1.0f);
    sum += value;
  }
  EXPECT_NEAR(sum / 100000, 0, 6 * 0.5774 / std::sqrt(100000.0)) << "six sigma of the mean";
  std::vector<int> seen(16);
  for (const int8_t value : values<int8_t>("random:1", ElementType::i8, {16000})) {
    ASSERT_GE(value, -8);
    ASSERT_LE(value, 7);
    ++seen[static_cast<size_t>(value + 8)];
  }
  for (const int count : seen) EXPECT_NEAR(count, 1000, 6 * 30.6) << "six sigma of the count";
  for (const uint32_t value : values<uint32_t>("random:1", ElementType::u32, {100}))
    ASSERT_LE(value, 15u);
  for (const uint8_t value : values<uint8_t>("random:1", ElementType::e8m0, {100}))
    ASSERT_TRUE(value >= 119 && value <= 134);
}

TEST(Generate, RandomIntegersKeepTheirLimits) {
  std::vector<int> seen(10);
  for (const int64_t value : values<int64_t>("random:3:-3:7", ElementType::i64, {1000})) {
    ASSERT_GE(value, -3);
    ASSERT_LT(value, 7);
    ++seen[static_cast<size_t>(value + 3)];
  }
  for (const int count : seen) EXPECT_GT(count, 0);
}

TEST(Generate, PacksNibblesRowByRow) {
  EXPECT_THAT(values<uint8_t>("iota", ElementType::u4, {2, 3}),
              ElementsAre(0x10, 0x02, 0x43, 0x05));
}

TEST(Generate, SaysWhatIsWrong) {
  EXPECT_THAT(refusal("zeroes", ElementType::f32),
              HasSubstr("generator 'zeroes': no generator for f32; known: zeros, ones, iota"));
  EXPECT_THAT(refusal("iota:3", ElementType::f32), HasSubstr("no generator"));
  EXPECT_THAT(refusal("random", ElementType::f32), HasSubstr("write it as random:SEED"));
  EXPECT_THAT(refusal("random:", ElementType::f32), HasSubstr("the seed '' is not a whole number"));
  EXPECT_THAT(refusal("random:-1", ElementType::f32), HasSubstr("the seed '-1'"));
  EXPECT_THAT(refusal("random:1:0:5", ElementType::f32),
              HasSubstr("LO:HI is for integer types, not f32"));
  EXPECT_THAT(refusal("random:1:5:5", ElementType::i8),
              HasSubstr("the range 5..5 is empty or outside"));
  EXPECT_THAT(refusal("random:1:0:129", ElementType::i8), HasSubstr("outside -128 to 127"));
  EXPECT_THAT(refusal("random:1:0:8589934592", ElementType::i64), HasSubstr("wider than 2^32"));
  EXPECT_THAT(refusal("const:128", ElementType::i8),
              HasSubstr("128 is outside -128 to 127, the range of i8"));
  EXPECT_THAT(refusal("const:1.5", ElementType::i8), HasSubstr("'1.5' is not a whole number"));
  EXPECT_THAT(refusal("const:1e6", ElementType::f16),
              HasSubstr("'1e6' is outside the range of f16"));
  EXPECT_THAT(refusal("const:500", ElementType::f8e4m3), HasSubstr("outside the range of f8e4m3"));
  EXPECT_THAT(refusal("const:7", ElementType::f4e2m1), HasSubstr("outside the range of f4e2m1"));
  EXPECT_THAT(refusal("zeros", ElementType::e8m0), HasSubstr("no power of two"));
  EXPECT_THAT(refusal("zeros", ElementType::f32, {1u << 31, 1u << 31}),
              HasSubstr("larger than the limit"));
  EXPECT_TRUE(isGenerator("random:7"));
  EXPECT_FALSE(isGenerator("random.npy"));
}

}  // namespace
}  // namespace etalon::tools
