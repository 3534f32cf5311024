// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>

#include "kernels/reference/convolution.h"
#include "kernels/reference/dot.h"
#include "kernels/reference/operators.h"

namespace etalon::kernels {

/// depthwise_conv2d(x, w[, bias]) -> y: convolution of each channel by itself, channels last: x
/// [B, H, W, C], w [R, S, C], as ONNX Conv with as many groups as channels.
///
/// with       stride=[1, 1], dilation=[1, 1], pads=[0, 0, 0, 0], activation=none|relu, saturate=0.
/// bias       one element a channel.
/// Padding and empty windows as conv2d. Types and verdicts as matmul, with K = R * S.
Result<CheckReport> checkDepthwiseConv2d(const Call& call) {
  ETALON_RETURN_IF_ERROR(call.expectInputs(
      2, 3,
      "depthwise_conv2d(x, w[, bias]) -> y with stride=1, dilation=1, pads=[0, 0, 0, 0], "
      "activation=none, saturate=0"));
  ETALON_RETURN_IF_ERROR(
      call.expectAttributes({"stride", "dilation", "pads", "activation", "saturate"}));
  ETALON_RETURN_IF_ERROR(expectDotOperands(call));
  const Shape& x = call.inputs()[0].array->shape;
  const Shape& w = call.inputs()[1].array->shape;
  if (x.size() != 4 || w.size() != 3 || w[2] != x[3])
    return call.error(
        fmt::format("{} and {}: they must be [B, H, W, C] and [R, S, C], of the same C",
                    call.describeInput(0), call.describeInput(1)));
  ConvolutionExtents e;
  ETALON_RETURN_IF_ERROR(readWindowSteps(call, e));
  e.height = x[1], e.width = x[2], e.kernel_height = w[0], e.kernel_width = w[1];
  const uint64_t channels = x[3];
  const Shape shape{x[0], e.outputHeight(), e.outputWidth(), channels};
  ETALON_RETURN_IF_ERROR(call.expectOutputShape(shape));
  Result<DotFinish> made = DotFinish::create(call, w[0] * w[1], channels, false);
  if (!made.ok()) return made.error();
  DotFinish finish = *std::move(made);
  finish.reserve(abi::elementCount(shape));

  const std::vector<double> image = elementValues(*call.inputs()[0].array);
  const std::vector<double> weights = elementValues(*call.inputs()[1].array);
  for (uint64_t i = 0; i < abi::elementCount(shape); ++i) {
    const uint64_t c = i % channels;
    const uint64_t ox = i / channels % shape[2];
    const uint64_t oy = i / channels / shape[2] % shape[1];
    const uint64_t n = i / channels / shape[2] / shape[1];
    double sum = 0;
    double magnitude = 0;
    for (uint64_t r = 0; r < w[0]; ++r) {
      for (uint64_t s = 0; s < w[1]; ++s) {
        // Wraps to a huge number above and left of the image.
        const uint64_t row = oy * e.stride[0] + r * e.dilation[0] - e.pads[0];
        const uint64_t column = ox * e.stride[1] + s * e.dilation[1] - e.pads[1];
        const bool inside = row < x[1] && column < x[2];
        const double pixel = inside ? image[((n * x[1] + row) * x[2] + column) * channels + c] : 0;
        const double product = pixel * weights[(r * w[1] + s) * channels + c];
        sum += product;
        magnitude += std::fabs(product);
      }
    }
    finish.take(c, sum, magnitude);
  }
  return finish.report(call);
}

}  // namespace etalon::kernels
