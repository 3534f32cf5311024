// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/convolution.h"
#include "kernels/reference/test_support.h"

namespace etalon::kernels {
namespace {

using enum ElementType;

// 3x3 image 1..9, kernel [[1, 2], [3, 4]]: at (y, x) 1 a + 2 b + 3 c + 4 d of the 2x2 window.
const Array kImage = arrayOfValues(bf16, {1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
const Array kKernel = arrayOfValues(bf16, {2, 2, 1, 1}, {1, 2, 3, 4});

CheckReport check(const Array& y, const Attributes& attributes = {}) {
  return reportOf(runCheck("conv2d", {{"x", &kImage}, {"w", &kKernel}, {"y", &y}}, attributes));
}

TEST(Conv2d, AcceptsTheWindowSumsByHand) {
  const Array y = arrayOfValues(f32, {1, 2, 2, 1}, {37, 47, 67, 77});
  EXPECT_TRUE(check(y).passed);
  for (uint64_t index = 0; index < 4; ++index)
    EXPECT_FALSE(check(withFlippedBit(y, index, 12)).passed);
}

TEST(Conv2d, StridesPadsAndDilates) {
  // Padding of one above and left, stride 2: windows at (-1,-1), (-1,1), (1,-1), (1,1).
  const Array padded = arrayOfValues(f32, {1, 2, 2, 1}, {4, 18, 36, 77});
  EXPECT_TRUE(check(padded, {{"stride", "2"}, {"pads", "[1, 1, 0, 0]"}}).passed);
  // Dilation 2: 1*1 + 2*3 + 3*7 + 4*9 = 64.
  const Array dilated = arrayOfValues(f32, {1, 1, 1, 1}, {64});
  EXPECT_TRUE(check(dilated, {{"dilation", "[2, 2]"}}).passed);
  // Unequal: dilation 2 downward only: 1a + 2b + 3g + 4h, then one to the right.
  const Array tall = arrayOfValues(f32, {1, 1, 2, 1}, {58, 68});
  EXPECT_TRUE(check(tall, {{"dilation", "[2, 1]"}}).passed);
}

TEST(Conv2d, KeepsChannelsAndLayoutsApart) {
  // Two channels in, two out, 1x1 kernel: y0 = x0 + 10 x1, y1 = 2 x0 + 20 x1 + 1.
  const Array x_nhwc = arrayOfValues(i8, {1, 1, 2, 2}, {1, 2, 3, 4});
  const Array x_nchw = arrayOfValues(i8, {1, 2, 1, 2}, {1, 3, 2, 4});
  const Array hwio = arrayOfValues(i8, {1, 1, 2, 2}, {1, 2, 10, 20});
  const Array oihw = arrayOfValues(i8, {2, 2, 1, 1}, {1, 10, 2, 20});
  const Array bias = arrayOfValues(i32, {2}, {0, 1});
  const Array y_nhwc = arrayOfValues(i32, {1, 1, 2, 2}, {21, 43, 43, 87});
  const Array y_nchw = arrayOfValues(i32, {1, 2, 1, 2}, {21, 43, 43, 87});
  const Array y_nchw_other = arrayOfValues(i32, {1, 2, 1, 2}, {21, 43, 42, 87});
  const auto passes = [&](const Array& x, const Array& w, const Array& y,
                          const Attributes& attributes) {
    return reportOf(
               runCheck("conv2d", {{"x", &x}, {"w", &w}, {"bias", &bias}, {"y", &y}}, attributes))
        .passed;
  };
  EXPECT_TRUE(passes(x_nhwc, hwio, y_nhwc, {}));
  EXPECT_TRUE(passes(x_nhwc, oihw, y_nhwc, {{"weights", "OIHW"}}));
  EXPECT_TRUE(passes(x_nchw, oihw, y_nchw, {{"layout", "NCHW"}}));
  EXPECT_TRUE(passes(x_nchw, hwio, y_nchw, {{"layout", "NCHW"}, {"weights", "HWIO"}}));
  EXPECT_FALSE(passes(x_nchw, oihw, y_nchw_other, {{"layout", "NCHW"}}));
}

TEST(Conv2d, NamesTheShapesThatDoNotFit) {
  const Array y = arrayOfValues(f32, {1, 3, 3, 1}, std::vector<double>(9, 0));
  EXPECT_EQ(messageOf(runCheck("conv2d", {{"x", &kImage}, {"w", &kKernel}, {"y", &y}})),
            "check conv2d: output y has the shape [1, 3, 3, 1]; from x: bf16[1, 3, 3, 1], w: "
            "bf16[2, 2, 1, 1] it would be [1, 2, 2, 1]");
  EXPECT_EQ(messageOf(runCheck("conv2d", {{"x", &kImage}, {"w", &kImage}, {"y", &y}})),
            "check conv2d: x: bf16[1, 3, 3, 1] has 1 channels (NHWC), but w: bf16[1, 3, 3, 1] "
            "takes 3 (HWIO)");
  EXPECT_EQ(messageOf(runCheck("conv2d", {{"x", &kImage}, {"w", &kKernel}, {"y", &y}},
                               {{"stride", "0"}})),
            "check conv2d: attribute stride is 0; it may be 1 to 1048576");
}

TEST(Conv2d, HasNoOutputWhereTheKernelDoesNotFit) {
  const Array none = arrayOfValues(f32, {1, 0, 0, 1}, {});
  EXPECT_TRUE(check(none, {{"dilation", "3"}}).passed);
}

/// No rows: a 2-column filter of height 0 has 3 + 1 places down, with a dilation of 2 one more.
TEST(Conv2d, SumsNothingWhereTheKernelHasNoElements) {
  const Array w = arrayOfValues(bf16, {0, 2, 1, 1}, {});
  const Array bias = arrayOfValues(bf16, {1}, {5});
  const auto passes = [&](uint64_t rows, double value, const Attributes& attributes) {
    const Array y = arrayOfValues(f32, {1, rows, 2, 1}, std::vector<double>(rows * 2, value));
    return reportOf(
               runCheck("conv2d", {{"x", &kImage}, {"w", &w}, {"b", &bias}, {"y", &y}}, attributes))
        .passed;
  };
  EXPECT_TRUE(passes(4, 5, {}));
  EXPECT_FALSE(passes(4, 0, {}));
  EXPECT_TRUE(passes(5, 5, {{"dilation", "[2, 1]"}}));
  const Array y = arrayOfValues(f32, {1, 4, 2, 1}, std::vector<double>(8, 0));
  const Array wrong = withFlippedBit(y, 3, 23);
  EXPECT_TRUE(reportOf(runCheck("conv2d", {{"x", &kImage}, {"w", &w}, {"y", &y}})).passed);
  EXPECT_FALSE(reportOf(runCheck("conv2d", {{"x", &kImage}, {"w", &w}, {"y", &wrong}})).passed);
}

TEST(Conv2dRequantise, ScalesEveryOutputChannelByItsOwn) {
  const Array x = arrayOfValues(i8, {1, 2, 1, 2}, {10, -10, 20, 3});  // NCHW
  const Array w = arrayOfValues(i8, {2, 2, 1, 1}, {1, 1, 2, -1});     // OIHW
  const Array multiplier = arrayOfValues(i32, {2}, {1, 10});
  const Array shift = arrayOfValues(i32, {2}, {1, 0});
  // channel 0: 30, -7 -> 15, -3; channel 1: 0, -23 -> 0, -128.
  const Array y = arrayOfValues(i8, {1, 2, 1, 2}, {15, -3, 0, -128});
  const auto passes = [&](const Array& out) {
    return reportOf(runCheck("conv2d_requantise",
                             {{"x", &x}, {"w", &w}, {"m", &multiplier}, {"s", &shift}, {"y", &out}},
                             {{"layout", "NCHW"}}))
        .passed;
  };
  EXPECT_TRUE(passes(y));
  EXPECT_FALSE(passes(withFlippedBit(y, 1, 0)));
}

}  // namespace
}  // namespace etalon::kernels
