// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/convolution.h"
#include "kernels/reference/dot.h"
#include "kernels/reference/operators.h"

namespace etalon::kernels {

/// conv2d(x, w[, bias]) -> y: two-dimensional convolution (a correlation: the kernel is not turned
/// over), as ONNX Conv with one group.
///
/// with       layout=NHWC|NCHW (of x and y), weights=HWIO|OIHW|OHWI (left out: HWIO for NHWC, OIHW
///            for NCHW), stride=[1, 1], dilation=[1, 1], pads=[0, 0, 0, 0] (top, left, bottom,
///            right; one number for all of a list), activation=none|relu, saturate=0.
/// bias       one element an output channel.
/// Padding    counts as zeros that are multiplied: 0 times an infinite weight is NaN, as in an
///            im2col view.
/// Empty      A kernel without elements (R, S or C = 0) sums nothing: y is the bias, or 0. R = 0
///            and S = 0 are no special cases of the output's extents.
/// Types and verdicts as matmul, with K = R * S * C.
Result<CheckReport> checkConv2d(const Call& call) {
  ETALON_RETURN_IF_ERROR(call.expectInputs(
      2, 3,
      "conv2d(x, w[, bias]) -> y with layout=NHWC, weights=HWIO, stride=1, dilation=1, "
      "pads=[0, 0, 0, 0], activation=none, saturate=0"));
  ETALON_RETURN_IF_ERROR(call.expectAttributes(
      {"layout", "weights", "stride", "dilation", "pads", "activation", "saturate"}));
  ETALON_RETURN_IF_ERROR(expectDotOperands(call));
  return checkConvolution(call, false);
}

}  // namespace etalon::kernels
