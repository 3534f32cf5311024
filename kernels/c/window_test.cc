// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <limits>

#include "kernels/c/kernel_cases.h"
#include "kernels/reference/convolution.h"
#include "kernels/reference/element_data.h"
#include "kernels/reference/probe_plan.h"
#include "kernels/reference/value.h"

namespace etalon::kernels {
namespace {

using enum ElementType;

struct WindowShape {
  uint64_t b, h, w, c, r, s;
  uint64_t stride, pad, dilation;
};

/// Blocks are 16 x 64 output pixels of 128 channels and less where they do not fit; a pass takes 8 or 9
/// window elements. A picture of the last is larger than a local memory.
constexpr WindowShape kShapes[] = {
    {1, 1, 1, 1, 1, 1, 1, 0, 1},       {0, 5, 5, 3, 3, 3, 1, 0, 1},
    {1, 0, 5, 3, 1, 1, 1, 1, 1},       {1, 5, 0, 3, 1, 1, 1, 0, 1},
    {1, 5, 5, 0, 3, 3, 1, 0, 1},       {1, 5, 7, 3, 1, 1, 2, 1, 1},
    {1, 2, 5, 3, 3, 3, 1, 0, 1},  // the window does not fit
    {1, 2, 5, 3, 3, 3, 2, 0, 1},  // nor here, where the extent's quotient is negative
    {1, 5, 5, 2, 3, 3, 1, 4, 1},  // more padding than window
    {1, 6, 6, 4, 2, 2, 5, 0, 1},  // a stride over the window
    {1, 9, 7, 5, 2, 2, 2, 0, 1},       {1, 5, 7, 3, 3, 3, 1, 1, 1},
    {2, 16, 64, 64, 3, 3, 1, 1, 1},    {1, 17, 65, 65, 3, 3, 1, 1, 1},
    {1, 15, 63, 63, 3, 3, 2, 1, 1},    {2, 9, 11, 7, 3, 5, 2, 1, 1},
    {1, 12, 13, 5, 2, 4, 1, 1, 1},     {1, 12, 13, 129, 3, 3, 1, 1, 2},
    {1, 13, 11, 17, 4, 4, 1, 2, 1},    {1, 19, 18, 31, 5, 5, 1, 2, 1},
    {3, 13, 13, 17, 5, 5, 3, 2, 2},    {1, 23, 29, 3, 7, 7, 2, 3, 1},
    {1, 1, 301, 3, 1, 7, 1, 3, 1},     {1, 301, 1, 3, 7, 1, 1, 3, 1},
    {1, 20, 20, 2, 17, 1, 1, 0, 1},    {1, 130, 140, 64, 2, 2, 60, 0, 60},
    {1, 131, 509, 67, 3, 3, 7, 0, 41},
};

std::string titleOf(const WindowShape& s) {
  return fmt::format("B={} H={} W={} C={} R={} S={} stride={} pad={} dilation={}", s.b, s.h, s.w,
                     s.c, s.r, s.s, s.stride, s.pad, s.dilation);
}

std::vector<std::pair<std::string, std::string>> argumentsOf(const WindowShape& s) {
  return {{"stride", fmt::to_string(s.stride)},
          {"pad", fmt::to_string(s.pad)},
          {"dilation", fmt::to_string(s.dilation)}};
}

/// Integers of magnitude up to 16: sums of 65536 products are exact in f32, in any order.
Array integersOf(uint64_t seed, const Shape& shape) {
  ProbeRandom random(seed);
  std::vector<uint64_t> bits(abi::elementCount(shape));
  for (uint64_t& element : bits)
    element = encode(bf16, {static_cast<double>(random.between(-16, 16)), 0});
  return arrayOf(bf16, shape, bits);
}

/// By scattering: each pixel adds itself to the outputs whose window it is under.
Array convolved(const WindowShape& s, const Array& x, const Array& w) {
  ConvolutionExtents e{s.b, s.h, s.w, s.c, 1, s.r, s.s};
  std::fill(std::begin(e.stride), std::end(e.stride), s.stride);
  std::fill(std::begin(e.dilation), std::end(e.dilation), s.dilation);
  std::fill(std::begin(e.pads), std::end(e.pads), s.pad);
  const uint64_t oh = e.outputHeight();
  const uint64_t ow = e.outputWidth();
  const std::vector<double> pixels = elementValues(x);
  const std::vector<double> weights = elementValues(w);
  std::vector<int64_t> sums(s.b * oh * ow * s.c);
  for (uint64_t i = 0; i < s.b * s.h * s.w; ++i) {
    for (uint64_t tap = 0; tap < s.r * s.s; ++tap) {
      const uint64_t down = i / s.w % s.h + s.pad - tap / s.s * s.dilation;
      const uint64_t across = i % s.w + s.pad - tap % s.s * s.dilation;
      if (down % s.stride != 0 || across % s.stride != 0) continue;
      if (down / s.stride >= oh || across / s.stride >= ow) continue;
      const uint64_t to = (i / s.w / s.h * oh + down / s.stride) * ow + across / s.stride;
      for (uint64_t c = 0; c < s.c; ++c)
        sums[to * s.c + c] += static_cast<int64_t>(pixels[i * s.c + c] * weights[tap * s.c + c]);
    }
  }
  std::vector<uint64_t> bits;
  bits.reserve(sums.size());
  for (const int64_t sum : sums) bits.push_back(encode(bf16, {static_cast<double>(sum), 0}));
  return arrayOf(bf16, {s.b, oh, ow, s.c}, bits);
}

TEST(DepthwiseConv, IsExactOnIntegersOfEveryShape) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("depthwise_conv");
  for (const WindowShape& s : kShapes) {
    const Array x = integersOf(51, {s.b, s.h, s.w, s.c});
    const Array w = integersOf(52, {s.r, s.s, s.c});
    cases.run({titleOf(s), {{"x", x}, {"w", w}}, argumentsOf(s), convolved(s, x, w)});
  }
  EXPECT_GE(cases.count(), 20);
}

TEST(DepthwiseConv, IsWithinItsBoundForRandomOperands) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("depthwise_conv");
  for (const WindowShape& s : kShapes)
    cases.run(
        {titleOf(s),
         {{"x", randomSource(1, {s.b, s.h, s.w, s.c})}, {"w", randomSource(2, {s.r, s.s, s.c})}},
         argumentsOf(s)});
}

