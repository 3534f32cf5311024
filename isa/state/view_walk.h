// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "isa/state/view_descriptor.h"

namespace etalon::isa {

/// Successive columns of one row of a view's box: all inside the tensor, or all outside.
/// Element i of an inside run stands at address + i * stride; for 4-bit types stride counts nibbles
/// and the element is nibble `nibble + i * stride` from address, even ones in bits 3:0; addresses from
/// 2^63 on, where no memory is, are then not exact.
struct ViewRun {
  bool inside = false;
  uint64_t address = 0;
  int64_t stride = 0;
  uint8_t nibble = 0;  ///< 4-bit types: half of the first byte; 1 only where ncol is 0
};

/// Enumerates a view's box in row-major order as runs, by clipping arithmetic instead of a test per
/// element. Built once per instruction (about 0.1 us), then tens of ns a row.
///
/// Two simplifications keep the inner loops short: an axis that the whole box stays inside of is
/// never tested again, and neighbouring box dims that step evenly into each other become one level.
/// Requires checkView, checkViewPosition, and rows and columns compared with a tile's (absurd
/// products would wrap here).
class ViewWalker {
 public:
  /// With a named axis (gather, scatter), box dim 0 is left out: it counts the indices.
  explicit ViewWalker(const ViewDescriptor& view, int named_axis = kNoNamedAxis);

  uint64_t rows() const { return rows_; }
  uint64_t columns() const { return columns_; }

  /// Calls f(row, first_column, count, const ViewRun&) for every run, ascending, count >= 1; every
  /// element of the box is in exactly one. Neighbouring runs of a row are never both outside, and
  /// an inside run never continues the one before. `index`: coordinate that replaces origin on the
  /// named axis, in [0, dim).
  template <class F>
  void walk(F&& f, int64_t index = 0) const {
    if (rows_ == 0 || columns_ == 0) return;
    Cursor cursor = start_;
    cursor.coordinate[named_slot_] += index;
    cursor.offset += static_cast<uint64_t>(index) * named_stride_;
    std::array<uint64_t, kMaxBoxDims> row_index{};
    for (uint64_t row = 0;; ++row) {
      if (outside(cursor, row_axes_))
        f(row, uint64_t{0}, columns_, ViewRun{});
      else if (column_levels_.count == 1)
        walkLevel(cursor, row, f);
      else
        walkLevels(cursor, row, f);
      if (row + 1 == rows_) return;
      advance(cursor, row_index, row_levels_, row_levels_.count);
    }
  }

 private:
  friend class ViewStepper;

  /// Slot of axes that need no test: its dim admits 0 and every index.
  static constexpr int kSafe = kMaxAxes;

  struct Level {
    uint64_t extent;
    int slot;         ///< axis, or kSafe
    int64_t step;     ///< coordinates an index moves on the axis; 0 for kSafe
    uint64_t stride;  ///< units (bytes, nibbles) an index moves, modulo 2^64
  };
  struct Levels {
    std::array<Level, kMaxBoxDims> at;
    int count = 0;
  };
  /// Axes to test, by number.
  struct AxisList {
    std::array<uint8_t, kMaxAxes> at;
    int count = 0;
  };
  struct Cursor {
    std::array<int64_t, kMaxAxes + 1> coordinate{};
    uint64_t offset = 0;  ///< units from base, modulo 2^64: exact for every inside element
  };
  /// Part [begin, end) of a level whose coordinates are inside.
  struct Part {
    uint64_t begin, end;
  };

  Levels levelsOf(const ViewDescriptor& view, int first, int end,
                  const std::array<bool, kMaxAxes>& safe) const;

  bool outside(const Cursor& cursor, const AxisList& axes) const {
    for (int i = 0; i < axes.count; ++i) {
      const int axis = axes.at[i];
      if (static_cast<uint64_t>(cursor.coordinate[axis]) >= dim_[axis]) return true;
    }
    return false;
  }

