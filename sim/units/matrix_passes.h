// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/base/units.h"
#include "isa/machines/timing.h"
#include "sim/units/matrix_work.h"

namespace etalon::sim {

/// A tile product as passes through the array (docs/spec/microarchitecture.md, section 4): `blocks` of td one after the
/// other, each by `steps` passes onto the same accumulators, k ascending. All passes of an instruction cost the same.
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
  /// From a pass to the next step of the same block.
  Cycles step() const { return interval() > lag ? interval() : lag; }
  /// From a block to the next.
  Cycles pitch() const { return (steps - 1) * step() + interval(); }

  bool operator==(const MatrixPasses&) const = default;
};

MatrixPasses matrixPasses(const isa::MatrixTiming& timing, const MatrixWork& work);

/// Rows of A a cycle, in thousandths, by the wider operand.
uint64_t matrixRate(const isa::MatrixTiming& timing, const MatrixWork& work);

}  // namespace etalon::sim
