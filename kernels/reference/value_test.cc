// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/value.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "isa/state/rule_test.h"
#include "kernels/reference/probe_plan.h"

namespace etalon::kernels {
namespace {

using enum ElementType;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr ElementType kSmallFloats[] = {f4e2m1, f8e4m3, f8e5m2, f16, bf16};

double ofF32(uint32_t bits) { return static_cast<double>(std::bit_cast<float>(bits)); }

TEST(Decode, KnowsTheValuesOfTheStandards) {
  SHOWS(type_formats);
  EXPECT_EQ(decode(f8e4m3, 0x7E), 448);  // OCP OFP8, table 1
  EXPECT_EQ(decode(f8e4m3, 0x01), 0x1p-9);
  EXPECT_TRUE(std::isnan(decode(f8e4m3, 0xFF)));
  EXPECT_EQ(decode(f8e5m2, 0x7B), 57344);
  EXPECT_EQ(decode(f8e5m2, 0x01), 0x1p-16);
  EXPECT_EQ(decode(f8e5m2, 0xFC), -kInf);
  EXPECT_TRUE(std::isnan(decode(f8e5m2, 0x7D)));
  EXPECT_EQ(decode(f4e2m1, 0x7), 6);
  EXPECT_EQ(decode(f4e2m1, 0x9), -0.5);
  EXPECT_EQ(decode(f16, 0x7BFF), 65504);
  EXPECT_EQ(decode(f16, 0x0001), 0x1p-24);
  EXPECT_EQ(decode(bf16, 0x3FC0), 1.5);
  EXPECT_EQ(decode(f32, 0x00000001), 0x1p-149);
  EXPECT_TRUE(std::signbit(decode(f32, 0x80000000)));
  EXPECT_EQ(decode(e8m0, 0), 0x1p-127);
  EXPECT_EQ(decode(e8m0, 127), 1);
  EXPECT_TRUE(std::isnan(decode(e8m0, 255)));
  EXPECT_EQ(decode(i4, 0xF), -1);
  EXPECT_EQ(decode(u4, 0xF), 15);
  EXPECT_EQ(decode(i8, 0x80), -128);
  EXPECT_EQ(decode(u32, 0xFFFFFFFF), 4294967295.0);
  EXPECT_EQ(decodeInteger(i64, ~uint64_t{0}), -1);
}

TEST(Decode, AgreesWithTheHostOnF32) {
  ProbeRandom random(1);
  for (int i = 0; i < 100000; ++i) {
    const auto bits = static_cast<uint32_t>(random.next());
    const double expected = ofF32(bits);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(decode(f32, bits)));
    else
      EXPECT_EQ(decode(f32, bits), expected);
  }
}

TEST(Encode, ReturnsEveryElementOfTheSmallFormats) {
  for (const ElementType type : kSmallFloats)
    for (uint64_t bits = 0; bits < uint64_t{1} << elementInfo(type).bits; ++bits) {
      const double value = decode(type, bits);
      if (std::isnan(value)) continue;
      EXPECT_EQ(encode(type, {value, 0}), bits) << elementInfo(type).name;
    }
}

TEST(Encode, SplitsEveryGapAtItsMiddleWithTiesToEven) {
  for (const ElementType type : kSmallFloats) {
    const uint64_t sign = uint64_t{1} << (elementInfo(type).bits - 1);
    for (uint64_t bits = 0; bits + 1 < sign; ++bits) {
      const double low = decode(type, bits);
      const double high = decode(type, bits + 1);
      if (!std::isfinite(low) || !std::isfinite(high)) continue;
      const double middle = (low + high) / 2;
      const uint64_t even = (bits & 1) == 0 ? bits : bits + 1;
      ASSERT_EQ(encode(type, {middle, 0}), even);
      ASSERT_EQ(encode(type, {middle, -1}), bits);
      ASSERT_EQ(encode(type, {middle, 1}), bits + 1);
      ASSERT_EQ(encode(type, {-middle, 1}), sign | bits);
      ASSERT_EQ(encode(type, {-middle, -1}), sign | (bits + 1));
      ASSERT_EQ(encode(type, {std::nextafter(middle, 0.0), 0}), bits);
      ASSERT_EQ(encode(type, {std::nextafter(middle, kInf), 0}), bits + 1);
    }
  }
}

TEST(Encode, RoundsDoublesToF32AsTheHostDoes) {
  ProbeRandom random(2);
  for (int i = 0; i < 300000; ++i) {
    // Exponents around the whole range of f32, half of them in the subnormals.
    const int exponent = static_cast<int>(random.between(0, 1) != 0 ? random.between(-152, -120)
                                                                    : random.between(-152, 130));
    const double mantissa = std::ldexp(static_cast<double>(random.next() >> 11), -52);
    const double value = std::ldexp(mantissa, exponent) * static_cast<double>(random.sign());
    EXPECT_EQ(encode(f32, {value, 0}), std::bit_cast<uint32_t>(static_cast<float>(value)));
  }
}

TEST(Encode, JudgesOverflowOnTheRoundedValue) {
  EXPECT_EQ(encode(f16, {65519.99, 0}), 0x7BFFU);
  EXPECT_EQ(encode(f16, {65520, 0}), 0x7C00U);
  EXPECT_EQ(encode(f16, {65520, -1}), 0x7BFFU);
  EXPECT_EQ(encode(f16, {-65520, 0}, true), 0xFBFFU);
  EXPECT_EQ(encode(f8e4m3, {464, 0}), 0x7EU);  // tie between 448 and 480, which would be even
  EXPECT_EQ(encode(f8e4m3, {464, 1}), 0x7FU);
  EXPECT_EQ(encode(f8e4m3, {-1e30, 0}, true), 0xFEU);
  EXPECT_EQ(encode(f8e5m2, {61440, 0}), 0x7CU);
  EXPECT_EQ(encode(f8e5m2, {kInf, 0}, true), 0x7BU);
  EXPECT_EQ(encode(f4e2m1, {-100, 0}), 0xFU);
  EXPECT_EQ(encode(f32, {kInf, 0}), 0x7F800000U);
}

TEST(Encode, GivesTheCanonicalNaN) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(encode(f32, {-nan, 0}), 0x7FC00000U);
  EXPECT_EQ(encode(f16, {nan, 0}), 0x7E00U);
  EXPECT_EQ(encode(bf16, {nan, 0}), 0x7FC0U);
  EXPECT_EQ(encode(f8e4m3, {nan, 0}, true), 0x7FU);
  EXPECT_EQ(encode(f8e5m2, {nan, 0}), 0x7EU);
  EXPECT_EQ(encode(f4e2m1, {nan, 0}), 0x7U);
}

