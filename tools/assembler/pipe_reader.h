// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

namespace etalon::tools {

/// Why reading from a child process ended.
enum class ReadEnd { kClosed, kTimeout, kTooLong };

/// One end of a pipe to read and where its bytes go.
struct PipeSink {
  int fd;
  std::string* text;
};

/// Reads all pipes together until every one is closed, `deadline` has passed, or one has given more
/// than `limit_bytes` bytes. Closes none of them.
ReadEnd readPipes(std::span<const PipeSink> pipes, std::chrono::steady_clock::time_point deadline,
                  uint64_t limit_bytes);

/// Waits for a child that has been told to end; returns the status of waitpid.
int waitForChild(pid_t child);

}  // namespace etalon::tools
