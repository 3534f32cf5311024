// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tests only: tiles and views element by element, straight from the definition in isa.md (State),
// sharing nothing with the code under test but the structs.

#include <cstdint>
#include <random>
#include <vector>

#include "isa/state/tile_register.h"
#include "isa/state/view_descriptor.h"

namespace etalon::isa::brute_force {

using Rng = std::mt19937_64;

inline uint64_t below(Rng& rng, uint64_t n) { return rng() % n; }
inline int64_t between(Rng& rng, int64_t lo, int64_t hi) {
  return lo + static_cast<int64_t>(rng() % static_cast<uint64_t>(hi - lo + 1));
}

/// Bits of an element for every type code, from isa-reference.md.
inline int typeBits(int code) {
  constexpr int kBits[] = {4, 4, 8, 8, 16, 16, 32, 32, 64, 4, 8, 8, 8, 16, 16, 32};
  return kBits[code];
}

/// First nibble of stored element (r, c), counted from the start of local memory.
inline uint64_t tileNibble(const TileRegister& t, uint64_t r, uint64_t c) {
  const uint64_t row = t.base + (r / t.inner) * t.ostride + (r % t.inner) * t.istride;
  const uint64_t nibbles = typeBits(t.type) / 4;
  return 2 * row + c * t.step * nibbles;
}

/// Where one element of a view stands.
struct Element {
  bool inside;
  Int128 nibble;  ///< from address 0, if inside
};

/// Element (row, column) of the box; with a named axis, `index` is the coordinate of box dim 0.
inline Element viewElement(const ViewDescriptor& v, uint64_t row, uint64_t column,
                           int named_axis = kNoNamedAxis, int64_t index = 0) {
  uint64_t position[kMaxBoxDims] = {};
  uint64_t rest = column;
  for (int b = v.nbox - 1; b >= v.nbox - v.ncol; --b) {
    position[b] = rest % v.box[b].extent;
    rest /= v.box[b].extent;
  }
  rest = row;
  for (int b = v.nbox - v.ncol - 1; b >= 0; --b) {
    position[b] = rest % v.box[b].extent;
    rest /= v.box[b].extent;
  }
  const Int128 unit = typeBits(v.type) == 4 ? 1 : 2;
  Element element{true, Int128{v.base} * 2};
  for (int a = 0; a < v.naxes; ++a) {
    Int128 coordinate = a == named_axis ? index : v.axes[a].origin;
    for (int b = a == named_axis ? 1 : 0; b < v.nbox; ++b)
      if (v.box[b].axis == a) coordinate += Int128{position[b]} * v.box[b].step;
    if (coordinate < 0 || coordinate >= Int128{v.axes[a].dim}) element.inside = false;
    element.nibble += coordinate * v.axes[a].stride * unit;
  }
  // An index outside takes its whole inner box with it.
  if (named_axis != kNoNamedAxis &&
      (index < 0 || static_cast<uint64_t>(index) >= v.axes[named_axis].dim))
    element.inside = false;
  return element;
}

/// A small well-formed tile, empty ones and repeated rows and columns among them.
inline TileRegister randomTile(Rng& rng) {
  TileRegister t;
  t.type = static_cast<uint8_t>(below(rng, 16));
  const uint32_t size = std::max(1, typeBits(t.type) / 8);
  t.base = static_cast<uint32_t>(below(rng, 64 / size + 1)) * size;
  t.outer = static_cast<uint32_t>(below(rng, 8) == 0 ? 0 : between(rng, 1, 3));
  t.inner = static_cast<uint32_t>(between(rng, 1, 4));
  t.cols = static_cast<uint32_t>(below(rng, 16) == 0 ? 0 : between(rng, 1, 5));
  t.step = typeBits(t.type) == 4 ? 1 : std::array<uint8_t, 4>{0, 1, 2, 4}[below(rng, 4)];
  t.istride = static_cast<uint32_t>(below(rng, 40 / size + 1)) * size;
  t.ostride = static_cast<uint32_t>(below(rng, 96 / size + 1)) * size;
  if (below(rng, 4) == 0) t.ostride = t.inner * t.istride;
  return t;
}

/// A small view with 0 to 6 axes, negative strides, steps and origins, boxes partly or wholly
/// outside. Passes checkView and checkViewPosition. `nested`: strides of a tensor in memory, in
/// some order of its axes, some padded.
inline ViewDescriptor randomView(Rng& rng, bool nested) {
  ViewDescriptor v;
  v.type = static_cast<uint8_t>(below(rng, 16));
  const bool four_bit = typeBits(v.type) == 4;
  const int64_t size = four_bit ? 1 : typeBits(v.type) / 8;
  v.base = 1 << 20;
  v.naxes = static_cast<uint8_t>(below(rng, 20) == 0 ? 0
                                 : below(rng, 2)     ? between(rng, 1, 3)
                                                     : between(rng, 1, 6));
  int64_t stride = four_bit ? 2 : size;
  for (int a = v.naxes - 1; a >= 0; --a) {
    auto& axis = v.axes[a];
    axis.dim =
        below(rng, 30) == 0 ? 0 : static_cast<uint64_t>(between(rng, 1, v.naxes <= 3 ? 5 : 3));
    // Mostly near the tensor: several axes all partly inside are rare otherwise.
    axis.origin = below(rng, 4) == 0 ? between(rng, -3, 5) : between(rng, 0, 2);
    if (nested) {
      axis.stride = below(rng, 4) == 0 ? -stride : stride;
      stride *= static_cast<int64_t>(std::max<uint64_t>(axis.dim, 1)) + between(rng, 0, 1);
    } else {
      axis.stride = size * between(rng, -12, 12);
      if (four_bit) axis.stride &= ~int64_t{1};
    }
  }
  v.nbox = static_cast<uint8_t>(between(rng, 0, v.naxes == 0 ? 2 : 5));
  v.ncol = static_cast<uint8_t>(below(rng, v.nbox + 1));
  for (int b = 0; b < v.nbox; ++b) {
    v.box[b].extent = static_cast<uint32_t>(below(rng, 30) == 0 ? 0 : between(rng, 1, 4));
    if (v.naxes == 0) continue;
    v.box[b].axis = static_cast<uint8_t>(below(rng, v.naxes));
    v.box[b].step = static_cast<int32_t>(below(rng, 2) ? 1 : between(rng, -2, 2));
  }
  // Packed nibbles along the last box dim, where the rules allow them.
  if (four_bit && v.nbox > 0 && v.naxes > 0 && below(rng, 2) == 0) {
    auto& last = v.box[v.nbox - 1];
    bool alone = true;
    for (int b = 0; b + 1 < v.nbox; ++b) alone &= v.box[b].axis != last.axis;
    if (alone) {
      v.axes[last.axis].stride = 1;
      v.axes[last.axis].origin &= ~int64_t{1};
      last.step = 1;
      last.extent = (last.extent + 1) & ~1u;
    }
  }
  return v;
}

/// A view of a 4-bit tensor whose last axis is packed, dims odd and even; the last box dim is on it, and
/// every other axis is a whole number of bytes. Passes checkView and checkViewPosition.
inline ViewDescriptor randomPackedView(Rng& rng) {
  ViewDescriptor v;
  v.type = std::array<uint8_t, 3>{0, 1, 9}[below(rng, 3)];
  v.base = 1 << 20;
  v.naxes = static_cast<uint8_t>(between(rng, 1, 3));
  const int packed = v.naxes - 1;
  int64_t stride = 1;
  for (int a = packed; a >= 0; --a) {
    auto& axis = v.axes[a];
    axis.dim = static_cast<uint64_t>(between(rng, 1, a == packed ? 9 : 4));
    axis.origin = a == packed ? 2 * between(rng, -1, 3) : between(rng, -1, 2);
    axis.stride = a != packed && below(rng, 4) == 0 ? -stride : stride;
    stride = stride * static_cast<int64_t>(axis.dim) + 2 * between(rng, 0, 1);
    stride += stride % 2;
  }
  v.nbox = static_cast<uint8_t>(between(rng, 1, v.naxes == 1 ? 1 : 4));
  v.ncol = static_cast<uint8_t>(below(rng, v.nbox + 1));
  for (int b = 0; b + 1 < v.nbox; ++b)
    v.box[b] = {static_cast<uint32_t>(between(rng, 1, 3)), static_cast<uint8_t>(below(rng, packed)),
                static_cast<int32_t>(between(rng, -1, 2))};
  v.box[v.nbox - 1] = {static_cast<uint32_t>(2 * between(rng, 0, 4)), static_cast<uint8_t>(packed),
                       1};
  return v;
}

/// Visits the first nibble, counted from byte `origin` on, of every element inside; a named axis takes every index.
template <class F>
void insideElements(const ViewDescriptor& v, int named_axis, uint64_t origin, F&& f) {
  if (v.empty()) return;
  for (uint64_t r = 0; r < v.rows(); ++r)
    for (uint64_t c = 0; c < v.columns(); ++c) {
      const int64_t indices =
          named_axis == kNoNamedAxis ? 1 : static_cast<int64_t>(v.axes[named_axis].dim);
      for (int64_t index = 0; index < indices; ++index) {
        const Element e = viewElement(v, r, c, named_axis, index);
        if (e.inside) f(static_cast<uint64_t>(e.nibble - Int128{2 * origin}));
      }
    }
}

/// The axis of box dim 0 for some views that a gather could take, else kNoNamedAxis.
inline int someNamedAxis(Rng& rng, const ViewDescriptor& v) {
  if (v.nbox == 0 || v.naxes == 0 || below(rng, 4) != 0) return kNoNamedAxis;
  return checkViewPosition(v, v.box[0].axis) ? kNoNamedAxis : v.box[0].axis;
}

}  // namespace etalon::isa::brute_force
