// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/sandbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace etalon::tools {
namespace {

using ::testing::HasSubstr;

std::string failure(const std::function<Result<Bytes>()>& job, const SandboxLimits& limits = {}) {
  const Result<Bytes> result = runSandboxed("the job", job, limits);
  EXPECT_FALSE(result.ok());
  return result.ok() ? "" : result.error().message;
}

TEST(Sandbox, ReturnsTheBytesOfTheJob) {
  const Bytes large(3'000'000, std::byte{7});
  for (const Bytes& bytes : {Bytes{}, Bytes{std::byte{0}, std::byte{255}}, large}) {
    const Result<Bytes> result = runSandboxed("the job", [&]() -> Result<Bytes> { return bytes; });
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(*result, bytes);
  }
}

TEST(Sandbox, ReturnsTheErrorOfTheJob) {
  EXPECT_EQ(failure([]() -> Result<Bytes> { return Error{"because"}; }), "because");
}

TEST(Sandbox, NamesTheMemoryLimit) {
  const auto job = []() -> Result<Bytes> { return Bytes(size_t{1} << 40); };
  EXPECT_THAT(failure(job), HasSubstr("the job: needs more than 1024 MiB of memory"));
}

TEST(Sandbox, NamesTheProcessorTimeLimit) {
  const auto job = []() -> Result<Bytes> {
    for (volatile unsigned i = 0;; i = i + 1) {
    }
  };
  EXPECT_THAT(failure(job, {.cpu_seconds = 1}), HasSubstr("more than 1 s of processor time"));
}

TEST(Sandbox, NamesTheWallTimeLimit) {
  const auto job = []() -> Result<Bytes> {
    ::sleep(60);
    return Bytes{};
  };
  EXPECT_THAT(failure(job, {.wall_seconds = 1}), HasSubstr("took longer than 1 s"));
}

TEST(Sandbox, NamesTheResultLimit) {
  const auto job = []() -> Result<Bytes> { return Bytes(size_t{3} << 20); };
  EXPECT_THAT(failure(job, {.result_bytes = 2 << 20}), HasSubstr("larger than 2 MiB"));
}

TEST(Sandbox, NamesTheSignalThatEndedTheJob) {
  const auto job = []() -> Result<Bytes> { std::abort(); };
  EXPECT_THAT(failure(job), HasSubstr("ended by signal 6"));
}

TEST(Sandbox, KeepsTheJobsOutputToItself) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(failure([]() -> Result<Bytes> {
              std::fputs("noise", stderr);
              std::fflush(stderr);
              return Error{"quiet"};
            }),
            "quiet");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace etalon::tools
