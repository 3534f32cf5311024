// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/coverage/view_shapes.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

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

/// Moves the box on axis a, or cuts the axis, as `bounds` says; by a multiple of `by`.
void applyBounds(Scene& s, View::Axis& axis, uint64_t span, const std::string& bounds, int64_t by) {
  const auto some = static_cast<int64_t>(1 + s.random() % 2) * by;
  if (bounds == "before") axis.origin -= some;
  if (bounds == "past") axis.dim = span > 1 ? span - 1 : span;
  if (bounds == "around") {
    axis.origin += some;
    axis.dim = span;
  }
  if (bounds == "outside") axis.origin += static_cast<int64_t>(axis.dim + span) * by;
  if (bounds == "empty") axis.dim = 0;
}

void fillView(Scene& s, uint64_t bytes, uint64_t start, const std::string& values) {
  const auto width = static_cast<uint64_t>(reference::bitsOf(s.call.view.type));
  for (uint64_t bit = 0; bit + width <= 8 * bytes; bit += width) {
    const uint64_t bits = elementOfKind(s.call.view.type, values, s.random);
    uint8_t& first = *s.memory.at(start + bit / 8);
    if (width == 4)
      first = static_cast<uint8_t>(bit % 8 == 0 ? bits : first | bits << 4);
    else
      for (uint64_t i = 0; i < width / 8; ++i) (&first)[i] = static_cast<uint8_t>(bits >> 8 * i);
  }
}

/// The axis that may have a stride of one nibble: that of the last box dim, which alone names it and
/// takes it in steps of 1 and in pairs.
std::optional<unsigned> packableAxis(const View& view, unsigned named) {
  if (reference::bitsOf(view.type) != 4 || view.box.empty() || view.axes.empty())
    return std::nullopt;
  const View::Box& last = view.box.back();
  const bool alone = std::ranges::count(view.box, last.axis, &View::Box::axis) == 1;
  const bool fits = alone && last.step == 1 && last.extent % 2 == 0 && last.axis != named;
  return fits ? std::optional(last.axis) : std::nullopt;
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

void placeTensor(Scene& s, std::vector<unsigned> contiguous_last, bool descending,
                 const std::string& bounds, bool local, const std::string& values, unsigned named,
                 uint64_t least) {
  View& view = s.call.view;
  const bool four_bit = reference::bitsOf(view.type) == 4;
  std::optional<unsigned> packed = packableAxis(view, named);
  if (s.random() % 4 == 0) packed.reset();
  if (packed) {
    std::erase(contiguous_last, *packed);
    contiguous_last.push_back(*packed);
  }
  // In bytes; of 4-bit types in nibbles, an even number from element to element unless packed.
  const int64_t size = four_bit ? 2 : reference::bitsOf(view.type) / 8;
  int64_t stride = packed ? 1 : size;
  int64_t below = 0;  // of the tensor before its coordinate 0
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
    const bool down = descending && packed != a;
    axis.stride = down ? -stride : stride;
    if (down) below += (widest - 1) * stride;
    stride = stride * widest + size * static_cast<int64_t>(s.random() % 2);
    if (four_bit) stride += stride % 2;
    if (a != named || bounds == "empty") applyBounds(s, axis, span, bounds, packed == a ? 2 : 1);
  }
  const auto bytes = static_cast<uint64_t>(four_bit ? (stride + 1) / 2 : stride);
  const uint64_t start = s.reserve(bytes, local);
  view.base = start + static_cast<uint64_t>(four_bit ? below / 2 : below);
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
