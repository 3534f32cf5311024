// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace etalon::kernels {

/// A function of an expression: f32 values in, one f32 value out, correctly rounded.
struct ExpressionFunction {
  std::string_view name;
  size_t arity;
  double (*apply)(const double* arguments);
};

/// Sorted by name; the operators stand among them as add, sub, mul, div, neg.
std::span<const ExpressionFunction> expressionFunctionTable();

/// nullptr if there is none of this name.
const ExpressionFunction* findExpressionFunction(std::string_view name);

}  // namespace etalon::kernels