  /// Next index of the first `count` levels, last fastest.
  static void advance(Cursor& cursor, std::array<uint64_t, kMaxBoxDims>& index,
                      const Levels& levels, int count) {
    for (int l = count - 1; l >= 0; --l) {
      const Level& level = levels.at[l];
      if (++index[l] < level.extent) {
        cursor.coordinate[level.slot] += level.step;
        cursor.offset += level.stride;
        return;
      }
      index[l] = 0;
      cursor.coordinate[level.slot] -= level.step * static_cast<int64_t>(level.extent - 1);
      cursor.offset -= level.stride * (level.extent - 1);
    }
  }

  Part clip(const Level& level, int64_t first) const {
    const uint64_t n = level.extent;
    const uint64_t dim = dim_[level.slot];
    const auto from = static_cast<uint64_t>(first);
    const auto last = static_cast<uint64_t>(first + level.step * static_cast<int64_t>(n - 1));
    if (from < dim && last < dim) return {0, n};
    if (level.step == 0 || dim == 0) return {0, 0};
    // Distances to the first coordinate inside and to the last; both fit in 64 unsigned bits.
    const bool up = level.step > 0;
    const uint64_t by = up ? level.step : -static_cast<uint64_t>(level.step);
    const bool before = up ? first < 0 : first >= 0 && from >= dim;
    const bool beyond = up ? first >= 0 && from >= dim : first < 0;
    if (beyond) return {0, 0};
    const uint64_t to_inside = !before ? 0 : up ? -from : from - (dim - 1);
    const uint64_t to_last = up ? dim - 1 - from : from;
    const uint64_t begin = by == 1 ? to_inside : to_inside / by + (to_inside % by != 0);
    const uint64_t end = std::min(n, (by == 1 ? to_last : to_last / by) + 1);
    return begin < end ? Part{begin, end} : Part{0, 0};
  }

  ViewRun insideRun(uint64_t offset, uint64_t stride) const {
    if (four_bit_) {
      // Nibbles modulo 2^64: exact below 2^63 bytes, where all memory is.
      const uint64_t nibble = 2 * base_ + offset;
      return {true, nibble >> 1, static_cast<int64_t>(stride), static_cast<uint8_t>(nibble & 1)};
    }
    return {true, base_ + offset, static_cast<int64_t>(stride), 0};
  }

  /// A row whose columns are one level.
  template <class F>
  void walkLevel(const Cursor& cursor, uint64_t row, F& f) const {
    const Level& level = column_levels_.at[0];
    const Part part = clip(level, cursor.coordinate[level.slot]);
    if (part.begin > 0) f(row, uint64_t{0}, part.begin, ViewRun{});
    if (part.end > part.begin)
      f(row, part.begin, part.end - part.begin,
        insideRun(cursor.offset + part.begin * level.stride, level.stride));
    if (part.end < level.extent) f(row, part.end, level.extent - part.end, ViewRun{});
  }

  /// A row of several levels: runs are held back until one does not continue the last.
  template <class F>
  void walkLevels(Cursor cursor, uint64_t row, F& f) const {
    struct Held {
      bool inside = false;
      uint64_t first = 0, count = 0, offset = 0;
    } held;
    const int outer = column_levels_.count - 1;
    const Level& level = column_levels_.at[outer];
    const auto flush = [&] {
      if (held.count > 0)
        f(row, held.first, held.count,
          held.inside ? insideRun(held.offset, level.stride) : ViewRun{});
      held.first += held.count;
      held.count = 0;
    };
    const auto put = [&](bool inside, uint64_t count, uint64_t offset) {
      if (count == 0) return;
      const bool continues =
          held.inside == inside && (!inside || held.offset + held.count * level.stride == offset);
      if (!continues) flush();
      if (held.count == 0) {
        held.inside = inside;
        held.offset = offset;
      }
      held.count += count;
    };
    std::array<uint64_t, kMaxBoxDims> index{};
    for (uint64_t column = 0;;) {
      const Part part =
          outside(cursor, column_axes_) ? Part{0, 0} : clip(level, cursor.coordinate[level.slot]);
      put(false, part.begin, 0);
      put(true, part.end - part.begin, cursor.offset + part.begin * level.stride);
      put(false, level.extent - part.end, 0);
      column += level.extent;
      if (column == columns_) break;
      advance(cursor, index, column_levels_, outer);
    }
    flush();
  }

