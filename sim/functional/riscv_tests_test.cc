// SPDX-License-Identifier: Apache-2.0
// Runs the public RISC-V unit tests named in riscv_tests.txt from the images in $RISCV_TESTS_DIR.
#include <fnmatch.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "isa/base/file.h"
#include "isa/machines/find_machine.h"
#include "sim/functional/functional_device.h"

namespace etalon::sim {
namespace {

constexpr uint64_t kInstructionLimit = 10'000'000;

std::string directory() {
  const char* value = std::getenv("RISCV_TESTS_DIR");
  return value ? value : "";
}

std::vector<std::string> listedNames() {
  std::vector<std::string> names;
  const auto text = readFile(ETALON_SOURCE_DIR "/sim/functional/riscv_tests.txt");
  std::istringstream lines(text.ok() ? *text : "");
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line[0] != '#') names.push_back(line);
  return names;
}

/// Patterns of the names that the list excludes: the first word of its lines "#   rv64... reason".
std::vector<std::string> excludedPatterns() {
  std::vector<std::string> patterns;
  const auto text = readFile(ETALON_SOURCE_DIR "/sim/functional/riscv_tests.txt");
  std::istringstream lines(text.ok() ? *text : "");
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash, name;
    if (words >> hash >> name && hash == "#" && name.starts_with("rv64")) patterns.push_back(name);
  }
  return patterns;
}

/// The names to run: all of the list, or none without a directory of images.
std::vector<std::string> namesToRun() {
  return directory().empty() ? std::vector<std::string>{} : listedNames();
}

std::string describe(const FunctionalDevice& device, const RunResult& result) {
  std::ostringstream text;
  text << runStatusName(result.status) << " with code " << result.exit_code
       << " (number of the test case that failed) after " << result.instructions << " instructions";
  for (const StoppedCore& core : result.stopped)
    text << "\n  core " << core.core << " at " << std::hex << core.pc << std::dec << " "
         << core.waiting;
  for (const isa::Fault& fault : device.findings().faults())
    text << "\n  trap " << isa::causeName(fault.cause) << " at " << std::hex << fault.pc << std::dec
         << " " << fault.detail;
  return text.str();
}

class RiscvTest : public testing::TestWithParam<std::string> {};

TEST_P(RiscvTest, Passes) {
  const std::string path = directory() + "/" + GetParam();
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "RISCV_TESTS_DIR has no " << GetParam();
  const auto file = readFile(path);
  ASSERT_TRUE(file.ok()) << file.error().message;
  const auto* bytes = reinterpret_cast<const std::byte*>(file->data());
  const auto image = ElfImage::parse({bytes, bytes + file->size()}, path);
  ASSERT_TRUE(image.ok()) << image.error().message;
  const auto machine = isa::openMachine("base", {"cores=1"});
  ASSERT_TRUE(machine.ok()) << machine.error().message;
  auto device = FunctionalDevice::create(*machine);
  ASSERT_TRUE(device.ok()) << device.error().message;
  ASSERT_TRUE((*device)->load(*image).ok());
  LaunchOptions options;
  options.instruction_limit = kInstructionLimit;
  const auto result = (*device)->launch(options);
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_TRUE(result->status == RunStatus::exited && result->exit_code == 0)
      << describe(**device, *result);
}

INSTANTIATE_TEST_SUITE_P(Public, RiscvTest, testing::ValuesIn(namesToRun()), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
});
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RiscvTest);

TEST(RiscvTests, AreListedOnceEach) {
  auto names = listedNames();
  ASSERT_FALSE(names.empty());
  std::ranges::sort(names);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

TEST(RiscvTests, HaveADirectory) {
  if (directory().empty())
    GTEST_SKIP() << "RISCV_TESTS_DIR is not set: point it at the built images of riscv-tests "
                    "(isa/rv64*-p-*) to run them";
  ASSERT_TRUE(std::filesystem::is_directory(directory())) << "RISCV_TESTS_DIR is " << directory();
  size_t present = 0;
  for (const std::string& name : listedNames())
    present += std::filesystem::exists(directory() + "/" + name);
  EXPECT_GT(present, 0u) << directory()
                         << " has none of the images that sim/functional/riscv_tests.txt lists";
}

TEST(RiscvTests, AreAllListedOrExcluded) {
  if (!std::filesystem::is_directory(directory())) return;  // HaveADirectory says so
  const auto listed = listedNames(), excluded = excludedPatterns();
  ASSERT_FALSE(excluded.empty());
  std::string unknown;
  for (const auto& entry : std::filesystem::directory_iterator(directory())) {
    const std::string name = entry.path().filename();
    const bool ours =
        fnmatch("rv64[um][imai]-p-*", name.c_str(), 0) == 0 && name.find('.') == std::string::npos;
    const auto matches = [&](const std::string& pattern) {
      return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
    };
    if (ours && std::ranges::none_of(listed, matches) && std::ranges::none_of(excluded, matches))
      unknown += " " + name;
  }
  if (!unknown.empty())
    GTEST_SKIP() << "neither listed nor excluded in sim/functional/riscv_tests.txt:" << unknown;
}

}  // namespace
}  // namespace etalon::sim
