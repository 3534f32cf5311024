// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "isa/base/units.h"
#include "isa/machines/timing.h"
#include "sim/units/matrix_work.h"

namespace etalon::sim {

/// A tile product as passes through the array (docs/spec/microarchitecture.md, section 4): `steps` rounds, k ascending, of a
/// pass onto each of the `blocks` of td. All passes of an instruction cost the same.
struct MatrixPasses {
  uint64_t blocks = 0;  // 0: nothing to do
  uint64_t steps = 0;
  Cycles stream = 0;  // a pass takes the rows of its operands
  Cycles load = 0;    // what the pass behind needs before it starts; hidden while this one streams
  Cycles first_load = 0;  // what the first pass needs
  Cycles lag = 0;         // least distance of two passes onto the same accumulators
  Cycles drain = 0;       // from the last operands to where the last result can be read

  /// From a pass to the next, if that is about other accumulators.
  Cycles interval() const { return stream > load ? stream : load; }
  /// From a round to the next, if the passes of a round begin an interval apart.
  Cycles round() const { return std::max(blocks * interval(), lag); }

  bool operator==(const MatrixPasses&) const = default;
};

/// When the passes onto the first and onto the last block of a round begin.
struct MatrixRound {
  Cycles first = 0, last = 0;
};

/// The last round, if the first one begins as `round` says, its passes at least an interval apart.
MatrixRound lastRound(const MatrixPasses& passes, MatrixRound round);

MatrixPasses matrixPasses(const isa::MatrixTiming& timing, const MatrixWork& work);

/// Rows of A a cycle, in thousandths, by the wider operand.
uint64_t matrixRate(const isa::MatrixTiming& timing, const MatrixWork& work);

}  // namespace etalon::sim
