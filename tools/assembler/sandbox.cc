// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/sandbox.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>

#include "tools/assembler/pipe_reader.h"

namespace etalon::tools {
namespace {

constexpr int kExitOutOfMemory = 86;
constexpr char kTagResult = 'R';
constexpr char kTagError = 'E';

/// Bytes of address space this process has mapped.
uint64_t mappedBytes() {
  unsigned long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return uint64_t{pages} * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

void setLimit(int resource, uint64_t soft, uint64_t hard) {
  rlimit limit{soft, hard};
  ::setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
}

void writeAll(int fd, const void* data, size_t size) {
  const char* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t n = ::write(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // the reader has given up: it reports why
    at += n;
    size -= static_cast<size_t>(n);
  }
}

[[noreturn]] void runChild(int out, const std::function<Result<Bytes>()>& job,
                           const SandboxLimits& limits) {
  for (int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGXCPU, SIGPIPE})
    ::signal(signal, SIG_DFL);  // handlers of the caller would write to its stderr
  setLimit(RLIMIT_CORE, 0, 0);
  setLimit(RLIMIT_CPU, static_cast<uint64_t>(limits.cpu_seconds),
           static_cast<uint64_t>(limits.cpu_seconds) + 1);
  const uint64_t address_space = mappedBytes() + limits.memory_bytes;
  setLimit(RLIMIT_AS, address_space, address_space);
  std::set_new_handler(exitOutOfMemory);
  const int null = ::open("/dev/null", O_RDWR);
  if (null >= 0) {
    ::dup2(null, STDIN_FILENO);
    ::dup2(null, STDOUT_FILENO);
    ::dup2(null, STDERR_FILENO);
  }
  const Result<Bytes> answer = job();
  if (answer.ok()) {
    writeAll(out, &kTagResult, 1);
    writeAll(out, answer->data(), answer->size());
  } else {
    writeAll(out, &kTagError, 1);
    writeAll(out, answer.error().message.data(), answer.error().message.size());
  }
  ::_exit(0);
}

Error whyItEnded(const std::string& what, ReadEnd end, int status, const SandboxLimits& limits) {
  if (end == ReadEnd::kTimeout)
    return {fmt::format("{}: took longer than {} s", what, limits.wall_seconds)};
  if (end == ReadEnd::kTooLong)
    return {fmt::format("{}: the result is larger than {} MiB", what, limits.result_bytes >> 20)};
  if (WIFEXITED(status) && WEXITSTATUS(status) == kExitOutOfMemory)
    return {
        fmt::format("{}: needs more than {} MiB of memory; look for a repeat count or a size "
                    "that is too large",
                    what, limits.memory_bytes >> 20)};
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
    return {
        fmt::format("{}: needs more than {} s of processor time; look for a repeat count that is "
                    "too large",
                    what, limits.cpu_seconds)};
  if (WIFSIGNALED(status))
    return {fmt::format("{}: ended by signal {} ({})", what, WTERMSIG(status),
                        ::strsignal(WTERMSIG(status)))};
  return {fmt::format("{}: ended without an answer (exit status {})", what, WEXITSTATUS(status))};
}

}  // namespace

void exitOutOfMemory() { ::_exit(kExitOutOfMemory); }

Result<Bytes> runSandboxed(const std::string& what, const std::function<Result<Bytes>()>& job,
                           const SandboxLimits& limits) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return Error{fmt::format("{}: cannot create a pipe: {}", what, std::strerror(errno))};
  const pid_t child = ::fork();
  if (child < 0) {
    const int reason = errno;
    ::close(ends[0]);
    ::close(ends[1]);
    return Error{fmt::format("{}: cannot start a process: {}", what, std::strerror(reason))};
  }
  if (child == 0) {
    ::close(ends[0]);
    runChild(ends[1], job, limits);
  }
  ::close(ends[1]);
  std::string answer;
  const PipeSink sinks[] = {{ends[0], &answer}};
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(limits.wall_seconds);
  const ReadEnd end = readPipes(sinks, deadline, limits.result_bytes + 1);
  if (end != ReadEnd::kClosed) ::kill(child, SIGKILL);
  ::close(ends[0]);
  const int status = waitForChild(child);
  const bool whole = end == ReadEnd::kClosed && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (!whole || answer.empty()) return whyItEnded(what, end, status, limits);
  if (answer[0] == kTagError) return Error{answer.substr(1)};
  const auto* first = reinterpret_cast<const std::byte*>(answer.data()) + 1;
  return Bytes(first, first + (answer.size() - 1));
}

}  // namespace etalon::tools
