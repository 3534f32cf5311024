// SPDX-License-Identifier: Apache-2.0
#include "tools/io/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "isa/base/bits.h"
#include "isa/base/file.h"
#include "isa/base/fuzz_scale.h"
#include "tools/io/array_file.h"

namespace etalon::tools {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A file by the format's description, independent of formatNpy.
std::string file(const std::string& dictionary, const std::string& data, int version = 1) {
  std::string content = "\x93NUMPY";
  content += static_cast<char>(version);
  content += '\0';
  const uint32_t length = static_cast<uint32_t>(dictionary.size());
  content.append(reinterpret_cast<const char*>(&length), version == 1 ? 2 : 4);
  return content + dictionary + data;
}
std::string dictionary(const std::string& descr, const std::string& shape,
                       const char* fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}
Result<Array> parse(const std::string& content,
                    std::optional<ElementType> expected = std::nullopt) {
  return parseNpy(content, "a.npy", expected);
}
std::string refusal(const std::string& content,
                    std::optional<ElementType> expected = std::nullopt) {
  const Result<Array> array = parse(content, expected);
  return array.ok() ? "accepted" : array.error().message;
}
template <class T>
std::vector<T> values(const Array& array) {
  std::vector<T> out(array.data.size() / sizeof(T));
  std::memcpy(out.data(), array.data.data(), array.data.size());
  return out;
}
template <class T>
std::string bytes(std::initializer_list<T> list) {
  return std::string(reinterpret_cast<const char*>(list.begin()), list.size() * sizeof(T));
}

TEST(Npy, ReadsAllThreeVersions) {
  for (const int version : {1, 2, 3}) {
    const Array array =
        parse(file(dictionary("<f4", "(2, 1)"), bytes({1.5f, -2.0f}), version)).value();
    EXPECT_EQ(array.type, ElementType::f32);
    EXPECT_THAT(array.shape, ElementsAre(2, 1));
    EXPECT_THAT(values<float>(array), ElementsAre(1.5f, -2.0f));
  }
}

TEST(Npy, ReadsScalarsAndEmptyArrays) {
  EXPECT_THAT(parse(file(dictionary("<i4", "()"), bytes({7}))).value().shape, ElementsAre());
  const Array empty = parse(file(dictionary("<i4", "(3, 0, 5)"), "")).value();
  EXPECT_THAT(empty.shape, ElementsAre(3, 0, 5));
  EXPECT_TRUE(empty.data.empty());
}

// numpy.asfortranarray(numpy.arange(24, dtype='>i2').reshape(2, 3, 4)): axis 0 runs fastest.
TEST(Npy, TurnsFortranOrderAndBigEndianRound) {
  std::string data;
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 2; ++i)
        data += {static_cast<char>(1), static_cast<char>(i * 12 + j * 4 + k)};
  const Array array = parse(file(dictionary(">i2", "(2, 3, 4)", "True"), data)).value();
  std::vector<int16_t> wanted;
  for (int n = 0; n < 24; ++n) wanted.push_back(static_cast<int16_t>(256 + n));
  EXPECT_EQ(values<int16_t>(array), wanted);
}

TEST(Npy, KnowsEveryTypeByItsUsualName) {
  const std::vector<std::tuple<const char*, ElementType, int>> cases{
      {"|i1", ElementType::i8, 1},
      {"|u1", ElementType::u8, 1},
      {"<i2", ElementType::i16, 2},
      {"<u2", ElementType::u16, 2},
      {"<i4", ElementType::i32, 4},
      {"<u4", ElementType::u32, 4},
      {"<i8", ElementType::i64, 8},
      {"<f2", ElementType::f16, 2},
      {"<f4", ElementType::f32, 4},
      {"<V2", ElementType::bf16, 2},
      {"|V2", ElementType::bf16, 2},
      {"bfloat16", ElementType::bf16, 2},
      {"<f1", ElementType::f8e5m2, 1},
      {"float8_e4m3fn", ElementType::f8e4m3, 1},
      {"float8_e5m2", ElementType::f8e5m2, 1},
      {"float8_e8m0fnu", ElementType::e8m0, 1}};
  for (const auto& [descr, type, size] : cases)
    EXPECT_EQ(
        parse(file(dictionary(descr, "(3,)"), std::string(static_cast<size_t>(3 * size), 'x')))
            .value()
            .type,
        type)
        << descr;
}

