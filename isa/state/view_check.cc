// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <limits>

#include "isa/base/bits.h"
#include "isa/state/view_descriptor.h"

namespace etalon::isa {
namespace {

constexpr uint64_t kDimLimit = uint64_t{1} << 48;
constexpr Int128 kAddressLimit = Int128{1} << 64;

/// Axis whose stride is odd; kNoNamedAxis if none. Only 4-bit types may have one.
int oddStrideAxis(const ViewDescriptor& view) {
  for (int a = 0; a < view.naxes; ++a)
    if (view.axes[a].stride & 1) return a;
  return kNoNamedAxis;
}

std::optional<Malformed> checkCounts(const ViewDescriptor& view) {
  if (!view.hasType())
    return Malformed{
        Problem::ReservedType, "type",
        fmt::format("code {} is reserved; types are 0 to {}", view.type, kElementTypes - 1)};
  if (view.naxes > kMaxAxes)
    return Malformed{Problem::Count, "naxes",
                     fmt::format("is {}, at most {}", view.naxes, kMaxAxes)};
  if (view.nbox > kMaxBoxDims)
    return Malformed{Problem::Count, "nbox",
                     fmt::format("is {}, at most {}", view.nbox, kMaxBoxDims)};
  if (view.ncol > view.nbox)
    return Malformed{Problem::Count, "ncol",
                     fmt::format("is {}, at most nbox, which is {}", view.ncol, view.nbox)};
  return std::nullopt;
}

std::optional<Malformed> checkBoxDims(const ViewDescriptor& view) {
  for (int b = 0; b < view.nbox; ++b) {
    const ViewDescriptor::Box& box = view.box[b];
    if (view.naxes == 0 && (box.axis != 0 || box.step != 0))
      return Malformed{Problem::AxisNumber, fmt::format("box[{}]", b),
                       fmt::format("has axis {}, step {}; a view without axes repeats the element "
                                   "at base, so both are 0",
                                   box.axis, box.step)};
    if (view.naxes > 0 && box.axis >= view.naxes)
      return Malformed{Problem::AxisNumber, fmt::format("box[{}].axis", b),
                       fmt::format("is {}, the view has axes 0 to {} (a repeat is step 0)",
                                   box.axis, view.naxes - 1)};
  }
  return std::nullopt;
}

/// 4-bit types: at most one odd stride; it is +1 and its axis is that of the last box dim only,
/// with step 1, so that every run of columns begins on a byte.
std::optional<Malformed> checkFourBitStrides(const ViewDescriptor& view) {
  const int odd = oddStrideAxis(view);
  if (view.elementBits() != 4 || odd == kNoNamedAxis) return std::nullopt;
  for (int a = odd; a < view.naxes; ++a) {
    const int64_t stride = view.axes[a].stride;
    if ((stride & 1) && (a != odd || stride != 1))
      return Malformed{
          Problem::FourBitRule, fmt::format("axes[{}].stride", a),
          fmt::format("is {} nibbles; one axis may have +1, all others are even", stride)};
  }
  const int last = view.nbox - 1;
  if (last < 0 || view.box[last].axis != odd)
    return Malformed{Problem::FourBitRule, fmt::format("axes[{}].stride", odd),
                     "is 1 nibble; such an axis must be that of the last box dim"};
  for (int b = 0; b < last; ++b)
    if (view.box[b].axis == odd)
      return Malformed{
          Problem::FourBitRule, fmt::format("box[{}].axis", b),
          fmt::format("is {}, whose stride is 1 nibble; only the last box dim may name it", odd)};
  if (view.box[last].step != 1)
    return Malformed{
        Problem::FourBitRule, fmt::format("box[{}].step", last),
        fmt::format("is {}; along a stride of 1 nibble it must be 1", view.box[last].step)};
  return std::nullopt;
}

std::optional<Malformed> checkFourBitPosition(const ViewDescriptor& view, int named_axis) {
  const int odd = oddStrideAxis(view);
  if (view.elementBits() != 4 || odd == kNoNamedAxis) return std::nullopt;
  if (odd == named_axis)
    return Malformed{Problem::FourBitRule, fmt::format("axes[{}].stride", odd),
                     "is 1 nibble; an index can not select single nibbles, index whole bytes"};
  if (view.axes[odd].origin & 1)
    return Malformed{
        Problem::FourBitRule, fmt::format("axes[{}].origin", odd),
        fmt::format("is {}; along a stride of 1 nibble it must be even", view.axes[odd].origin)};
  const int last = view.nbox - 1;
  if (view.box[last].extent & 1)
    return Malformed{
        Problem::FourBitRule, fmt::format("box[{}].extent", last),
        fmt::format("is {}; along a stride of 1 nibble it must be even", view.box[last].extent)};
  return std::nullopt;
}

std::optional<Malformed> checkNamedAxis(const ViewDescriptor& view, int named_axis) {
  if (named_axis >= view.naxes)
    return Malformed{
        Problem::AxisNumber, "axis",
        fmt::format("the instruction names axis {}, the view has {} axes", named_axis, view.naxes)};
  if (view.nbox == 0 || view.box[0].axis != named_axis)
    return Malformed{Problem::AxisNumber, "box[0].axis",
                     fmt::format("box dim 0 counts the indices, so it must exist and be on the "
                                 "named axis {}",
                                 named_axis)};
  return std::nullopt;
}

}  // namespace

std::optional<Malformed> checkViewImage(std::span<const std::byte, kViewImageBytes> image) {
  const auto version = static_cast<uint8_t>(image[12]);
  if (version != 1)
    return Malformed{Problem::Version, "version", fmt::format("is {}, must be 1", version)};
  const auto spare = [image](size_t first, size_t end) -> std::optional<Malformed> {
    for (size_t i = first; i < end; ++i)
      if (image[i] != std::byte{0})
        return Malformed{Problem::SpareBits, fmt::format("byte {}", i),
                         fmt::format("is {:#04x}, must be 0", static_cast<unsigned>(image[i]))};
    return std::nullopt;
  };
  if (auto malformed = spare(13, 16)) return malformed;
  if (auto malformed = spare(232, kViewImageBytes)) return malformed;
  return checkView(loadViewImage(image));
}

std::optional<Malformed> checkView(const ViewDescriptor& view) {
  if (auto malformed = checkCounts(view)) return malformed;
  for (int a = 0; a < view.naxes; ++a)
    if (view.axes[a].dim >= kDimLimit)
      return Malformed{Problem::Dim, fmt::format("axes[{}].dim", a),
                       fmt::format("is {}, must be below 2^48", view.axes[a].dim)};
  if (auto malformed = checkBoxDims(view)) return malformed;
  if (auto malformed = checkFourBitStrides(view)) return malformed;
  const ByteInterval hull = tensorHull(view);
  if (!hull.empty() && (hull.lo < 0 || hull.hi > kAddressLimit))
    return Malformed{Problem::AddressWrap, "base",
                     fmt::format("is {:#x}; with these dims and strides the tensor {}", view.base,
                                 hull.lo < 0 ? "begins below address 0" : "ends past 2^64")};
  return std::nullopt;
}

std::optional<Malformed> checkViewPosition(const ViewDescriptor& view, int named_axis) {
  if (named_axis != kNoNamedAxis)
    if (auto malformed = checkNamedAxis(view, named_axis)) return malformed;
  if (view.empty()) return std::nullopt;
  if (auto malformed = checkFourBitPosition(view, named_axis)) return malformed;
  constexpr Int128 kLowest = std::numeric_limits<int64_t>::min();
  constexpr Int128 kHighest = std::numeric_limits<int64_t>::max();
  for (int a = 0; a < view.naxes; ++a) {
    // An index lies in [0, 2^48) or takes nothing; the other box dims add less than 2^58.
    if (a == named_axis) continue;
    const CoordinateRange range = coordinateRange(view, a);
    if (range.lo < kLowest || range.hi - 1 > kHighest)
      return Malformed{Problem::CoordinateOverflow, fmt::format("axes[{}].origin", a),
                       fmt::format("is {}; with the box dims a coordinate leaves the signed "
                                   "64-bit range",
                                   view.axes[a].origin)};
  }
  return std::nullopt;
}

std::optional<Malformed> checkViewAlignment(const ViewDescriptor& view) {
  const int size = view.elementBits() / 8;
  if (size <= 1) return std::nullopt;
  const std::string_view name = elementInfo(view.elementType()).name;
  if (view.base % size != 0)
    return Malformed{
        Problem::Misaligned, "base",
        fmt::format("is {:#x}, no multiple of {}, the bytes of {}", view.base, size, name)};
  for (int a = 0; a < view.naxes; ++a)
    if (view.axes[a].stride % size != 0)
      return Malformed{Problem::Misaligned, fmt::format("axes[{}].stride", a),
                       fmt::format("is {} bytes, no multiple of {}, the bytes of {}",
                                   view.axes[a].stride, size, name)};
  return std::nullopt;
}

}  // namespace etalon::isa
