// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <limits>

#include "kernels/reference/test_support.h"

namespace etalon::kernels {
namespace {

using enum ElementType;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Two channels, tens in the second.
const Array kX = arrayOfValues(f32, {1, 2, 3, 2}, {1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60});

TEST(DepthwiseConv2d, SumsEachChannelByItself) {
  const Array w = arrayOfValues(f32, {2, 2, 2}, {1, -1, 0, 0, 0, 0, 2, 1});
  const Array y = arrayOfValues(f32, {1, 1, 2, 2}, {11, 40, 14, 40});
  const CheckReport report =
      reportOf(runCheck("depthwise_conv2d", {{"x", &kX}, {"w", &w}, {"y", &y}}));
  EXPECT_TRUE(report.passed);
  EXPECT_EQ(report.worst_ratio, 0);
  const Array wrong = arrayOfValues(f32, {1, 1, 2, 2}, {11, 40, 14, 40.0009765625});
  EXPECT_FALSE(
      reportOf(runCheck("depthwise_conv2d", {{"x", &kX}, {"w", &w}, {"y", &wrong}})).passed);
}

TEST(DepthwiseConv2d, TakesStridePaddingDilationAndBias) {
  const Array w = arrayOfValues(f32, {1, 2, 2}, {1, 1, 1, 1});
  const Array bias = arrayOfValues(f32, {2}, {100, 0});
  // Columns -1 and 1, then 1 and 3: of rows -1, 1, where -1 is padding.
  const Array y = arrayOfValues(f32, {1, 2, 2, 2}, {100, 0, 100, 0, 105, 50, 105, 50});
  EXPECT_TRUE(
      reportOf(runCheck("depthwise_conv2d", {{"x", &kX}, {"w", &w}, {"bias", &bias}, {"y", &y}},
                        {{"stride", "2"}, {"pads", "1"}, {"dilation", "2"}}))
          .passed);
}

TEST(DepthwiseConv2d, MultipliesPaddingWithInfiniteWeights) {
  const Array w = arrayOfValues(f32, {1, 3, 2}, {kInfinity, 0, 1, 0, 0, 0});
  const Array y =
      arrayOfValues(f32, {1, 2, 3, 2},
                    {kNan, 0, kInfinity, 0, kInfinity, 0, kNan, 0, kInfinity, 0, kInfinity, 0});
  EXPECT_TRUE(reportOf(runCheck("depthwise_conv2d", {{"x", &kX}, {"w", &w}, {"y", &y}},
                                {{"pads", "[0, 1, 0, 1]"}}))
                  .passed);
}

TEST(DepthwiseConv2d, NamesTheShapesThatDoNotFit) {
  const Array w = arrayOfValues(f32, {1, 1, 3}, {1, 1, 1});
  EXPECT_THAT(messageOf(runCheck("depthwise_conv2d", {{"x", &kX}, {"w", &w}, {"y", &kX}})),
              testing::HasSubstr("they must be [B, H, W, C] and [R, S, C], of the same C"));
}

TEST(MaxPool2d, TakesTheGreatestOfEachWindowExactly) {
  const Array y = arrayOfValues(f32, {1, 1, 2, 2}, {5, 50, 6, 60});
  const Attributes window = {{"window", "2"}};
  const CheckReport report = reportOf(runCheck("max_pool2d", {{"x", &kX}, {"y", &y}}, window));
  EXPECT_TRUE(report.passed);
  EXPECT_EQ(report.verdict, "exact");
  const Array wrong = withFlippedBit(y, 2, 0);
  EXPECT_FALSE(reportOf(runCheck("max_pool2d", {{"x", &kX}, {"y", &wrong}}, window)).passed);
}

TEST(MaxPool2d, LetsNanWinAndPaddingLose) {
  const Array x = arrayOfValues(f32, {1, 1, 3, 1}, {-0.0, 0.0, -5});
  const auto pooled = [&](const Array& input, const Array& y) {
    return reportOf(
               runCheck("max_pool2d", {{"x", &input}, {"y", &y}},
                        {{"window", "[1, 2]"}, {"stride", "[1, 2]"}, {"pads", "[0, 3, 0, 0]"}}))
        .passed;
  };
  EXPECT_TRUE(pooled(x, arrayOfValues(f32, {1, 1, 3, 1}, {-kInfinity, -0.0, 0.0})));
  EXPECT_FALSE(pooled(x, arrayOfValues(f32, {1, 1, 3, 1}, {-kInfinity, 0.0, 0.0})));
  const Array nan = arrayOfValues(f32, {1, 1, 3, 1}, {7, kInfinity, kNan});
  EXPECT_TRUE(pooled(nan, arrayOfValues(f32, {1, 1, 3, 1}, {-kInfinity, 7, kNan})));
}

TEST(MaxPool2d, SaysWhatIsMissing) {
  EXPECT_THAT(messageOf(runCheck("max_pool2d", {{"x", &kX}, {"y", &kX}})),
              testing::HasSubstr("attribute window=[R, S] is missing"));
  const Array flat = arrayOfValues(f32, {2}, {1, 2});
  EXPECT_THAT(messageOf(runCheck("max_pool2d", {{"x", &flat}, {"y", &flat}}, {{"window", "1"}})),
              testing::HasSubstr("it must be [B, H, W, C]"));
}

}  // namespace
}  // namespace etalon::kernels
