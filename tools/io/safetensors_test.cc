// SPDX-License-Identifier: Apache-2.0
#include "tools/io/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <random>

#include "isa/base/bits.h"
#include "isa/base/file.h"
#include "isa/base/fuzz_scale.h"
#include "tools/io/array_file.h"

namespace etalon::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(const std::string& header, uint64_t data_bytes) {
  auto entries = parseSafetensorsHeader(header, data_bytes);
  return entries.ok() ? "accepted" : entries.error().message;
}
std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape,
                   const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}
std::string path() {
  return ::testing::TempDir() + "etalon_" + std::to_string(::getpid()) + ".safetensors";
}
std::string onDisk(const std::string& header, const std::string& data) {
  std::string content(8, '\0');
  storeBytes<uint64_t>(content.data(), header.size());
  EXPECT_TRUE(writeFile(path(), content + header + data).ok());
  return path();
}

TEST(Safetensors, ReadsTensorsByName) {
  const std::string header = "{\"__metadata__\":{\"format\":\"pt\"}," +
                             tensor("b", "F32", "[1,2]", "[3,11]") + "," +
                             tensor("a:1", "U8", "[3]", "[0,3]") + "}  ";
  const std::string file = onDisk(header, std::string("abc\0\0\x80\x3f\0\0\0\x40", 11));
  const auto entries = listSafetensors(file).value();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].name, "a:1");
  const Array b = readArray(file + ":b", std::nullopt).value();
  EXPECT_EQ(b.type, ElementType::f32);
  EXPECT_THAT(b.shape, ElementsAre(1, 2));
  EXPECT_EQ(loadBytes<float>(&b.data[0]), 1.0f);
  EXPECT_EQ(loadBytes<float>(&b.data[4]), 2.0f);
  EXPECT_EQ(readArray(file + ":a:1", std::nullopt).value().data[2], std::byte{'c'});
  EXPECT_THAT(readArray(file + ":c", std::nullopt).error().message,
              HasSubstr("no tensor 'c'; it has 2 tensors: 'a:1', 'b'"));
  EXPECT_THAT(readArray(file, std::nullopt).error().message, HasSubstr("say which tensor"));
}

TEST(Safetensors, KnowsEveryTypeOfTheMachine) {
  const std::vector<std::tuple<const char*, ElementType, int>> cases{
      {"BF16", ElementType::bf16, 2},      {"F16", ElementType::f16, 2},
      {"F32", ElementType::f32, 4},        {"F8_E4M3", ElementType::f8e4m3, 1},
      {"F8_E5M2", ElementType::f8e5m2, 1}, {"F8_E8M0", ElementType::e8m0, 1},
      {"I8", ElementType::i8, 1},          {"U8", ElementType::u8, 1},
      {"I16", ElementType::i16, 2},        {"U16", ElementType::u16, 2},
      {"I32", ElementType::i32, 4},        {"U32", ElementType::u32, 4},
      {"I64", ElementType::i64, 8},        {"BOOL", ElementType::u8, 1}};
  for (const auto& [dtype, type, size] : cases) {
    const auto entries = parseSafetensorsHeader(
        "{" + tensor("t", dtype, "[2]", "[0," + std::to_string(2 * size) + "]") + "}",
        static_cast<uint64_t>(2 * size));
    ASSERT_TRUE(entries.ok()) << entries.error().message;
    EXPECT_EQ((*entries)[0].type, type) << dtype;
  }
}

TEST(Safetensors, AForeignTypeSpoilsOnlyItsOwnTensor) {
  const std::string file = onDisk(
      "{" + tensor("d", "F64", "[1]", "[0,8]") + "," + tensor("u", "BOOL", "[2]", "[8,10]") + "}",
      std::string("12345678\0\5", 10));
  EXPECT_THAT(readSafetensors(file, "d").error().message,
              HasSubstr("tensor 'd' is 'F64', which the machine has not got"));
  EXPECT_EQ(readSafetensors(file, "u").value().data[1], std::byte{1});
}

