// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/expression.h"
#include "kernels/reference/operators.h"

namespace etalon::kernels {

/// gelu(x) -> y = (x / 2) (1 + erf(x / sqrt 2)), as ONNX Gelu, operations in the order written below,
/// each rounded to f32. with saturate=0. Replay.
Result<CheckReport> checkGelu(const Call& call) {
  ETALON_RETURN_IF_ERROR(call.expectInputs(1, 1, "gelu(x) -> y with saturate=0"));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({"saturate"}));
  return checkExpression(call, "0.5 * x * (1 + erf(x * 0.70710678118654752))", {"x"});
}

}  // namespace etalon::kernels
