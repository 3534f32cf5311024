// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sim/functional/functional_device.h"

namespace etalon::tools::gdb {

// Signals by the numbers of the protocol, which are not the host's.
enum class Signal : uint8_t {
  none = 0,
  interrupt = 2,
  illegal = 4,
  trap = 5,
  abort = 6,
  kill = 9,
  bus = 10,
  segment = 11,
  system = 12,
  limit = 24,
};

/// What a debugger asked each core to do.
struct Resume {
  std::optional<unsigned> stepping;  // one instruction of this core, the others going on as they do
  uint64_t range_begin = 0;          // stepping goes on while pc is in [begin, end)
  uint64_t range_end = 0;
  uint64_t held = 0;  // mask of cores that do not run
};

/// Why the cores stand.
struct StopEvent {
  Signal signal = Signal::trap;
  unsigned core = 0;
  std::optional<sim::WatchHit> watch;
  std::string text;  // for the user, in lines; may be empty
};

/// A launch under a debugger: breakpoints and watchpoints, memory as a core
/// sees it, and going on in slices.
///
/// Memory is never changed for a breakpoint. Cores run in the order that they
/// have without a debugger, unless some are held.
class Target {
 public:
  /// `device` has a launch that was started.
  explicit Target(sim::FunctionalDevice& device) : device_(device), cores_(device.launchCores()) {}

  unsigned cores() const { return cores_; }
  const sim::Core& core(unsigned number) const { return device_.core(number); }
  sim::Core& core(unsigned number) { return device_.core(number); }
  sim::FunctionalDevice& device() { return device_; }
  /// How the launch ended, once it has.
  const std::optional<sim::RunResult>& result() const { return result_; }

  /// The bytes from `address` on as the core sees them, `most` or as many as
  /// are there. Semaphores can be read, too.
  std::vector<std::byte> read(unsigned core, uint64_t address, uint64_t most);
  /// All or, if not all of it is memory or semaphores, nothing and false.
  bool write(unsigned core, uint64_t address, std::span<const std::byte> bytes);

  /// False where no instruction can stand, or if there are too many.
  /// Breakpoints of different types are apart.
  bool addBreakpoint(uint64_t type, uint64_t address);
  void removeBreakpoint(uint64_t type, uint64_t address) { breakpoints_.erase({address, type}); }
  bool addWatchpoint(const sim::Watchpoint& watchpoint);
  void removeWatchpoint(const sim::Watchpoint& watchpoint);

  /// Lets the cores go on for about a hundredth of a second; nothing if none of
  /// them stopped.
  std::optional<StopEvent> advance(const Resume& resume);
  /// What stands for all cores after the user's interrupt.
  StopEvent interrupted() const;
  /// Ends the launch if it is not over.
  void kill();
  /// Lets the launch go on to its end, without stops.
  void finish();

 private:
  std::optional<StopEvent> runSlice(const Resume& resume);
  StopEvent eventOf(const sim::Stop& stop) const;
  StopEvent eventOf(const sim::RunResult& result) const;

  sim::FunctionalDevice& device_;
  unsigned cores_;
  std::set<std::pair<uint64_t, uint64_t>> breakpoints_;  // address and type
  std::vector<sim::Watchpoint> watchpoints_;
  std::optional<sim::RunResult> result_;
  /// The core that a watchpoint stopped last. A RISC-V gdb takes it that the access is still to come and steps over it,
  /// which must not execute the next instruction.
  std::optional<unsigned> accessed_;
  uint64_t slice_ = 1000;  // instructions of an advance(); nothing but its time
                           // depends on them
};

}  // namespace etalon::tools::gdb