TEST(Safetensors, ChecksOffsets) {
  EXPECT_EQ(refusal("{" + tensor("t", "F32", "[2]", "[0,8]") + "}", 8), "accepted");
  EXPECT_THAT(refusal("{" + tensor("t", "F32", "[2]", "[8,0]") + "}", 8),
              HasSubstr("tensor 't': data_offsets [8, 0] do not lie in the 8 bytes"));
  EXPECT_THAT(refusal("{" + tensor("t", "F32", "[2]", "[0,8]") + "}", 7),
              HasSubstr("do not lie in the 7 bytes"));
  EXPECT_THAT(refusal("{" + tensor("t", "F32", "[2]", "[0,8]") + "}", 9),
              HasSubstr("9 bytes of data, but the tensors take 8"));
  EXPECT_THAT(refusal("{" + tensor("t", "F32", "[3]", "[0,8]") + "}", 8),
              HasSubstr("f32[3] needs 12 bytes, but data_offsets give 8"));
  EXPECT_THAT(refusal("{" + tensor("a", "U8", "[4]", "[0,4]") + "," +
                          tensor("b", "U8", "[4]", "[2,6]") + "}",
                      6),
              HasSubstr("they overlap"));
  EXPECT_THAT(refusal("{" + tensor("a", "U8", "[2]", "[0,2]") + "," +
                          tensor("b", "U8", "[2]", "[4,6]") + "}",
                      6),
              HasSubstr("a gap"));
  EXPECT_THAT(refusal("{" + tensor("t", "F32", "[4294967296,4294967296]", "[0,0]") + "}", 0),
              HasSubstr("larger than the limit"));
  EXPECT_THAT(refusal("{" + tensor("t", "F32", "[9223372036854775808,2]", "[0,0]") + "}", 0),
              HasSubstr("larger than the limit"));
  EXPECT_EQ(refusal("{" + tensor("e", "F32", "[0]", "[0,0]") + "," +
                        tensor("t", "U8", "[2]", "[0,2]") + "}",
                    2),
            "accepted");
}

TEST(Safetensors, ChecksTheShapeOfTheHeader) {
  EXPECT_THAT(refusal("[]", 0), HasSubstr("does not begin with '{'"));
  EXPECT_THAT(refusal("{", 0), HasSubstr("not valid JSON at byte"));
  EXPECT_THAT(refusal("{} x", 0), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal("{\"t\":1}", 0), HasSubstr("tensor 't': the number 1 has no place here"));
  EXPECT_THAT(refusal("{\"t\":{\"dtype\":\"U8\"}}", 0),
              HasSubstr("needs dtype, shape and data_offsets"));
  EXPECT_THAT(refusal("{" + tensor("t", "U8", "[0]", "[0]") + "}", 0),
              HasSubstr("data_offsets needs two values"));
  EXPECT_THAT(refusal("{" + tensor("t", "U8", "[0]", "[0,0,0]") + "}", 0),
              HasSubstr("too many values"));
  EXPECT_THAT(refusal("{" + tensor("t", "U8", "[-1]", "[0,0]") + "}", 0),
              HasSubstr("-1 is negative"));
  EXPECT_THAT(refusal("{" + tensor("t", "U8", "[1.0]", "[0,1]") + "}", 1),
              HasSubstr("not a whole number"));
  EXPECT_THAT(refusal("{" + tensor("t", "U8", "[18446744073709551616]", "[0,1]") + "}", 1),
              HasSubstr("not a whole number"));
  EXPECT_THAT(refusal("{" + tensor("t", "U8", "[[0]]", "[0,0]") + "}", 0),
              HasSubstr("a list has no place here"));
  EXPECT_THAT(refusal("{" + tensor("t", "U8", "[0]", "[0,0]") + "," +
                          tensor("t", "U8", "[0]", "[0,0]") + "}",
                      0),
              HasSubstr("'t' stands twice"));
  EXPECT_THAT(refusal("{\"t\":{\"dtype\":\"U8\",\"dtype\":\"U8\"}}", 0),
              HasSubstr("the key 'dtype' stands twice"));
  EXPECT_THAT(refusal("{\"t\":{\"kind\":\"U8\"}}", 0), HasSubstr("unknown key 'kind'"));
  EXPECT_THAT(refusal("{\"t\":{\"dtype\":null}}", 0), HasSubstr("null has no place"));
  EXPECT_THAT(refusal("{\"__metadata__\":{\"a\":1}}", 0), HasSubstr("the number 1 has no place"));
  EXPECT_THAT(refusal("{\"__metadata__\":{\"a\":{}}}", 0), HasSubstr("an object has no place"));
  EXPECT_NE(refusal("{\"t\":" + std::string(1000000, '['), 0), "accepted");
  EXPECT_NE(refusal("{\"t\":" + std::string(1000000, '{'), 0), "accepted");
}

