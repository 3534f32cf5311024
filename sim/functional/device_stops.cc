// SPDX-License-Identifier: Apache-2.0
// What stops a launch of the functional model between two instructions.
#include "sim/functional/functional_device.h"

namespace etalon::sim {

std::optional<Stop> FunctionalDevice::stopAfter(const Core& core, bool stepped) const {
  if (core.events_ & event::breakpoint) return Stop{StopReason::breakpoint, core.agent(), {}};
  if (core.events_ & event::watched)
    return Stop{StopReason::watchpoint, core.agent(), core.watchHit()};
  if (stepped) return Stop{StopReason::step, core.agent(), {}};
  return std::nullopt;
}

void FunctionalDevice::setStops(StopConditions stops) {
  stops_ = std::move(stops);
  // Of one device, reports and watching leave the id out.
  for (Watchpoint& watchpoint : stops_.watchpoints)
    if (cluster().devices == 1)
      watchpoint.address -= cores_[0]->limits().ownDevice(watchpoint.address);
  for (const auto& core : cores_) core->watch(&stops_.watchpoints);
}

std::optional<unsigned> FunctionalDevice::firstHeld() const {
  for (unsigned i = 0; i < launch_->size(); ++i) {
    const Core& core = launched(i);
    if (core.state() != CoreState::halted && stops_.held.contains(core.agent()))
      return core.agent();
  }
  return std::nullopt;
}

}  // namespace etalon::sim
