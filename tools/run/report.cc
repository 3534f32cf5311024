// SPDX-License-Identifier: Apache-2.0
#include "tools/run/report.h"

#include <fmt/format.h>

namespace etalon::tools {

std::vector<std::string> RunReport::failures() const {
  std::vector<std::string> why;
  switch (result.status) {
    case sim::RunStatus::exited:
      if (result.exit_code != 0)
        why.push_back(fmt::format("the program exited with {}", result.exit_code));
      break;
    case sim::RunStatus::fault: why.push_back("the program did something illegal"); break;
    case sim::RunStatus::deadlock: why.push_back("deadlock"); break;
    case sim::RunStatus::instruction_limit:
      why.push_back("the instruction limit was reached (see --limit)");
      break;
    case sim::RunStatus::interrupted: why.push_back("interrupted"); break;
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
    if (output.first_unwritten && exited() && !permits.uninitialised)
      why.push_back(fmt::format("output {} is not all written", output.name));
  if (check && !check->passed) why.push_back("the check failed");
  return why;
}

}  // namespace etalon::tools
