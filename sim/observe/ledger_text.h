// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/observe/timed_report.h"

namespace etalon::sim {

/// The report for a terminal: headline, bounds, a bar per unit with the causes of lost cycles, bytes per level, energy, and
/// the dearest lines. 100 columns at most where names permit; ends in a newline.
std::string ledgerText(const TimedReport& report);

/// `4 cores`, `32 cores on 8 devices`.
std::string coresText(const TimedReport& report);

}  // namespace etalon::sim
