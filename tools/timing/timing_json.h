// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "isa/base/status.h"
#include "sim/observe/timed_report.h"

namespace etalon::tools {

/// The `timing` object of isa/schema/run_result.schema.json. The timeline, costs by address and where the run came from are
/// not in it.
std::string timingJson(const sim::TimedReport& report);

/// Reads it back. Errors say which member is missing or wrong, as `timing.units[3].cycles.busy`.
Result<sim::TimedReport> readTimingJson(std::string_view json);

}  // namespace etalon::tools
