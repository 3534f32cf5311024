// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "isa/base/status.h"
#include "isa/machines/dram_preset.h"
#include "sim/functional/functional_device.h"
#include "sim/observe/events.h"
#include "sim/system/timed_core.h"

namespace etalon::sim {

struct TimedOptions {
  uint64_t jitter = 0;  // seed of delays, see Jitter; 0: none
  RunObserver* observer = nullptr;
  /// Called now and then with cycle and instructions so far; false ends the run. May be empty.
  std::function<bool(Cycles, uint64_t)> progress;
};

struct TimedResult {
  RunResult run;
  Cycles cycles = 0;
  UnitWork work;  // of all cores
};

/// Runs a launch that `device` has started with LaunchOptions::timed to its end, in time, on the machine of the device, which
/// has timing and whose memory is `memory` (chipMemory()).
///
/// Errors: SystemC elaborates once in a process, so a second call in a process is one.
Result<TimedResult> runTimed(FunctionalDevice& device, const isa::DramPreset& memory,
                             const TimedOptions& options);

}  // namespace etalon::sim
