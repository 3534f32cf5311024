// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace etalon::sim {

/// Cycles of a memory's own clock, as a point in time or as a duration.
using Nck = uint64_t;
inline constexpr Nck kNeverNck = ~uint64_t{0};

/// One command on the command bus of a channel.
struct DramCommand {
  enum class Kind : uint8_t {
    Activate,
    Precharge,
    PrechargeAll,
    Read,
    Write,
    RefreshAll,
    RefreshBank
  };
  Nck time = 0;
  uint32_t row = 0;  // Activate, Read, Write
  uint8_t bank = 0;  // not of PrechargeAll and RefreshAll
  Kind kind = Kind::Activate;
};

}  // namespace etalon::sim
