// SPDX-License-Identifier: Apache-2.0
#include "isa/profiles/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "isa/base/file.h"
#include "isa/state/rule_test.h"

namespace etalon::isa {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Messages of loading a directory that holds these texts.
std::string refusal(const std::vector<std::string>& texts) {
  const std::string directory = ::testing::TempDir() + "etalon_profiles";
  std::filesystem::remove_all(directory);
  std::filesystem::create_directory(directory);
  for (size_t i = 0; i < texts.size(); ++i)
    EXPECT_TRUE(writeFile(directory + "/" + std::to_string(i) + ".yaml", texts[i]).ok());
  auto profiles = loadProfiles(directory);
  return profiles.ok() ? "accepted" : profiles.error().message;
}

constexpr const char* kBase = "name: Et-base\nbit: 0\nstatus: implemented\nmeaning: all\n";

TEST(Profiles, ShippedOnesAreTheTwelveOfTheStandard) {
  SHOWS(profile_list);
  const auto profiles = loadProfiles(std::string(ETALON_SOURCE_DIR) + "/isa/profiles").value();
  EXPECT_THAT(profileNames(profiles, false),
              ElementsAre("Et-base", "Et-f16", "Et-f32mm", "Et-fp8", "Et-mx", "Et-i4", "Et-sparse",
                          "Et-sort", "Et-trig", "Et-rand", "Et-atomic", "Et-net"));
  ASSERT_NE(findProfile(profiles, "Et-mx"), nullptr);
  EXPECT_EQ(findProfile(profiles, "Et-mx")->bit, 4);
  EXPECT_TRUE(findProfile(profiles, "Et-base")->implemented);
  EXPECT_EQ(findProfile(profiles, "Et-none"), nullptr);
}

TEST(Profiles, RefusesBrokenSets) {
  EXPECT_EQ(refusal({kBase}), "accepted");
  EXPECT_THAT(refusal({}), HasSubstr("no profile Et-base among 0 files"));
  EXPECT_THAT(refusal({kBase, kBase}), HasSubstr("Et-base (bit 0) collides with Et-base (bit 0)"));
  EXPECT_THAT(refusal({kBase, "name: Et-x\nbit: 0\nstatus: reserved\nmeaning: m\n"}),
              HasSubstr("Et-x (bit 0) collides"));
  EXPECT_THAT(refusal({"name: Et-x\nbit: 64\nstatus: reserved\nmeaning: m\n"}),
              HasSubstr("0.yaml:2: bit: 64 is outside 0 to 63"));
  EXPECT_THAT(refusal({"name: Et-x\nbit: 1\nstatus: maybe\nmeaning: m\n"}),
              HasSubstr("'maybe' is neither implemented nor reserved"));
  EXPECT_THAT(refusal({"name: base\nbit: 1\nstatus: reserved\nmeaning: m\n"}),
              HasSubstr("'base' does not begin with Et-"));
  EXPECT_THAT(refusal({"name: Et-x\nstatus: reserved\nmeaning: m\n"}),
              HasSubstr("the key 'bit' is missing"));
  EXPECT_THAT(refusal({"name: Et-x\nbit: 1\nstatus: reserved\nmeaning: m\nx: 1\n"}),
              HasSubstr("unknown key 'x'"));
  EXPECT_THAT(loadProfiles("/nowhere").error().message, HasSubstr("cannot list '/nowhere'"));
}

}  // namespace
}  // namespace etalon::isa
