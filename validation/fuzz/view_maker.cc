// SPDX-License-Identifier: Apache-2.0
#include "validation/fuzz/view_maker.h"

#include <algorithm>

namespace etalon::fuzz {
namespace {

constexpr int kTries = 4;

/// Size of an element in the unit of strides: bytes, nibbles of 4-bit types.
int64_t strideUnit(const isa::ViewDescriptor& v) { return std::max(v.elementBits() / 8, 1); }

void addBox(isa::ViewDescriptor& v, uint64_t extent, uint8_t axis, int32_t step) {
  v.box[v.nbox++] = {.extent = static_cast<uint32_t>(extent), .axis = axis, .step = step};
}

/// A box dim of its own axis, or two that tile the axis.
void addExtent(Random& random, isa::ViewDescriptor& v, uint64_t extent) {
  const uint8_t axis = v.naxes++;
  // Axes of 4-bit types have rules of their own.
  const bool four_bit = v.elementBits() == 4;
  uint64_t part = random.oneIn(3) && !four_bit ? 1 + random.below(4) : 1;
  if (extent == 0 || extent % part != 0) part = 1;
  if (part > 1) addBox(v, extent / part, axis, static_cast<int32_t>(part));
  const int32_t step =
      part > 1 || four_bit || !random.oneIn(5) ? 1 : random.pick<int32_t>({-1, 2, -2, 3});
  addBox(v, extent / part, axis, step);
  // The last one is the finer.
  if (part > 1) v.box[v.nbox - 1].extent = static_cast<uint32_t>(part);
}

/// Dims that hold the boxes, more or less; origins; strides so that axes nest in a random order. Returns the tensor's
/// units of stride.
uint64_t spreadAxes(Random& random, isa::ViewDescriptor& v, bool plain) {
  std::vector<int> order;
  for (int a = 0; a < v.naxes; ++a) order.insert(order.begin(), a);
  if (!plain && random.oneIn(4))
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  int64_t stride = strideUnit(v), below_base = 0;
  for (const int a : order) {
    int64_t low = 0, high = 0;
    for (int b = 0; b < v.nbox; ++b) {
      if (v.box[b].axis != a || v.box[b].extent == 0) continue;
      const int64_t reach = int64_t{v.box[b].step} * (v.box[b].extent - 1);
      (reach < 0 ? low : high) += reach;
    }
    auto& axis = v.axes[a];
    axis.origin = -low;
    axis.dim = static_cast<uint64_t>(high - low + 1);
    if (!plain && random.oneIn(3)) axis.dim += random.below(3);
    if (!plain && random.oneIn(4)) axis.origin += static_cast<int64_t>(random.below(5)) - 2;
    axis.stride = stride;
    if (!plain && random.oneIn(8)) {
      axis.stride = -stride;
      below_base += stride * static_cast<int64_t>(axis.dim - 1);
    }
    stride *= static_cast<int64_t>(axis.dim);
    // Rows of 4-bit types begin on a byte.
    if (v.elementBits() == 4) stride += stride & 1;
    if (!plain && random.oneIn(6)) stride += 2 * strideUnit(v);
  }
  v.base = static_cast<uint64_t>(below_base);
  return static_cast<uint64_t>(stride);
}

/// Moves the tensor, whose base is an offset now, to a random place of the area; false if it has none.
bool moveInto(Random& random, isa::ViewDescriptor& v, uint64_t units, const Area& area) {
  const bool four_bit = v.elementBits() == 4;
  const uint64_t bytes = four_bit ? (units + 1) / 2 : units;
  const bool has_room = bytes <= area.bytes;
  const auto size = static_cast<uint64_t>(strideUnit(v));
  const uint64_t offset = has_room ? random.below(area.bytes - bytes + 1) / size * size : 0;
  v.base = area.address + (four_bit ? v.base / 2 : v.base) + offset;
  return has_room;
}

isa::ViewDescriptor emptyView(Random& random, ElementType type) {
  isa::ViewDescriptor v;
  v.type = static_cast<uint8_t>(type);
  v.fill = random.word();
  return v;
}

}  // namespace

isa::ViewDescriptor makeView(Random& random, ElementType type, uint64_t rows, uint64_t columns,
                             const Area& area, bool repeats) {
  isa::ViewDescriptor v;
  for (int i = 0; i <= kTries; ++i) {
    const bool plain = i == kTries || elementInfo(type).bits == 4;
    v = emptyView(random, type);
    addExtent(random, v, rows);
    const int row_boxes = v.nbox;
    addExtent(random, v, columns);
    v.ncol = static_cast<uint8_t>(v.nbox - row_boxes);
    if (plain)
      for (int b = 0; b < v.nbox; ++b)
        if (v.box[b].step < 0 || v.nbox == 2) v.box[b].step = 1;
    if (repeats && random.oneIn(8)) v.box[random.below(v.nbox)].step = 0;
    if (!plain && random.oneIn(8)) ++v.naxes;  // an axis without box dim
    if (moveInto(random, v, spreadAxes(random, v, plain), area)) break;
  }
  return v;
}

isa::ViewDescriptor makeIndexedView(Random& random, ElementType type, uint64_t indices,
                                    uint64_t rows, uint64_t columns, const Area& area) {
  isa::ViewDescriptor v = emptyView(random, type);
  v.naxes = 3;
  addBox(v, indices, 0, 1);
  addBox(v, indices == 0 ? 0 : rows / indices, 1, 1);
  addBox(v, columns, 2, 1);
  v.ncol = 1;
  const uint64_t units = spreadAxes(random, v, true);
  if (random.oneIn(3)) v.axes[0].origin = static_cast<int64_t>(random.below(4)) - 1;
  moveInto(random, v, units, area);
  return v;
}

}  // namespace etalon::fuzz