TEST(Npy, BoolBecomesZeroAndOne) {
  const Array array = parse(file(dictionary("|b1", "(3,)"), std::string("\0\1\x7f", 3))).value();
  EXPECT_EQ(array.type, ElementType::u8);
  EXPECT_THAT(values<uint8_t>(array), ElementsAre(0, 1, 1));
}

TEST(Npy, OneByteRawDataAreWhatTheReaderExpects) {
  const std::string content = file(dictionary("|V1", "(1,)"), "x");
  EXPECT_EQ(parse(content, ElementType::f8e4m3).value().type, ElementType::f8e4m3);
  EXPECT_EQ(parse(content, ElementType::f8e5m2).value().type, ElementType::f8e5m2);
  EXPECT_THAT(refusal(content), HasSubstr("nothing here says which"));
  EXPECT_THAT(refusal(content, ElementType::f32), HasSubstr("but f32 is wanted"));
}

TEST(Npy, RefusesTypesTheMachineHasNot) {
  const auto message = [](const char* descr) {
    return refusal(file(dictionary(descr, "(1,)"), std::string(8, 'x')));
  };
  EXPECT_EQ(message("<f8"),
            "a.npy: element type '<f8' is not supported: the machine has no float64; save "
            "array.astype(numpy.float32)");
  EXPECT_THAT(message("<u8"), HasSubstr("numpy.int64"));
  EXPECT_THAT(message("<c8"), HasSubstr("known: i1 u1"));
  EXPECT_THAT(message("|O"), HasSubstr("known: i1 u1"));
  EXPECT_THAT(message("<U2"), HasSubstr("known: i1 u1"));
  EXPECT_THAT(message("=f4"), HasSubstr("begins with '<', '>' or '|'"));
  EXPECT_THAT(message("|f4"), HasSubstr("has no byte order"));
  EXPECT_THAT(message(""), HasSubstr("begins with"));
  EXPECT_THAT(
      refusal(file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "xxxx")),
      HasSubstr("records"));
}

TEST(Npy, SaysWhereTheHeaderIsWrong) {
  const auto message = [](const std::string& text) { return refusal(file(text, "xxxx")); };
  EXPECT_EQ(message("x"), "a.npy: header column 1: expected '{', found 'x'");
  EXPECT_THAT(message("{'descr': '<f4'"),
              HasSubstr("header column 16: expected ',' or '}', found the end"));
  EXPECT_THAT(message("{'descr': '<f4}"), HasSubstr("expected a string in quotes"));
  EXPECT_THAT(message("{'descr': '<f4', 'shape': (1,)}"), HasSubstr("header lacks a key"));
  EXPECT_THAT(message("{'descr': '<f4', 'descr': '<f4'}"), HasSubstr("the key 'descr' twice"));
  EXPECT_THAT(message("{'more': 1}"), HasSubstr("unknown key 'more'"));
  EXPECT_THAT(message("{'descr' '<f4'}"), HasSubstr("expected ':'"));
  EXPECT_THAT(message("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}"),
              HasSubstr("expected True or False"));
  EXPECT_THAT(message("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"),
              HasSubstr("expected an extent"));
  EXPECT_THAT(message("{'descr': '<f4', 'fortran_order': False, 'shape': 1}"),
              HasSubstr("expected a shape"));
  EXPECT_THAT(message(dictionary("<f4", "(1,)") + "x"), HasSubstr("nothing after '}'"));
  EXPECT_EQ(message("{'descr': '<f4', 'fortran_order': False, 'shape': (01,)}").find("accepted"),
            std::string::npos);
}

