// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/machines/dram_preset.h"
#include "sim/memory/dram_command.h"

namespace etalon::sim {

/// Replays the commands of a channel, in the order of their times, against the rules of its part, and says which is the
/// first illegal one and why; nothing if all are legal.
///
/// For tests. By brute force and of its own: every command is compared with every earlier one that is near enough, and no
/// rule is taken from the controller. Rules are named as in the standards: tRC, tRCD_RD, tFAW, ..., `row` (a column command
/// meets its open row, ACT a closed bank), `command bus`, `data bus`, `refresh` (none too late).
std::optional<std::string> illegalCommand(const isa::DramPreset& preset,
                                          const std::vector<DramCommand>& commands);

}  // namespace etalon::sim
