// SPDX-License-Identifier: Apache-2.0
// mtime of the functional model: one for each instruction that a core of the launch retires, and on to a timer that all wait for.
#include <algorithm>

#include "sim/functional/functional_device.h"

namespace etalon::sim {

void FunctionalDevice::startClock() {
  const auto retired = [this] {
    uint64_t sum = 0;
    for (const auto& core : cores_) sum += core->retired();
    return sum;
  };
  for (unsigned i = 0; i < cluster().devices; ++i) memory_->interrupts(i).setClock(retired);
}

void FunctionalDevice::stopClock() {
  for (unsigned i = 0; i < cluster().devices; ++i) memory_->interrupts(i).stopClock();
}

bool FunctionalDevice::skipToTimer() {
  std::optional<uint64_t> ahead;
  for (unsigned i = 0; i < launch_->size(); ++i) {
    const Core& core = launched(i);
    if (core.state() != CoreState::running) continue;
    const uint64_t now = memory_->interrupts(core.device()).time();
    const std::optional<uint64_t> wakes = core.wakeTime();
    if (wakes && *wakes > now) ahead = std::min(*wakes - now, ahead.value_or(~uint64_t{0}));
  }
  if (!ahead) return false;
  for (unsigned i = 0; i < cluster().devices; ++i) {
    InterruptRegisters& registers = memory_->interrupts(i);
    registers.setTime(registers.time() + *ahead);
  }
  return true;
}

}  // namespace etalon::sim
