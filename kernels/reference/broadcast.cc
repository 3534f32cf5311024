// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/broadcast.h"

#include <algorithm>

#include "isa/base/check.h"

namespace etalon::kernels {

std::optional<Shape> broadcastShape(const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()));
  for (size_t back = 1; back <= shape.size(); ++back) {
    const uint64_t in_a = back <= a.size() ? a[a.size() - back] : 1;
    const uint64_t in_b = back <= b.size() ? b[b.size() - back] : 1;
    if (in_a != in_b && in_a != 1 && in_b != 1) return std::nullopt;
    shape[shape.size() - back] = in_a == 1 ? in_b : in_a;
  }
  return shape;
}

std::vector<uint64_t> broadcastIndices(const Shape& from, const Shape& to) {
  ETALON_CHECK(broadcastShape(from, to) == to, "a shape that broadcasts to the other");
  std::vector<uint64_t> steps(to.size(), 0);
  uint64_t step = 1;
  for (size_t back = 1; back <= from.size(); ++back) {
    const uint64_t extent = from[from.size() - back];
    if (extent != 1) steps[to.size() - back] = step;
    step *= extent;
  }
  std::vector<uint64_t> indices(abi::elementCount(to));
  std::vector<uint64_t> coordinates(to.size(), 0);
  uint64_t index = 0;
  for (uint64_t& slot : indices) {
    slot = index;
    for (size_t axis = to.size(); axis-- > 0;) {
      index += steps[axis];
      if (++coordinates[axis] < to[axis]) break;
      index -= steps[axis] * to[axis];
      coordinates[axis] = 0;
    }
  }
  return indices;
}

}  // namespace etalon::kernels
