// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/expression.h"
#include "kernels/reference/operators.h"

namespace etalon::kernels {

/// gelu_tanh(x) -> y: ONNX Gelu with approximate = tanh, operations in the order written below, each
/// rounded to f32. with saturate=0. Replay.
Result<CheckReport> checkGeluTanh(const Call& call) {
  ETALON_RETURN_IF_ERROR(call.expectInputs(1, 1, "gelu_tanh(x) -> y with saturate=0"));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({"saturate"}));
  return checkExpression(
      call, "0.5 * x * (1 + tanh(0.79788456080286536 * (x + 0.044715 * (x * x * x))))", {"x"});
}

}  // namespace etalon::kernels
