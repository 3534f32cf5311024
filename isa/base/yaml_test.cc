// SPDX-License-Identifier: Apache-2.0
#include "isa/base/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace etalon {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

YamlValue read(const std::string& text) {
  return YamlDocument::parse(text, "f.yaml").value().root();
}
std::string refusal(const std::string& text) {
  auto document = YamlDocument::parse(text, "f.yaml");
  return document.ok() ? "accepted" : document.error().message;
}

TEST(Yaml, ReadsTypedValues) {
  const YamlValue root = read("a: {n: 12, size: 8 MiB, on: true, name: \"12\"}\nlist: [p, q]\n");
  const YamlValue a = *root.at("a");
  EXPECT_EQ(*a.at("n")->asUnsigned(0, 20), 12u);
  EXPECT_EQ(*a.at("size")->asBytes(0, 1 << 30), 8u << 20);
  EXPECT_TRUE(*a.at("on")->asBool());
  EXPECT_EQ(*a.at("name")->asString(), "12");
  const auto list = *root.at("list")->asList();
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(*list[1].asString(), "q");
  EXPECT_EQ(list[1].path(), "list[1]");
  EXPECT_FALSE(root.find("b").has_value());
}

TEST(Yaml, ReadsSignedNumbers) {
  EXPECT_EQ(*read("n: -12").at("n")->asSigned(-20, 20), -12);
  EXPECT_EQ(*read("n: 0x10").at("n")->asSigned(-20, 20), 16);
  EXPECT_EQ(read("n: -21").at("n")->asSigned(-20, 20).error().message,
            "f.yaml:1: n: -21 is outside -20 to 20");
  EXPECT_EQ(read("n: \"1\"").at("n")->asSigned(-20, 20).error().message,
            "f.yaml:1: n: is the quoted text '1'; expected a whole number, -20 to 20");
  EXPECT_THAT(read("n: -1.5").at("n")->asSigned(-20, 20).error().message,
              HasSubstr("is not a whole number"));
}

TEST(Yaml, ReadsThousandths) {
  EXPECT_EQ(*read("n: 1/2").at("n")->asThousandths(1, 1000), 500u);
  EXPECT_EQ(*read("n: 0.25").at("n")->asThousandths(1, 1000), 250u);
  EXPECT_EQ(read("n: 1.5").at("n")->asThousandths(1, 1000).error().message,
            "f.yaml:1: n: 1.5 is outside 0.001 to 1");
  EXPECT_EQ(read("n: \"1\"").at("n")->asThousandths(1, 1000).error().message,
            "f.yaml:1: n: is the quoted text '1'; expected a ratio, 0.001 to 1");
  EXPECT_THAT(read("n: 1/3").at("n")->asThousandths(1, 1000).error().message,
              HasSubstr("f.yaml:1: n: '1/3' is not a ratio"));
}

TEST(Yaml, ReadsJson) {
  const YamlValue root = read("{\n  \"a\": [1, -2],\n  \"b\": {\"c\": \"x\", \"d\": true}\n}\n");
  EXPECT_EQ(*(*root.at("a")->asList())[1].asSigned(-9, 9), -2);
  EXPECT_EQ(*root.at("b")->at("c")->asString(), "x");
  EXPECT_THAT(refusal("{\"a\": 1, \"a\": 2}"), HasSubstr("duplicate key 'a'"));
}

TEST(Yaml, NamesFileLinePathValueAndLimit) {
  const YamlValue root = read("m:\n  cores:\n    value: 65\n");
  const YamlValue value = *(*(*root.at("m")).at("cores")).at("value");
  EXPECT_EQ(value.asUnsigned(1, 64).error().message,
            "f.yaml:3: m.cores.value: 65 is outside 1 to 64");
  EXPECT_EQ(value.asBytes(1024, 65536).error().message,
            "f.yaml:3: m.cores.value: 65 is outside 1 KiB to 64 KiB");
}

TEST(Yaml, RefusesNumbersThatReadersDisagreeOn) {
  for (const char* text : {"010", "1_0", "0o7", "1.0", "-1", "+1", "1e3", "0b1", "1:30"}) {
    const YamlValue value = *read(std::string("n: ") + text).at("n");
    EXPECT_THAT(value.asUnsigned(0, 100).error().message,
                AllOf(StartsWith("f.yaml:1: n: "), HasSubstr(text)))
        << text;
  }
  EXPECT_EQ(*read("n: 0x10").at("n")->asUnsigned(0, 100), 16u);
}

TEST(Yaml, RefusesTheWrongKind) {
  const YamlValue root = read("q: \"3\"\nn: 3\nb: yes\nl: [1]\nm: {a: 1}\nz:\ne: \"\"\n");
  EXPECT_EQ(root.at("q")->asUnsigned(0, 9).error().message,
            "f.yaml:1: q: is the quoted text '3'; expected a whole number, 0 to 9");
  EXPECT_THAT(root.at("n")->asString().error().message,
              HasSubstr("f.yaml:2: n: is '3'; expected text: write it in quotes"));
  EXPECT_EQ(root.at("b")->asBool().error().message,
            "f.yaml:3: b: is 'yes'; expected true or false");
  EXPECT_THAT(root.at("b")->asString().error().message, HasSubstr("in quotes"));
  EXPECT_EQ(root.at("l")->asBool().error().message,
            "f.yaml:4: l: is a list; expected true or false");
  EXPECT_EQ(root.at("m")->asList().error().message, "f.yaml:5: m: is a map; expected a list");
  EXPECT_EQ(root.at("z")->asUnsigned(0, 9).error().message,
            "f.yaml:6: z: has no value; expected a whole number, 0 to 9");
  EXPECT_EQ(root.at("e")->asString().error().message, "f.yaml:7: e: is empty; expected text");
  EXPECT_THAT(root.at("n")->asMap().error().message, HasSubstr("expected a map"));
  EXPECT_THAT(root.at("n")->at("x").error().message, HasSubstr("expected a map with the key 'x'"));
}

