// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/operators.h"

namespace etalon::kernels {

/// copy(x) -> y: the same elements in C order; type and number of elements are equal, the shape may
/// differ (a reshape). Exact.
Result<CheckReport> checkCopy(const Call& call) {
  ETALON_RETURN_IF_ERROR(call.expectInputs(1, 1, "copy(x) -> y"));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({}));
  const Array* x = call.inputs()[0].array;
  if (x == nullptr) return call.error(call.describeInput(0) + "; it must be an array");
  ETALON_RETURN_IF_ERROR(call.expectOutputType({x->type}));
  if (abi::elementCount(call.outputShape()) != abi::elementCount(x->shape))
    ETALON_RETURN_IF_ERROR(call.expectOutputShape(x->shape));
  return compareBits(call.operation(), "exact", call.output(), elementBits(*x));
}

}  // namespace etalon::kernels
