// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "isa/machines/dram_preset.h"

namespace etalon::isa {

// What no single number of a DRAM preset can break. Each says what is wrong, or nothing.

/// A page is whole bursts; there are at most 64 banks.
std::optional<std::string> organisationProblem(const DramPreset& preset);

/// Times that contradict each other; a refresh that the part does not have.
std::optional<std::string> timingProblem(const DramPreset& preset);

/// Gives fields without bits what is left of their kind; every bit of column, bank and group must then stand once, and the
/// row first.
std::optional<std::string> resolveMapping(DramPreset& preset);

}  // namespace etalon::isa
