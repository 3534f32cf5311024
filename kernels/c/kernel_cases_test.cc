// SPDX-License-Identifier: Apache-2.0
#include "kernels/c/kernel_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>

#include "tools/io/npy.h"
#include "tools/run/session.h"

namespace etalon::kernels {
namespace {

constexpr unsigned kCores[] = {1, 2, 4, 7};
constexpr unsigned kCoresOfBase = 4;

/// As a file holds it: a .npy has bytes of pairs for 4-bit types, which need even rows.
abi::Array packed(abi::Array array) {
  if (elementInfo(array.type).bits != 4) return array;
  EXPECT_EQ(array.shape.back() % 2, 0u);
  array.type = ElementType::u8;
  array.shape.back() /= 2;
  return array;
}

/// A file that goes with the object.
class TemporaryArray {
 public:
  TemporaryArray(const std::string& name, const abi::Array& array)
      : path_(fmt::format("{}/kernels_test_{}_{}.npy", testing::TempDir(), getpid(), name)) {
    const Status status = tools::writeNpy(path_, packed(array));
    EXPECT_TRUE(status.ok()) << path_;
  }
  ~TemporaryArray() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryArray(TemporaryArray&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TemporaryArray& operator=(TemporaryArray&&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

tools::RunRequest requestOf(const std::string& kernel, const KernelCase& kernel_case,
                            std::vector<TemporaryArray>& files) {
  tools::RunRequest request;
  request.program = fmt::format("{}/{}.elf", ETALON_KERNEL_DIR, kernel);
  for (const CaseInput& input : kernel_case.inputs) {
    if (input.array) {
      files.emplace_back(input.name, *input.array);
      request.inputs.push_back({input.name, files.back().path(), std::nullopt});
      continue;
    }
    const Result<tools::InputSource> parsed =
        tools::parseInput(fmt::format("{}={}", input.name, input.source));
    EXPECT_TRUE(parsed.ok()) << input.source;
    if (parsed.ok()) request.inputs.push_back(*parsed);
  }
  for (const auto& [name, text] : kernel_case.arguments) request.arguments.push_back({name, text});
  return request;
}

/// First element in which the arrays differ, for messages.
std::string firstDifference(const abi::Array& expected, const abi::Array& actual) {
  if (expected.shape != actual.shape || expected.type != actual.type)
    return fmt::format("{} instead of {}", abi::describe(actual.type, actual.shape),
                       abi::describe(expected.type, expected.shape));
  for (size_t i = 0; i < expected.data.size(); ++i)
    if (expected.data[i] != actual.data[i])
      return fmt::format("byte {} is {:#04x} instead of {:#04x}", i,
                         std::to_integer<unsigned>(actual.data[i]),
                         std::to_integer<unsigned>(expected.data[i]));
  return "";
}

/// A run by --timing-only has the counts of the run with values and the outputs that it did compute. No kernel stops there:
/// one that goes by values it has computed would be an exception to be named here and in docs/guide/kernel-writer.md.
void compareWithoutValues(tools::RunRequest request, const tools::RunReport& values) {
  request.timing_only = true;
  request.check = false;
  const Result<tools::RunReport> report = tools::runProgram(request, {});
  ASSERT_TRUE(report.ok()) << report.error().message;
  ASSERT_THAT(report->failures(), testing::IsEmpty()) << tools::reportText(*report, true);
  EXPECT_EQ(report->instructions, values.instructions);
  EXPECT_EQ(report->counters, values.counters);
  for (size_t i = 0; i < values.outputs.size(); ++i) {
    if (report->outputs[i].first_left_out) continue;
    EXPECT_EQ(firstDifference(values.outputs[i].array, report->outputs[i].array), "")
        << values.outputs[i].name;
  }
}

}  // namespace

void KernelCases::run(const KernelCase& kernel_case) {
  SCOPED_TRACE(fmt::format("{} {}", kernel_, kernel_case.title));
  ++count_;
  std::vector<TemporaryArray> files;
  tools::RunRequest request = requestOf(kernel_, kernel_case, files);
  std::vector<abi::Array> expected;
  if (kernel_case.expected) expected.push_back(*kernel_case.expected);
  expected.insert(expected.end(), kernel_case.more_expected.begin(),
                  kernel_case.more_expected.end());
  if (machine_ == Machine::extended) {
    request.machine = "functional64";
    request.overrides = {"local_bytes=8 MiB"};
  }
  for (const unsigned cores : kCores) {
    SCOPED_TRACE(fmt::format("on {} core(s)", cores));
    request.cores = cores;
    request.check = expected.empty();  // once: the other counts of cores must give the same bits
    if (machine_ == Machine::base && cores > kCoresOfBase)
      request.overrides = {fmt::format("cores={}", cores)};
    const Result<tools::RunReport> report = tools::runProgram(request, {});
    ASSERT_TRUE(report.ok()) << report.error().message;
    ASSERT_THAT(report->failures(), testing::IsEmpty())
        << tools::reportText(*report, true) << (report->check ? report->check->detail : "");
    EXPECT_EQ(report->race_count, 0u);
    EXPECT_EQ(report->order_dependent_count, 0u);
    EXPECT_EQ(report->uninitialised_read_count, 0u);
    if (report->check && report->check->worst_ratio > worst_ratio_) {
      worst_ratio_ = report->check->worst_ratio;
      worst_case_ = kernel_case.title;
    }
    if (expected.empty())
      for (const tools::Output& output : report->outputs) expected.push_back(output.array);
    ASSERT_FALSE(expected.empty());
    ASSERT_EQ(report->outputs.size(), expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      const tools::Output& output = report->outputs[i];
      EXPECT_FALSE(output.first_unwritten.has_value()) << output.name;
      EXPECT_EQ(firstDifference(expected[i], output.array), "") << output.name;
    }
    if (cores == kCoresOfBase && count_ % 4 == 1) compareWithoutValues(request, *report);
  }
}

void KernelCases::refuse(const KernelCase& kernel_case, std::string_view message) {
  SCOPED_TRACE(fmt::format("{} {}", kernel_, kernel_case.title));
  std::vector<TemporaryArray> files;
  tools::RunRequest request = requestOf(kernel_, kernel_case, files);
  request.cores = kCoresOfBase;
  std::string console;
  const Result<tools::RunReport> report =
      tools::runProgram(request, {.console = [&](std::string_view text) { console += text; }});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->end, tools::RunEnd::exited);
  EXPECT_NE(report->exit_code, 0u);
  EXPECT_THAT(console, testing::HasSubstr(std::string(message)));
}

KernelCases::~KernelCases() {
  if (count_ == 0) return;  // it only refused
  const std::string ratio =
      worst_case_.empty()
          ? "bit for bit"
          : fmt::format("worst error {:.3g} of its bound at {}", worst_ratio_, worst_case_);
  fmt::print("[ kernel   ] {}: {} cases on 1, 2, 4, 7 cores, {}\n", kernel_, count_, ratio);
  testing::Test::RecordProperty(kernel_ + "_cases", count_);
  testing::Test::RecordProperty(kernel_ + "_worst_ratio", fmt::format("{:.4g}", worst_ratio_));
}

std::string randomSource(int seed, const std::vector<uint64_t>& shape, std::string_view range) {
  return fmt::format("random:{}{}[{}]", seed, range, fmt::join(shape, ","));
}

abi::Array arrayOfHalves(ElementType type, const std::vector<uint64_t>& shape,
                         const std::vector<uint16_t>& bits) {
  abi::Array array = *abi::makeArray(type, shape);
  EXPECT_EQ(array.data.size(), bits.size() * sizeof(uint16_t));
  if (array.data.size() == bits.size() * sizeof(uint16_t) && !bits.empty())
    std::memcpy(array.data.data(), bits.data(), array.data.size());
  return array;
}

}  // namespace etalon::kernels
