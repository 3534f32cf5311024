// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "isa/codec/instruction_info.h"

namespace etalon::fuzz {

/// Numbers of all CSRs of the description, ascending.
inline const std::vector<uint16_t>& csrNumbers() {
  constexpr uint16_t kNumbers = 4096;
  static const auto kKnown = [] {
    std::vector<uint16_t> numbers;
    for (uint16_t n = 0; n < kNumbers; ++n)
      if (isa::csrNumbered(n)) numbers.push_back(n);
    return numbers;
  }();
  return kKnown;
}

}  // namespace etalon::fuzz
