// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "isa/machines/dram_preset.h"
#include "sim/memory/dram_controller.h"
#include "sim/memory/dram_patterns.h"

namespace etalon::sim {

/// Outcome of a list of accesses on one channel.
struct DramRun {
  Nck cycles = 0;  // until the end of the last data
  DramCounters counters;
};

/// For tests and benchmarks: offers the accesses in their order, one a nCK and as fast as the channel takes them, and waits
/// for the last. Commands go to `log` unless it is null.
DramRun runAccesses(const isa::DramPreset& preset, const std::vector<PatternAccess>& accesses,
                    std::vector<DramCommand>* log = nullptr);

/// A shipped preset; aborts if there is none of that name.
isa::DramPreset shippedPreset(const std::string& name);

/// Names of all shipped presets of Kind::Dram.
std::vector<std::string> shippedDramNames();

/// An address in the given bank and row, column 0.
uint64_t addressOf(const isa::DramPreset& preset, uint32_t bank, uint32_t row);

}  // namespace etalon::sim
