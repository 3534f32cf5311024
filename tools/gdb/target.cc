// SPDX-License-Identifier: Apache-2.0
#include "tools/gdb/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "isa/base/bits.h"
#include "isa/csr.h"

namespace etalon::tools::gdb {
namespace {

/// Time between two looks at what the debugger sends. A tile instruction may
/// take as long as ten thousand others.
constexpr std::chrono::milliseconds kSliceTime(10);
constexpr uint64_t kMostInSlice = 1 << 20;
constexpr size_t kMostStops = 4096;
constexpr uint64_t kSemaphoreBytes = sizeof(uint32_t);

Signal signalOf(isa::Cause cause) {
  using enum isa::Cause;
  switch (cause) {
    case breakpoint: return Signal::trap;
    case ecall: return Signal::system;
    case fetch_misaligned:
    case load_misaligned:
    case store_misaligned: return Signal::bus;
    case fetch_access:
    case load_access:
    case store_access:
    case local_bounds:
    case global_access: return Signal::segment;
    default: return Signal::illegal;
  }
}

std::string textOf(const sim::StoppedCore& stopped) {
  return fmt::format("core {} {}, pc {:#x}\n", stopped.core,
                     stopped.waiting.empty() ? "has not halted" : stopped.waiting, stopped.pc);
}

}  // namespace

std::vector<std::byte> Target::read(unsigned core, uint64_t address, uint64_t most) {
  sim::Memory& memory = device_.memory();
  if (const auto place = memory.find(core, address, 1)) {
    const uint64_t bytes = std::min(most, place->region->size() - place->offset);
    return {place->data(), place->data() + bytes};
  }
  std::vector<std::byte> bytes;
  for (uint64_t at = address; bytes.size() < most; ++at) {
    const auto word = memory.findDeviceWord(core, at - at % kSemaphoreBytes);
    if (!word) break;
    const uint32_t value = memory.semaphores(word->agent)[word->semaphore];
    bytes.push_back(static_cast<std::byte>(value >> 8 * (at % kSemaphoreBytes)));
  }
  return bytes;
}

bool Target::write(unsigned core, uint64_t address, std::span<const std::byte> bytes) {
  sim::Memory& memory = device_.memory();
  if (bytes.empty()) return true;
  if (const auto place = memory.find(core, address, bytes.size())) {
    std::ranges::copy(bytes, place->data());
    place->region->noteWritten(place->offset, bytes.size());
    memory.breakReservations(sim::kNoCore, *place->region, place->offset, bytes.size());
    device_.codeChanged();
    return true;
  }
  if (address % kSemaphoreBytes != 0 || bytes.size() % kSemaphoreBytes != 0) return false;
  for (const bool store : {false, true}) {  // all or nothing
    for (uint64_t i = 0; i < bytes.size(); i += kSemaphoreBytes) {
      const auto word = memory.findDeviceWord(core, address + i);
      if (!word) return false;
      if (store) memory.semaphores(word->agent)[word->semaphore] = loadBytes<uint32_t>(&bytes[i]);
    }
  }
  return true;
}

bool Target::addBreakpoint(uint64_t type, uint64_t address) {
  const auto place = device_.memory().find(0, address, 4);
  if (address % 4 != 0 || !place || place->region != &device_.memory().global()) return false;
  if (breakpoints_.size() >= kMostStops && !breakpoints_.contains({address, type})) return false;
  breakpoints_.insert({address, type});
  return true;
}

bool Target::addWatchpoint(const sim::Watchpoint& watchpoint) {
  if (watchpoint.size == 0 || !device_.memory().find(0, watchpoint.address, watchpoint.size))
    return false;
  if (std::ranges::find(watchpoints_, watchpoint) != watchpoints_.end()) return true;
  if (watchpoints_.size() >= kMostStops) return false;
  watchpoints_.push_back(watchpoint);
  return true;
}

void Target::removeWatchpoint(const sim::Watchpoint& watchpoint) {
  std::erase(watchpoints_, watchpoint);
}

std::optional<StopEvent> Target::advance(const Resume& resume) {
  if (result_) return eventOf(*result_);
  const auto accessed = std::exchange(accessed_, std::nullopt);
  if (accessed && accessed == resume.stepping) return StopEvent{Signal::trap, *accessed, {}, ""};
  sim::StopConditions stops{{}, watchpoints_, resume.stepping, {}};
  for (unsigned i = 0; i < cores_; ++i)
    if (resume.held >> i & 1) stops.held.insert(i);
  for (const auto& [at, type] : breakpoints_) stops.breakpoints.push_back(at);
  device_.setStops(std::move(stops));
  const auto begin = std::chrono::steady_clock::now();
  const auto event = runSlice(resume);
  const auto taken = std::chrono::steady_clock::now() - begin;
  if (event && event->watch) accessed_ = event->core;
  slice_ =
      taken > kSliceTime ? std::max<uint64_t>(1, slice_ / 2) : std::min(kMostInSlice, slice_ * 2);
  return event;
}

std::optional<StopEvent> Target::runSlice(const Resume& resume) {
  for (uint64_t left = slice_; left > 0;) {
    const uint64_t before = device_.executed();
    result_ = device_.advance(left);
    if (result_) return eventOf(*result_);
    left -= std::min(left, device_.executed() - before);
    const auto& stop = device_.stop();
    if (!stop) return std::nullopt;
    const uint64_t pc = core(stop->core).pc();
    const bool in_range = pc >= resume.range_begin && pc < resume.range_end;
    if (stop->reason != sim::StopReason::step || !in_range) return eventOf(*stop);
  }
  return std::nullopt;
}

StopEvent Target::interrupted() const {
  unsigned core = 0;
  while (core + 1 < cores_ && this->core(core).state() == sim::CoreState::halted) ++core;
  return {Signal::interrupt, core, {}, ""};
}

void Target::kill() {
  if (!result_) result_ = device_.interrupt();
}

void Target::finish() {
  if (result_) return;
  device_.setStops({});
  result_ = device_.advance(~uint64_t{0});
}

StopEvent Target::eventOf(const sim::Stop& stop) const {
  StopEvent event{Signal::trap, stop.core, {}, ""};
  if (stop.reason == sim::StopReason::watchpoint) event.watch = stop.watch;
  if (stop.reason == sim::StopReason::held)
    event.text =
        fmt::format("core {} is held by the debugger, and no other core can go on\n", stop.core);
  return event;
}

StopEvent Target::eventOf(const sim::RunResult& result) const {
  StopEvent event{Signal::none, 0, {}, ""};
  switch (result.status) {
    case sim::RunStatus::exited: return event;
    case sim::RunStatus::fault:
      for (unsigned i = 0; i < cores_; ++i) {
        if (core(i).state() != sim::CoreState::faulted) continue;
        event.core = i;
        device_.core(i).pc_ =
            core(i).readCsr(isa::csr::kMepc);  // where the fault is, not behind it
        event.signal = signalOf(static_cast<isa::Cause>(core(i).readCsr(isa::csr::kMcause)));
      }
      return event;
    case sim::RunStatus::deadlock:
      event.signal = Signal::abort;
      event.text = "deadlock: every core that has not halted waits\n";
      break;
    case sim::RunStatus::instruction_limit:
      event.signal = Signal::limit;
      event.text = "the instruction limit was reached (see --limit)\n";
      break;
    case sim::RunStatus::poisoned:
      event.signal = Signal::abort;
      event.text = "a value is needed that this run without values left out\n";
      break;
    case sim::RunStatus::interrupted:
      event.signal = Signal::interrupt;
      event.text = "interrupted\n";
      break;
  }
  if (!result.stopped.empty()) event.core = result.stopped.front().core;
  for (const sim::StoppedCore& stopped : result.stopped) event.text += textOf(stopped);
  return event;
}

}  // namespace etalon::tools::gdb
