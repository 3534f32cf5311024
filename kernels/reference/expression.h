// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/status.h"
#include "kernels/reference/call.h"

namespace etalon::kernels {

/// An element-wise expression whose every operation is rounded to f32, as a chain of single
/// instructions computes it.
///
///     sum     = product { ( "+" | "-" ) product }                  left to right
///     product = factor { ( "*" | "/" ) factor }
///     factor  = "-" factor | NUMBER | NAME | FUNCTION "(" sum { "," sum } ")" | "(" sum ")"
///
/// FUNCTION is one of expressionFunctions(); numbers are rounded to f32. Every operation is
/// correctly rounded (exact_math.h); `fma(a, b, c)` = a * b + c with one rounding, which `a * b + c`
/// is not; max and min are IEEE 754-2019 maximum and minimum; relu(x) = max(x, 0); round ties to
/// even; a minus sign flips the sign bit.
class Expression {
 public:
  /// `names` are the variables. Errors name the column, from 1.
  static Result<Expression> parse(std::string_view text, const std::vector<std::string>& names);

  /// The value for one element; values[i] belongs to names[i] and is an f32 value, as the result is.
  double evaluate(std::span<const double> values) const;

 private:
  friend class ExpressionParser;
  using Apply = double (*)(const double* arguments);
  struct Step {
    enum class Kind { Number, Variable, Function } kind;
    double number = 0;
    size_t variable = 0;
    size_t arity = 0;
    Apply apply = nullptr;
  };

  std::vector<Step> steps_;  // postfix
};

/// Names of the functions, sorted.
std::vector<std::string> expressionFunctions();

/// Judges y = expression(inputs) with NumPy's broadcasting; inputs are float arrays or scalars, which
/// widen to f32 exactly; the result is rounded once to the output's type (float; saturate=0|1).
/// Verdict "replay". `names` are what the expression calls the inputs.
Result<CheckReport> checkExpression(const Call& call, std::string_view expression,
                                    const std::vector<std::string>& names);

}  // namespace etalon::kernels
