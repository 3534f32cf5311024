// SPDX-License-Identifier: Apache-2.0
#include "isa/abi/device_description.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "isa/base/file.h"

namespace etalon {
namespace {

using Json = nlohmann::json;

Json documents() {
  const auto text = readFile(ETALON_SOURCE_DIR "/isa/abi/testdata/descriptions.json");
  return Json::parse(*text);
}

TEST(DeviceDescription, TakesWhatTheSchemaTakes) {
  const Json all = documents();
  for (const Json& document : all["good"]) {
    const auto parsed = parseDeviceDescription(document.dump());
    ASSERT_TRUE(parsed.ok()) << parsed.error().message;
    EXPECT_EQ(parsed->name, document["name"].get<std::string>());
    EXPECT_EQ(parsed->kind, document["kind"].get<std::string>());
    EXPECT_EQ(parsed->operators, document["operators"].get<std::vector<std::string>>());
    EXPECT_EQ(parsed->profiles, document["profiles"].get<std::vector<std::string>>());
    const Json& numerics = document["numerics"];
    EXPECT_EQ(parsed->numerics, numerics.is_object() ? "declared" : numerics.get<std::string>());
    EXPECT_EQ(parsed->memory_bytes, document["limits"]["memory_bytes"]);
    EXPECT_EQ(parsed->alignment, document["limits"].value("alignment", 64));
    EXPECT_EQ(parsed->rank, document["limits"].value("rank", 32));
    EXPECT_EQ(parsed->cores, document["limits"].value("cores", 1));
    EXPECT_EQ(Json::parse(parsed->json), document);
  }
}

TEST(DeviceDescription, RefusesWhatTheSchemaRefuses) {
  const Json data = documents();
  EXPECT_GE(data["bad"].size(), 30U);
  for (const Json& edit : data["bad"]) {
    Json document = data["good"][0];
    const Json::json_pointer at(edit["at"].get<std::string>());
    if (edit.contains("value"))
      document[at] = edit["value"];
    else
      document[at.parent_pointer()].erase(at.back());
    EXPECT_FALSE(parseDeviceDescription(document.dump()).ok()) << edit;
  }
}

TEST(DeviceDescription, SaysWhatIsWrongAndWhatWouldBeRight) {
  const auto message = [](const Json& edit) {
    Json document = documents()["good"][0];
    document.merge_patch(edit);
    return parseDeviceDescription(document.dump()).error().message;
  };
  EXPECT_EQ(message({{"kind", "asic"}}),
            "description.kind is 'asic'; it must be model, rtl, emulator, board, chip, library");
  EXPECT_EQ(message({{"limits", {{"alignment", 3}}}}),
            "description.limits.alignment is 3; it must be a power of two");
  EXPECT_EQ(message({{"limits", {{"cores", -2}}}}),
            "description.limits.cores is '-2'; it must be a whole number from 1 to 65536");
  EXPECT_EQ(message({{"numerics", "standard"}}),
            "description.numerics is '\"standard\"'; it must be \"canonical\", \"undeclared\" or a "
            "contract");
  EXPECT_EQ(message({{"surprise", 1}}).substr(0, 36), "description: unknown key 'surprise';");
  EXPECT_EQ(message({{"vendor", nullptr}}), "description.vendor is missing");
}

TEST(DeviceDescription, RefusesTextThatIsNoJson) {
  for (const char* text : {"", "{", "cpu", "[1, 2", "\xff\xfe", "[]", "null"})
    EXPECT_FALSE(parseDeviceDescription(text).ok()) << text;
  EXPECT_FALSE(parseDeviceDescription(std::string(100000, '[')).ok());
}

}  // namespace
}  // namespace etalon