TEST(Yaml, NamesMissingAndUnknownKeys) {
  const YamlValue root = read("a: 1\n\nb: 2\n");
  EXPECT_EQ(root.at("c").error().message, "f.yaml:1: the key 'c' is missing");
  EXPECT_EQ(root.allowKeys({"a", "c"}).error().message,
            "f.yaml:1: unknown key 'b' (line 3); known: a, c");
  EXPECT_TRUE(root.allowKeys({"a", "b"}).ok());
}

TEST(Yaml, RefusesWhatHidesMeaning) {
  EXPECT_EQ(refusal("a: 1\nb: 2\na: 3\n"), "f.yaml:3: duplicate key 'a': only one may stay");
  EXPECT_THAT(refusal("x: {y: {a: 1, a: 2}}"), HasSubstr("duplicate key 'a'"));
  EXPECT_THAT(refusal("a: &x 1\n"), HasSubstr("f.yaml:1: anchors (&name)"));
  EXPECT_THAT(refusal("a: &x [1]\nb: *x\n"), HasSubstr("anchors (&name)"));
  EXPECT_THAT(refusal("<<: {a: 1}\n"), HasSubstr("merge keys"));
  EXPECT_THAT(refusal("a: !!str 1\n"), HasSubstr("the tag"));
  EXPECT_THAT(refusal("? [1, 2]\n: 3\n"), HasSubstr("a key must be a plain word"));
  EXPECT_THAT(refusal("a: 1\n---\nb: 2\n"), HasSubstr("more than one document"));
  EXPECT_THAT(refusal(""), HasSubstr("the file is empty"));
}

TEST(Yaml, SaysWhereTheSyntaxBreaks) {
  EXPECT_THAT(refusal("a: 1\nb: [1, 2\n"),
              AllOf(StartsWith("f.yaml:"), HasSubstr("not valid YAML")));
  EXPECT_THAT(refusal("a: *nothing\n"), HasSubstr("f.yaml:1:"));
}

TEST(Yaml, RefusesBinaryAndOtherEncodings) {
  EXPECT_EQ(refusal(std::string("a: 1\nb: \0\n", 10)), "f.yaml:2: byte 0x00 is not UTF-8 text");
  EXPECT_THAT(refusal("a: \xff\xfe"), HasSubstr("byte 0xff"));
  EXPECT_THAT(refusal("\xff\xfe"
                      "a\0"),
              HasSubstr("byte 0xff"));
  EXPECT_THAT(refusal("a: \xed\xa0\x80"), HasSubstr("byte 0xed"));
  EXPECT_EQ(*read("a: µs").at("a")->asString(), "µs");
}

TEST(Yaml, BoundsSizeAndDepth) {
  EXPECT_THAT(refusal("a: " + std::string(1 << 20, 'x')), HasSubstr("1048576 at most"));
  const std::string deepest = std::string(32, '[') + std::string(32, ']');
  EXPECT_EQ(refusal(deepest), "accepted");
  EXPECT_THAT(refusal("[" + deepest + "]"), HasSubstr("nested more than 32 levels deep"));
  EXPECT_NE(refusal(std::string((1 << 20) - 1, '[')), "accepted");
  std::string brackets;
  for (int i = 0; i < 200000; ++i) brackets += "{a: ";
  EXPECT_NE(refusal(brackets), "accepted");
  std::string dashes;
  for (int i = 0; i < 300000; ++i) dashes += "- ";
  EXPECT_NE(refusal(dashes), "accepted");
  std::string keys;
  for (int i = 0; i < 300000; ++i) keys += "? ";
  EXPECT_NE(refusal(keys), "accepted");
  std::string wide;
  for (int i = 0; i < 5000; ++i) wide += "k" + std::to_string(i) + ": 1\n";
  EXPECT_THAT(refusal(wide), HasSubstr("more than 4096 keys"));
}

// Any outcome is right but a crash: 20,000 mutations of a valid file, fixed seed.
TEST(Yaml, SurvivesMutations) {
  const std::string good =
      "# c\na: {value: 1, source: \"x y\"}\nb:\n  - 'q'\n  - [1, 2]\nc: |\n  text\n? d\n: >\n  e\n";
  std::mt19937 random(7);
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    for (uint32_t n = random() % 4 + 1; n > 0; --n) {
      const size_t at = random() % text.size();
      const char* pool = "{}[]:,-?&*!|>'\"%@#\n \t<ab0\\~";
      switch (random() % 3) {
        case 0: text[at] = static_cast<char>(random()); break;
        case 1: text.insert(at, 1, pool[random() % 28]); break;
        default: text.erase(at, random() % 5 + 1); break;
      }
      if (text.empty()) text = "a";
    }
    refused += !YamlDocument::parse(text, "f.yaml").ok();
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace etalon
