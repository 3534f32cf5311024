// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/dot.h"
#include "kernels/reference/matrix_product.h"
#include "kernels/reference/operators.h"

namespace etalon::kernels {

/// matmul(A, B[, bias]) -> C: A [..., M, K] times B [..., K, N] gives C [..., M, N], as ONNX MatMul
/// with NumPy's broadcasting of the leading axes; bias [N] is added to every row.
///
/// with       transpose=[0, 0] (1: that operand is stored with its last two axes exchanged),
///            activation=none|relu, saturate=0.
/// Types      floats (expectDotOperands()) to f32, bf16, f16, f8: bounded. i8, u8 to i32: exact,
///            modulo 2^32.
Result<CheckReport> checkMatmul(const Call& call) {
  ETALON_RETURN_IF_ERROR(call.expectInputs(
      2, 3, "matmul(A, B[, bias]) -> C with transpose=[0, 0], activation=none, saturate=0"));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({"transpose", "activation", "saturate"}));
  ETALON_RETURN_IF_ERROR(expectDotOperands(call));
  return checkMatrixProduct(call, false);
}

}  // namespace etalon::kernels
