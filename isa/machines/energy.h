// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/status.h"
#include "isa/machines/machine.h"

namespace etalon::isa {

/// What costs energy each time it happens.
enum class EnergyAction : uint8_t {
  mac_32,  // a multiply-accumulate, by the width of the wider operand's elements
  mac_16,
  mac_8,
  mac_4,
  vector_op,     // an operation of one f32 lane
  local_byte,    // read from or written to local memory
  dram_byte,     // read from or written to global memory, at its channel
  network_byte,  // carried between core and channel
  scalar_instruction,
};
inline constexpr size_t kEnergyActions = 9;

/// Its key in a file: `mac_16`.
std::string_view energyActionName(EnergyAction action);

/// Energy of one action in femtojoules; low <= nominal <= high.
struct EnergyRange {
  uint64_t low = 0, nominal = 0, high = 0;
};

/// Energy of actions, as `isa/machines/parts/energy/<name>.yaml` says it in picojoules. An action without figures has no
/// citable source: reports give its count alone.
struct EnergyTable {
  std::string name, title;
  std::array<std::optional<EnergyRange>, kEnergyActions> actions;
  /// `mac_16.nominal` -> where the figure comes from.
  std::map<std::string, std::string> sources;

  const std::optional<EnergyRange>& of(EnergyAction action) const {
    return actions[static_cast<size_t>(action)];
  }
};

/// The figures of a table with their sources, for reports: `mac_16.nominal`, in pJ.
std::vector<MachineValue> energyValues(const EnergyTable& table);

/// Reads one table strictly: unknown, duplicate and missing keys, a figure without source, figures that do not ascend, a
/// table without any action are errors with file, line and dotted path.
Result<EnergyTable> loadEnergyTable(const std::string& path);

}  // namespace etalon::isa
