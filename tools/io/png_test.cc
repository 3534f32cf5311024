// SPDX-License-Identifier: Apache-2.0
#include "tools/io/png.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "tools/io/array_file.h"

namespace etalon::tools {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A PNG by the standard's description, independent of libpng's writer.
std::string word(uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift);
  return out;
}
std::string chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  const uLong crc = crc32(0, reinterpret_cast<const Bytef*>(body.data()), body.size());
  return word(data.size()) + body + word(static_cast<uint32_t>(crc));
}
std::string deflated(const std::string& raw) {
  std::string out(compressBound(raw.size()), '\0');
  uLongf size = out.size();
  EXPECT_EQ(compress(reinterpret_cast<Bytef*>(out.data()), &size,
                     reinterpret_cast<const Bytef*>(raw.data()), raw.size()),
            Z_OK);
  return out.substr(0, size);
}
enum Colour : char { kGrey = 0, kRgb = 2, kPalette = 3, kRgba = 6 };
/// `rows` holds the filter byte of each row too.
std::string file(uint32_t width, uint32_t height, int bits, Colour colour, const std::string& rows,
                 const std::string& before_data = "") {
  const std::string header = word(width) + word(height) + static_cast<char>(bits) +
                             static_cast<char>(colour) + std::string(3, '\0');
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + before_data + chunk("IDAT", deflated(rows)) +
         chunk("IEND", "");
}
/// 2x2: red-ish, green-ish; blue-ish, white.
const std::string& small() {
  static const std::string content = file(2, 2, 8, kRgb,
                                          std::string("\0\xc8\x01\x02\x03\xc9\x04"
                                                      "\0\x05\x06\xca\xff\xff\xff",
                                                      14));
  return content;
}

std::vector<int> samples(const Array& array) {
  std::vector<int> out;
  for (const std::byte b : array.data) out.push_back(std::to_integer<int>(b));
  return out;
}
std::vector<float> floats(const Array& array) {
  std::vector<float> out(array.data.size() / 4);
  std::memcpy(out.data(), array.data.data(), array.data.size());
  return out;
}
template <class T>
Array arrayOf(ElementType type, std::vector<uint64_t> shape, const std::vector<T>& values) {
  Array array = makeArray(type, shape).value();
  EXPECT_EQ(array.data.size(), values.size() * sizeof(T));
  std::memcpy(array.data.data(), values.data(), array.data.size());
  return array;
}
std::string refusal(const std::string& content,
                    std::optional<ElementType> expected = std::nullopt) {
  const Result<Array> array = parsePng(content, "a.png", expected);
  return array.ok() ? "accepted" : array.error().message;
}
Array written(const Array& array) {
  return parsePng(formatPng(array).value(), "a.png", ElementType::u8).value();
}
std::string writeRefusal(const Array& array) {
  const Result<std::string> content = formatPng(array);
  return content.ok() ? "accepted" : content.error().message;
}

TEST(Png, ReadsRgbAsItStands) {
  const Array array = parsePng(small(), "a.png", std::nullopt).value();
  EXPECT_EQ(array.type, ElementType::u8);
  EXPECT_THAT(array.shape, ElementsAre(1, 2, 2, 3));
  EXPECT_THAT(samples(array), ElementsAre(200, 1, 2, 3, 201, 4, 5, 6, 202, 255, 255, 255));
}

TEST(Png, ReadsGreyOfAnyDepthAsRgb) {
  // 4 bits: 0x0 -> 0, 0xf -> 255, 0x3 -> 0x33.
  const std::string rows("\0\x0f\x30", 3);
  EXPECT_THAT(samples(parsePng(file(3, 1, 4, kGrey, rows), "a.png", std::nullopt).value()),
              ElementsAre(0, 0, 0, 255, 255, 255, 51, 51, 51));
}

TEST(Png, ReadsPalettes) {
  const std::string palette = chunk("PLTE", {10, 20, 30, 40, 50, 60});
  const std::string rows("\0\x01\0", 3);
  EXPECT_THAT(
      samples(parsePng(file(2, 1, 8, kPalette, rows, palette), "a.png", std::nullopt).value()),
      ElementsAre(40, 50, 60, 10, 20, 30));
}

