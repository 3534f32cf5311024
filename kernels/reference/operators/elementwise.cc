// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/expression.h"
#include "kernels/reference/operators.h"

namespace etalon::kernels {

/// elementwise(a, b, ...) -> y with expression=relu(a * b + c): every operation rounded to f32 in
/// the order written (expression.h), the result once more to the output's type; inputs are called by
/// their names. with saturate=0. Replay.
Result<CheckReport> checkElementwise(const Call& call) {
  ETALON_RETURN_IF_ERROR(call.expectInputs(
      1, 64, "elementwise(a, b, ...) -> y with expression=relu(a * b + c), saturate=0"));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({"expression", "saturate"}));
  const std::optional<std::string> expression = call.text("expression");
  if (!expression)
    return call.error("attribute expression is missing, as in expression=relu(a * b)");
  std::vector<std::string> names;
  for (const CallInput& input : call.inputs()) names.push_back(input.name);
  return checkExpression(call, *expression, names);
}

}  // namespace etalon::kernels
