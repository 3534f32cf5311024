// SPDX-License-Identifier: Apache-2.0
#include "isa/state/overlap.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace etalon::isa {
namespace {

Int128 magnitude(Int128 value) { return value < 0 ? -value : value; }

/// A set of addresses i * stride, 0 <= i < extent, to be summed with others.
struct Level {
  Int128 stride;  ///< >= 0
  Int128 extent;
};

/// Whether sums of different indices are at least `size` apart because each level steps over all
/// that the smaller ones reach. Sorts the levels.
bool nested(std::span<Level> levels, Int128 size) {
  std::sort(levels.begin(), levels.end(),
            [](const Level& x, const Level& y) { return x.stride < y.stride; });
  Int128 reach = size;
  for (const Level& level : levels) {
    if (level.extent <= 1) continue;
    if (level.stride < reach) return false;
    reach += level.stride * (level.extent - 1);
  }
  return true;
}

/// Interval, row, block and column rules of isa-reference.md; a has the lower base.
bool apart(const CanonicalTile& a, const CanonicalTile& b) {
  const uint64_t d = b.base - a.base;
  if ((a.outer - 1) * a.ostride + a.span <= d) return true;

  // A stride that repeats nothing agrees with any.
  const bool one_block = a.outer == 1 && b.outer == 1;
  const bool same_istride = a.istride == b.istride || a.inner == 1 || b.inner == 1;
  const bool same_ostride = a.ostride == b.ostride || a.outer == 1 || b.outer == 1;
  const uint64_t istride = a.inner == 1 ? b.istride : a.istride;
  const uint64_t ostride = a.outer == 1 ? b.ostride : a.ostride;
  if (same_istride && same_ostride && a.width <= d && d + b.width <= istride &&
      (one_block || ostride >= std::max(a.span, d + b.span)))
    return true;

  if (!one_block && same_ostride && a.span <= d && d + b.span <= ostride) return true;

  const uint64_t step = a.step;
  if (step != b.step || (step != 2 && step != 4) || a.size != b.size) return false;
  const uint64_t period = step * a.size;
  const bool multiples = a.ostride % period == 0 && a.istride % period == 0 &&
                         b.ostride % period == 0 && b.istride % period == 0;
  return multiples && a.size <= d % period && d % period <= period - a.size;
}

bool mayOverlap(const CanonicalTile& a, const CanonicalTile& b) {
  return a.base <= b.base ? !apart(a, b) : !apart(b, a);
}

/// Whether equal coordinates are the only way to equal bytes in both views: one tensor, in effect.
bool sameNestedTensor(const ViewDescriptor& a, const ViewDescriptor& b) {
  if (a.base != b.base || a.type != b.type || a.naxes != b.naxes) return false;
  std::array<Level, kMaxAxes> levels;
  for (int axis = 0; axis < a.naxes; ++axis) {
    if (a.axes[axis].stride != b.axes[axis].stride) return false;
    levels[axis] = {magnitude(a.axes[axis].stride),
                    Int128{std::max(a.axes[axis].dim, b.axes[axis].dim)}};
  }
  // Strides of 4-bit types count nibbles.
  const int size = a.elementBits() == 4 ? 1 : a.elementBits() / 8;
  return nested(std::span(levels).first(a.naxes), size);
}

}  // namespace

bool mayOverlap(const TileRegister& a, const TileRegister& b) {
  if (a.empty() || b.empty()) return false;
  return mayOverlap(canonical(a), canonical(b));
}

bool mayOverlap(const TileRegister& tile, const ByteInterval& interval) {
  // Tiles end below 2^59; clamping keeps the row of bytes within 64 bits.
  const ByteInterval bytes = {std::max(interval.lo, Int128{0}),
                              std::min(interval.hi, Int128{1} << 60)};
  if (tile.empty() || bytes.empty()) return false;
  const auto count = static_cast<uint64_t>(bytes.hi - bytes.lo);
  return mayOverlap(canonical(tile), CanonicalTile{.base = static_cast<uint64_t>(bytes.lo),
                                                   .outer = 1,
                                                   .inner = 1,
                                                   .cols = count,
                                                   .ostride = 0,
                                                   .istride = 0,
                                                   .step = 1,
                                                   .size = 1,
                                                   .width = count,
                                                   .span = count});
}

bool mayOverlap(const ViewDescriptor& a, const ViewDescriptor& b, int axis_a, int axis_b) {
  const ByteInterval hull_a = boxHull(a, axis_a);
  const ByteInterval hull_b = boxHull(b, axis_b);
  if (hull_a.empty() || hull_b.empty()) return false;
  if (sameNestedTensor(a, b))
    for (int axis = 0; axis < a.naxes; ++axis) {
      const CoordinateRange x = clippedRange(a, axis, axis_a);
      const CoordinateRange y = clippedRange(b, axis, axis_b);
      if (x.hi <= y.lo || y.hi <= x.lo) return false;
    }
  return hull_a.intersects(hull_b);
}

bool selfOverlaps(const TileRegister& tile) {
  if (tile.empty()) return false;
  // 4-bit tiles in nibbles: two to a byte of stride.
  const bool four_bit = tile.elementBits() == 4;
  const Int128 size = four_bit ? 1 : tile.elementBytes();
  const Int128 unit = four_bit ? 2 : 1;
  std::array<Level, 3> levels = {Level{unit * tile.ostride, tile.outer},
                                 Level{unit * tile.istride, tile.inner},
                                 Level{size * tile.step, tile.cols}};
  return !nested(levels, size);
}

bool selfOverlaps(const ViewDescriptor& view, int named_axis) {
  if (view.empty()) return false;
  std::array<Level, kMaxBoxDims + 1> levels;
  size_t count = 0;
  for (int b = 0; b < view.nbox; ++b) {
    const ViewDescriptor::Box& box = view.box[b];
    if (box.axis == named_axis) continue;
    // Without axes, the box dims repeat the element at base.
    const Int128 stride = view.naxes == 0 ? Int128{0} : Int128{view.axes[box.axis].stride};
    levels[count++] = {magnitude(stride * box.step), Int128{box.extent}};
  }
  if (named_axis != kNoNamedAxis)
    levels[count++] = {magnitude(view.axes[named_axis].stride), Int128{view.axes[named_axis].dim}};
  const int size = view.elementBits() == 4 ? 1 : view.elementBits() / 8;
  return !nested(std::span(levels).first(count), size);
}

}  // namespace etalon::isa
