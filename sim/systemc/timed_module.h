// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <systemc>

#include "sim/systemc/clock_domain.h"

namespace etalon::sim {

/// A module whose work is to be done at points in time that it says itself: one method, one event, no clock that ticks.
///
/// What crosses from one module to another arrives at least a cycle later. So each module sees all messages of a cycle
/// before it works in that cycle, and the order in which the kernel calls modules of one time does not matter.
class TimedModule : public sc_core::sc_module {
 public:
  /// work() is called at `cycle`, which is not before the current one, if not before.
  void wakeAt(Cycles cycle);

 protected:
  TimedModule(const sc_core::sc_module_name& name, const ClockDomain& clock);

  /// Does what is due at `now`.
  virtual void work(Cycles now) = 0;
  /// When there is work again, as far as is known; kNever if only a message can bring some.
  virtual Cycles nextWork() const = 0;
  const ClockDomain& clock() const { return clock_; }

 private:
  void run();

  ClockDomain clock_;
  sc_core::sc_event due_;
};

}  // namespace etalon::sim
