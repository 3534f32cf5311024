// SPDX-License-Identifier: Apache-2.0
#include "tools/io/png.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "isa/base/file.h"

namespace etalon::tools {
namespace {

std::string temporary(const std::string& name) {
  return testing::TempDir() + "/" + std::to_string(getpid()) + name;
}

/// 2 x 3 pixels of three channels, samples 0, 10, 20, ...
Array picture() {
  Array array = makeArray(ElementType::u8, {1, 2, 3, 3}).value();
  for (size_t i = 0; i < array.data.size(); ++i) array.data[i] = static_cast<std::byte>(10 * i);
  return array;
}

std::vector<std::byte> pngOf(const Array& array) {
  const std::string path = temporary("bytes.png");
  EXPECT_TRUE(writePng(path, array).ok());
  const std::string text = readFile(path).value();
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

TEST(Png, GivesBackTheSamplesItWrote) {
  const Array array = picture();
  const Result<Array> back = parsePng(pngOf(array), "p.png", std::nullopt);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->shape, array.shape);
  EXPECT_EQ(back->data, array.data);
}

TEST(Png, ScalesSamplesToFloatsAndBack) {
  Array array = picture();
  array.data[0] = std::byte{255};
  const Result<Array> back = parsePng(pngOf(array), "p.png", ElementType::bf16);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->data[0], std::byte{0x80});  // 1.0 is bf16 3f80
  EXPECT_EQ(back->data[1], std::byte{0x3f});
  const Result<Array> wide = parsePng(pngOf(array), "p.png", ElementType::f32);
  ASSERT_TRUE(wide.ok());
  EXPECT_EQ(parsePng(pngOf(*wide), "p.png", ElementType::u8)->data, array.data);
}

TEST(Png, ExpandsGreyToThreeChannels) {
  Array grey = makeArray(ElementType::u8, {1, 1}).value();
  grey.data[0] = std::byte{77};
  const Result<Array> back = parsePng(pngOf(grey), "p.png", std::nullopt);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->data, std::vector<std::byte>(3, std::byte{77}));
}

// The product of 255 and an f32 next to (n + 1/2)/255 is no tie; rounded to f32 first, it would be.
TEST(Png, WritesTheNearestSampleOfValuesBesideATie) {
  Array array = makeArray(ElementType::f32, {1, 3}).value();
  const float values[] = {0x1.333334p-2F, 0x1.040404p-1F, 0.5F};  // 76.500003, 129.499998, a tie
  std::memcpy(array.data.data(), values, sizeof values);
  const Array back = parsePng(pngOf(array), "p.png", std::nullopt).value();
  EXPECT_EQ(back.data[0], std::byte{77});
  EXPECT_EQ(back.data[3], std::byte{129});
  EXPECT_EQ(back.data[6], std::byte{128});
}

TEST(Png, RefusesTypesAndShapesThatAreNoPicture) {
  EXPECT_EQ(parsePng(pngOf(picture()), "p.png", ElementType::i32).error().message,
            "'p.png': a picture is u8, or f32, f16 or bf16 in 0..1, not i32");
  const Status written =
      writePng(temporary("x.png"), makeArray(ElementType::u8, {2, 3, 4}).value());
  ASSERT_FALSE(written.ok());
  EXPECT_NE(written.error().message.find("u8[2, 3, 4] is no picture"), std::string::npos);
}

TEST(Png, SaysThatAMissingFileCannotBeRead) {
  EXPECT_NE(readPng("/nonexistent.png", std::nullopt).error().message.find("cannot read"),
            std::string::npos);
}

TEST(Png, RefusesEveryTruncation) {
  const std::vector<std::byte> file = pngOf(picture());
  // The last chunk, IEND, is 12 bytes; a reader may stop before it.
  for (size_t n = 0; n + 12 < file.size(); ++n)
    EXPECT_FALSE(parsePng(std::span(file).first(n), "p.png", std::nullopt).ok()) << n;
}

TEST(Png, SurvivesEveryBitFlip) {
  std::vector<std::byte> file = pngOf(picture());
  for (size_t bit = 0; bit < file.size() * 8; ++bit) {
    file[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    const Result<Array> array = parsePng(file, "p.png", std::nullopt);
    if (array.ok()) {
      EXPECT_EQ(array->data.size(), elementCount(array->shape));
    }
    file[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
  }
}

}  // namespace
}  // namespace etalon::tools
