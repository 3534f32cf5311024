// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/convolution.h"

#include <fmt/format.h>

#include "kernels/c/kernel_cases.h"
#include "kernels/reference/probe.h"

namespace etalon::kernels {
namespace {

using enum ElementType;

struct ConvolutionShape {
  uint64_t b, h, w, c, r, s, f;
  uint64_t stride, pad, dilation;
};

/// Tiles have 128 filters and 128 output pixels of 512 channels (im2col), up to 32 x 32 pixels of 128 channels, four times
/// 128 filters in turn (implicit), or up to 1024 pixels and 1024 elements of windows (few channels). One picture has more
/// than 32 MiB, four local memories.
constexpr ConvolutionShape kShapes[] = {
    {1, 1, 1, 1, 1, 1, 1, 1, 0, 1},       {0, 5, 5, 3, 3, 3, 4, 1, 0, 1},
    {1, 0, 5, 3, 1, 1, 4, 1, 1, 1},       {1, 5, 0, 3, 1, 1, 4, 1, 0, 1},
    {1, 5, 5, 0, 3, 3, 4, 1, 0, 1},       {1, 5, 5, 3, 3, 3, 0, 1, 0, 1},
    {1, 5, 7, 3, 0, 3, 4, 1, 0, 1},       {1, 5, 7, 3, 3, 0, 4, 2, 1, 1},
    {2, 41, 37, 3, 0, 0, 130, 1, 0, 19},  {1, 0, 0, 3, 0, 0, 4, 1, 0, 1},
    {1, 2, 5, 3, 3, 3, 4, 1, 0, 1},  // the filter does not fit
    {1, 2, 5, 3, 3, 3, 4, 2, 0, 1},  // nor here, where the extent's quotient is negative
    {1, 5, 5, 2, 3, 3, 3, 1, 4, 1},  // more padding than filter
    {1, 6, 6, 4, 2, 2, 4, 5, 0, 1},  // a stride over the filter
    {1, 5, 7, 3, 3, 3, 5, 1, 1, 1},       {2, 9, 11, 7, 3, 5, 13, 2, 1, 1},
    {1, 7, 31, 63, 3, 3, 127, 1, 1, 1},   {1, 8, 32, 64, 1, 1, 128, 1, 0, 1},
    {1, 9, 33, 65, 3, 3, 129, 1, 1, 1},   {1, 4, 32, 511, 1, 1, 3, 1, 0, 1},
    {1, 4, 32, 512, 1, 1, 3, 1, 0, 1},    {1, 4, 33, 513, 2, 1, 3, 1, 0, 1},
    {1, 1, 301, 3, 1, 7, 9, 1, 3, 1},     {1, 301, 1, 3, 7, 1, 9, 1, 3, 1},
    {3, 13, 13, 17, 5, 5, 19, 3, 2, 2},   {1, 23, 29, 3, 7, 7, 64, 2, 3, 1},
    {1, 16, 16, 16, 3, 3, 16, 1, 0, 3},   {5, 3, 3, 2, 3, 3, 2, 1, 0, 1},
    {1, 512, 521, 64, 1, 1, 3, 1, 0, 1},  {1, 40, 70, 130, 3, 3, 260, 1, 1, 1},
    {1, 70, 70, 130, 3, 3, 5, 1, 27, 60},  // blocks shrink until a picture fits
};

std::string titleOf(const ConvolutionShape& s) {
  return fmt::format("B={} H={} W={} C={} R={} S={} F={} stride={} pad={} dilation={}", s.b, s.h,
                     s.w, s.c, s.r, s.s, s.f, s.stride, s.pad, s.dilation);
}

std::vector<std::pair<std::string, std::string>> argumentsOf(const ConvolutionShape& s) {
  return {{"stride", fmt::to_string(s.stride)},
          {"pad", fmt::to_string(s.pad)},
          {"dilation", fmt::to_string(s.dilation)}};
}

void runProbes(const std::string& kernel, const ConvolutionLayout& layout) {
  KernelCases cases(kernel);
  for (const ConvolutionShape& s : kShapes) {
    ConvolutionExtents extents{s.b, s.h, s.w, s.c, s.f, s.r, s.s};
    std::fill(std::begin(extents.stride), std::end(extents.stride), s.stride);
    std::fill(std::begin(extents.dilation), std::end(extents.dilation), s.dilation);
    std::fill(std::begin(extents.pads), std::end(extents.pads), s.pad);
    Result<ConvolutionProbe> probe = makeConvolutionProbe({bf16, bf16, f32}, layout, extents, 12);
    ASSERT_TRUE(probe.ok()) << titleOf(s) << ": " << probe.error().message;
    cases.run({titleOf(s), {{"x", probe->x}, {"w", probe->w}}, argumentsOf(s), probe->expected});
  }
  EXPECT_GE(cases.count(), 20);
}

void runRandom(const std::string& kernel, const ConvolutionLayout& layout) {
  KernelCases cases(kernel);
  for (const ConvolutionShape& s : kShapes) {
    if (s.h * s.w * s.c * s.r * s.s * s.f > 5'000'000) continue;  // the bound is dear
    cases.run({titleOf(s),
               {{"x", randomSource(1, imageShape(layout, s.b, s.c, s.h, s.w))},
                {"w", randomSource(2, {s.r, s.s, s.c, s.f})}},
               argumentsOf(s)});
  }
  EXPECT_GE(cases.count(), 15);
}

TEST(Conv2dNhwc, MeetsExactProbesOfEveryShape) {
  ETALON_NEEDS_C_PROGRAMS();
  runProbes("conv2d_nhwc", {"NHWC", "HWIO"});
}
TEST(Conv2dNhwc, IsWithinItsBoundForRandomOperands) {
  ETALON_NEEDS_C_PROGRAMS();
  runRandom("conv2d_nhwc", {"NHWC", "HWIO"});
}
TEST(Conv2dNchw, MeetsExactProbesOfEveryShape) {
  ETALON_NEEDS_C_PROGRAMS();
  runProbes("conv2d_nchw", {"NCHW", "HWIO"});
}
TEST(Conv2dNchw, IsWithinItsBoundForRandomOperands) {
  ETALON_NEEDS_C_PROGRAMS();
  runRandom("conv2d_nchw", {"NCHW", "HWIO"});
}
TEST(Conv2dImplicit, MeetsExactProbesOfEveryShape) {
  ETALON_NEEDS_C_PROGRAMS();
  runProbes("conv2d_implicit", {"NHWC", "HWIO"});
}
TEST(Conv2dImplicit, IsWithinItsBoundForRandomOperands) {
  ETALON_NEEDS_C_PROGRAMS();
  runRandom("conv2d_implicit", {"NHWC", "HWIO"});
}

TEST(Conv2dFewChannels, MeetsExactProbesOfEveryShape) {
  ETALON_NEEDS_C_PROGRAMS();
  runProbes("conv2d_few_channels", {"NHWC", "HWIO"});
}
TEST(Conv2dFewChannels, IsWithinItsBoundForRandomOperands) {
  ETALON_NEEDS_C_PROGRAMS();
  runRandom("conv2d_few_channels", {"NHWC", "HWIO"});
}

}  // namespace
}  // namespace etalon::kernels