  uint64_t base_;
  bool four_bit_;
  uint64_t rows_ = 0;
  uint64_t columns_ = 0;
  std::array<uint64_t, kMaxAxes + 1> dim_{};
  Cursor start_;
  int named_slot_ = kSafe;
  uint64_t named_stride_ = 0;
  Levels row_levels_;
  Levels column_levels_;  ///< at least one
  AxisList row_axes_;     ///< fixed within a row
  AxisList column_axes_;  ///< moved by column levels other than the last
};

/// walkView: every run of the view's box; see ViewWalker::walk.
template <class F>
void walkView(const ViewDescriptor& view, F&& f) {
  ViewWalker(view).walk(f);
}

/// Gather and scatter: box dim 0 counts the indices, index(i) -> i64 gives the coordinate on the
/// named axis, to which the other box dims on it add (its origin is not used). An index outside
/// [0, dim) puts its whole inner box outside; index is called once for each i, ascending, before
/// the runs of i, so the caller can note that. Runs do not join across indices.
template <class Index, class F>
void walkGather(const ViewDescriptor& view, int named_axis, Index&& index, F&& f) {
  const ViewWalker walker(view, named_axis);
  if (walker.rows() == 0 || walker.columns() == 0) return;
  const uint64_t dim = view.axes[named_axis].dim;
  // Box dim 0 is the outermost row dim, or the outermost column dim where all dims are columns.
  const bool in_columns = view.ncol == view.nbox;
  for (uint64_t i = 0; i < view.box[0].extent; ++i) {
    const int64_t coordinate = index(i);
    const uint64_t row_base = in_columns ? 0 : i * walker.rows();
    const uint64_t column_base = in_columns ? i * walker.columns() : 0;
    if (static_cast<uint64_t>(coordinate) >= dim) {
      for (uint64_t row = 0; row < walker.rows(); ++row)
        f(row_base + row, column_base, walker.columns(), ViewRun{});
      continue;
    }
    walker.walk([&](uint64_t row, uint64_t column, uint64_t count,
                    const ViewRun& run) { f(row_base + row, column_base + column, count, run); },
                coordinate);
  }
}

/// Calls f(address, bytes) for the contiguous pieces of one inside run of `count` elements of `bits`.
template <class F>
void forEachRunPiece(const ViewRun& run, uint64_t count, int bits, F&& f) {
  if (bits == 4) {
    // A hazard, a race and what was written count in whole bytes.
    if (run.stride == 1) return f(run.address, (run.nibble + count + 1) / 2);
    for (uint64_t i = 0; i < (run.stride == 0 ? 1 : count); ++i)
      f(run.address +
            static_cast<uint64_t>((run.nibble + static_cast<int64_t>(i) * run.stride) >> 1),
        uint64_t{1});
    return;
  }
  const auto size = static_cast<uint64_t>(bits / 8);
  if (run.stride == static_cast<int64_t>(size)) return f(run.address, count * size);
  for (uint64_t i = 0; i < (run.stride == 0 ? 1 : count); ++i)
    f(run.address + i * static_cast<uint64_t>(run.stride), size);
}

/// The same for every inside element of a view's box, in row-major order.
template <class F>
void forEachViewPiece(const ViewDescriptor& view, F&& f) {
  walkView(view, [&](uint64_t, uint64_t, uint64_t count, const ViewRun& run) {
    if (run.inside) forEachRunPiece(run, count, view.elementBits(), f);
  });
}

/// Elements of a view's box that are inside the tensor: what walkView's inside runs count together, without the walk. Tens
/// of ns, unless an axis that the box leaves has several box dims.
uint64_t elementsInside(const ViewDescriptor& view);

}  // namespace etalon::isa
