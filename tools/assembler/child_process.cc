// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "tools/assembler/pipe_reader.h"

extern char** environ;

namespace etalon::tools {
namespace {

constexpr uint64_t kMostOutputBytes = uint64_t{256} << 20;

/// A pipe whose ends close themselves.
struct Pipe {
  int ends[2] = {-1, -1};

  bool open() { return ::pipe2(ends, O_CLOEXEC) == 0; }
  void closeEnd(int which) {
    if (ends[which] >= 0) ::close(ends[which]);
    ends[which] = -1;
  }
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    closeEnd(0);
    closeEnd(1);
  }
};

/// Starts the program with its output on the pipes; returns 0 or the system's error number.
int start(const std::vector<std::string>& argv, const Pipe& out, const Pipe& err, pid_t& child) {
  std::vector<char*> arguments;
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, err.ends[1], STDERR_FILENO);
  const int error =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

Result<ProgramOutput> runProgram(const std::vector<std::string>& argv, int wall_seconds,
                                 const std::string& if_missing) {
  ETALON_CHECK(!argv.empty(), "a program needs a name");
  Pipe out, err;
  if (!out.open() || !err.open())
    return Error{fmt::format("cannot create a pipe for '{}': {}", argv[0], std::strerror(errno))};
  pid_t child = -1;
  if (const int error = start(argv, out, err, child); error != 0)
    return Error{
        fmt::format("cannot start '{}': {}; {}", argv[0], std::strerror(error), if_missing)};
  out.closeEnd(1);
  err.closeEnd(1);
  ProgramOutput output;
  const PipeSink sinks[] = {{out.ends[0], &output.out}, {err.ends[0], &output.err}};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(wall_seconds);
  const ReadEnd end = readPipes(sinks, deadline, kMostOutputBytes);
  if (end != ReadEnd::kClosed) ::kill(child, SIGKILL);
  const int status = waitForChild(child);
  if (end == ReadEnd::kTimeout)
    return Error{fmt::format("'{}' took longer than {} s", argv[0], wall_seconds)};
  if (end == ReadEnd::kTooLong)
    return Error{fmt::format("'{}' wrote more than {} MiB", argv[0], kMostOutputBytes >> 20)};
  output.exit_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return output;
}

}  // namespace etalon::tools
