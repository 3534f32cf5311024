// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/base/status.h"
#include "isa/machines/machine.h"

namespace etalon::isa {

/// The most of something that a whole machine can do in a second.
struct MachinePeak {
  std::string key;   // `matrix.16_bit`, `memory`
  std::string what;  // `bf16, f16 products`
  uint64_t per_second = 0;
  std::string unit;  // FLOP or OP, of which a multiply-accumulate is two, or B
};

/// What follows from the numbers of a machine with timing: products by width (of the array, where its ports keep up), vector
/// steps, bandwidth of local memory,
/// network, memory (data while it flows: refresh and turnarounds come on top) and links. Empty without timing. Fails if the
/// part of its memory cannot be read.
Result<std::vector<MachinePeak>> machinePeaks(const Machine& machine);

}  // namespace etalon::isa
