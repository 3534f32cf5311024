// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace etalon {

/// Cycles of a core's clock, as a point in time (since the launch began) or as a duration.
using Cycles = uint64_t;
using Bytes = uint64_t;

/// Later than everything: nothing will happen by itself.
inline constexpr Cycles kNever = ~uint64_t{0};

}  // namespace etalon
