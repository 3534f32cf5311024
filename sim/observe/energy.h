// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "isa/machines/energy.h"
#include "sim/observe/timed_report.h"

namespace etalon::sim {

/// How often a run did what costs energy, by isa::EnergyAction.
using EnergyCounts = std::array<uint64_t, isa::kEnergyActions>;

/// A row for each action that the run did, with the figures of `table`. An action that the table does not have, all of them
/// if it is nullptr, has its count alone.
std::vector<EnergyRow> energyRows(const EnergyCounts& counts, const isa::EnergyTable* table);

}  // namespace etalon::sim
