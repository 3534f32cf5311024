// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/memory_clock.h"

#include <limits>
#include <numeric>

namespace etalon::sim {

MemoryClock::MemoryClock(uint64_t clock_mhz, uint64_t tck_ps) {
  ETALON_CHECK(clock_mhz > 0 && tck_ps > 0, "a clock without period");
  // In units of 1 ps / clock_mhz, a period of the core is 1,000,000 and one of the memory tck_ps * clock_mhz.
  const uint64_t core = 1000000, memory = tck_ps * clock_mhz;
  const uint64_t unit = std::gcd(core, memory);
  core_ = core / unit;
  memory_ = memory / unit;
  constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
  most_core_ = (kMost - memory_) / core_;
  most_memory_ = (kMost - core_) / memory_;
}

}  // namespace etalon::sim
