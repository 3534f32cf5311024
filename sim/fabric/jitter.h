// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/base/units.h"

namespace etalon::sim {

/// Adversarial timing: delays of 0 to `most` cycles drawn from a seed, to show that no value depends on time. A draw is a
/// function of the seed, of who draws and of how often it drew before, so it does not depend on the order of components.
struct Jitter {
  uint64_t seed = 0;
  Cycles most = 0;  // 0: none

  /// Number `count` of a drawer.
  Cycles draw(uint64_t drawer, uint64_t count) const {
    if (most == 0) return 0;
    // Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014: the finaliser of SplitMix64.
    uint64_t z = seed * 0x9e3779b97f4a7c15 + (drawer << 40) + count;
    for (int round = 0; round < 2; ++round) {
      z += 0x9e3779b97f4a7c15;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
      z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
      z ^= z >> 31;
    }
    return z % (most + 1);
  }
};

}  // namespace etalon::sim