TEST(EncodeInteger, RoundsTiesToEvenAndSaturates) {
  EXPECT_EQ(encodeInteger(i8, 2.5), 2U);
  EXPECT_EQ(encodeInteger(i8, 3.5), 4U);
  EXPECT_EQ(encodeInteger(i8, -2.5), 0xFEU);
  EXPECT_EQ(encodeInteger(i8, 127.5), 0x7FU);
  EXPECT_EQ(encodeInteger(i8, -1e9), 0x80U);
  EXPECT_EQ(encodeInteger(u8, -3), 0U);
  EXPECT_EQ(encodeInteger(u32, 1e30), 0xFFFFFFFFU);
  EXPECT_EQ(encodeInteger(i32, std::numeric_limits<double>::quiet_NaN()), 0U);
}

TEST(UlpAt, IsTheDistanceToTheNextValue) {
  EXPECT_EQ(ulpAt(f32, 1), 0x1p-23);
  EXPECT_EQ(ulpAt(f32, 0), 0x1p-149);
  EXPECT_EQ(ulpAt(bf16, -3), 0x1p-6);
  EXPECT_EQ(ulpAt(f8e4m3, 448), 32);
  EXPECT_EQ(ulpAt(f16, 0x1p-20), 0x1p-24);
}

}  // namespace
}  // namespace etalon::kernels
