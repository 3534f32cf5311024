// SPDX-License-Identifier: Apache-2.0
#include "isa/base/number.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "isa/base/text.h"

namespace etalon {
namespace {

using ::testing::HasSubstr;

TEST(Number, ReadsDecimalAndHexadecimal) {
  EXPECT_EQ(*parseUnsigned("0"), 0u);
  EXPECT_EQ(*parseUnsigned("18446744073709551615"), ~uint64_t{0});
  EXPECT_EQ(*parseUnsigned("0x80000000"), 0x80000000u);
  EXPECT_EQ(*parseSigned("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(*parseSigned("9223372036854775807"), INT64_MAX);
}

TEST(Number, RefusesWhatReadersDisagreeOn) {
  for (const char* text :
       {"", " 1", "1 ", "+1", "-1", "1_000", "1.0", "1e3", "0x", "0x-1", "0o7", "0b1", "x", "ten"})
    EXPECT_THAT(parseUnsigned(text).error().message, HasSubstr("is not a whole number")) << text;
  EXPECT_THAT(parseUnsigned("010").error().message, HasSubstr("'010' has a leading zero"));
}

TEST(Number, SaysWhichLimitWasPassed) {
  EXPECT_THAT(parseUnsigned("18446744073709551616").error().message, HasSubstr("2^64 - 1"));
  EXPECT_THAT(parseSigned("9223372036854775808").error().message,
              HasSubstr("outside -2^63..2^63-1"));
  EXPECT_THAT(parseSigned("-9223372036854775809").error().message,
              HasSubstr("outside -2^63..2^63-1"));
  EXPECT_THAT(parseBytes("17179869184 GiB").error().message, HasSubstr("too large"));
  EXPECT_THAT(parseFloat("1e39").error().message, HasSubstr("range of f32"));
}

TEST(Number, ReadsAndWritesSizes) {
  EXPECT_EQ(*parseBytes("8 MiB"), 8u << 20);
  EXPECT_EQ(*parseBytes("64KiB"), 64u << 10);
  EXPECT_EQ(*parseBytes("4097"), 4097u);
  EXPECT_EQ(formatBytes(8u << 20), "8 MiB");
  EXPECT_EQ(formatBytes(uint64_t{16} << 30), "16 GiB");
  EXPECT_EQ(formatBytes(4097), "4097");
  EXPECT_EQ(formatBytes(0), "0");
  EXPECT_THAT(parseBytes("8 MB").error().message, HasSubstr("KiB, MiB or GiB"));
  EXPECT_THAT(parseBytes("-8 MiB").error().message, HasSubstr("is not a size"));
}

TEST(Number, ReadsAndWritesThousandths) {
  EXPECT_EQ(*parseThousandths("2"), 2000u);
  EXPECT_EQ(*parseThousandths("0.5"), 500u);
  EXPECT_EQ(*parseThousandths("1/2"), 500u);
  EXPECT_EQ(*parseThousandths("3/8"), 375u);
  EXPECT_EQ(*parseThousandths("1.025"), 1025u);
  EXPECT_EQ(formatThousandths(500), "0.5");
  EXPECT_EQ(formatThousandths(2000), "2");
  EXPECT_EQ(formatThousandths(10'025), "10.025");
  EXPECT_EQ(formatThousandths(0), "0");
  for (const char* text : {"", "-1", "1/3", "1/0", "1/", "/2", ".5", "1.", "1.0005", "1.x", "0.5/2",
                           "00.5", "1e3", " 1", "1000000001", "18446744073709551616"})
    EXPECT_THAT(parseThousandths(text).error().message,
                HasSubstr(std::string("'") + text + "' is not a ratio: write it as 2, 0.5 or 1/2"));
}

TEST(Number, ReadsFloats) {
  EXPECT_EQ(*parseFloat("0.1"), 0.1f);
  EXPECT_EQ(*parseFloat("-2"), -2.0f);
  EXPECT_TRUE(std::isinf(*parseFloat("-inf")));
  EXPECT_THAT(parseFloat("1.5x").error().message, HasSubstr("'1.5x' is not a number"));
  EXPECT_THAT(parseFloat("").error().message, HasSubstr("is not a number"));
}

TEST(Text, QuotesHostileBytesAndCutsLongText) {
  EXPECT_EQ(quote("a\x1b[1m\xff"), "'a\\x1b[1m\\xff'");
  EXPECT_EQ(quote(std::string(1000, 'a')).size(), 65u);
}

}  // namespace
}  // namespace etalon
