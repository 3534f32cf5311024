// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/coverage/view_shapes.h"

#include <algorithm>
#include <cstdlib>

namespace etalon::sim::coverage {
namespace {

using reference::View;

uint64_t factor(uint64_t n) {
  for (uint64_t d = 2; d * d <= n; ++d)
    if (n % d == 0) return d;
  return 1;
}

/// Box dims that split n on one axis: `outer_step` 0 makes them tile it.
void split(View& view, uint64_t n, unsigned axis, int64_t outer_step) {
  const uint64_t inner = n == 0 ? 0 : n / factor(n);
  const auto tile = static_cast<int64_t>(inner);
  view.box.push_back({n == 0 ? 1 : factor(n), axis, outer_step ? outer_step : tile});
  view.box.push_back({inner, axis, 1});
}

/// Six axes: rows on 0..2, columns on 3 and 4, axis 5 without box dim.
void many(View& view, uint64_t rows, uint64_t columns) {
  view.box = {{1, 2, 5}, {rows, 0, 1}, {1, 1, -1}, {1, 0, 3}};
  split(view, columns, 3, 0);
  view.box.push_back({1, 4, 1});
  view.box.push_back({1, 3, 7});
  view.ncol = 4;
  view.axes.resize(6);
}

void shapeBox(View& view, uint64_t rows, uint64_t columns, const std::string& shape) {
  view.axes.resize(2);
  view.ncol = 1;
  view.box = {{rows, 0, 1}, {columns, 1, 1}};
  if (shape == "flipped") view.box = {{rows, 0, -1}, {columns, 1, -1}};
  if (shape == "dilated") view.box = {{rows, 0, 2}, {columns, 1, 3}};
  if (shape == "repeat") view.box = {{rows, 0, 0}, {columns, 1, 1}};
  if (shape == "many") many(view, rows, columns);
  if (shape == "rows-only") {
    view.box = {{rows, 0, 1}};
    view.ncol = 0;
  }
  if (shape == "columns-only") view.ncol = 2;
  if (shape == "none") {
    view.axes.clear();
    view.box = {{rows, 0, 0}, {columns, 0, 0}};
  }
  if (shape == "windows" || shape == "overlapping") {
    view.box.clear();
    split(view, rows, 0, shape == "windows" ? 0 : 1);
    split(view, columns, 1, shape == "windows" ? 0 : 2);
    view.ncol = 2;
  }
}

/// Moves the box on axis a, or cuts the axis, as `bounds` says.
void applyBounds(Scene& s, View::Axis& axis, uint64_t span, const std::string& bounds) {
  const auto some = static_cast<int64_t>(1 + s.random() % 2);
  if (bounds == "before") axis.origin -= some;
  if (bounds == "past") axis.dim = span > 1 ? span - 1 : span;
  if (bounds == "around") {
    axis.origin += some;
    axis.dim = span;
  }
  if (bounds == "outside") axis.origin += static_cast<int64_t>(axis.dim + span);
  if (bounds == "empty") axis.dim = 0;
}

void fillView(Scene& s, uint64_t bytes, uint64_t start, const std::string& values) {
  const auto size = static_cast<uint64_t>(reference::bitsOf(s.call.view.type) / 8);
  for (uint64_t at = 0; at + size <= bytes; at += size) {
    const uint64_t bits = elementOfKind(s.call.view.type, values, s.random);
    for (uint64_t i = 0; i < size; ++i)
      *s.memory.at(start + at + i) = static_cast<uint8_t>(bits >> (8 * i));
  }
}

}  // namespace

std::vector<std::string> viewShapes(bool repeats) {
  std::vector<std::string> shapes = {"matrix",      "column-major", "flipped", "negative-stride",
                                     "dilated",     "windows",      "many",    "rows-only",
                                     "columns-only"};
  if (repeats) shapes.insert(shapes.end(), {"overlapping", "repeat", "none"});
  return shapes;
}

const std::vector<std::string>& viewBounds() {
  static const std::vector<std::string> bounds = {"inside", "before",  "past",
                                                  "around", "outside", "empty"};
  return bounds;
}

void placeTensor(Scene& s, const std::vector<unsigned>& contiguous_last, bool descending,
                 const std::string& bounds, bool local, const std::string& values, unsigned named,
                 uint64_t least) {
  View& view = s.call.view;
  const auto size = static_cast<int64_t>(reference::bitsOf(view.type) / 8);
  int64_t stride = size;
  int64_t below = 0;  // bytes of the tensor before its coordinate 0
  for (size_t n = contiguous_last.size(); n-- > 0;) {
    const unsigned a = contiguous_last[n];
    int64_t low = 0, high = 0;
    for (size_t b = a == named ? 1 : 0; b < view.box.size(); ++b) {
      if (view.box[b].axis != a || view.box[b].extent == 0) continue;
      const int64_t reach = view.box[b].step * static_cast<int64_t>(view.box[b].extent - 1);
      (reach < 0 ? low : high) += reach;
    }
    const uint64_t span = std::max(static_cast<uint64_t>(high - low + 1), a == named ? least : 0);
    View::Axis& axis = view.axes[a];
    axis.dim = span + s.random() % 3;
    axis.origin = -low;
    const auto widest = static_cast<int64_t>(axis.dim);
    axis.stride = descending ? -stride : stride;
    if (descending) below += (widest - 1) * stride;
    stride = stride * widest + size * static_cast<int64_t>(s.random() % 2);
    if (a != named || bounds == "empty") applyBounds(s, axis, span, bounds);
  }
  const auto bytes = static_cast<uint64_t>(stride);
  const uint64_t start = s.reserve(bytes, local);
  view.base = start + static_cast<uint64_t>(below);
  view.fill = elementOfKind(view.type, values, s.random);
  if (reference::bitsOf(view.type) < 64) view.fill |= s.random() << reference::bitsOf(view.type);
  fillView(s, bytes, start, values);
}

void placeView(Scene& s, ElementType type, uint64_t rows, uint64_t columns,
               const std::string& shape, const std::string& bounds, bool local,
               const std::string& values) {
  View& view = s.call.view;
  view.type = type;
  shapeBox(view, rows, columns, shape);
  std::vector<unsigned> order;
  for (unsigned a = 0; a < view.axes.size(); ++a) order.push_back(a);
  if (shape == "column-major") std::ranges::reverse(order);
  placeTensor(s, order, shape == "negative-stride", bounds, local, values);
}

}  // namespace etalon::sim::coverage
