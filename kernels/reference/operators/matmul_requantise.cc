// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/dot.h"
#include "kernels/reference/matrix_product.h"
#include "kernels/reference/operators.h"

namespace etalon::kernels {

/// matmul_requantise(A, B, multiplier, shift[, bias]) -> C: the integer matrix product with its i32
/// sums (bias added) requantised per column as isa.md section 5 says.
///
/// A, B       i8 or u8. multiplier, shift: i32 [N] or one for all. bias: i32 [N].
/// with       transpose=[0, 0], zero_point=0 (added after the shift), activation=none|relu.
/// Output     i8, u8, i16, u16 or i32, saturated: exact.
Result<CheckReport> checkMatmulRequantise(const Call& call) {
  ETALON_RETURN_IF_ERROR(call.expectInputs(
      4, 5,
      "matmul_requantise(A, B, multiplier, shift[, bias]) -> C with transpose=[0, 0], "
      "zero_point=0, activation=none"));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({"transpose", "zero_point", "activation"}));
  ETALON_RETURN_IF_ERROR(expectDotOperands(call));
  Result<const Array*> integers = call.array(0, {ElementType::i8, ElementType::u8});
  if (!integers.ok()) return integers.error();
  return checkMatrixProduct(call, true);
}

}  // namespace etalon::kernels
