// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/observe/events.h"

namespace etalon::sim {

/// Shape of made-up runs: `cores` cores at 940 MHz (where a nanosecond is no cycle), two memory channels each way, and a
/// path without a peak.
RunShape syntheticShape(unsigned cores);

/// Tells `observer` of a made-up run that is consistent as the model's are: spans without gaps on every track, tile
/// instructions of each unit in order, several on their way at once, reported as they become done. The same for equal
/// arguments. For tests.
void syntheticRun(const RunShape& shape, uint64_t seed, unsigned instructions_a_core,
                  RunObserver& observer);

}  // namespace etalon::sim
