// SPDX-License-Identifier: Apache-2.0
#include "isa/state/view_walk.h"

#include <algorithm>
#include <span>
#include <utility>

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

namespace {

/// A box dim on an axis.
struct AxisDim {
  uint64_t extent;
  int64_t step;
};

/// Indices of one dim whose coordinates first + index * step are in [0, dim).
uint64_t indicesInside(AxisDim of, int64_t first, uint64_t dim) {
  if (of.step < 0) {
    first += of.step * static_cast<int64_t>(of.extent - 1);
    of.step = -of.step;
  }
  if (of.step == 0) return static_cast<uint64_t>(first) < dim ? of.extent : 0;
  if (dim == 0 || (first >= 0 && static_cast<uint64_t>(first) >= dim)) return 0;
  const auto step = static_cast<uint64_t>(of.step);
  // Distances from `first` to the first and the last coordinate inside; both fit in 64 unsigned bits.
  const uint64_t before = first < 0 ? -static_cast<uint64_t>(first) : 0;
  const uint64_t to_last = dim - 1 - static_cast<uint64_t>(first);
  const uint64_t begin = before / step + (before % step != 0);
  const uint64_t end = std::min(of.extent, to_last / step + 1);
  return begin < end ? end - begin : 0;
}

/// The same for all combinations of several dims.
uint64_t combinationsInside(std::span<const AxisDim> dims, int64_t origin, uint64_t dim) {
  if (dims.empty()) return static_cast<uint64_t>(origin) < dim ? 1 : 0;
  if (dims.size() == 1) return indicesInside(dims[0], origin, dim);
  int64_t low = origin, high = origin;
  uint64_t all = 1;
  for (const AxisDim& of : dims) {
    const int64_t reach = of.step * static_cast<int64_t>(of.extent - 1);
    (reach < 0 ? low : high) += reach;
    all *= of.extent;
  }
  if (low >= 0 && static_cast<uint64_t>(high) < dim) return all;
  if (high < 0 || (low >= 0 && static_cast<uint64_t>(low) >= dim)) return 0;
  uint64_t inside = 0;
  for (uint64_t i = 0; i < dims[0].extent; ++i)
    inside +=
        combinationsInside(dims.subspan(1), origin + dims[0].step * static_cast<int64_t>(i), dim);
  return inside;
}

}  // namespace

uint64_t elementsInside(const ViewDescriptor& view) {
  if (view.empty()) return 0;
  uint64_t count = 1;
  if (view.naxes == 0)
    for (int b = 0; b < view.nbox; ++b) count *= view.box[b].extent;
  for (int a = 0; a < view.naxes && count != 0; ++a) {
    std::array<AxisDim, kMaxBoxDims> dims;
    size_t used = 0;
    for (int b = 0; b < view.nbox; ++b)
      if (view.box[b].axis == a) dims[used++] = {view.box[b].extent, view.box[b].step};
    // The longest last: it is the one that is not enumerated.
    for (size_t i = 0; i + 1 < used; ++i)
      if (dims[i].extent > dims[used - 1].extent) std::swap(dims[i], dims[used - 1]);
    count *= combinationsInside(std::span(dims).first(used), view.axes[a].origin, view.axes[a].dim);
  }
  return count;
}

}  // namespace etalon::isa
