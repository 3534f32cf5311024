// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "validation/fuzz/program.h"
#include "validation/fuzz/random.h"

namespace etalon::fuzz {

/// Breaks one thing of a step at random: a field of a tile, view or chain register, the place of a destination, the value
/// of an x register, a bit of the instruction. Most of what comes out faults.
void breakStep(Random& random, Step& step);

}  // namespace etalon::fuzz
