// SPDX-License-Identifier: Apache-2.0
#include "tools/gdb/server.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/gdb/session.h"

namespace etalon::tools::gdb {
namespace {

constexpr int kPollMilliseconds = 100;

/// A socket that closes itself.
class Socket {
 public:
  explicit Socket(int file) : file_(file) {}
  Socket(Socket&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  ~Socket() {
    if (file_ >= 0) close(file_);
  }
  int file() const { return file_; }
  bool open() const { return file_ >= 0; }
  /// True if reading or writing (POLLIN, POLLOUT) does not wait, or the other
  /// side is gone, within the time.
  bool ready(short what, int milliseconds) const {
    pollfd wanted{file_, what, 0};
    return poll(&wanted, 1, milliseconds) > 0;
  }

 private:
  int file_;
};

Error portError(uint16_t port) {
  return Error{
      fmt::format("--gdb {}: cannot listen on this port of this host "
                  "({}); 0 takes a free one",
                  port, std::strerror(errno))};
}

Result<Socket> listenOn(uint16_t port) {
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (!socket.open() ||
      setsockopt(socket.file(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(socket.file(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(socket.file(), 1) != 0)
    return portError(port);
  return socket;
}

uint16_t portOf(const Socket& socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (getsockname(socket.file(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.sin_port);
}

/// The debugger's end of the wire.
class Connection {
 public:
  Connection(Socket socket, const ServerOptions& options)
      : socket_(std::move(socket)), options_(options) {
    const int yes = 1;  // packets are small, and each waits for its answer
    setsockopt(socket_.file(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  }

  /// Reads what has come within the time; false once the other side is gone.
  bool receive(int milliseconds) {
    if (!socket_.ready(POLLIN, milliseconds)) return true;
    char buffer[4096];
    const ssize_t got = recv(socket_.file(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (got > 0) frames_.feed({buffer, static_cast<size_t>(got)});
    return got > 0 || (got < 0 && passes(errno));
  }
  std::optional<FrameReader::Frame> next() { return frames_.next(); }
  /// Waits for a debugger that does not read, as long as the user lets it. What
  /// cannot be sent is lost: receive() will say that the other side is gone.
  void send(std::string_view bytes) {
    while (!bytes.empty() && (!options_.keep_going || options_.keep_going())) {
      if (!socket_.ready(POLLOUT, kPollMilliseconds)) continue;
      const ssize_t sent =
          ::send(socket_.file(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent < 0 && !passes(errno)) return;
      if (sent > 0) bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }

 private:
  static bool passes(int error) {
    return error == EINTR || error == EAGAIN || error == EWOULDBLOCK;
  }

  Socket socket_;
  const ServerOptions& options_;
  FrameReader frames_;
};

void sendAll(Connection& connection, const std::vector<std::string>& packets) {
  for (const std::string& packet : packets) connection.send(framed(packet));
}

void serveFrame(Connection& connection, Session& session, const FrameReader::Frame& frame) {
  const bool running = session.state() == Session::State::running;
  if (frame.kind == FrameReader::Kind::interrupt) {
    if (running) sendAll(connection, session.interrupt());
    return;
  }
  const bool sound = frame.kind == FrameReader::Kind::packet;
  if (session.acknowledges()) connection.send(sound ? "+" : "-");
  // While cores run, only the interrupt has a meaning.
  if (sound && !running) sendAll(connection, session.answer(frame.data));
}

/// True if the debugger let the launch go on alone.
bool serve(Connection& connection, Session& session, const Target& target,
           const ServerOptions& options) {
  while (true) {
    if (options.keep_going && !options.keep_going()) return false;
    const bool running = session.state() == Session::State::running;
    if (!connection.receive(running ? 0 : kPollMilliseconds)) {
      if (!target.result() && options.say)
        options.say("the debugger is gone; the run is interrupted\n");
      return false;
    }
    while (const auto frame = connection.next()) {
      serveFrame(connection, session, *frame);
      if (session.state() == Session::State::detached) return true;
      if (session.state() == Session::State::killed) return false;
    }
    if (session.state() == Session::State::running) sendAll(connection, session.advance());
  }
}

}  // namespace

Result<sim::RunResult> runUnderDebugger(sim::FunctionalDevice& device, SourceLines& lines,
                                        const ServerOptions& options) {
  Result<Socket> listener = listenOn(options.port);
  if (!listener.ok()) return listener.error();
  if (options.say)
    options.say(
        fmt::format("waiting for a debugger: (gdb) target remote :{}\n", portOf(*listener)));
  Target target(device);
  while (!listener->ready(POLLIN, kPollMilliseconds)) {
    if (options.keep_going && !options.keep_going()) {
      target.kill();
      return *target.result();
    }
  }
  Socket accepted(accept4(listener->file(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!accepted.open()) return portError(portOf(*listener));
  {
    const Socket closed = std::move(*listener);
  }  // a second debugger is refused
  Connection connection(std::move(accepted), options);
  Monitor monitor(target, lines);
  Session session(target, monitor);
  if (serve(connection, session, target, options))
    target.finish();
  else
    target.kill();
  return *target.result();
}

}  // namespace etalon::tools::gdb