TEST(Safetensors, BoundsTheHeader) {
  std::string content(16, '\0');
  storeBytes<uint64_t>(content.data(), 100'000'001);
  ASSERT_TRUE(writeFile(path(), content).ok());
  EXPECT_THAT(listSafetensors(path()).error().message,
              HasSubstr("header of 100000001 bytes, the limit is 100000000"));
  storeBytes<uint64_t>(content.data(), 9);
  ASSERT_TRUE(writeFile(path(), content).ok());
  EXPECT_THAT(listSafetensors(path()).error().message,
              HasSubstr("header of 9 bytes, but only 8 follow"));
  ASSERT_TRUE(writeFile(path(), "1234567").ok());
  EXPECT_THAT(listSafetensors(path()).error().message, HasSubstr("shorter than the 8 bytes"));
  EXPECT_THAT(listSafetensors("/nowhere/x.safetensors").error().message,
              HasSubstr("cannot read '/nowhere/x.safetensors'"));
  EXPECT_FALSE(listSafetensors("/").ok());
}

TEST(Safetensors, ComeBackAsWrittenAndAligned) {
  std::vector<Array> arrays;
  std::vector<std::pair<std::string, const Array*>> named;
  for (int code = 0; code < kElementTypes; ++code)
    if (elementInfo(static_cast<ElementType>(code)).bits >= 8)
      arrays.push_back(makeArray(static_cast<ElementType>(code), {3, 5}).value());
  for (Array& array : arrays) {
    for (size_t i = 0; i < array.data.size(); ++i) array.data[i] = static_cast<std::byte>(i * 41);
    named.emplace_back("t \"" + std::string(elementInfo(array.type).name), &array);
  }
  ASSERT_TRUE(writeSafetensors(path(), named).ok());
  const std::vector<SafetensorsEntry> entries = listSafetensors(path()).value();
  for (const SafetensorsEntry& entry : entries)
    EXPECT_EQ(entry.begin % (static_cast<uint64_t>(elementInfo(*entry.type).bits) / 8), 0u)
        << entry.name;
  for (const auto& [name, array] : named) {
    const Array back = readSafetensors(path(), name).value();
    EXPECT_EQ(back.type, array->type);
    EXPECT_EQ(back.shape, array->shape);
    EXPECT_EQ(back.data, array->data);
  }
}

TEST(Safetensors, RefusesToWriteWhatItCannotHold) {
  const Array nibbles = makeArray(ElementType::i4, {2}).value();
  const Array bytes = makeArray(ElementType::u8, {2}).value();
  EXPECT_THAT(formatSafetensors({{"a", &nibbles}}).error().message, HasSubstr("cannot hold i4"));
  EXPECT_THAT(formatSafetensors({{"a", &bytes}, {"a", &bytes}}).error().message,
              HasSubstr("the tensor name 'a' is taken"));
}

