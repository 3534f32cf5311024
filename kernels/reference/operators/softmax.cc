// SPDX-License-Identifier: Apache-2.0
#include <span>

#include "kernels/reference/operators.h"
#include "kernels/reference/softmax_bound.h"

namespace etalon::kernels {
/// softmax(x) -> y: y_j = exp(x_j - m) / sum_i exp(x_i - m) along the last axis, m its greatest
/// element, as ONNX Softmax with axis = -1. Floats to f32, bf16, f16 or f8.
///
/// with       rescales=0: how often an online kernel multiplies its running sum by exp(m_old -
///            m_new); saturate=0.
///
/// Bounded, for f32 arithmetic to nearest in any order of the sum, with u = 2^-24, eta = 2^-149,
/// d_j = m - x_j >= 0, e_j = exp(-d_j), s = sum e_j >= 1:
///
/// 1. m is exact. The difference is rounded: d_j (1 + a), |a| <= u. exp of it, correctly rounded, is
///    e_j exp(a d_j) (1 + u), relatively off by at most t_j = (1 + u) exp(u d_j) - 1, and by eta / 2
///    where it underflows.
/// 2. The sum of n positive terms has n - 1 roundings; each rescaling one of exp and one of the
///    product (its argument's rounding telescopes into step 1: the maxima only grow, so the sum of
///    their differences and of m - x_j is d_j). Relative error of s at most
///    S = (1 + sum e_j t_j / s) (1 + u)^(n - 1 + 2 rescales) - 1 + n eta.
/// 3. The quotient, or reciprocal and product, at most two roundings. In all
///    y_j = p_j (1 + r), |r| <= (1 + u)^3 exp(u d_j) / (1 - S) - 1,
///    and 3 eta for underflow in exp, quotient and product.
///
/// The reference's own double arithmetic errs by about n 2^-53, 2^-29 of that: the factor 1 + 2^-28.
/// A row with NaN or +Inf, or of -Inf alone, is NaN.
Result<CheckReport> checkSoftmax(const Call& call) {
  using enum ElementType;
  ETALON_RETURN_IF_ERROR(call.expectInputs(1, 1, "softmax(x) -> y with rescales=0, saturate=0"));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({"rescales", "saturate"}));
  const Result<const Array*> x = call.array(0, {f32, bf16, f16, f8e4m3, f8e5m2});
  if (!x.ok()) return x.error();
  ETALON_RETURN_IF_ERROR(call.expectOutputType({f32, bf16, f16, f8e4m3, f8e5m2}));
  ETALON_RETURN_IF_ERROR(call.expectOutputShape((*x)->shape));
  const Result<int64_t> rescales = call.integer("rescales", 0, int64_t{1} << 32, 0);
  if (!rescales.ok()) return rescales.error();
  const std::vector<double> values = elementValues(**x);
  std::vector<BoundedValue> expected(values.size());
  const size_t length = (*x)->shape.empty() ? 1 : (*x)->shape.back();
  for (size_t first = 0; first < values.size(); first += length)
    boundSoftmax(std::span(values).subspan(first, length), static_cast<double>(*rescales),
                 std::span(expected).subspan(first, length));
  return compareBounds(call.operation(), call.output(), expected);
}

}  // namespace etalon::kernels
