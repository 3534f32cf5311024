// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/expression.h"
#include "kernels/reference/operators.h"

namespace etalon::kernels {

/// mul_add_relu(a, b, c) -> y = relu(a * b + c), the product rounded to f32, then the sum. with
/// saturate=0. Replay.
Result<CheckReport> checkMulAddRelu(const Call& call) {
  ETALON_RETURN_IF_ERROR(call.expectInputs(3, 3, "mul_add_relu(a, b, c) -> y with saturate=0"));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({"saturate"}));
  return checkExpression(call, "relu(a * b + c)", {"a", "b", "c"});
}

}  // namespace etalon::kernels
