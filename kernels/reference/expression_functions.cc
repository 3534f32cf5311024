// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/expression_functions.h"

#include <cmath>

#include "kernels/reference/exact_math.h"

namespace etalon::kernels {
namespace {

double rounded(Exact value) { return static_cast<double>(roundToFloat(value)); }

constexpr ExpressionFunction kFunctions[] = {
    {"abs", 1, [](const double* x) { return std::fabs(x[0]); }},
    {"add", 2, [](const double* x) { return rounded(exactSum(x[0], x[1])); }},
    {"ceil", 1, [](const double* x) { return std::ceil(x[0]); }},
    {"div", 2, [](const double* x) { return rounded(exactQuotient(x[0], x[1])); }},
    {"erf", 1, [](const double* x) { return rounded(exactErf(x[0])); }},
    {"exp", 1, [](const double* x) { return rounded(exactExp(x[0])); }},
    {"exp2", 1, [](const double* x) { return rounded(exactExp2(x[0])); }},
    {"floor", 1, [](const double* x) { return std::floor(x[0]); }},
    {"fma", 3, [](const double* x) { return rounded(exactFusedProduct(x[0], x[1], x[2])); }},
    {"log", 1, [](const double* x) { return rounded(exactLog(x[0])); }},
    {"log2", 1, [](const double* x) { return rounded(exactLog2(x[0])); }},
    {"max", 2, [](const double* x) { return maximum(x[0], x[1]); }},
    {"min", 2, [](const double* x) { return minimum(x[0], x[1]); }},
    {"mul", 2, [](const double* x) { return rounded(exactProduct(x[0], x[1])); }},
    {"neg", 1, [](const double* x) { return -x[0]; }},
    {"recip", 1, [](const double* x) { return rounded(exactQuotient(1, x[0])); }},
    {"relu", 1, [](const double* x) { return maximum(x[0], 0); }},
    {"round", 1, [](const double* x) { return std::nearbyint(x[0]); }},
    {"rsqrt", 1, [](const double* x) { return rounded(exactReciprocalRoot(x[0])); }},
    {"sigmoid", 1, [](const double* x) { return rounded(exactSigmoid(x[0])); }},
    {"sqrt", 1, [](const double* x) { return rounded(exactSquareRoot(x[0])); }},
    {"sub", 2, [](const double* x) { return rounded(exactSum(x[0], -x[1])); }},
    {"tanh", 1, [](const double* x) { return rounded(exactTanh(x[0])); }},
    {"trunc", 1, [](const double* x) { return std::trunc(x[0]); }},
};

}  // namespace

std::span<const ExpressionFunction> expressionFunctionTable() { return kFunctions; }

const ExpressionFunction* findExpressionFunction(std::string_view name) {
  for (const ExpressionFunction& function : kFunctions)
    if (function.name == name) return &function;
  return nullptr;
}

}  // namespace etalon::kernels
