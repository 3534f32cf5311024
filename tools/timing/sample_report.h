// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/observe/timed_report.h"

namespace etalon::tools {

/// The report of a made-up run (sim/observe/synthetic_run.h) that has everything a report can have, with names that HTML
/// would take for markup. For tests.
sim::TimedReport sampleReport(uint64_t seed, unsigned cores, unsigned instructions_a_core);

}  // namespace etalon::tools
