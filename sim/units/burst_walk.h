// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "isa/state/view_stepper.h"

namespace etalon::sim {

/// What a DMA engine does next of an instruction.
struct WalkItem {
  bool inside = false;           // moves memory; else elements outside the tensor
  uint64_t address = 0;          // inside: of the first byte
  uint32_t bytes = 0;            // inside: to past the last one, holes included
  uint32_t pieces = 0;           // parts of runs, each in one burst; of elements outside 1
  uint64_t row = 0, column = 0;  // of its first element
  uint64_t elements = 0;
  uint64_t indices = 0;  // that must be known for it, from the first
};

/// Walks the box of a view innermost first and cuts it into requests, docs/spec/microarchitecture.md, section 7: runs of
/// contiguous elements, split at multiples of `request_bytes`; a run that meets the bursts of the one before in one such
/// block merges with it. Lazy: costs tens of ns an item and holds one item, whatever the box.
class BurstWalk {
 public:
  struct Limits {
    uint64_t burst_bytes = 0, request_bytes = 0;  // powers of two
    uint64_t most_elements = 0;                   // of an item
  };

  /// `indices`: of gather and scatter, whose view has the named axis; both outlive the walk. All checks of the instruction
  /// have passed.
  BurstWalk(const isa::ViewDescriptor& view, int named_axis, std::span<const int64_t> indices,
            const Limits& limits);
  BurstWalk(const BurstWalk&) = delete;
  BurstWalk& operator=(const BurstWalk&) = delete;

  /// False at the end.
  bool next(WalkItem& item);

 private:
  bool nextStep();
  bool flush(WalkItem& item);
  void outsideItem(WalkItem& item);
  bool takePortion(WalkItem& item);
  uint64_t portionOf(uint64_t position, uint64_t& lo, uint64_t& hi) const;

  Limits limits_;
  bool indexed_;
  bool index_in_columns_;
  std::span<const int64_t> indices_;
  uint64_t named_dim_ = 0;
  isa::ViewWalker walker_;
  isa::ViewStepper stepper_;
  uint64_t next_index_ = 0;      // number of the index after the one whose box is walked
  bool in_box_ = false;          // stepper_ walks the box of an index
  uint64_t outside_row_;         // next row of an index outside; rows() if there is none
  isa::ViewStepper::Step step_;  // what is left of the current run
  bool has_step_ = false;

  // Positions in units: bytes, or nibbles of 4-bit types.
  int unit_shift_;  // units a byte, log2
  uint64_t element_units_;
  int burst_shift_, block_shift_;  // in units

  // The request that is being formed; nothing has been formed if elements is 0.
  struct Pending {
    uint64_t lo = 0, hi = 0;  // units
    uint64_t row = 0, column = 0, elements = 0, indices = 0;
    uint32_t pieces = 0;
  } pending_;
};

}  // namespace etalon::sim
