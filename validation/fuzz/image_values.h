// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "validation/fuzz/program.h"

namespace etalon::fuzz {

/// Fills [kScalarAreas, kCode): images of registers and values of every element type, as Program::values says.
void fillAreas(const Program& program, std::span<std::byte> areas);

}  // namespace etalon::fuzz
