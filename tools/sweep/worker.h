// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "isa/base/status.h"

namespace etalon::tools {

/// A child process whose output is kept until it ends. It dies with this process, also if that is killed, and does not
/// hear of the terminal's Ctrl-C, which is for this process to answer.
class Worker {
 public:
  /// `program` is a path; it gets `argv`, whose first word is its name. Errors: the system's.
  static Result<Worker> start(const std::string& program, const std::vector<std::string>& argv);
  Worker(Worker&& other) noexcept;
  Worker& operator=(Worker&& other) noexcept;
  ~Worker();  // kills it if it has not ended

  pid_t pid() const { return pid_; }
  /// True if it has ended, without waiting; then its status is that of waitpid().
  bool ended(int& status);
  /// Waits for its end; status as of waitpid().
  int wait();
  /// What it wrote so far.
  std::string output() const;
  std::string errors() const;

 private:
  Worker(pid_t pid, int out, int err) : pid_(pid), out_(out), err_(err) {}
  void release();

  pid_t pid_;
  int out_, err_;  // files in memory
};

/// "signal 9 (Killed)" or "exit status 3", of a status of waitpid().
std::string endText(int status);

}  // namespace etalon::tools
