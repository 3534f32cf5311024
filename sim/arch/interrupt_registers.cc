// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/interrupt_registers.h"

#include <algorithm>

#include "isa/interrupt.h"
#include "sim/arch/memory.h"

namespace etalon::sim {
namespace {

constexpr uint64_t kNever = ~uint64_t{0};
constexpr unsigned kTimeBytes = 8, kSoftwareBytes = 4;

}  // namespace

void InterruptRegisters::reset() {
  std::ranges::fill(compare_, kNever);
  std::ranges::fill(software_, 0);
  abort_ = false;
}

void InterruptRegisters::setClock(Clock clock) {
  const uint64_t now = time();
  clock_ = std::move(clock);
  setTime(now);
}

void InterruptRegisters::stopClock() { setClock(nullptr); }

uint64_t InterruptRegisters::ticksAt(uint64_t time) const {
  const uint64_t now = this->time();
  if (time >= now) return ticks() + (time - now);
  return now - time > ticks() ? 0 : ticks() - (now - time);
}

std::optional<uint64_t> InterruptRegisters::timer(unsigned core) const {
  if (compare_[core] == kNever) return std::nullopt;
  return compare_[core];
}

std::optional<unsigned> InterruptRegisters::coreAt(uint64_t address, uint64_t row,
                                                   unsigned bytes) const {
  if (address < row || (address - row) % bytes != 0) return std::nullopt;
  const uint64_t core = (address - row) / bytes;
  if (core >= compare_.size()) return std::nullopt;
  return static_cast<unsigned>(core);
}

std::optional<uint64_t> InterruptRegisters::load(unsigned who, uint64_t address,
                                                 unsigned bytes) const {
  if (address == kTimeRegister && bytes == kTimeBytes) return time();
  const auto timed = coreAt(address, kTimeCompareRegisters, kTimeBytes);
  if (timed && bytes == kTimeBytes && (who == kNoCore || who == *timed)) return compare_[*timed];
  const auto raised = coreAt(address, kSoftwareInterrupts, kSoftwareBytes);
  if (raised && bytes == kSoftwareBytes) return software_[*raised];
  return std::nullopt;
}

bool InterruptRegisters::store(unsigned who, uint64_t address, unsigned bytes, uint64_t value) {
  if (address == kTimeRegister && bytes == kTimeBytes && who == kNoCore) {
    setTime(value);
    return true;
  }
  const auto timed = coreAt(address, kTimeCompareRegisters, kTimeBytes);
  if (timed && bytes == kTimeBytes && (who == kNoCore || who == *timed)) {
    compare_[*timed] = value;
    return true;
  }
  const auto target = coreAt(address, kSoftwareInterrupts, kSoftwareBytes);
  if (!target || bytes != kSoftwareBytes) return false;
  const bool raised = (value & 1) != 0;
  if (sender_ && who != kNoCore)
    sender_(who, *target, raised);
  else
    setSoftware(*target, raised);
  return true;
}

uint64_t InterruptRegisters::pending(unsigned core) const {
  using isa::Interrupt;
  uint64_t bits = 0;
  if (software_[core] != 0) bits |= isa::interruptBit(Interrupt::software);
  if (compare_[core] != kNever && time() >= compare_[core])
    bits |= isa::interruptBit(Interrupt::timer);
  if (abort_) bits |= isa::interruptBit(Interrupt::host_abort);
  return bits;
}

}  // namespace etalon::sim
