// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/study.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "isa/base/file.h"
#include "isa/base/yaml.h"

namespace etalon::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kData = std::string(ETALON_SOURCE_DIR) + "/tools/sweep/testdata/";

/// A folder with what good.yaml names, removed at the end.
class StudyTest : public ::testing::Test {
 protected:
  StudyTest() {
    std::filesystem::create_directory(folder_);
    EXPECT_TRUE(writeFile(folder_ + "/program.elf", "").ok());
    EXPECT_TRUE(writeFile(folder_ + "/b.npy", "").ok());
  }
  ~StudyTest() override { std::filesystem::remove_all(folder_); }

  Result<Study> load(const std::string& text, const std::string& device = "") {
    EXPECT_TRUE(writeFile(file_, text).ok());
    return loadStudy(file_, device);
  }
  static std::string good() { return readFile(kData + "good.yaml").value(); }

  const std::string folder_ = ::testing::TempDir() + "etalon_study_" + std::to_string(::getpid());
  const std::string file_ = folder_ + "/study.yaml";
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST_F(StudyTest, EverythingOfAStudyIsRead) {
  const Result<Study> loaded = load(good());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  const Study& study = *loaded;
  EXPECT_EQ(study.name, "good");
  EXPECT_EQ(study.device, "npu-functional");
  EXPECT_EQ(study.limit, 1000000u);
  EXPECT_THAT(study.overrides, ElementsAre("work_cap.macs_log2=31"));
  EXPECT_EQ(study.base.macs_log2, 31u);
  ASSERT_EQ(study.axes.size(), 3u);
  EXPECT_THAT(study.axes[0].steps,
              ElementsAre(ElementsAre("1"), ElementsAre("2"), ElementsAre("4")));
  EXPECT_EQ(study.axes[0].title, "Cores");
  EXPECT_EQ(study.axes[0].base, 2u);  // what `base` has
  EXPECT_THAT(study.axes[1].steps, ElementsAre(ElementsAre("1 MiB"), ElementsAre("2 MiB"),
                                               ElementsAre("4 MiB"), ElementsAre("8 MiB")));
  EXPECT_EQ(study.axes[1].base, 2u);  // as the study says
  EXPECT_THAT(study.axes[2].keys, ElementsAre("work_cap.elements_log2", "work_cap.bytes_log2"));
  EXPECT_THAT(study.axes[2].steps, ElementsAre(ElementsAre("24", "26"), ElementsAre("25", "27"),
                                               ElementsAre("26", "28")));
  EXPECT_EQ(study.constraints.size(), 2u);
  ASSERT_EQ(study.workloads.size(), 2u);
  EXPECT_EQ(study.workloads[0].cores, 1u);
  EXPECT_EQ(study.workloads[0].inputs[1].text, "b.npy");
  EXPECT_EQ(study.workloads[0].arguments[0].text, "3");
  EXPECT_EQ(study.metrics.size(), 3u);
  EXPECT_EQ(study.metrics[1].better, Better::less);
  EXPECT_EQ(study.metrics[2].better, Better::unknown);
  EXPECT_THAT(study.ledgers[0].parts, ElementsAre("retired_scalar", "retired_load"));
  EXPECT_EQ(study.plots.size(), 5u);
  EXPECT_EQ(study.plots[0].at[0].second, "27");
}

TEST_F(StudyTest, EachMistakeIsNamedWithItsPlaceAndTheWayOut) {
  const Result<YamlDocument> document = YamlDocument::load(kData + "wrong_studies.yaml");
  ASSERT_TRUE(document.ok()) << document.error().message;
  const std::vector<YamlValue> cases = document->root().asList().value();
  EXPECT_GE(cases.size(), 25u);
  for (const YamlValue& one : cases) {
    const auto text = [&](const char* key) {
      const Result<std::string> value = one.at(key).value().asString();
      return value.ok() ? *value : std::string();  // `to` may be empty
    };
    const Result<Study> study = load(replaced(good(), text("from"), text("to")));
    ASSERT_FALSE(study.ok()) << one.error("is accepted").message;
    const std::string& message = study.error().message;
    EXPECT_THAT(message, StartsWith(file_ + ":" + text("at") + ": ")) << one.path();
    EXPECT_THAT(message, HasSubstr(text("says"))) << one.path();
  }
}

TEST_F(StudyTest, TheDeviceOfTheCommandLineGoesFirst) {
  EXPECT_EQ(load(good(), "npu")->device, "npu");
  EXPECT_EQ(load(replaced(good(), "device: npu-functional\n", ""))->device, "npu");
  EXPECT_THAT(load(good(), "gpu").error().message, StartsWith("--device: 'gpu' runs no study"));
}

TEST_F(StudyTest, TheMiddleStepStandsForAnAxisWithoutTheMachinesOwnValue) {
  const auto base_of = [&](const std::string& values) {
    return load(replaced(good(), "cores, values: [1, 2, 4]", "cores, values: " + values))
        ->axes[0]
        .base;
  };
  EXPECT_EQ(base_of("[1, 2, 3]"), 1u);
  EXPECT_EQ(base_of("[1, 2]"), 0u);
  EXPECT_EQ(base_of("[8, 4, 2]"), 1u);
}

TEST_F(StudyTest, RangesEndAtOrBeforeTheirEnd) {
  const auto steps_of = [&](const std::string& range) {
    const Study study =
        load(replaced(good(), "cores, values: [1, 2, 4]", "cores, " + range)).value();
    std::string text;
    for (const auto& step : study.axes[0].steps) text += step[0] + " ";
    return text;
  };
  EXPECT_EQ(steps_of("range: {from: 1, to: 9, step: 3}"), "1 4 7 ");
  EXPECT_EQ(steps_of("range: {from: 1, to: 10, step: 3}"), "1 4 7 10 ");
  EXPECT_EQ(steps_of("range: {from: 5, to: 5, step: 3}"), "5 ");
  EXPECT_EQ(steps_of("log_range: {from: 3, to: 47, factor: 4}"), "3 12 ");
  EXPECT_EQ(steps_of("log_range: {from: 3, to: 48, factor: 4}"), "3 12 48 ");
}

TEST_F(StudyTest, JustAsManyRunsAsTheLimitAreTaken) {
  // 2 workloads x 3 cores x 4 sizes x 3 zipped steps = 72 runs; with an axis of n, 72 n.
  const auto with_axis = [&](const std::string& to) {
    return load(replaced(good(), "    base: 4 MiB\n",
                         "    base: 4 MiB\n  - {key: address_map.global_bytes, range: {from: 1 "
                         "MiB, to: " +
                             to + " MiB, step: 1 MiB}}\n"));
  };
  EXPECT_TRUE(with_axis("138").ok());   // 9936
  EXPECT_FALSE(with_axis("139").ok());  // 10008
}

}  // namespace
}  // namespace etalon::tools
