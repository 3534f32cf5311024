// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "isa/base/status.h"
#include "sim/functional/functional_device.h"
#include "sim/observe/events.h"

namespace etalon::sim {

struct TimedOptions {
  RunObserver* observer = nullptr;
  /// Called now and then with cycle and instructions so far; false ends the run. May be empty.
  std::function<bool(Cycles, uint64_t)> progress;
};

struct TimedResult {
  RunResult run;
  Cycles cycles = 0;
};

/// Runs a launch that `device` has started with LaunchOptions::timed to its end, in time, on the machine of the device.
///
/// SystemC elaborates once in a process, so this can be called once in a process; a second call is an error, as is a
/// machine without timing and a memory preset that cannot be read.
Result<TimedResult> runTimed(FunctionalDevice& device, const TimedOptions& options);

}  // namespace etalon::sim
