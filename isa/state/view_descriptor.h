// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "isa/element_type.h"
#include "isa/state/interval.h"
#include "isa/state/malformed.h"

namespace etalon::isa {

inline constexpr int kViewRegisters = 16;
inline constexpr int kViewImageBytes = 256;
inline constexpr int kMaxAxes = 6;
inline constexpr int kMaxBoxDims = 8;
inline constexpr int kNoNamedAxis = -1;

/// A view register: a cursor into a tensor. Coordinate on an axis = origin + sum of index * step
/// over the box dims that name it; an element is outside if any coordinate leaves [0, dim); its
/// address is base + sum of coordinate * stride. Layout: isa-reference.md, "View descriptor".
/// Entries past naxes and nbox have no meaning; they are kept, so that a stored image is the
/// loaded one, and not checked. All but the checks and the image functions require checkView.
struct ViewDescriptor {
  struct Axis {
    uint64_t dim = 0;    ///< elements, < 2^48
    int64_t stride = 0;  ///< bytes; nibbles for 4-bit types
    int64_t origin = 0;
    bool operator==(const Axis&) const = default;
  };
  struct Box {
    uint32_t extent = 0;  ///< < 2^24
    uint8_t axis = 0;
    int32_t step = 0;
    bool operator==(const Box&) const = default;
  };

  uint64_t base = 0;
  uint8_t type = 0;   ///< raw code, reserved ones included
  uint8_t naxes = 0;  ///< 0..6
  uint8_t nbox = 0;   ///< 0..8
  uint8_t ncol = 0;   ///< trailing box dims that make the columns
  uint64_t fill = 0;  ///< bits of the view type in the low end; those above are ignored
  std::array<Axis, kMaxAxes> axes{};
  std::array<Box, kMaxBoxDims> box{};  ///< outermost first

  bool operator==(const ViewDescriptor&) const = default;

  bool hasType() const { return type < kElementTypes; }
  ElementType elementType() const;
  int elementBits() const { return elementInfo(elementType()).bits; }

  /// Products of the leading extents and of the last ncol, saturated at 2^64 - 1 (no tile has as
  /// many); the empty product is 1.
  uint64_t rows() const;
  uint64_t columns() const;
  /// No element: some box extent is 0. (A box wholly outside the tensor is not empty, it is fill.)
  bool empty() const;
};

/// The 256-byte image of et.vld, et.vst. Loading drops version and spare bytes: ask
/// checkViewImage first.
ViewDescriptor loadViewImage(std::span<const std::byte, kViewImageBytes> image);
void storeViewImage(const ViewDescriptor& view, std::span<std::byte, kViewImageBytes> image);

/// Everything et.vld refuses: version, spare bytes, and checkView of the fields.
std::optional<Malformed> checkViewImage(std::span<const std::byte, kViewImageBytes> image);

/// Rules on the fields that hold from et.vld on, whatever the cursor does: counts, type, axis
/// numbers, dims, 4-bit strides and steps, and that the whole tensor's addresses do not wrap.
/// With naxes = 0 every element is the one at base; box dims then only count, so their axis and
/// step must be 0.
std::optional<Malformed> checkView(const ViewDescriptor& view);

/// Rules asked at issue because et.vseek, et.vadv, et.vext move them, all ignored by an empty box:
/// coordinates within signed 64 bits, and for the odd-stride axis of 4-bit types an even origin and
/// extent. `named_axis`: the axis whose coordinate gather and scatter take from the index instead
/// of origin and box dim 0 (kNoNamedAxis otherwise).
std::optional<Malformed> checkViewPosition(const ViewDescriptor& view,
                                           int named_axis = kNoNamedAxis);

/// Base and strides are multiples of the element size (4-bit types: always true). Its own function
/// because it is a cause of its own (28), not a malformed descriptor.
std::optional<Malformed> checkViewAlignment(const ViewDescriptor& view);

/// Coordinates [lo, hi) on one axis; empty if hi <= lo.
struct CoordinateRange {
  Int128 lo = 0;
  Int128 hi = 0;
  bool empty() const { return hi <= lo; }
};

/// Coordinates the box takes on an axis, as the interval that holds them: before clipping, and
/// clipped to [0, dim). A named axis counts as its whole [0, dim). The box must not be empty.
CoordinateRange coordinateRange(const ViewDescriptor& view, int axis);
CoordinateRange clippedRange(const ViewDescriptor& view, int axis, int named_axis = kNoNamedAxis);

/// Smallest byte interval that holds every element of the clipped box's per-axis ranges; empty if
/// the box or any range is. This is what bounds and permissions are asked of.
ByteInterval boxHull(const ViewDescriptor& view, int named_axis = kNoNamedAxis);
/// The same for the whole tensor, every axis [0, dim).
ByteInterval tensorHull(const ViewDescriptor& view);

}  // namespace etalon::isa
