// SPDX-License-Identifier: Apache-2.0
// Every litmus test of docs/spec/litmus under many interleavings; each rule of the chapter has one.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "isa/base/file.h"
#include "isa/base/fuzz_scale.h"
#include "validation/litmus/run.h"

namespace etalon::validation {
namespace {

/// Seeds that every test runs, and the most that an outcome may take to be seen.
constexpr uint64_t kLeast = 50, kMost = 2000;

std::vector<std::string> files() {
  std::vector<std::string> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(ETALON_SOURCE_DIR "/docs/spec/litmus"))
    if (entry.path().extension() == ".litmus") paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

LitmusTest read(const std::string& path) {
  const Result<std::string> text = readFile(path);
  EXPECT_TRUE(text.ok()) << text.error().message;
  const std::filesystem::path file(path);
  const Result<LitmusTest> test = parseLitmus(file.filename().string(), *text);
  EXPECT_TRUE(test.ok()) << test.error().message;
  return test.ok() ? *test : LitmusTest{};
}

/// Tests that know no barrier, which is of the cores of one device.
std::vector<std::string> filesOfSeveralDevices() {
  std::vector<std::string> paths = files();
  std::erase_if(paths, [](const std::string& path) {
    return readFile(path).value().find("et.barrier") != std::string::npos;
  });
  return paths;
}

class Litmus : public testing::TestWithParam<std::string> {
 protected:
  void judge(Placement placement) {
    const LitmusTest test = read(GetParam());
    ASSERT_FALSE(test.cores.empty());
    const auto least = std::max<uint64_t>(1, static_cast<uint64_t>(kLeast * fuzzScale()));
    const Verdict verdict = judgeLitmus(test, least, kMost, placement);
    for (const std::string& error : verdict.errors) ADD_FAILURE() << error;
    RecordProperty("seeds", static_cast<int>(verdict.seeds));
  }
};
class LitmusOfDevices : public Litmus {};

TEST_P(Litmus, ShowsWhatItSays) { judge(Placement::together); }
TEST_P(LitmusOfDevices, ShowsTheSameWithEachCoreOnADeviceOfItsOwn) { judge(Placement::apart); }

std::string nameOf(const testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).stem();
  std::ranges::replace(name, '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Spec, Litmus, testing::ValuesIn(files()), nameOf);
INSTANTIATE_TEST_SUITE_P(Spec, LitmusOfDevices, testing::ValuesIn(filesOfSeveralDevices()), nameOf);

// But for those about interrupts, which litmus tests have none of: sim/functional/interrupt_wait_test.cc shows them.
TEST(LitmusTests, ShowEveryRuleOfTheChapter) {
  using isa::Rule;
  const std::set<Rule> of_interrupts{Rule::sync_barrier_kept, Rule::sync_barrier_open,
                                     Rule::sync_wait_released};
  std::set<isa::Rule> shown;
  for (const std::string& path : files()) {
    const LitmusTest test = read(path);
    shown.insert(test.rules.begin(), test.rules.end());
  }
  for (const isa::RuleInfo& rule : isa::kRules) {
    if (rule.chapter != "07-synchronisation" || of_interrupts.contains(rule.rule)) continue;
    EXPECT_TRUE(shown.contains(rule.rule)) << rule.name;
  }
}

}  // namespace
}  // namespace etalon::validation
