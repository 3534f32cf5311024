// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/base/bits.h"
#include "isa/base/units.h"

namespace etalon::sim {

/// Delays that a seed draws, to show that values do not depend on time: units take instructions later, answers, signals and
/// messages between chips arrive later. Of the same seed the same ones, whatever order they are asked for in. Seed 0: none.
class Jitter {
 public:
  static constexpr Cycles kMost = 64;
  enum class Of : uint8_t { unit, answer, signal, link };

  explicit Jitter(uint64_t seed) : seed_(seed) {}

  /// Of the event with this number among those of the core that it is about.
  Cycles delay(Of what, unsigned core, uint64_t number) const {
    if (seed_ == 0) return 0;
    const uint64_t key = uint64_t{core} << 8 | static_cast<uint64_t>(what);
    return mixed(mixed(seed_, key), number) % (kMost + 1);
  }

 private:
  uint64_t seed_;
};

}  // namespace etalon::sim
