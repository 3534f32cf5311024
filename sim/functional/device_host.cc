// SPDX-License-Identifier: Apache-2.0
// What a host in front of the functional model may do to a launch, and what a launch may wait for it to do.
#include "isa/csr.h"
#include "isa/interrupt.h"
#include "sim/functional/functional_device.h"

namespace etalon::sim {

using isa::Interrupt;

std::optional<RunResult> FunctionalDevice::abort() {
  for (unsigned i = 0; i < cluster().devices; ++i) memory_->interrupts(i).setAbort(true);
  constexpr uint64_t kTold = isa::interruptBit(Interrupt::host_abort);
  for (unsigned i = 0; i < launch_->size(); ++i)
    if ((launched(i).readCsr(isa::csr::kMie) & kTold) == 0) launched(i).setState(CoreState::halted);
  if (!allHalted()) return std::nullopt;
  return interrupt();
}

void FunctionalDevice::reset() {
  if (running_) interrupt();
  stopClock();
  for (unsigned i = 0; i < cluster().devices; ++i) memory_->interrupts(i).setTime(0);
  for (unsigned agent = 0; agent < cores_.size(); ++agent)
    for (unsigned i = 0; i < isa::Windows::kCount; ++i) setWindow(agent, i, {});
  resetCores();
}

bool FunctionalDevice::waitsForHost() const {
  if (!running_->options.attended) return false;
  constexpr uint64_t kRaised =
      isa::interruptBit(Interrupt::software) | isa::interruptBit(Interrupt::timer);
  for (unsigned i = 0; i < launch_->size(); ++i)
    if (launched(i).state() == CoreState::running &&
        (launched(i).readCsr(isa::csr::kMie) & kRaised) != 0)
      return true;
  return false;
}

}  // namespace etalon::sim
