// SPDX-License-Identifier: Apache-2.0
#include "isa/abi/worker/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>

#include "isa/abi/worker/server.h"

namespace etalon::abi {
namespace {

/// What a plug-in gets beyond its time-out before it is ended: it should find out by itself.
constexpr std::chrono::nanoseconds kGrace = std::chrono::seconds(1);
/// How often keep_going is asked.
constexpr std::chrono::milliseconds kSlice{100};
/// The texts of an answer are shorter, and what one console call prints is.
constexpr uint64_t kMostTexts = 16 << 20;

[[noreturn]] void becomeWorker(int socket, pid_t parent, const std::string& path) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) _exit(0);
  // Handlers of the parent's are not for this process; Ctrl-C is the parent's to act on.
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  ::signal(SIGINT, SIG_IGN);
  // The parent's stdout may be a report that somebody parses.
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  if (const int null = ::open("/dev/null", O_RDONLY); null >= 0) ::dup2(null, STDIN_FILENO);
  serveWorker(socket, path);
}

std::string signalText(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return fmt::format("signal {} (SIG{})", signal, name != nullptr ? name : "?");
}

}  // namespace

std::string_view workerOpName(WorkerOp op) {
  constexpr std::array<std::string_view, 17> kNames = {
      "open",  "describe", "alloc",     "copy",           "copy",        "run_operator",
      "close", "free",     "reset",     "load_image",     "run_image",   "step",
      "peek",  "counters", "run_graph", "run_collective", "inject_fault"};
  return kNames[static_cast<size_t>(op)];
}

Result<std::shared_ptr<Worker>> Worker::start(const std::string& path, Options options) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return Error{fmt::format("no worker process for {}: {}", path, std::strerror(errno))};
  std::fflush(nullptr);  // or the child would have, and might write, what is in our buffers
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    const Error error{fmt::format("no worker process for {}: {}", path, std::strerror(errno))};
    ::close(ends[0]);
    ::close(ends[1]);
    return error;
  }
  if (child == 0) {
    ::close(ends[0]);
    becomeWorker(ends[1], parent, path);
  }
  ::close(ends[1]);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return std::shared_ptr<Worker>(new Worker(child, ends[0], std::move(options)));
}

Worker::~Worker() {
  if (lost_.empty()) reap(true);
}

Worker::Transfer Worker::wait(short events) {
  for (;;) {
    if (options_.keep_going && !options_.keep_going()) return Transfer::interrupted;
    std::chrono::nanoseconds left = kSlice;
    if (options_.timeout_ns != 0) left = std::min(left, deadline_ - Clock::now());
    if (left.count() <= 0) return Transfer::late;
    pollfd poll{socket_, events, 0};
    // Rounded up, or the last millisecond would be spent asking.
    const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    const int ready = ::poll(&poll, 1, static_cast<int>(milliseconds));
    if (ready > 0) return Transfer::done;
    if (ready < 0 && errno != EINTR) return Transfer::closed;
  }
}

Worker::Transfer Worker::send(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n > 0) {
      bytes = bytes.subspan(static_cast<size_t>(n));
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN) return Transfer::closed;
    if (const Transfer waited = wait(POLLOUT); waited != Transfer::done) return waited;
  }
  return Transfer::done;
}

Worker::Transfer Worker::receive(std::span<std::byte> into) {
  while (!into.empty()) {
    const ssize_t n = ::recv(socket_, into.data(), into.size(), 0);
    if (n > 0) {
      into = into.subspan(static_cast<size_t>(n));
      continue;
    }
    if (n < 0 && errno == EINTR) continue;
    if (n == 0 || errno != EAGAIN) return Transfer::closed;
    if (const Transfer waited = wait(POLLIN); waited != Transfer::done) return waited;
  }
  return Transfer::done;
}

