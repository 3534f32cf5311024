// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/abi/etalon_device.h"
#include "isa/abi/worker/wire.h"
#include "isa/base/status.h"

namespace etalon::abi {

/// The parent's end of a worker process: asks, waits with a limit, and finds out how the process ended.
///
/// Why a fork and not a program of its own: any program that links this library can use plug-ins, and nothing has to be
/// found. The child loads the plug-in after the fork, so the parent never runs a line of it; all they share is a socket.
class Worker {
 public:
  struct Options {
    uint64_t timeout_ns = 0;  // of every call, 0: none
    std::function<bool()> keep_going;
  };
  using Console = std::function<void(std::string_view)>;

  /// Errors: the system refuses a process or a socket.
  static Result<std::shared_ptr<Worker>> start(const std::string& path, Options options);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// One request and its answer. Returns the status that the plug-in gave, with its error text in `error` and what else it
  /// answered in `answer`; or ETALON_LOST, ETALON_TIMEOUT or ETALON_BROKEN when the process ended, did not answer in time
  /// or answered nonsense. After these it is gone, and every call is ETALON_LOST with the same text.
  /// An answer of more than `expected` bytes beside its texts is nonsense, too.
  int32_t ask(WorkerOp op, const WireWriter& request, std::vector<std::byte>& answer,
              etalon_text* error, uint64_t expected = 0, const Console& console = nullptr);
  /// Says that the answer is not what it should be, as ask() does.
  int32_t malformed(WorkerOp op, etalon_text* error);

 private:
  using Clock = std::chrono::steady_clock;
  enum class Transfer : uint8_t { done, closed, late, interrupted };

  Worker(pid_t child, int socket, Options options)
      : child_(child), socket_(socket), options_(std::move(options)) {}
  Transfer send(std::span<const std::byte> bytes);
  Transfer receive(std::span<std::byte> into);
  Transfer wait(short events);
  Transfer receiveAnswer(std::vector<std::byte>& frame, uint64_t most, const Console& console,
                         bool& sound);
  int32_t lose(WorkerOp op, Transfer why, etalon_text* error);
  int32_t end(int32_t status, std::string text, etalon_text* error);
  /// How the process ended; ends it first if it still runs.
  std::string reap(bool kill_first);

  pid_t child_;
  int socket_;
  Options options_;
  Clock::time_point deadline_;
  std::string lost_;  // why there is no process any more; empty while there is
};

/// The function of the interface that a request calls.
std::string_view workerOpName(WorkerOp op);

}  // namespace etalon::abi
