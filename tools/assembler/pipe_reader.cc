// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/pipe_reader.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace etalon::tools {

ReadEnd readPipes(std::span<const PipeSink> pipes, std::chrono::steady_clock::time_point deadline,
                  uint64_t limit_bytes) {
  std::vector<pollfd> polled;
  for (const PipeSink& pipe : pipes) polled.push_back({pipe.fd, POLLIN, 0});
  size_t open = polled.size();
  std::vector<char> buffer(size_t{1} << 16);
  while (open > 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return ReadEnd::kTimeout;
    const int wait_ms = static_cast<int>(std::min<int64_t>(left.count() + 1, 60'000));
    if (::poll(polled.data(), polled.size(), wait_ms) <= 0) continue;
    for (size_t i = 0; i < polled.size(); i++) {
      if (polled[i].fd < 0 || polled[i].revents == 0) continue;
      const ssize_t n = ::read(polled[i].fd, buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        polled[i].fd = -1;  // poll skips negative descriptors
        open--;
        continue;
      }
      pipes[i].text->append(buffer.data(), static_cast<size_t>(n));
      if (pipes[i].text->size() > limit_bytes) return ReadEnd::kTooLong;
    }
  }
  return ReadEnd::kClosed;
}

int waitForChild(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace etalon::tools