TEST(Safetensors, EveryTruncationIsAnError) {
  const Array array = makeArray(ElementType::f32, {2, 3}).value();
  const std::string good = formatSafetensors({{"w", &array}, {"v", &array}}).value();
  for (size_t length = 0; length < good.size(); ++length) {
    ASSERT_TRUE(writeFile(path(), good.substr(0, length)).ok());
    EXPECT_FALSE(listSafetensors(path()).ok()) << length;
  }
}

// Any outcome is right but a crash or a sanitizer's report.
TEST(Safetensors, SurvivesMutations) {
  const std::string good = "{\"__metadata__\":{\"format\":\"pt\"}," +
                           tensor("b", "F32", "[1,2]", "[3,11]") + "," +
                           tensor("a", "U8", "[3]", "[0,3]") + "}";
  ASSERT_EQ(refusal(good, 11), "accepted");
  const auto mutations = static_cast<size_t>(20000 * fuzzScale());
  size_t refused = 0;
  std::mt19937 random(5);
  for (size_t i = 0; i < good.size() * 8 + mutations; ++i) {
    std::string text = good;
    if (i < good.size() * 8)
      text[i / 8] = static_cast<char>(text[i / 8] ^ (1 << i % 8));
    else
      for (int n = 0; n < 3; ++n)
        text[random() % text.size()] = "{}[]:,\"0123456789.-eE\\ \xff"[random() % 24];
    refused += refusal(text, 11) != "accepted";
  }
  EXPECT_GT(refused, mutations / 2);
}

TEST(Safetensors, RefusesAbsurdSizes) {
  for (const char* shape :
       {"[18446744073709551615]", "[18446744073709551616]", "[4294967296,4294967296]",
        "[4611686018427387905]", "[-1]", "[1e3]", "[1.0]", "[99999999999999999999999]"})
    EXPECT_NE(refusal("{" + tensor("a", "F32", shape, "[0,4]") + "}", 4), "accepted") << shape;
  for (const char* offsets :
       {"[0,18446744073709551615]", "[18446744073709551612,18446744073709551616]", "[-4,0]",
        "[0,4294967300]", "[4,0]"})
    EXPECT_NE(refusal("{" + tensor("a", "F32", "[1]", offsets) + "}", 4), "accepted") << offsets;
  // The length in front of the header, past the end of the file and past all memory.
  for (const uint64_t length : {uint64_t{1} << 20, uint64_t{1} << 40, ~uint64_t{0}}) {
    std::string content(32, ' ');
    storeBytes<uint64_t>(content.data(), length);
    ASSERT_TRUE(writeFile(path(), content).ok());
    EXPECT_FALSE(listSafetensors(path()).ok()) << length;
  }
}

TEST(Safetensors, SurvivesRandomBytes) {
  const std::string good = "{" + tensor("a", "U8", "[3]", "[0,3]") + "}";
  std::mt19937 random(6);
  const auto headers = static_cast<int>(20000 * fuzzScale());
  for (int i = 0; i < headers; ++i) {
    std::string text(random() % 200, '\0');
    for (char& c : text) c = static_cast<char>(i % 2 ? random() : 32 + random() % 95);
    // Half begin or end as a header does.
    if (i % 4 == 2) text = good.substr(0, random() % good.size()) + text;
    if (i % 4 == 3) text += good.substr(random() % good.size());
    EXPECT_NE(refusal(text, 3), "");
  }
  const auto files = static_cast<int>(1000 * fuzzScale());
  for (int i = 0; i < files; ++i) {
    std::string text(random() % 100, '\0');
    for (char& c : text) c = static_cast<char>(random());
    if (i % 2 && text.size() >= 8) storeBytes<uint64_t>(text.data(), random() % text.size());
    ASSERT_TRUE(writeFile(path(), text).ok());
    EXPECT_FALSE(readSafetensors(path(), "").ok()) << i;
  }
}

}  // namespace
}  // namespace etalon::tools
