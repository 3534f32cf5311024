// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/gdb/monitor.h"
#include "tools/gdb/packet.h"
#include "tools/gdb/target.h"

namespace etalon::tools::gdb {

/// One debugger's conversation in the GDB remote serial protocol, without the
/// wire: packets in, packets out.
///
/// Threads are cores, numbered from 1. All cores stop together. Whatever a
/// packet holds is answered, by an error if need be; an unknown one by the
/// empty packet, as the protocol wants it.
class Session {
 public:
  enum class State : uint8_t {
    stopped,   // waits for packets
    running,   // advance() is to be called
    detached,  // the launch goes on alone
    killed,
  };

  Session(Target& target, Monitor& monitor) : target_(target), monitor_(monitor) {}

  State state() const { return state_; }
  /// False from the packet on after which frames are no longer acknowledged.
  bool acknowledges() const { return acknowledges_; }
  /// Data of the packets that answer this one.
  std::vector<std::string> answer(std::string_view packet);
  /// While running: lets the cores go on a little; the packets to send if they
  /// stopped.
  std::vector<std::string> advance();
  /// While running: the user wants the cores to stop.
  std::vector<std::string> interrupt();

 private:
  using Answers = std::vector<std::string>;

  std::string simple(std::string_view packet);
  std::string query(std::string_view packet);
  std::string transfer(std::string_view packet) const;
  std::string threadList() const;
  std::string threadText(unsigned core) const;
  std::string selectThread(std::string_view packet);
  std::string readAll() const;
  std::string writeAll(std::string_view hex);
  std::string readOne(std::string_view packet) const;
  std::string writeOne(std::string_view packet);
  std::string readMemory(std::string_view packet);
  std::string writeMemory(std::string_view packet, bool binary);
  std::string changeStop(std::string_view packet, bool insert);
  Answers monitor(std::string_view hex);
  Answers resumeAll(std::string_view packet);
  Answers resumeEach(std::string_view packet);
  Answers go(const Resume& resume);
  Answers stopped(const StopEvent& event);
  std::string stopText() const;
  /// The core of a thread number; nothing if there is none, or for "all" and
  /// "any".
  std::optional<unsigned> takeCore(std::string_view& text) const;

  Target& target_;
  Monitor& monitor_;
  State state_ = State::stopped;
  bool acknowledges_ = true;
  unsigned core_ = 0;  // whose registers and memory the debugger looks at
  Resume resume_;
  StopEvent last_;
};

}  // namespace etalon::tools::gdb
