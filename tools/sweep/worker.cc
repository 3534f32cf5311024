// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace etalon::tools {
namespace {

// Of output and of errors; a program that prints without end is stopped by it.
constexpr rlim_t kMostOutputBytes = rlim_t{256} << 20;

/// In the child: only calls that are safe after a fork.
[[noreturn]] void become(pid_t parent, int out, int err, const char* program, char* const* argv) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it died before the line above
  ::setpgid(0, 0);
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  const rlimit limit{kMostOutputBytes, kMostOutputBytes};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execv(program, argv);
  ::_exit(127);
}

std::string readAll(int fd) {
  std::string text;
  char buffer[1 << 16];
  for (off_t at = 0;;) {
    const ssize_t count = ::pread(fd, buffer, sizeof buffer, at);
    if (count <= 0) return text;
    text.append(buffer, static_cast<size_t>(count));
    at += count;
  }
}

}  // namespace

Result<Worker> Worker::start(const std::string& program, const std::vector<std::string>& argv) {
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  Worker worker(-1, ::memfd_create("stdout", MFD_CLOEXEC), ::memfd_create("stderr", MFD_CLOEXEC));
  if (worker.out_ < 0 || worker.err_ < 0)
    return Error{fmt::format("cannot keep a worker's output: {}", std::strerror(errno))};
  const pid_t parent = ::getpid();
  worker.pid_ = ::fork();
  if (worker.pid_ == 0) become(parent, worker.out_, worker.err_, program.c_str(), words.data());
  if (worker.pid_ < 0)
    return Error{fmt::format("cannot start a process: {}", std::strerror(errno))};
  return worker;
}

Worker::Worker(Worker&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      out_(std::exchange(other.out_, -1)),
      err_(std::exchange(other.err_, -1)) {}

Worker& Worker::operator=(Worker&& other) noexcept {
  if (this == &other) return *this;
  release();
  pid_ = std::exchange(other.pid_, -1);
  out_ = std::exchange(other.out_, -1);
  err_ = std::exchange(other.err_, -1);
  return *this;
}

Worker::~Worker() { release(); }

void Worker::release() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    wait();
  }
  for (const int fd : {out_, err_})
    if (fd >= 0) ::close(fd);
}

bool Worker::ended(int& status) {
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
  pid_ = -1;
  return true;
}

int Worker::wait() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

std::string Worker::output() const { return readAll(out_); }
std::string Worker::errors() const { return readAll(err_); }

std::string endText(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

}  // namespace etalon::tools
