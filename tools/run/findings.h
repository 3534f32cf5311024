// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/functional/functional_device.h"
#include "tools/program/source_lines.h"
#include "tools/run/report.h"

namespace etalon::tools {

/// Puts what the last launch was found to do wrong so far into a report, with source places: faults (as handled by the
/// program), races, uninitialised reads.
void collectFindings(const sim::FunctionalDevice& device, SourceLines& lines, RunReport& report);

}  // namespace etalon::tools