TEST(Png, DoesNotApplyGamma) {
  const std::string gamma = chunk("gAMA", word(100000));
  const std::string rows("\0\x01\x80\xff", 4);
  EXPECT_THAT(samples(parsePng(file(1, 1, 8, kRgb, rows, gamma), "a.png", std::nullopt).value()),
              ElementsAre(1, 128, 255));
}

// The nearest values to v/255 by a search over all of the type that shares no code with the reader.
TEST(Png, ScalesToFloatsWithOneRounding) {
  std::string rows(1, '\0');
  for (int v = 0; v < 256; ++v) rows += static_cast<char>(v);
  const std::string ramp = file(256, 1, 8, kGrey, rows);
  const Array f32 = parsePng(ramp, "a.png", ElementType::f32).value();
  const Array bf16 = parsePng(ramp, "a.png", ElementType::bf16).value();
  EXPECT_EQ(bf16.type, ElementType::bf16);
  EXPECT_THAT(bf16.shape, ElementsAre(1, 1, 256, 3));
  for (int v = 0; v < 256; ++v) {
    EXPECT_EQ(floats(f32)[static_cast<size_t>(v) * 3], static_cast<float>(v / 255.0)) << v;
    uint16_t got = 0;
    std::memcpy(&got, &bf16.data[static_cast<size_t>(v) * 6], 2);
    uint16_t best = 0;
    double best_error = 1e9;
    for (uint32_t bits = 0; bits <= 0x3f80; ++bits) {
      const double error = std::abs(std::bit_cast<float>(bits << 16) - v / 255.0);
      if (error < best_error) best_error = error, best = static_cast<uint16_t>(bits);
    }
    EXPECT_EQ(got, best) << v;
  }
}

TEST(Png, RefusesWhatItWouldHaveToGuess) {
  EXPECT_THAT(refusal(file(1, 1, 8, kRgba, std::string(5, '\0'))),
              AllOf(HasSubstr("a.png: "), HasSubstr("transparent")));
  const std::string key = chunk("tRNS", std::string(6, '\0'));
  EXPECT_THAT(refusal(file(1, 1, 8, kRgb, std::string(4, '\0'), key)), HasSubstr("transparent"));
  EXPECT_THAT(refusal(file(1, 1, 16, kRgb, std::string(7, '\0'))), HasSubstr("16 bits a sample"));
  EXPECT_THAT(refusal(small(), ElementType::i8),
              HasSubstr("read as u8, bf16, f16 or f32, not as i8"));
  EXPECT_THAT(refusal("GIF89a, not a PNG"), HasSubstr("not a PNG file"));
  EXPECT_THAT(readPng("missing.png").error().message, HasSubstr("missing.png"));
}

TEST(Png, RefusesAbsurdSizesBeforeSpendingMemory) {
  EXPECT_THAT(refusal(file(1 << 20, 1 << 20, 8, kRgb, "\0")),
              HasSubstr("1048576x1048576 pixels; the limit is 67108864"));
  EXPECT_THAT(refusal(file(8192, 8192, 8, kRgb, "\0")), HasSubstr("cannot stand in"));
}

TEST(Png, EveryTruncationIsAnError) {
  ASSERT_EQ(refusal(small()), "accepted");
  for (size_t length = 0; length < small().size(); ++length)
    EXPECT_THAT(refusal(small().substr(0, length)), AllOf(HasSubstr("a.png: "), Not("accepted")))
        << length;
}

// A checksum stands over every byte but the chunk lengths, so no flip may change a pixel unseen.
TEST(Png, NoBitFlipChangesThePicture) {
  const std::vector<std::byte> wanted = parsePng(small(), "a.png", std::nullopt).value().data;
  int refused = 0;
  for (size_t bit = 0; bit < small().size() * 8; ++bit) {
    std::string text = small();
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
    const Result<Array> array = parsePng(text, "a.png", std::nullopt);
    refused += !array.ok();
    if (array.ok()) {
      EXPECT_EQ(array->data, wanted) << bit;
    }
  }
  EXPECT_GT(refused, 0);
}