TEST(Npy, RefusesDataThatDoNotFit) {
  EXPECT_EQ(refusal(file(dictionary("<f4", "(2, 3)"), std::string(20, 'x'))),
            "a.npy: f32[2, 3] needs 24 bytes of data, but 20 follow the header");
  EXPECT_THAT(refusal(file(dictionary("<f4", "(2, 3)"), std::string(28, 'x'))),
              HasSubstr("but 28 follow"));
  EXPECT_THAT(refusal(file(dictionary("<f4", "(4294967296, 4294967296)"), "x")),
              HasSubstr("larger than the limit"));
  EXPECT_THAT(refusal(file(dictionary("<f4", "(18446744073709551615,)"), "x")),
              HasSubstr("larger than the limit"));
  EXPECT_THAT(refusal(file(dictionary("<f4", "(9223372036854775808, 2)"), "")),
              HasSubstr("larger than the limit"));
  EXPECT_THAT(refusal(file(dictionary("<f4", "(18446744073709551616,)"), "x")),
              HasSubstr("expected an extent"));
  std::string many = "(";
  for (int i = 0; i < 40; ++i) many += "1, ";
  EXPECT_THAT(refusal(file(dictionary("<f4", many + ")"), "xxxx")),
              HasSubstr("at most 32 extents"));
}

TEST(Npy, RefusesForeignFiles) {
  EXPECT_THAT(refusal("PK\3\4"), HasSubstr("not a .npy file"));
  EXPECT_THAT(refusal(file("", "", 9)), HasSubstr("format version 9.0"));
  EXPECT_THAT(refusal(std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12)),
              HasSubstr("header of 4294967295 bytes"));
  EXPECT_THAT(readNpy("/nowhere/a.npy").error().message, HasSubstr("/nowhere/a.npy"));
}

// The whole file as numpy.save of NumPy 1.24 writes it for numpy.array([1, 2], dtype='<f4').
TEST(Npy, WritesTheVeryBytesOfNumpy) {
  Array array{ElementType::f32, {2}, {}};
  const std::string data = bytes({1.0f, 2.0f});
  for (const char c : data) array.data.push_back(static_cast<std::byte>(c));
  std::string wanted("\x93NUMPY\x01\x00v\x00", 10);
  wanted += "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  wanted.append(60, ' ');
  EXPECT_EQ(formatNpy(array).value(), wanted + "\n" + data);
}

TEST(Npy, ComesBackAsWritten) {
  for (int code = 0; code < kElementTypes; ++code) {
    const auto type = static_cast<ElementType>(code);
    Array array = makeArray(type, {3, 5}).value();
    for (size_t i = 0; i < array.data.size(); ++i) array.data[i] = static_cast<std::byte>(i * 37);
    const Result<std::string> content = formatNpy(array);
    EXPECT_EQ(content.ok(), elementInfo(type).bits >= 8) << elementInfo(type).name;
    if (!content.ok()) continue;
    EXPECT_EQ((content->size() - array.data.size()) % 64, 0u);
    const Array back = parse(*content, type).value();
    EXPECT_EQ(back.type, type);
    EXPECT_EQ(back.shape, array.shape);
    EXPECT_EQ(back.data, array.data);
  }
}

TEST(Npy, FilesAreChosenByTheirEnding) {
  const std::string path = ::testing::TempDir() + "etalon_io.npy";
  Array array = makeArray(ElementType::bf16, {2}).value();
  ASSERT_TRUE(writeArray(path, array).ok());
  EXPECT_EQ(readArray(path, std::nullopt).value().type, ElementType::bf16);
  EXPECT_THAT(readArray("a.csv", std::nullopt).error().message,
              HasSubstr("'a.csv': unknown kind of array file"));
  EXPECT_THAT(writeArray("a.csv", array).error().message, HasSubstr("known: FILE.npy"));
}

