// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "kernels/reference/operators.h"

namespace etalon::kernels {
namespace {

constexpr double kHalfUlp = 0x1p-24;    // u of f32 to nearest
constexpr double kLeastF32 = 0x1p-149;  // eta
constexpr double kReference = 1 + 0x1p-28;
/// exp(-200) is 2^-288: such an element is 0 in every type, and adds nothing to the sum.
constexpr double kNothing = 200;

/// The bound of checkSoftmax() for one row.
void boundRow(std::span<const double> row, double rescales, std::span<BoundedValue> out) {
  double greatest = -std::numeric_limits<double>::infinity();
  bool numbers = true;
  for (const double x : row) {
    numbers = numbers && x < std::numeric_limits<double>::infinity();  // false for NaN too
    greatest = std::max(greatest, x);
  }
  if (!numbers || std::isinf(greatest)) {  // NaN or +Inf somewhere, or nothing but -Inf
    for (BoundedValue& value : out) value.value = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  const double n = static_cast<double>(row.size());
  double sum = 0;
  double sum_error = 0;  // sum of e_j ((1 + u) exp(u d_j) - 1)
  for (const double x : row) {
    const double d = greatest - x;
    if (!(d < kNothing)) continue;
    const double e = std::exp(-d);
    sum += e;
    sum_error += e * ((1 + kHalfUlp) * std::exp(kHalfUlp * d) - 1);
  }
  const double roundings = std::pow(1 + kHalfUlp, n - 1 + 2 * rescales);
  const double sum_relative = (1 + sum_error / sum) * roundings - 1 + n * kLeastF32;
  for (size_t j = 0; j < row.size(); ++j) {
    const double d = greatest - row[j];
    out[j].error = 3 * kLeastF32;
    if (!(d < kNothing)) continue;
    const double factor = std::pow(1 + kHalfUlp, 3) * std::exp(kHalfUlp * d) / (1 - sum_relative);
    out[j].value = std::exp(-d) / sum;
    out[j].error += out[j].value * (factor - 1) * kReference;
    if (sum_relative >= 1) out[j].error = std::numeric_limits<double>::infinity();
  }
}

}  // namespace

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
    boundRow(std::span(values).subspan(first, length), static_cast<double>(*rescales),
             std::span(expected).subspan(first, length));
  return compareBounds(call.operation(), call.output(), expected);
}

}  // namespace etalon::kernels
