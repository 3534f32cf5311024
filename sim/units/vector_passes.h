// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/base/units.h"
#include "isa/machines/timing.h"
#include "sim/units/vector_work.h"

namespace etalon::sim {

/// At what pace an instruction goes over its rows: they stand one after the other, `width` each, and `group` of that are
/// taken every `cycles`. So row r begins in cycle floor(r * width / group) * cycles and has ended after
/// ceil((r + 1) * width / group) * cycles.
struct RowPace {
  uint64_t width = 1, group = 1;
  Cycles cycles = 1;

  Cycles begin(uint64_t row) const { return row * width / group * cycles; }
  Cycles end(uint64_t row) const { return ((row + 1) * width + group - 1) / group * cycles; }
  /// Every row ends where a group ends.
  bool even() const { return width % group == 0; }
  bool operator==(const RowPace&) const = default;
};

/// A vector instruction as the unit goes through it (docs/spec/microarchitecture.md, section 5).
struct VectorPasses {
  uint64_t rows = 0;
  RowPace pace;
  Cycles compute = 0;  // cycles that lanes need for all of it
  Cycles total = 0;    // and with the ports: cycles from the first to past the last read
  Cycles depth =
      0;  // from the read of a group to where its result can be read, less the cycles of the group
  bool ordered = true;  // rows are read and written one after the other
  bool at_end = false;  // results are written at the end (column reductions)
  bool operator==(const VectorPasses&) const = default;
};

VectorPasses vectorPasses(const isa::VectorTiming& timing, uint64_t bank_bytes,
                          const VectorWork& work);

/// Least cycles from the first write of `older` to the first read of `younger`, where the younger walks the rows that the
/// older one writes: no row is read before all of it is written. Both have `rows` rows.
Cycles followDistance(const RowPace& older, const RowPace& younger, uint64_t rows);

}  // namespace etalon::sim