TEST(Npy, BytesArePairsWhereA4BitTypeIsExpected) {
  const std::string path = testing::TempDir() + "/pairs.npy";
  Array pairs = *makeArray(ElementType::u8, {2, 3});
  pairs.data[1] = std::byte{0x21};
  ASSERT_TRUE(writeArray(path, pairs).ok());
  const Array array = readArray(path, ElementType::f4e2m1).value();
  EXPECT_EQ(array.type, ElementType::f4e2m1);
  EXPECT_THAT(array.shape, ElementsAre(2, 6));
  EXPECT_EQ(array.data, pairs.data);
  EXPECT_EQ(readArray(path, ElementType::u8).value().type, ElementType::u8);
  EXPECT_EQ(readArray(path, std::nullopt).value().type, ElementType::u8);
}

TEST(Npy, EveryTruncationIsAnError) {
  const std::string good = file(dictionary("<f4", "(2, 3)", "True"), std::string(24, 'x'));
  ASSERT_TRUE(parse(good).ok());
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_THAT(refusal(good.substr(0, length)),
                AllOf(HasSubstr("a.npy: "), ::testing::Not("accepted")))
        << length;
}

// Any outcome is right but a crash or a sanitizer's report.
TEST(Npy, SurvivesBitFlips) {
  const std::string good = file(dictionary("<f4", "(2, 3)", "True"), std::string(24, 'x'));
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string text = good;
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
    (void)parse(text, ElementType::f8e4m3).ok();
  }
  std::mt19937 random(1);
  const auto mutations = static_cast<int>(20000 * fuzzScale());
  int refused = 0;
  for (int i = 0; i < mutations; ++i) {
    std::string text = good;
    for (int n = 0; n < 3; ++n) text[random() % (good.size() - 24)] = static_cast<char>(random());
    refused += !parse(text).ok();
  }
  EXPECT_GT(refused, mutations * 3 / 4);
}

// Sizes that overflow, or that no memory has, are errors before anything is allocated.
TEST(Npy, RefusesAbsurdSizes) {
  for (const char* shape :
       {"(18446744073709551615,)", "(18446744073709551616,)", "(4294967296, 4294967296)",
        "(4611686018427387905,)", "(2305843009213693952, 2)", "(1099511627776,)",
        "(0, 18446744073709551615, 18446744073709551615)", "(-1,)", "(99999999999999999999999,)"}) {
    const Result<Array> array = parse(file(dictionary("<f4", shape), std::string(16, 'x')));
    ASSERT_FALSE(array.ok()) << shape;
    EXPECT_THAT(array.error().message, HasSubstr("a.npy")) << shape;
  }
  for (const int version : {2, 3}) {
    std::string content = file(dictionary("<f4", "(4,)"), std::string(16, 'x'), version);
    storeBytes<uint32_t>(content.data() + 8, 0xffffffff);
    EXPECT_FALSE(parse(content).ok()) << version;
  }
}

TEST(Npy, SurvivesRandomBytes) {
  std::mt19937 random(2);
  const std::string good = file(dictionary("<i2", "(2, 3)"), std::string(12, 'x'));
  const auto files = static_cast<int>(50000 * fuzzScale());
  for (int i = 0; i < files; ++i) {
    std::string text(random() % 200, '\0');
    for (char& c : text) c = static_cast<char>(random());
    // Two in three begin as a file does, so that the header is read.
    if (i % 3 != 0) text = good.substr(0, 6 + random() % (good.size() - 6)) + text;
    const Result<Array> array = parse(text, ElementType::e8m0);
    if (!array.ok()) {
      ASSERT_THAT(array.error().message, HasSubstr("a.npy"));
    }
  }
}

}  // namespace
}  // namespace etalon::tools
