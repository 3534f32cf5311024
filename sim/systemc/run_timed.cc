// SPDX-License-Identifier: Apache-2.0
#include "sim/systemc/run_timed.h"

#include <fmt/format.h>

#include <algorithm>
#include <systemc>

#include "sim/system/chip_memory.h"
#include "sim/systemc/chip_module.h"

// The library wants one to exist, for the main() it brings along and that nobody calls.
extern "C" int sc_main(int, char**) { return 0; }

namespace etalon::sim {
namespace {

/// Cycles between two calls of the progress function.
constexpr Cycles kSlice = 1 << 14;

/// The end of the slice after one, which may be long before anything is due: a timer.
Cycles nextSlice(const ClockDomain& clock, Cycles until) {
  if (!sc_core::sc_pending_activity()) return until + kSlice;
  const sc_core::sc_time next = sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity();
  return std::max(until, clock.cycle(next)) + kSlice;
}

TimedResult run(FunctionalDevice& device, const isa::DramPreset& memory,
                const TimedOptions& options) {
  // A slice in which nothing is due is no mistake.
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_,
                                          sc_core::SC_DO_NOTHING);
  const auto channels = [&] {
    return makeChannels(device.machine(), memory, device.cluster().devices);
  };
  ChipModule module("chip", device, channels, options.observer, Jitter(options.jitter));
  TimedSystem& chip = module.chip();
  const ClockDomain clock(device.machine().timing->clock_mhz);
  for (Cycles until = kSlice; !chip.end(); until = nextSlice(clock, until)) {
    module.mayRunAhead(until);
    sc_core::sc_start(clock.at(until) - sc_core::sc_time_stamp(), sc_core::SC_EXIT_ON_STARVATION);
    const Cycles now = module.now();
    if (chip.end()) break;
    if (!sc_core::sc_pending_activity())
      chip.deadlock(now);
    else if (options.progress && !options.progress(now, device.executed()))
      chip.stop(RunStatus::interrupted, now);
  }
  const TimedSystem::End end = *chip.end();
  return {device.end(end.status, end.exit_code), end.time, chip.work()};
}

}  // namespace

Result<TimedResult> runTimed(FunctionalDevice& device, const isa::DramPreset& memory,
                             const TimedOptions& options) {
  if (sc_core::sc_get_status() != sc_core::SC_ELABORATION)
    return Error{"a process can run one timed launch: SystemC elaborates once"};
  if (const unsigned devices = device.cluster().devices; devices > 1) {
    const Result<LinkLayout> layout = linkLayout(device.machine().timing->links, devices);
    if (!layout.ok()) return layout.error();
  }
  try {
    return run(device, memory, options);
  } catch (const sc_core::sc_report& report) {
    return Error{fmt::format("SystemC: {}", report.what())};
  }
}

}  // namespace etalon::sim
