// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/machines/machine.h"

namespace etalon::isa {

/// Where machine files are looked for, in this order: the directories of $ETALON_MACHINES
/// (separated by colons), then the `machines` of isaFolder().
std::vector<std::string> machineDirectories();

/// The profiles that go with the machines: those of isaFolder().
Result<std::vector<Profile>> shippedProfiles();

/// The argument of `--machine`: a path if it holds a slash or ends in `.yaml`, else a name searched
/// in machineDirectories(). An unknown name lists the known ones.
Result<std::string> findMachine(const std::string& name_or_path);

/// The file of a part of machines: `parts/KIND/NAME.yaml` (kinds: memory, energy) in `beside`, which is Machine::folder, if
/// it is not empty, then in machineDirectories(). An unknown name lists the known ones.
Result<std::string> findPart(std::string_view kind, std::string_view name,
                             const std::string& beside = "");

/// Finds, loads, overrides and checks: what every tool does with `--machine` and `--set`.
Result<Machine> openMachine(const std::string& name_or_path,
                            const std::vector<std::string>& overrides);

}  // namespace etalon::isa