// Right checksums over wrong data reach the decoder itself. Any outcome is right but a crash.
TEST(Png, SurvivesHostileData) {
  const std::string rows(200, '\7');  // a filter that does not exist
  EXPECT_NE(refusal(file(8, 8, 8, kRgb, rows)), "accepted");
  EXPECT_NE(refusal(file(8, 8, 8, kRgb, std::string(30, '\0'))), "accepted");
  EXPECT_NE(refusal(file(8, 8, 3, kRgb, std::string(200, '\0'))), "accepted");
  EXPECT_NE(refusal(file(0, 8, 8, kRgb, std::string(8, '\0'))), "accepted");
  EXPECT_NE(refusal(file(8, 8, 8, kPalette, std::string(72, '\0'))), "accepted");
}

TEST(Png, WritesFloatsClampedAndRoundedToEven) {
  const float inf = std::numeric_limits<float>::infinity();
  // 0.5 * 255 = 127.5 is a tie: to 128. 0.1 * 255 = 25.5 and a little: to 26.
  const Array array = arrayOf<float>(ElementType::f32, {1, 2, 3, 1}, {-1, 0, 0.5f, 1, inf, 0.1f});
  const Array back = written(array);
  EXPECT_THAT(back.shape, ElementsAre(1, 2, 3, 3));
  EXPECT_THAT(samples(back), ElementsAre(0, 0, 0, 0, 0, 0, 128, 128, 128, 255, 255, 255, 255, 255,
                                         255, 26, 26, 26));
  // 0x3f00 is 0.5 in bf16, 0x3800 in f16.
  EXPECT_THAT(samples(written(arrayOf<uint16_t>(ElementType::bf16, {1, 1}, {0x3f00}))), Each(128));
  EXPECT_THAT(samples(written(arrayOf<uint16_t>(ElementType::f16, {1, 1}, {0x3800}))), Each(128));
}

TEST(Png, WritesBytesOfAllFourShapes) {
  const std::vector<uint8_t> rgb = {1, 2, 3, 4, 5, 6};
  EXPECT_THAT(samples(written(arrayOf(ElementType::u8, {1, 1, 2, 3}, rgb))),
              ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(samples(written(arrayOf(ElementType::u8, {2, 1, 3}, rgb))),
              ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(written(arrayOf(ElementType::u8, {2, 3}, rgb)).shape, ElementsAre(1, 2, 3, 3));
  EXPECT_THAT(written(arrayOf(ElementType::u8, {1, 3, 2, 1}, rgb)).shape, ElementsAre(1, 3, 2, 3));
}

TEST(Png, RefusesToWriteWhatIsNoPicture) {
  for (const std::vector<uint64_t>& shape :
       {std::vector<uint64_t>{}, {3}, {2, 2, 2}, {2, 2, 2, 3}, {1, 1, 2, 2, 3}})
    EXPECT_THAT(writeRefusal(makeArray(ElementType::u8, shape).value()),
                HasSubstr("a picture has shape [H, W], [H, W, C]"));
  EXPECT_THAT(writeRefusal(makeArray(ElementType::f32, {0, 4}).value()), HasSubstr("no pixels"));
  EXPECT_THAT(writeRefusal(makeArray(ElementType::i32, {4, 4}).value()), HasSubstr("not from i32"));
  EXPECT_THAT(writeRefusal(Array{ElementType::u8, {1 << 14, 1 << 13}, {}}),
              HasSubstr("8192x16384 pixels; the limit is"));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(writeRefusal(arrayOf<float>(ElementType::f32, {1, 2, 3}, {0, 0, 0, 0, nan, 0})),
              HasSubstr("NaN at row 0, column 1, channel 1"));
}

TEST(Png, IsChosenByItsEnding) {
  const std::string path = ::testing::TempDir() + "etalon_io.png";
  ASSERT_TRUE(writeArray(path, makeArray(ElementType::u8, {2, 5}).value()).ok());
  EXPECT_THAT(readArray(path, ElementType::bf16).value().shape, ElementsAre(1, 2, 5, 3));
  EXPECT_TRUE(checkArrayFile("a.png").ok());
  EXPECT_THAT(checkArrayFile("a.jpeg").error().message, HasSubstr("FILE.png"));
}

}  // namespace
}  // namespace etalon::tools
