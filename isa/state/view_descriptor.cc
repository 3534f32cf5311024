// SPDX-License-Identifier: Apache-2.0
#include "isa/state/view_descriptor.h"

#include "isa/base/bits.h"
#include "isa/base/check.h"

namespace etalon::isa {
namespace {

constexpr size_t kAxisBytes = 24, kAxesAt = 24;
constexpr size_t kBoxBytes = 8, kBoxAt = 168;

uint64_t saturatingProduct(const ViewDescriptor& view, int first, int end) {
  uint64_t product = 1;
  bool saturated = false;
  for (int b = first; b < end; ++b) {
    const uint64_t extent = view.box[b].extent;
    if (extent == 0) return 0;
    saturated |= __builtin_mul_overflow(product, extent, &product);
  }
  return saturated ? ~uint64_t{0} : product;
}

/// Bytes of the elements whose coordinates on axis a are ranges[a], first element to past the last.
ByteInterval hullOf(const ViewDescriptor& view, std::span<const CoordinateRange> ranges) {
  Int128 lo = 0;
  Int128 hi = 0;
  for (size_t a = 0; a < ranges.size(); ++a) {
    if (ranges[a].empty()) return {};
    const Int128 first = ranges[a].lo * view.axes[a].stride;
    const Int128 last = (ranges[a].hi - 1) * view.axes[a].stride;
    lo += std::min(first, last);
    hi += std::max(first, last);
  }
  const int element_bits = view.elementBits();
  // Offsets count nibbles for 4-bit types: whole bytes outward (>> rounds down).
  if (element_bits == 4) return {view.base + (lo >> 1), view.base + (hi >> 1) + 1};
  return {view.base + lo, view.base + hi + element_bits / 8};
}

}  // namespace

ElementType ViewDescriptor::elementType() const {
  ETALON_CHECK(hasType(), "element type of a view with a reserved type code");
  return static_cast<ElementType>(type);
}

uint64_t ViewDescriptor::rows() const { return saturatingProduct(*this, 0, nbox - ncol); }
uint64_t ViewDescriptor::columns() const { return saturatingProduct(*this, nbox - ncol, nbox); }

bool ViewDescriptor::empty() const {
  for (int b = 0; b < nbox; ++b)
    if (box[b].extent == 0) return true;
  return false;
}

ViewDescriptor loadViewImage(std::span<const std::byte, kViewImageBytes> image) {
  const std::byte* at = image.data();
  ViewDescriptor view;
  view.base = loadBytes<uint64_t>(at);
  view.type = loadBytes<uint8_t>(at + 8);
  view.naxes = loadBytes<uint8_t>(at + 9);
  view.nbox = loadBytes<uint8_t>(at + 10);
  view.ncol = loadBytes<uint8_t>(at + 11);
  view.fill = loadBytes<uint64_t>(at + 16);
  for (size_t a = 0; a < kMaxAxes; ++a) {
    const std::byte* axis = at + kAxesAt + kAxisBytes * a;
    view.axes[a] = {loadBytes<uint64_t>(axis), loadBytes<int64_t>(axis + 8),
                    loadBytes<int64_t>(axis + 16)};
  }
  for (size_t b = 0; b < kMaxBoxDims; ++b) {
    const std::byte* box = at + kBoxAt + kBoxBytes * b;
    const uint32_t word = loadBytes<uint32_t>(box);
    view.box[b] = {word & 0xFFFFFF, static_cast<uint8_t>(word >> 24), loadBytes<int32_t>(box + 4)};
  }
  return view;
}

void storeViewImage(const ViewDescriptor& view, std::span<std::byte, kViewImageBytes> image) {
  std::byte* at = image.data();
  std::fill(image.begin(), image.end(), std::byte{0});
  storeBytes(at, view.base);
  storeBytes(at + 8, view.type);
  storeBytes(at + 9, view.naxes);
  storeBytes(at + 10, view.nbox);
  storeBytes(at + 11, view.ncol);
  storeBytes(at + 12, uint8_t{1});
  storeBytes(at + 16, view.fill);
  for (size_t a = 0; a < kMaxAxes; ++a) {
    std::byte* axis = at + kAxesAt + kAxisBytes * a;
    storeBytes(axis, view.axes[a].dim);
    storeBytes(axis + 8, view.axes[a].stride);
    storeBytes(axis + 16, view.axes[a].origin);
  }
  for (size_t b = 0; b < kMaxBoxDims; ++b) {
    const ViewDescriptor::Box& box = view.box[b];
    ETALON_CHECK(box.extent < 1u << 24, "extent of a box dim has 24 bits");
    storeBytes(at + kBoxAt + kBoxBytes * b, box.extent | uint32_t{box.axis} << 24);
    storeBytes(at + kBoxAt + kBoxBytes * b + 4, box.step);
  }
}

CoordinateRange coordinateRange(const ViewDescriptor& view, int axis) {
  Int128 lo = view.axes[axis].origin;
  Int128 hi = lo;
  for (int b = 0; b < view.nbox; ++b) {
    if (view.box[b].axis != axis) continue;
    const Int128 reach = Int128{view.box[b].step} * (Int128{view.box[b].extent} - 1);
    (reach < 0 ? lo : hi) += reach;
  }
  return {lo, hi + 1};
}

CoordinateRange clippedRange(const ViewDescriptor& view, int axis, int named_axis) {
  const Int128 dim = view.axes[axis].dim;
  if (axis == named_axis) return {0, dim};
  const CoordinateRange range = coordinateRange(view, axis);
  return {std::max(range.lo, Int128{0}), std::min(range.hi, dim)};
}

ByteInterval boxHull(const ViewDescriptor& view, int named_axis) {
  if (view.empty()) return {};
  std::array<CoordinateRange, kMaxAxes> ranges;
  for (int a = 0; a < view.naxes; ++a) ranges[a] = clippedRange(view, a, named_axis);
  return hullOf(view, std::span(ranges).first(view.naxes));
}

ByteInterval tensorHull(const ViewDescriptor& view) {
  std::array<CoordinateRange, kMaxAxes> ranges;
  for (int a = 0; a < view.naxes; ++a) ranges[a] = {0, Int128{view.axes[a].dim}};
  return hullOf(view, std::span(ranges).first(view.naxes));
}

}  // namespace etalon::isa
