// SPDX-License-Identifier: Apache-2.0
#include "isa/state/view_descriptor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "isa/base/bits.h"
#include "isa/state/brute_force.h"
#include "isa/state/rule_test.h"

namespace etalon::isa {
namespace {

using brute_force::Rng;
using testing::HasSubstr;

using Image = std::array<std::byte, kViewImageBytes>;
constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();
constexpr int64_t kHighest = std::numeric_limits<int64_t>::max();

/// Every field distinct, laid out by hand from isa-reference.md.
Image handBuiltImage() {
  Image image{};
  const auto put = [&image](size_t at, auto value) { storeBytes(image.data() + at, value); };
  put(0, uint64_t{0x0123456789ABCDEF});
  put(8, uint8_t{15});
  put(9, uint8_t{6});
  put(10, uint8_t{8});
  put(11, uint8_t{3});
  put(12, uint8_t{1});
  put(16, uint64_t{0x1122334455667788});
  for (int a = 0; a < 6; ++a) {
    put(24 + 24 * a, uint64_t{100u + a});
    put(24 + 24 * a + 8, int64_t{-4 * (a + 1)});
    put(24 + 24 * a + 16, int64_t{-1000 - a});
  }
  for (int b = 0; b < 8; ++b) {
    put(168 + 8 * b, static_cast<uint32_t>(0xABCD00 + b) | static_cast<uint32_t>(b % 6) << 24);
    put(168 + 8 * b + 4, int32_t{-7 - b});
  }
  return image;
}

/// 16 x 32 elements of f32, a box of 4 x 8.
ViewDescriptor matrix() {
  ViewDescriptor v;
  v.type = static_cast<uint8_t>(ElementType::f32);
  v.base = 0x80000000;
  v.naxes = v.nbox = 2;
  v.ncol = 1;
  v.axes[0] = {16, 128, 0};
  v.axes[1] = {32, 4, 0};
  v.box[0] = {4, 0, 1};
  v.box[1] = {8, 1, 1};
  return v;
}

ViewDescriptor nibbles() {
  ViewDescriptor v = matrix();
  v.type = static_cast<uint8_t>(ElementType::u4);
  v.axes[1].stride = 1;
  v.axes[0].stride = 32;
  return v;
}

void expectMalformed(const std::optional<Malformed>& malformed, Problem problem,
                     const std::string& field, const std::string& text = "") {
  ASSERT_TRUE(malformed) << field;
  EXPECT_EQ(malformed->problem, problem) << malformed->field << " " << malformed->text;
  EXPECT_EQ(malformed->field, field);
  EXPECT_THAT(malformed->text, HasSubstr(text));
}

TEST(ViewDescriptor, ReadsEveryFieldOfTheImage) {
  SHOWS(view_layout, view_image);
  const ViewDescriptor v = loadViewImage(handBuiltImage());
  EXPECT_EQ(v.base, 0x0123456789ABCDEFu);
  EXPECT_EQ(v.elementType(), ElementType::f32);
  EXPECT_EQ(v.naxes, 6);
  EXPECT_EQ(v.nbox, 8);
  EXPECT_EQ(v.ncol, 3);
  EXPECT_EQ(v.fill, 0x1122334455667788u);
  for (int a = 0; a < 6; ++a) {
    EXPECT_EQ(v.axes[a].dim, 100u + a);
    EXPECT_EQ(v.axes[a].stride, -4 * (a + 1));
    EXPECT_EQ(v.axes[a].origin, -1000 - a);
  }
  for (int b = 0; b < 8; ++b) {
    EXPECT_EQ(v.box[b].extent, 0xABCD00u + b);
    EXPECT_EQ(v.box[b].axis, b % 6);
    EXPECT_EQ(v.box[b].step, -7 - b);
  }
  Image stored;
  stored.fill(std::byte{0xEE});
  storeViewImage(v, stored);
  EXPECT_EQ(stored, handBuiltImage());
  EXPECT_FALSE(checkViewImage(handBuiltImage()));
}

TEST(ViewDescriptor, RefusesOtherVersionsAndSpareBytes) {
  VIOLATES(view_malformed);
  Image image = handBuiltImage();
  image[12] = std::byte{2};
  expectMalformed(checkViewImage(image), Problem::Version, "version", "2");
  const auto tryByte = [](size_t i) {
    Image spare = handBuiltImage();
    spare[i] = std::byte{0x40};
    expectMalformed(checkViewImage(spare), Problem::SpareBits, "byte " + std::to_string(i), "0x40");
  };
  for (size_t i = 13; i < 16; ++i) tryByte(i);
  for (size_t i = 232; i < 256; ++i) tryByte(i);
}

TEST(ViewDescriptor, RefusesReservedTypesAndCounts) {
  VIOLATES(view_malformed);
  ViewDescriptor v = matrix();
  EXPECT_FALSE(checkView(v));
  v.type = 16;
  expectMalformed(checkView(v), Problem::ReservedType, "type", "16");
  v.type = 255;  // a whole byte, unlike the tile register's six bits
  expectMalformed(checkView(v), Problem::ReservedType, "type", "255");
  v = matrix();
  v.naxes = 7;
  expectMalformed(checkView(v), Problem::Count, "naxes", "7");
  v = matrix();
  v.nbox = 9;
  expectMalformed(checkView(v), Problem::Count, "nbox", "9");
  v = matrix();
  v.ncol = 3;
  expectMalformed(checkView(v), Problem::Count, "ncol", "3");
}

TEST(ViewDescriptor, RefusesDimsOf2To48) {
  SHOWS(view_whole);
  VIOLATES(view_malformed);
  ViewDescriptor v = matrix();
  v.axes[1].dim = uint64_t{1} << 48;
  expectMalformed(checkView(v), Problem::Dim, "axes[1].dim", "2^48");
  v.axes[1].dim -= 1;
  EXPECT_FALSE(checkView(v));
}

TEST(ViewDescriptor, RefusesBoxDimsOnAxesItDoesNotHave) {
  SHOWS(view_box);
  VIOLATES(view_malformed);
  ViewDescriptor v = matrix();
  v.box[1].axis = 2;
  expectMalformed(checkView(v), Problem::AxisNumber, "box[1].axis", "0 to 1");
  v = matrix();
  v.box[2].axis = 99;  // past nbox: no meaning
  EXPECT_FALSE(checkView(v));
}

TEST(ViewDescriptor, WithoutAxesRepeatsTheElementAtBase) {
  SHOWS(view_box);
  ViewDescriptor v = matrix();
  v.naxes = 0;
  v.box[0] = {4, 0, 0};
  v.box[1] = {8, 0, 0};
  EXPECT_FALSE(checkView(v));
  EXPECT_EQ(v.rows(), 4u);
  EXPECT_EQ(v.columns(), 8u);
  EXPECT_TRUE(boxHull(v).lo == 0x80000000 && boxHull(v).hi == 0x80000004);
  v.box[1].axis = 1;
  expectMalformed(checkView(v), Problem::AxisNumber, "box[1]");
  v.box[1] = {8, 0, 1};
  expectMalformed(checkView(v), Problem::AxisNumber, "box[1]");
}

TEST(ViewDescriptor, RefusesTensorsWhoseAddressesWrap) {
  SHOWS(view_whole);
  VIOLATES(view_malformed);
  ViewDescriptor v = matrix();
  v.base = ~uint64_t{0} - 2047;  // 16 * 128 bytes: ends exactly at 2^64
  EXPECT_FALSE(checkView(v));
  v.base += 1;
  expectMalformed(checkView(v), Problem::AddressWrap, "base", "past 2^64");
  v = matrix();
  v.base = 15 * 128;
  v.axes[0].stride = -128;
  EXPECT_FALSE(checkView(v));
  v.base -= 1;
  expectMalformed(checkView(v), Problem::AddressWrap, "base", "below address 0");
  v.axes[0].stride = kLowest;
  v.axes[0].dim = (uint64_t{1} << 48) - 1;
  expectMalformed(checkView(v), Problem::AddressWrap, "base");
  v.axes[1].dim = 0;  // no element, no address
  EXPECT_FALSE(checkView(v));
}

TEST(ViewDescriptor, RefusesFourBitStridesThatSplitBytes) {
  EXPECT_FALSE(checkView(nibbles()));
  ViewDescriptor v = nibbles();
  v.axes[1].stride = -1;
  expectMalformed(checkView(v), Problem::FourBitRule, "axes[1].stride", "-1");
  v = nibbles();
  v.axes[1].stride = 3;
  expectMalformed(checkView(v), Problem::FourBitRule, "axes[1].stride", "3");
  v = nibbles();
  v.axes[0].stride = 33;
  expectMalformed(checkView(v), Problem::FourBitRule, "axes[0].stride", "33");
  v = nibbles();
  v.axes[0].stride = 1;
  expectMalformed(checkView(v), Problem::FourBitRule, "axes[1].stride", "all others are even");
  v = nibbles();
  std::swap(v.box[0], v.box[1]);
  expectMalformed(checkView(v), Problem::FourBitRule, "axes[1].stride", "last box dim");
  v = nibbles();
  v.box[0].axis = 1;
  expectMalformed(checkView(v), Problem::FourBitRule, "box[0].axis");
  v = nibbles();
  v.box[1].step = 2;
  expectMalformed(checkView(v), Problem::FourBitRule, "box[1].step", "2");
  v = nibbles();
  v.nbox = v.ncol = 0;
  expectMalformed(checkView(v), Problem::FourBitRule, "axes[1].stride");
  v = nibbles();
  v.axes[1].stride = 0;  // a repeat is no odd stride
  v.box[1].step = 2;
  EXPECT_FALSE(checkView(v));
}

TEST(ViewDescriptor, AsksFourBitOriginAndExtentAtIssue) {
  EXPECT_FALSE(checkViewPosition(nibbles()));
  ViewDescriptor v = nibbles();
  v.axes[1].origin = -3;
  EXPECT_FALSE(checkView(v));
  expectMalformed(checkViewPosition(v), Problem::FourBitRule, "axes[1].origin", "-3");
  v = nibbles();
  v.box[1].extent = 7;
  expectMalformed(checkViewPosition(v), Problem::FourBitRule, "box[1].extent", "7");
  v.axes[0].origin = 1;
  v.box[1].extent = 6;
  EXPECT_FALSE(checkViewPosition(v)) << "other axes may have odd origins";
}

TEST(ViewDescriptor, RefusesCoordinatesPast64Bits) {
  ViewDescriptor v = matrix();
  v.axes[0].origin = kHighest - 3;
  EXPECT_FALSE(checkViewPosition(v));
  v.axes[0].origin += 1;
  expectMalformed(checkViewPosition(v), Problem::CoordinateOverflow, "axes[0].origin");
  EXPECT_FALSE(checkViewPosition(v, 0)) << "the index stands in for the origin";
  v.box[1].extent = 0;
  EXPECT_FALSE(checkViewPosition(v)) << "an empty box has no coordinates";
  v = matrix();
  v.axes[1].origin = kLowest + 7;
  v.box[1].step = -1;
  EXPECT_FALSE(checkViewPosition(v));
  v.axes[1].origin -= 1;
  expectMalformed(checkViewPosition(v), Problem::CoordinateOverflow, "axes[1].origin");
}

TEST(ViewDescriptor, WantsBoxDim0OnTheNamedAxis) {
  EXPECT_FALSE(checkViewPosition(matrix(), 0));
  expectMalformed(checkViewPosition(matrix(), 1), Problem::AxisNumber, "box[0].axis");
  expectMalformed(checkViewPosition(matrix(), 5), Problem::AxisNumber, "axis", "5");
  ViewDescriptor v = matrix();
  v.nbox = v.ncol = 0;
  expectMalformed(checkViewPosition(v, 0), Problem::AxisNumber, "box[0].axis");
  v = nibbles();
  EXPECT_FALSE(checkViewPosition(v, 0));
  v.nbox = v.ncol = 1;
  v.box[0] = {8, 1, 1};
  expectMalformed(checkViewPosition(v, 1), Problem::FourBitRule, "axes[1].stride");
}

TEST(ViewDescriptor, RefusesBaseAndStridesOffTheElement) {
  EXPECT_FALSE(checkViewAlignment(matrix()));
  ViewDescriptor v = matrix();
  v.base += 2;
  expectMalformed(checkViewAlignment(v), Problem::Misaligned, "base");
  v = matrix();
  v.axes[0].stride = -126;
  expectMalformed(checkViewAlignment(v), Problem::Misaligned, "axes[0].stride", "-126");
  v.type = static_cast<uint8_t>(ElementType::bf16);
  EXPECT_FALSE(checkViewAlignment(v));
  v.type = static_cast<uint8_t>(ElementType::u8);
  v.base += 1;
  EXPECT_FALSE(checkViewAlignment(v));
}

TEST(ViewDescriptor, ProductsSaturate) {
  SHOWS(view_shape);
  ViewDescriptor v;
  EXPECT_EQ(v.rows(), 1u);
  EXPECT_EQ(v.columns(), 1u);
  v.nbox = v.ncol = 8;
  for (auto& box : v.box) box.extent = 1 << 23;
  EXPECT_EQ(v.columns(), std::numeric_limits<uint64_t>::max());
  EXPECT_FALSE(v.empty());
  v.box[7].extent = 0;
  EXPECT_EQ(v.columns(), 0u);
  EXPECT_TRUE(v.empty());
  v.ncol = 2;
  EXPECT_EQ(v.rows(), std::numeric_limits<uint64_t>::max());
}

TEST(ViewDescriptor, RangesAndHullCoverExactlyWhatTheBoxReaches) {
  SHOWS(view_bounds);
  ViewDescriptor v = matrix();
  v.axes[0].origin = -2;  // rows -2, -1 outside, 0, 1 inside
  v.axes[1].origin = 30;  // columns 30, 31 inside
  EXPECT_TRUE(coordinateRange(v, 0).lo == -2 && coordinateRange(v, 0).hi == 2);
  EXPECT_TRUE(clippedRange(v, 0).lo == 0 && clippedRange(v, 0).hi == 2);
  EXPECT_TRUE(clippedRange(v, 1).lo == 30 && clippedRange(v, 1).hi == 32);
  EXPECT_TRUE(boxHull(v).lo == 0x80000000 + 120 && boxHull(v).hi == 0x80000000 + 128 + 128);
  EXPECT_TRUE(boxHull(v, 0).hi == 0x80000000 + 15 * 128 + 128);
  EXPECT_TRUE(tensorHull(v).lo == 0x80000000 && tensorHull(v).hi == 0x80000000 + 16 * 128);
  v.axes[1].origin = 32;
  EXPECT_TRUE(boxHull(v).empty());
}

TEST(ViewDescriptor, HullHoldsEveryElementOfRandomViews) {
  Rng rng(13);
  int exact = 0;
  for (int seed = 0; seed < 20000; ++seed) {
    const ViewDescriptor v = brute_force::randomView(rng, seed % 2 == 0);
    ByteInterval seen;
    for (uint64_t r = 0; r < v.rows(); ++r)
      for (uint64_t c = 0; c < v.columns(); ++c) {
        const brute_force::Element e = brute_force::viewElement(v, r, c);
        if (!e.inside) continue;
        const Int128 lo = e.nibble / 2;
        const Int128 hi = lo + std::max(1, brute_force::typeBits(v.type) / 8);
        seen = seen.empty() ? ByteInterval{lo, hi}
                            : ByteInterval{std::min(seen.lo, lo), std::max(seen.hi, hi)};
      }
    const ByteInterval hull = boxHull(v);
    ASSERT_TRUE(hull.contains(seen)) << "seed " << seed;
    ASSERT_TRUE(tensorHull(v).contains(hull)) << "seed " << seed;
    exact += !seen.empty() && hull.lo == seen.lo && hull.hi == seen.hi;
  }
  EXPECT_GT(exact, 3000);
}

}  // namespace
}  // namespace etalon::isa
