// SPDX-License-Identifier: Apache-2.0
#include "tools/run/report.h"

#include <fmt/format.h>

namespace etalon::tools {

std::string_view runEndName(RunEnd end) {
  switch (end) {
    case RunEnd::exited: return "exited";
    case RunEnd::fault: return "fault";
    case RunEnd::deadlock: return "deadlock";
    case RunEnd::instruction_limit: return "instruction_limit";
    case RunEnd::interrupted: return "interrupted";
    case RunEnd::poisoned: return "poisoned";
    case RunEnd::completed: return "completed";
    case RunEnd::timeout: return "timeout";
    case RunEnd::not_supported: return "not_supported";
    case RunEnd::refused: return "device_refused";
    case RunEnd::failed: return "device_failed";
    case RunEnd::lost: return "device_lost";
    case RunEnd::broken: return "device_broken";
  }
  return "unknown";
}

std::vector<std::string> RunReport::failures() const {
  std::vector<std::string> why;
  switch (end) {
    case RunEnd::exited:
      if (exit_code != 0) why.push_back(fmt::format("the program exited with {}", exit_code));
      break;
    case RunEnd::completed: break;
    case RunEnd::fault: why.push_back("the program did something illegal"); break;
    case RunEnd::deadlock: why.push_back("deadlock"); break;
    case RunEnd::instruction_limit:
      why.push_back("the instruction limit was reached (see --limit)");
      break;
    case RunEnd::interrupted: why.push_back("interrupted"); break;
    case RunEnd::poisoned:
      why.push_back("the program goes by a value that --timing-only leaves out; run it without");
      break;
    case RunEnd::timeout: why.push_back("the device did not finish in time (see --timeout)"); break;
    case RunEnd::not_supported: why.push_back("the device cannot do this"); break;
    case RunEnd::refused: why.push_back("the device refused"); break;
    case RunEnd::failed: why.push_back("the device failed"); break;
    case RunEnd::lost: why.push_back("the device was lost"); break;
    case RunEnd::broken: why.push_back("the device broke the device interface"); break;
  }
  if (race_count != 0 && !permits.races)
    why.push_back(fmt::format("{} data races (see --permit races)", race_count));
  if (order_dependent_count != 0 && !permits.order_dependent)
    why.push_back(fmt::format("{} order-dependent results (see --permit order-dependent)",
                              order_dependent_count));
  if (uninitialised_read_count != 0 && !permits.uninitialised)
    why.push_back(fmt::format("{} uninitialised reads (see --permit uninitialised)",
                              uninitialised_read_count));
  for (const Output& output : outputs)
    if (output.first_unwritten && finished() && !permits.uninitialised)
      why.push_back(fmt::format("output {} is not all written", output.name));
  if (check && !check->passed) why.push_back("the check failed");
  return why;
}

}  // namespace etalon::tools