/// A window without elements sums nothing: zeros.
TEST(DepthwiseConv, GivesZerosForAWindowWithoutElements) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("depthwise_conv");
  for (const WindowShape& s :
       {WindowShape{1, 5, 7, 3, 0, 3, 1, 0, 1}, WindowShape{1, 5, 7, 70, 3, 0, 2, 1, 1},
        WindowShape{2, 41, 37, 3, 0, 0, 1, 0, 9}, WindowShape{1, 0, 0, 3, 0, 0, 1, 0, 1}})
    cases.run(
        {titleOf(s),
         {{"x", randomSource(1, {s.b, s.h, s.w, s.c})}, {"w", randomSource(2, {s.r, s.s, s.c})}},
         argumentsOf(s)});
}

void runPool(KernelCases& cases, const WindowShape& s, CaseInput x) {
  std::vector<std::pair<std::string, std::string>> arguments = argumentsOf(s);
  arguments.emplace_back("window_h", fmt::to_string(s.r));
  arguments.emplace_back("window_w", fmt::to_string(s.s));
  cases.run({titleOf(s), {std::move(x)}, arguments});
}

TEST(MaxPool, IsExactForEveryShape) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("max_pool");
  for (const WindowShape& s : kShapes)
    runPool(cases, s, {"x", randomSource(1, {s.b, s.h, s.w, s.c})});
  EXPECT_GE(cases.count(), 20);
}

/// NaN wins over +Inf, +0 over -0, and anything over the -Inf of the padding.
TEST(MaxPool, PassesSpecialValuesAsTheReferenceDoes) {
  ETALON_NEEDS_C_PROGRAMS();
  KernelCases cases("max_pool");
  constexpr uint64_t kSpecial[] = {0xff80, 0x8000, 0x0000, 0x8001, 0xff7f, 0x7f80, 0xffc1, 0xff80};
  ProbeRandom random(53);
  std::vector<uint64_t> bits(2 * 9 * 10 * 3);
  for (uint64_t& element : bits) element = kSpecial[random.next() % std::size(kSpecial)];
  for (uint64_t i = 0; i < bits.size() / 2; ++i) bits[i] = kSpecial[i % 3];  // few wins there
  const Array x = arrayOf(bf16, {2, 9, 10, 3}, bits);
  for (const uint64_t window : {1, 2, 3, 4})
    runPool(cases, {2, 9, 10, 3, window, window, 1, 2, 1}, {"x", x});
}

}  // namespace
}  // namespace etalon::kernels
