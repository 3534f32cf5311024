// SPDX-License-Identifier: Apache-2.0
// Interrupts of a core: which are pending, taking one, waiting for one.
#include <fmt/format.h>

#include <algorithm>

#include "isa/interrupt.h"
#include "sim/arch/core.h"

namespace etalon::sim {

using isa::Interrupt;

bool Core::unitError() const {
  return std::ranges::any_of(unit_errors_, [](uint64_t error) { return error != 0; });
}

void Core::raiseUnitError(isa::Unit unit, uint64_t error) {
  constexpr std::array kUnits{isa::Unit::matrix, isa::Unit::vector, isa::Unit::load,
                              isa::Unit::store};  // in the order of eterrmx to eterrst
  const auto found = std::ranges::find(kUnits, unit);
  ETALON_CHECK(found != kUnits.end(), "a unit that has an error register");
  unit_errors_[static_cast<size_t>(found - kUnits.begin())] = error;
}

uint64_t Core::pendingInterrupts() const {
  const uint64_t own = unitError() ? isa::interruptBit(Interrupt::machine_check) : 0;
  return interrupts_.pending(number_) | own;
}

void Core::takeInterrupt() {
  const uint64_t due = pendingInterrupts() & mie_;
  const auto* taken = std::ranges::find_if(isa::kInterrupts, [&](const isa::InterruptInfo& info) {
    return (due & isa::interruptBit(info.interrupt)) != 0;
  });
  ETALON_CHECK(taken != isa::kInterrupts.end(), "an interrupt that is due");
  if (!trap_vector_written_) {
    raw_ = 0;
    trapWith(
        {.cause = isa::Cause::fetch_access,
         .rule = isa::Rule::irq_vector,
         .detail = fmt::format("interrupt {} is due, and mtvec was never written", taken->name),
         .hint = "write the address of a handler to mtvec before mstatus.MIE is set"});
    return;
  }
  const auto number = static_cast<uint64_t>(taken->interrupt);
  mepc_ = pc_;
  mcause_ = uint64_t{1} << 63 | number;
  mtval_ = 0;
  mpie_bit_ = mie_bit_;
  mie_bit_ = false;
  pc_ = (mtvec_ & ~uint64_t{3}) + ((mtvec_ & 1) != 0 ? 4 * number : 0);
}

std::optional<uint64_t> Core::ownRegister(uint64_t address) const {
  const uint64_t at = address - limits_.ownDevice(address);
  return at < isa::kLocalWindowBase ? std::optional(at) : std::nullopt;
}

void Core::sleep() {
  asleep_ = !interruptPending();
  if (asleep_)
    block("waits for an interrupt");
  else
    noteInterrupts();
}

std::optional<uint64_t> Core::wakeTime() const {
  const bool ends = mie_bit_ || asleep_;
  if (!ends || (mie_ & isa::interruptBit(Interrupt::timer)) == 0) return std::nullopt;
  return interrupts_.timer(number_);
}

}  // namespace etalon::sim
