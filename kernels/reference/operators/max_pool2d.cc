// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "kernels/reference/convolution.h"
#include "kernels/reference/operators.h"
#include "kernels/reference/value.h"

namespace etalon::kernels {
namespace {

/// IEEE 754-2019 maximum: NaN wins, -0 is below +0.
double greater(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

}  // namespace

/// max_pool2d(x) -> y: the greatest element of each channel under a window, channels last: x
/// [B, H, W, C], as ONNX MaxPool.
///
/// with       window=[R, S] (1 or more, needed), stride=[1, 1], dilation=[1, 1], pads=[0, 0, 0, 0].
/// Padding    is not part of a window; one with nothing but padding gives -Inf.
/// NaN        under the window makes a NaN (ONNX leaves it open). -0 is below +0.
/// Output     f32, bf16 or f16, of x's type: exact.
Result<CheckReport> checkMaxPool2d(const Call& call) {
  using enum ElementType;
  ETALON_RETURN_IF_ERROR(call.expectInputs(
      1, 1, "max_pool2d(x) -> y with window=[R, S], stride=1, dilation=1, pads=[0, 0, 0, 0]"));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({"window", "stride", "dilation", "pads"}));
  const Result<const Array*> array = call.array(0, {f32, bf16, f16});
  if (!array.ok()) return array.error();
  ETALON_RETURN_IF_ERROR(call.expectOutputType({(*array)->type}));
  const Shape& x = (*array)->shape;
  if (x.size() != 4) return call.error(call.describeInput(0) + "; it must be [B, H, W, C]");
  if (!call.text("window")) return call.error("attribute window=[R, S] is missing");
  const Result<std::vector<int64_t>> window = call.integers("window", 2, 1, 1 << 20, 1);
  if (!window.ok()) return window.error();
  ConvolutionExtents e;
  ETALON_RETURN_IF_ERROR(readWindowSteps(call, e));
  e.height = x[1], e.width = x[2];
  e.kernel_height = static_cast<uint64_t>((*window)[0]);
  e.kernel_width = static_cast<uint64_t>((*window)[1]);
  const uint64_t channels = x[3];
  const Shape shape{x[0], e.outputHeight(), e.outputWidth(), channels};
  ETALON_RETURN_IF_ERROR(call.expectOutputShape(shape));

  const std::vector<double> image = elementValues(**array);
  std::vector<uint64_t> expected;
  expected.reserve(abi::elementCount(shape));
  for (uint64_t i = 0; i < abi::elementCount(shape); ++i) {
    const uint64_t ox = i / channels % shape[2];
    const uint64_t oy = i / channels / shape[2] % shape[1];
    const uint64_t n = i / channels / shape[2] / shape[1];
    double greatest = -std::numeric_limits<double>::infinity();
    for (uint64_t r = 0; r < e.kernel_height; ++r) {
      for (uint64_t s = 0; s < e.kernel_width; ++s) {
        // Wraps to a huge number above and left of the image.
        const uint64_t row = oy * e.stride[0] + r * e.dilation[0] - e.pads[0];
        const uint64_t column = ox * e.stride[1] + s * e.dilation[1] - e.pads[1];
        if (row < x[1] && column < x[2])
          greatest = greater(greatest,
                             image[((n * x[1] + row) * x[2] + column) * channels + i % channels]);
      }
    }
    expected.push_back(encode((*array)->type, {greatest, 0}));
  }
  return compareBits(call.operation(), "exact", call.output(), expected);
}

}  // namespace etalon::kernels
