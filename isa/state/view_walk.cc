// SPDX-License-Identifier: Apache-2.0
#include "isa/state/view_walk.h"

namespace etalon::isa {

ViewWalker::ViewWalker(const ViewDescriptor& view, int named_axis)
    : base_(view.base), four_bit_(view.elementBits() == 4) {
  const int first = named_axis == kNoNamedAxis ? 0 : 1;
  const int first_column = std::max(first, view.nbox - view.ncol);
  rows_ = columns_ = 1;
  for (int b = first; b < view.nbox; ++b)
    (b < first_column ? rows_ : columns_) *= view.box[b].extent;
  if (rows_ == 0 || columns_ == 0) return;

  std::array<bool, kMaxAxes> safe{};
  for (int a = 0; a < view.naxes; ++a) {
    const ViewDescriptor::Axis& axis = view.axes[a];
    const int64_t origin = a == named_axis ? 0 : axis.origin;
    Int128 lo = origin;
    Int128 hi = origin;
    for (int b = first; b < view.nbox; ++b) {
      if (view.box[b].axis != a) continue;
      const Int128 reach = Int128{view.box[b].step} * (Int128{view.box[b].extent} - 1);
      (reach < 0 ? lo : hi) += reach;
    }
    // walk() is given indices inside only, so without other box dims the axis needs no test.
    if (a == named_axis && axis.dim > 0) hi += axis.dim - 1;
    safe[a] = lo >= 0 && hi < Int128{axis.dim};
    dim_[a] = axis.dim;
    start_.coordinate[a] = origin;
    start_.offset += static_cast<uint64_t>(origin) * static_cast<uint64_t>(axis.stride);
  }
  dim_[kSafe] = uint64_t{1} << 62;
  if (named_axis != kNoNamedAxis) {
    named_stride_ = static_cast<uint64_t>(view.axes[named_axis].stride);
    if (!safe[named_axis]) named_slot_ = named_axis;
  }

  row_levels_ = levelsOf(view, first, first_column, safe);
  column_levels_ = levelsOf(view, first_column, view.nbox, safe);
  if (column_levels_.count == 0) column_levels_.at[column_levels_.count++] = {1, kSafe, 0, 0};

  const int last = column_levels_.count - 1;
  for (int a = 0; a < view.naxes; ++a) {
    if (safe[a]) continue;
    bool moved = false;
    for (int l = 0; l < last; ++l) moved |= column_levels_.at[l].slot == a;
    const bool clipped = column_levels_.at[last].slot == a;
    if (!moved && !clipped) row_axes_.at[row_axes_.count++] = static_cast<uint8_t>(a);
    // The last level's own axis is clipped, which includes the test of what the others added.
    if (moved && !clipped) column_axes_.at[column_axes_.count++] = static_cast<uint8_t>(a);
  }
}

ViewWalker::Levels ViewWalker::levelsOf(const ViewDescriptor& view, int first, int end,
                                        const std::array<bool, kMaxAxes>& safe) const {
  Levels levels;
  for (int b = first; b < end; ++b) {
    const ViewDescriptor::Box& box = view.box[b];
    if (box.extent == 1) continue;
    const bool tested = view.naxes > 0 && !safe[box.axis];
    const uint64_t stride = view.naxes == 0 ? 0
                                            : static_cast<uint64_t>(view.axes[box.axis].stride) *
                                                  static_cast<uint64_t>(box.step);
    const Level level = {box.extent, tested ? box.axis : kSafe, tested ? box.step : 0, stride};
    if (levels.count > 0) {
      Level& before = levels.at[levels.count - 1];
      if (before.slot == level.slot && before.stride == level.extent * level.stride &&
          before.step == static_cast<int64_t>(level.extent) * level.step) {
        before = {before.extent * level.extent, level.slot, level.step, level.stride};
        continue;
      }
    }
    levels.at[levels.count++] = level;
  }
  return levels;
}

}  // namespace etalon::isa
