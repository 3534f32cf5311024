// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/base/check.h"
#include "isa/base/units.h"
#include "sim/memory/dram_command.h"

namespace etalon::sim {

/// Two clocks that start together: the core's and a memory's. Exact; what one hands over the other takes at its next edge,
/// or at its own of the same instant.
class MemoryClock {
 public:
  /// Inputs  clock_mhz: of the core; tck_ps: period of the memory's clock. Both at least 1.
  MemoryClock(uint64_t clock_mhz, uint64_t tck_ps);

  /// First edge of the memory's clock at or after the core's edge `time`.
  Nck toMemory(Cycles time) const { return scale(time, core_, memory_, most_core_); }
  /// First edge of the core's clock at or after the memory's edge `time`; kNever of kNeverNck.
  Cycles toCore(Nck time) const {
    return time == kNeverNck ? kNever : scale(time, memory_, core_, most_memory_);
  }

  /// First edge of the core's clock after the memory's edge `time`: what is decided at that edge is seen from then on.
  Cycles afterMemory(Nck time) const {
    if (time == kNeverNck) return kNever;
    ETALON_CHECK(time <= most_memory_, "a time that 64 bits do not hold");
    return time * memory_ / core_ + 1;
  }

 private:
  static uint64_t scale(uint64_t time, uint64_t up, uint64_t down, uint64_t most) {
    ETALON_CHECK(time <= most, "a time that 64 bits do not hold");
    return (time * up + down - 1) / down;
  }

  uint64_t core_, memory_;            // periods, in the largest unit that measures both
  uint64_t most_core_, most_memory_;  // times that can be scaled
};

}  // namespace etalon::sim
