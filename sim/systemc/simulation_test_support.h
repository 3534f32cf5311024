// SPDX-License-Identifier: Apache-2.0
// For tests: SystemC elaborates once in a process, so each simulation has a child process of its own.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>

namespace etalon::sim {

/// What `simulate` returns, from a child process.
template <class F>
uint64_t inChild(F simulate) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const uint64_t answer = simulate();
    const bool written = write(ends[1], &answer, sizeof answer) == sizeof answer;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  uint64_t answer = 0;
  EXPECT_EQ(read(ends[0], &answer, sizeof answer), static_cast<ssize_t>(sizeof answer));
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  return answer;
}

}  // namespace etalon::sim
