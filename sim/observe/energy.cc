// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/energy.h"

#include <fmt/format.h>

namespace etalon::sim {

std::vector<EnergyRow> energyRows(const EnergyCounts& counts, const isa::EnergyTable* table) {
  std::vector<EnergyRow> rows;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    const auto action = static_cast<isa::EnergyAction>(i);
    EnergyRow row{std::string(energyActionName(action)), counts[i], "", 0, 0, 0};
    if (table != nullptr && table->of(action)) {
      const isa::EnergyRange& range = *table->of(action);
      row.low_fj = range.low;
      row.nominal_fj = range.nominal;
      row.high_fj = range.high;
      const auto source = table->sources.find(row.action + ".nominal");
      row.source = fmt::format("{}: {}", table->name,
                               source == table->sources.end() ? "no source" : source->second);
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace etalon::sim
