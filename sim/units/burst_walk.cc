// SPDX-License-Identifier: Apache-2.0
#include "sim/units/burst_walk.h"

#include <algorithm>
#include <bit>

namespace etalon::sim {

using isa::ViewRun;

BurstWalk::BurstWalk(const isa::ViewDescriptor& view, int named_axis,
                     std::span<const int64_t> indices, const Limits& limits)
    : limits_(limits),
      indexed_(named_axis != isa::kNoNamedAxis),
      index_in_columns_(view.ncol == view.nbox),
      indices_(indices),
      named_dim_(indexed_ ? view.axes[named_axis].dim : 0),
      walker_(view, named_axis),
      stepper_(walker_),
      outside_row_(walker_.rows()) {
  const bool four_bit = view.elementBits() == 4;
  unit_shift_ = four_bit ? 1 : 0;
  element_units_ = four_bit ? 1 : static_cast<uint64_t>(view.elementBits()) / 8;
  burst_shift_ = std::countr_zero(limits.burst_bytes) + unit_shift_;
  block_shift_ = std::countr_zero(limits.request_bytes) + unit_shift_;
}

bool BurstWalk::nextStep() {
  if (!indexed_) return has_step_ = stepper_.next(step_);
  const uint64_t rows = walker_.rows(), columns = walker_.columns();
  if (rows == 0 || columns == 0) return false;
  for (;;) {
    if (outside_row_ < rows) {
      step_ = {.row = outside_row_++, .column = 0, .count = columns, .run = {}};
      has_step_ = true;
    } else {
      has_step_ = in_box_ && stepper_.next(step_);
    }
    if (has_step_) {
      const uint64_t index = next_index_ - 1;
      (index_in_columns_ ? step_.column : step_.row) +=
          index * (index_in_columns_ ? columns : rows);
      return true;
    }
    if (next_index_ == indices_.size()) return false;
    const int64_t value = indices_[next_index_++];
    in_box_ = static_cast<uint64_t>(value) < named_dim_;
    if (in_box_)
      stepper_ = isa::ViewStepper(walker_, value);
    else
      outside_row_ = 0;
  }
}

bool BurstWalk::flush(WalkItem& item) {
  if (pending_.elements == 0) return false;
  item.inside = true;
  item.address = pending_.lo >> unit_shift_;
  item.bytes = static_cast<uint32_t>(
      ((pending_.hi + static_cast<uint64_t>(unit_shift_)) >> unit_shift_) - item.address);
  item.pieces = pending_.pieces;
  item.row = pending_.row;
  item.column = pending_.column;
  item.elements = pending_.elements;
  item.indices = pending_.indices;
  pending_.elements = 0;
  return true;
}

void BurstWalk::outsideItem(WalkItem& item) {
  const uint64_t count = std::min(step_.count, limits_.most_elements);
  item = {.inside = false,
          .pieces = 1,
          .row = step_.row,
          .column = step_.column,
          .elements = count,
          .indices = next_index_};
  step_.column += count;
  step_.count -= count;
  has_step_ = step_.count != 0;
}

/// Elements of the current run from `position` on that stay in its block, and the units [lo, hi) they touch.
uint64_t BurstWalk::portionOf(uint64_t position, uint64_t& lo, uint64_t& hi) const {
  const int64_t stride = step_.run.stride;
  const uint64_t block_end = ((position >> block_shift_) + 1) << block_shift_;
  if (stride == static_cast<int64_t>(element_units_)) {
    const uint64_t room = block_end - position;
    // Elements are aligned, so none lies in two blocks.
    const uint64_t fit = element_units_ == 1 ? room : room >> std::countr_zero(element_units_);
    const uint64_t count = std::min(step_.count, fit);
    lo = position;
    hi = position + count * element_units_;
    return count;
  }
  lo = position;
  hi = position + element_units_;
  if (stride == 0) return step_.count;
  const uint64_t by = stride > 0 ? static_cast<uint64_t>(stride) : -static_cast<uint64_t>(stride);
  if (by >> burst_shift_ > 0) return 1;  // bursts apart: they need not meet
  const uint64_t room = stride > 0 ? block_end - element_units_ - position
                                   : position - (block_end - (uint64_t{1} << block_shift_));
  const uint64_t count = std::min(step_.count, room / by + 1);
  (stride > 0 ? hi : lo) += static_cast<uint64_t>(stride) * (count - 1);
  return count;
}

/// Takes of the current run what lies in one block. True if that ended the pending request, which is then `item`.
bool BurstWalk::takePortion(WalkItem& item) {
  const ViewRun& run = step_.run;
  const uint64_t position = (run.address << unit_shift_) + run.nibble;
  uint64_t lo = 0, hi = 0;
  uint64_t count = portionOf(position, lo, hi);
  if (count > limits_.most_elements) {
    count = limits_.most_elements;
    if (run.stride > 0) hi = lo + static_cast<uint64_t>(run.stride) * (count - 1) + element_units_;
    if (run.stride < 0) lo = hi - element_units_ + static_cast<uint64_t>(run.stride) * (count - 1);
  }
  const uint64_t first_burst = lo >> burst_shift_, last_burst = (hi - 1) >> burst_shift_;
  bool flushed = false;
  if (pending_.elements != 0) {
    const bool meets = pending_.lo >> block_shift_ == lo >> block_shift_ &&
                       first_burst <= ((pending_.hi - 1) >> burst_shift_) + 1 &&
                       last_burst + 1 >= pending_.lo >> burst_shift_ &&
                       pending_.elements + count <= limits_.most_elements;
    if (!meets) flushed = flush(item);
  }
  if (pending_.elements == 0) {
    pending_ = {.lo = lo, .hi = hi, .row = step_.row, .column = step_.column};
  } else {
    pending_.lo = std::min(pending_.lo, lo);
    pending_.hi = std::max(pending_.hi, hi);
  }
  const bool contiguous = run.stride == static_cast<int64_t>(element_units_);
  pending_.elements += count;
  pending_.indices = next_index_;
  pending_.pieces += contiguous        ? static_cast<uint32_t>(last_burst - first_burst + 1)
                     : run.stride == 0 ? 1
                                       : static_cast<uint32_t>(count);
  step_.column += count;
  step_.count -= count;
  has_step_ = step_.count != 0;
  if (has_step_) {
    const uint64_t moved = position + static_cast<uint64_t>(run.stride) * count;
    step_.run.address = moved >> unit_shift_;
    step_.run.nibble = static_cast<uint8_t>(unit_shift_ != 0 ? moved & 1 : 0);
  }
  return flushed;
}

bool BurstWalk::next(WalkItem& item) {
  for (;;) {
    if (!has_step_ && !nextStep()) return flush(item);
    if (!step_.run.inside) {
      outsideItem(item);
      return true;
    }
    if (takePortion(item)) return true;
  }
}

}  // namespace etalon::sim
