// SPDX-License-Identifier: Apache-2.0
#include "sim/systemc/timed_module.h"

namespace etalon::sim {

TimedModule::TimedModule(const sc_core::sc_module_name& name, const ClockDomain& clock)
    : sc_module(name), clock_(clock) {
  SC_HAS_PROCESS(TimedModule);
  SC_METHOD(run);
  dont_initialize();
  sensitive << due_;
}

void TimedModule::wakeAt(Cycles cycle) {
  if (cycle == kNever) return;
  // Of several notifications the kernel keeps the earliest.
  due_.notify(clock_.at(cycle) - sc_core::sc_time_stamp());
}

void TimedModule::run() {
  const Cycles now = clock_.now();
  work(now);
  wakeAt(nextWork());
}

}  // namespace etalon::sim
