// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/convolution.h"
#include "kernels/reference/dot.h"
#include "kernels/reference/operators.h"

namespace etalon::kernels {

/// conv2d_requantise(x, w, multiplier, shift[, bias]) -> y: the integer convolution, its i32 sums
/// requantised per output channel as in matmul_requantise; attributes of conv2d and zero_point=0.
Result<CheckReport> checkConv2dRequantise(const Call& call) {
  ETALON_RETURN_IF_ERROR(call.expectInputs(
      4, 5,
      "conv2d_requantise(x, w, multiplier, shift[, bias]) -> y with layout=NHWC, weights=HWIO, "
      "stride=1, dilation=1, pads=[0, 0, 0, 0], zero_point=0, activation=none"));
  ETALON_RETURN_IF_ERROR(call.expectAttributes(
      {"layout", "weights", "stride", "dilation", "pads", "zero_point", "activation"}));
  ETALON_RETURN_IF_ERROR(expectDotOperands(call));
  Result<const Array*> integers = call.array(0, {ElementType::i8, ElementType::u8});
  if (!integers.ok()) return integers.error();
  return checkConvolution(call, true);
}

}  // namespace etalon::kernels
