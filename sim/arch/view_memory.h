// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/arch/memory.h"

namespace etalon::sim {

/// Where the bytes of a view's clipped box stand: address a at data + (a - address). No region if the box has none.
struct ViewMemory {
  std::byte* data = nullptr;
  uint64_t address = 0;
  Region* region = nullptr;
  uint64_t offset = 0;  // of `address` in the region

  std::byte* at(uint64_t a) const { return data + (a - address); }
};

}  // namespace etalon::sim
