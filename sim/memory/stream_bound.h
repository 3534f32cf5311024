// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/base/units.h"
#include "isa/machines/dram_preset.h"
#include "isa/machines/timing.h"

namespace etalon::sim {

/// Thousandths of a byte a cycle that all memory channels of a chip together give a pure stream of reads and writes, the
/// memory bound that kernels are held against: 4 KiB blocks of one stream that reads and one that writes, in the given
/// proportion of bytes, offered as fast as the channels accept them. Refresh and turnarounds are inside.
///
/// Measured on one channel of the model itself, over kStreamBytes of it. 0 if nothing is read or written.
uint64_t streamBound(const isa::Timing& timing, const isa::DramPreset& preset, Bytes reads,
                     Bytes writes);

inline constexpr Bytes kStreamBytes = 1 << 20;

}  // namespace etalon::sim
