// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "isa/machines/find_machine.h"
#include "tools/sweep/sweep_test_study.h"

namespace etalon::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kAxes =
    "axes:\n  - {key: cores, values: [1, 4]}\n  - {key: local_bytes, values: [1 MiB, 8 MiB, 64 "
    "MiB]}\n";

class PlanTest : public StudyFolder {
 protected:
  static std::vector<std::vector<size_t>> stepsOf(const Study& study) {
    std::vector<std::vector<size_t>> all;
    for (const SweepPoint& point : planPoints(study)) all.push_back(point.steps);
    return all;
  }
  /// Key of the study's first run.
  static std::string keyOf(const Study& study, const std::string& image = "image",
                           const ToolVersion& version = {"1", "aa"}) {
    const Result<std::vector<PlannedRun>> runs =
        planRuns(study, planPoints(study), {{image, ""}}, version);
    EXPECT_TRUE(runs.ok()) << runs.error().message;
    return (*runs)[0].key;
  }
};

TEST_F(PlanTest, EveryCombinationIsAPointAndTheLastAxisChangesFastest) {
  EXPECT_THAT(stepsOf(study(kAxes + kMetrics)),
              ElementsAre(ElementsAre(0, 0), ElementsAre(0, 1), ElementsAre(0, 2),
                          ElementsAre(1, 0), ElementsAre(1, 1), ElementsAre(1, 2)));
}

TEST_F(PlanTest, OneAtATimeTheBaseComesFirstAndStandsOnce) {
  // Base: 4 cores, 8 MiB.
  EXPECT_THAT(
      stepsOf(study(kAxes + kMetrics + "combine: one_at_a_time\n")),
      ElementsAre(ElementsAre(1, 1), ElementsAre(0, 1), ElementsAre(1, 0), ElementsAre(1, 2)));
}

TEST_F(PlanTest, APointHasTheMachineOfItsOverrides) {
  const Study s = study(kAxes + kMetrics + "set: {work_cap.macs_log2: 31}\n");
  const SweepPoint last = planPoints(s).back();
  EXPECT_THAT(last.overrides,
              ElementsAre("work_cap.macs_log2=31", "cores=4", "local_bytes=64 MiB"));
  EXPECT_EQ(last.machine.displayName(), "base+cores=4+local_bytes=64 MiB+work_cap.macs_log2=31");
}

TEST_F(PlanTest, ConstraintsAndImpossibleMachinesAreNotRun) {
  const Study s = study(kAxes + kMetrics + "constraints: [local_bytes * cores <= 32 MiB]\n");
  const std::vector<SweepPoint> points = planPoints(s);
  EXPECT_EQ(points[1].excluded, "");
  EXPECT_EQ(points[2].excluded, "local_bytes * cores <= 32 MiB");
  EXPECT_EQ(points[4].excluded, "");  // 32 MiB, just at the limit
  EXPECT_EQ(planRuns(s, points, {{"image", ""}}, {"1", "aa"}).value()[2].key, "");

  const Study high = study(
      "axes: [{key: address_map.global_base, values: [0x80000000, 0x3fffff0000]}]\n" + kMetrics);
  const SweepPoint beyond = planPoints(high)[1];
  EXPECT_THAT(beyond.impossible, HasSubstr("passes the end of its region"));
}

TEST_F(PlanTest, AKeyIsOfAllThatAResultDependsOn) {
  const std::string text = kAxes + kMetrics;
  const Study s = study(text);
  std::set<std::string> keys{keyOf(s)};
  const auto differs = [&](const std::string& key) { return keys.insert(key).second; };
  EXPECT_TRUE(differs(keyOf(s, "image2")));
  EXPECT_TRUE(differs(keyOf(s, "image", {"2", "aa"})));
  EXPECT_TRUE(differs(keyOf(s, "image", {"1", "ab"})));
  EXPECT_TRUE(differs(keyOf(study(text + "set: {work_cap.macs_log2: 31}\n"))));
  EXPECT_TRUE(differs(keyOf(study(text + "limit: 5\n"))));
  EXPECT_TRUE(differs(keyOf(study(text + "timing_only: true\n"))));
  Study changed = study(text);
  changed.device = "npu";
  EXPECT_TRUE(differs(keyOf(changed)));
  changed = study(text);
  changed.workloads[0].inputs[0].text = "random:2";
  EXPECT_TRUE(differs(keyOf(changed)));
  changed = study(text);
  changed.workloads[0].arguments[0].text = "5";
  EXPECT_TRUE(differs(keyOf(changed)));
  changed = study(text);
  changed.workloads[0].cores = 1;
  EXPECT_TRUE(differs(keyOf(changed)));
  changed = study(text);
  changed.workloads[0].devices = 2;
  EXPECT_TRUE(differs(keyOf(changed)));
}

