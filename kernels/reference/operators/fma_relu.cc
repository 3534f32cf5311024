// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/expression.h"
#include "kernels/reference/operators.h"

namespace etalon::kernels {

/// fma_relu(a, b, c) -> y = relu(fma(a, b, c)), one rounding of product and sum. with saturate=0.
/// Replay.
Result<CheckReport> checkFmaRelu(const Call& call) {
  ETALON_RETURN_IF_ERROR(call.expectInputs(3, 3, "fma_relu(a, b, c) -> y with saturate=0"));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({"saturate"}));
  return checkExpression(call, "relu(fma(a, b, c))", {"a", "b", "c"});
}

}  // namespace etalon::kernels
