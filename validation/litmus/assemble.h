// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/base/status.h"
#include "validation/litmus/litmus.h"

namespace etalon::validation {

/// Where the cores of a test are.
enum class Placement : uint8_t {
  together,  // on one device
  apart,     // each on a device of its own; global memory is that of the first one's
};

/// Where a test stands in memory, and the image that all cores run.
struct LitmusImage {
  uint64_t entry = 0;
  std::vector<uint32_t> words;
  /// What the host writes before each run: views and locations of global memory.
  uint64_t data = 0;
  std::vector<std::byte> data_bytes;
};

/// Addresses of the parts of a test. Tiles and locations of a core have the same offsets in each local memory.
uint64_t tileOffset(unsigned tile);
uint64_t localOffset(const Location& location);
/// Address that every core can use.
uint64_t addressOf(const Location& location, Placement placement);

/// Makes the image: each core sets up the registers that the test uses and its local memory, meets the others,
/// runs its lines and halts. `local_bytes`: of the machine. Errors name file and line.
Result<LitmusImage> assembleLitmus(const LitmusTest& test, uint64_t local_bytes,
                                   Placement placement);

}  // namespace etalon::validation