Worker::Transfer Worker::receiveAnswer(std::vector<std::byte>& frame, uint64_t most,
                                       const Console& console, bool& sound) {
  for (;;) {
    FrameHeader header;
    Transfer transfer = receive(std::as_writable_bytes(std::span(&header, 1)));
    if (transfer != Transfer::done) return transfer;
    const bool is_answer = header.kind == static_cast<uint32_t>(WorkerFrame::answer);
    const bool is_console = header.kind == static_cast<uint32_t>(WorkerFrame::console);
    sound = header.magic == FrameHeader::kMagic && (is_answer || is_console) &&
            header.bytes <= (is_answer ? most : kMostTexts);
    if (!sound) return Transfer::done;
    frame.resize(header.bytes);
    transfer = receive(frame);
    if (transfer != Transfer::done || is_answer) return transfer;
    WireReader text(frame);
    if (console) console(text.getText());
  }
}

int32_t Worker::ask(WorkerOp op, const WireWriter& request, std::vector<std::byte>& answer,
                    etalon_text* error, uint64_t expected, const Console& console) {
  if (!lost_.empty()) return etalon_set_text(error, ETALON_LOST, lost_.c_str());
  deadline_ = Clock::now() + std::chrono::nanoseconds(options_.timeout_ns) + kGrace;
  FrameHeader header{FrameHeader::kMagic, static_cast<uint32_t>(op), request.bytes().size()};
  Transfer transfer = send(std::as_bytes(std::span(&header, 1)));
  if (transfer == Transfer::done) transfer = send(request.bytes());
  std::vector<std::byte> frame;
  bool sound = true;
  if (transfer == Transfer::done)
    transfer = receiveAnswer(frame, expected + kMostTexts, console, sound);
  if (transfer != Transfer::done) return lose(op, transfer, error);
  if (!sound) return malformed(op, error);
  WireReader in(frame);
  const auto status = in.get<int32_t>();
  const std::string text = in.getText();
  if (status == ETALON_OK) {
    const std::span<const std::byte> rest = in.getBytes();
    answer.assign(rest.begin(), rest.end());
  }
  if (!in.complete()) return malformed(op, error);
  return etalon_set_text(error, status, text.c_str());
}

int32_t Worker::malformed(WorkerOp op, etalon_text* error) {
  reap(true);
  return end(ETALON_BROKEN,
             fmt::format("the answer to {} makes no sense: the plug-in may have written into its "
                         "process's memory; the process was ended",
                         workerOpName(op)),
             error);
}

int32_t Worker::lose(WorkerOp op, Transfer why, etalon_text* error) {
  switch (why) {
    case Transfer::late:
      reap(true);
      return end(ETALON_TIMEOUT,
                 fmt::format("no answer within {:.3g} s; the process was ended",
                             static_cast<double>(options_.timeout_ns) / 1e9),
                 error);
    case Transfer::interrupted:
      reap(true);
      return end(ETALON_LOST, "interrupted; the process was ended", error);
    case Transfer::closed:
    case Transfer::done: break;
  }
  return end(ETALON_LOST,
             fmt::format("the plug-in ended its process in {}: {}", workerOpName(op), reap(false)),
             error);
}

int32_t Worker::end(int32_t status, std::string text, etalon_text* error) {
  lost_ = std::move(text);
  return etalon_set_text(error, status, lost_.c_str());
}

std::string Worker::reap(bool kill_first) {
  // Other workers forked later hold this socket too, so closing alone would not tell the child.
  ::shutdown(socket_, SHUT_RDWR);
  ::close(socket_);
  if (kill_first) ::kill(child_, SIGKILL);
  int status = 0;
  // One that closed its socket without ending gets a moment.
  for (int i = 0; ::waitpid(child_, &status, WNOHANG) == 0; ++i) {
    if (i == 1000) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, &status, 0);
      return "it closed its socket and did not end";
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (WIFSIGNALED(status)) return signalText(WTERMSIG(status));
  return fmt::format("it called exit with status {}", WEXITSTATUS(status));
}

}  // namespace etalon::abi
