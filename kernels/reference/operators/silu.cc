// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/expression.h"
#include "kernels/reference/operators.h"

namespace etalon::kernels {

/// silu(x) -> y = x sigmoid(x), both rounded to f32. with saturate=0. Replay.
Result<CheckReport> checkSilu(const Call& call) {
  ETALON_RETURN_IF_ERROR(call.expectInputs(1, 1, "silu(x) -> y with saturate=0"));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({"saturate"}));
  return checkExpression(call, "x * sigmoid(x)", {"x"});
}

}  // namespace etalon::kernels
