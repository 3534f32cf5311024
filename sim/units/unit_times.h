// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/base/units.h"

namespace etalon::sim {

/// When the matrix or the vector unit does what with an instruction it took.
struct UnitTimes {
  Cycles taken = 0;         // it left its queue
  Cycles start = 0;         // the first row of operands enters
  Cycles next = 0;          // the unit can take the next instruction
  Cycles first_result = 0;  // the first result is in local memory
  Cycles read_done = 0;  // the last source byte has been read: it can be overwritten from here on
  Cycles done = 0;       // the last result byte can be read by every unit

  // Of the cycles in which the unit worked for this instruction and no older one, from the end of the older one's `busy`
  // on: those in which rows entered, and those in which none did, by cause. They make the unit's ledger.
  Cycles busy = 0;
  Cycles weights = 0;  // matrix: weights are loaded
  Cycles chain =
      0;  // matrix: partial sums of the same accumulators are on their way; vector: rows of a source
  Cycles ports = 0;  // ports or banks of local memory are taken
};

}  // namespace etalon::sim