TEST_F(PlanTest, AKeyIsOfTheContentOfInputFiles) {
  Study s = study(kAxes + kMetrics);
  s.workloads[0].inputs[0].text = "x.npy";
  ASSERT_TRUE(writeFile(folder_ + "/x.npy", "one").ok());
  const std::string before = keyOf(s);
  EXPECT_EQ(keyOf(s), before);
  ASSERT_TRUE(writeFile(folder_ + "/x.npy", "two").ok());
  EXPECT_NE(keyOf(s), before);
  std::filesystem::remove(folder_ + "/x.npy");
  EXPECT_THAT(planRuns(s, planPoints(s), {{"image", ""}}, {"1", "aa"}).error().message,
              HasSubstr("study.yaml:4: workloads[0].inputs.x: cannot read"));
}

TEST_F(PlanTest, AKeyIsOfTheContentOfTheMachinesParts) {
  const std::string from = std::string(ETALON_SOURCE_DIR) + "/isa/machines/";
  const std::string part = folder_ + "/parts/memory/hbm2-2400.yaml";
  std::filesystem::create_directories(folder_ + "/parts/memory");
  std::filesystem::copy(from + "base.yaml", folder_ + "/base.yaml");
  std::filesystem::copy(from + "parts/memory/hbm2-2400.yaml", part);
  Study s = study(kAxes + kMetrics);
  s.base = isa::openMachine(folder_ + "/base.yaml", {}).value();
  const std::string before = keyOf(s);
  EXPECT_EQ(keyOf(s), before);
  ASSERT_TRUE(writeFile(part, readFile(part).value() + "# changed\n").ok());
  EXPECT_NE(keyOf(s), before);
}

TEST_F(PlanTest, AKeyIsNotOfTheStudy) {
  const std::string before = keyOf(study(kAxes + kMetrics));
  EXPECT_EQ(keyOf(study(kAxes + "title: Other\nmetrics: [{name: other, value: cores}]\n"
                                "constraints: [cores >= 1]\n")),
            before);
  // The same machine by another way: an axis instead of `set`.
  EXPECT_EQ(
      keyOf(study("set: {cores: 1}\naxes: [{key: local_bytes, values: [1 MiB]}]\n" + kMetrics)),
      before);
}

TEST_F(PlanTest, ARunIsACommandAnyoneCanRepeat) {
  Study s = study(kAxes + kMetrics + "limit: 5\n");
  s.workloads[0].cores = 1;
  s.workloads[0].devices = 2;
  s.workloads[0].inputs[0].text = "it's.npy";
  const SweepPoint point = planPoints(s)[1];
  EXPECT_EQ(commandLine(s, s.workloads[0], point),
            "etalon run program.elf --device npu-functional --machine base --set cores=1 --set "
            "'local_bytes=8 MiB' --in 'x=it'\\''s.npy' --arg n=4 --cores 1 --devices 2 --limit 5");
  s.machine = "mine.yaml";
  EXPECT_THAT(
      runArguments(s, s.workloads[0], point, "x.elf", "there"),
      ElementsAre("run", "x.elf", "--device", "npu-functional", "--machine", "there/mine.yaml",
                  "--set", "cores=1", "--set", "local_bytes=8 MiB", "--in", "x=there/it's.npy",
                  "--arg", "n=4", "--cores", "1", "--devices", "2", "--limit", "5", "--json"));
}

}  // namespace
}  // namespace etalon::tools
