// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/observe/timed_report.h"

namespace etalon::tools {

/// The report as one page that needs nothing else: no network, no script; light and dark as the reader's system has it; for
/// phone and desktop. What the report does not have, a bound, energy, the machine, is left out.
std::string reportHtml(const sim::TimedReport& report);

}  // namespace etalon::tools
