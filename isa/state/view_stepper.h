// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "isa/state/view_walk.h"

namespace etalon::isa {

/// The runs of ViewWalker::walk one at a time, for whoever cannot take a whole box at once. Ascending; every element of
/// the box is in exactly one run. Unlike those of walk, runs of a row that continue each other are not joined.
class ViewStepper {
 public:
  struct Step {
    uint64_t row = 0, column = 0;  // of the first element
    uint64_t count = 0;            // of elements, >= 1
    ViewRun run;
  };

  /// `walker` outlives it. `index`: as in ViewWalker::walk.
  explicit ViewStepper(const ViewWalker& walker, int64_t index = 0)
      : walker_(&walker), row_cursor_(walker.start_) {
    row_cursor_.coordinate[walker.named_slot_] += index;
    row_cursor_.offset += static_cast<uint64_t>(index) * walker.named_stride_;
    if (walker.rows_ == 0 || walker.columns_ == 0)
      row_ = walker.rows_;
    else
      enterRow();
  }

  /// False at the end of the box.
  bool next(Step& step) {
    while (row_ < walker_->rows_) {
      while (part_ < kParts) {
        const int part = part_++;
        const uint64_t begin = bounds_[part], end = bounds_[part + 1];
        if (begin == end) continue;
        step.row = row_;
        step.column = column_ + begin;
        step.count = end - begin;
        step.run = part == kInside
                       ? walker_->insideRun(cursor_.offset + begin * inner().stride, inner().stride)
                       : ViewRun{};
        return true;
      }
      advance();
    }
    return false;
  }

 private:
  /// Of the innermost level: before the tensor, inside, behind it.
  static constexpr int kParts = 3, kInside = 1;
  using Cursor = ViewWalker::Cursor;

  const ViewWalker::Level& inner() const {
    return walker_->column_levels_.at[walker_->column_levels_.count - 1];
  }

  void enterRow() {
    column_ = 0;
    part_ = 0;
    cursor_ = row_cursor_;
    if (walker_->outside(row_cursor_, walker_->row_axes_)) {
      bounds_ = {0, walker_->columns_, walker_->columns_, walker_->columns_};
      return;
    }
    enterLevel();
  }

  void enterLevel() {
    part_ = 0;
    const ViewWalker::Level& level = inner();
    const bool outside =
        walker_->column_levels_.count > 1 && walker_->outside(cursor_, walker_->column_axes_);
    const ViewWalker::Part inside =
        outside ? ViewWalker::Part{0, 0} : walker_->clip(level, cursor_.coordinate[level.slot]);
    bounds_ = {0, inside.begin, inside.end, level.extent};
  }

  void advance() {
    column_ += bounds_[kParts];
    if (column_ < walker_->columns_) {
      ViewWalker::advance(cursor_, column_index_, walker_->column_levels_,
                          walker_->column_levels_.count - 1);
      enterLevel();
      return;
    }
    column_index_ = {};
    if (++row_ == walker_->rows_) return;
    ViewWalker::advance(row_cursor_, row_index_, walker_->row_levels_, walker_->row_levels_.count);
    enterRow();
  }

  const ViewWalker* walker_;
  Cursor row_cursor_, cursor_;
  std::array<uint64_t, kMaxBoxDims> row_index_{}, column_index_{};
  uint64_t row_ = 0, column_ = 0;  // of the innermost level the cursor stands at
  int part_ = 0;                   // next part of it
  std::array<uint64_t, kParts + 1> bounds_{};
};

}  // namespace etalon::isa
