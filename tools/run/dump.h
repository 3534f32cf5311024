// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/functional/functional_device.h"
#include "tools/run/report.h"
#include "tools/run/request.h"

namespace etalon::tools {

/// Registers and tiles of the cores that ran, as text; cores 0..cores-1 of every device ran.
std::vector<ReportedDump> dumpState(sim::FunctionalDevice& device, unsigned cores,
                                    const std::vector<DumpTarget>& targets);

/// The values of a tile of a core's local memory as a matrix, in logical rows and columns (after transposition). More than
/// 12 rows or 8 columns show their first and last ones. A byte that was never written makes its element `?`, one that --timing-only left out `*`.
std::string tileMatrix(sim::Memory& memory, unsigned core, const isa::TileRegister& tile);

}  // namespace etalon::tools
