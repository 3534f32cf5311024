// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

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
constexpr double kOverflow = 0x1.ffffffp127;  // least magnitude that f32 rounds to infinity

/// g of k roundings; infinite where it says nothing.
double growth(double k) {
  const double ku = k * kHalfUlp;
  return ku < 1 ? ku / (1 - ku) : std::numeric_limits<double>::infinity();
}

/// Mean and variance of a row, and what f32 arithmetic may make of them.
struct Moments {
  double mean = 0;
  double mean_error = 0;
  double inverse = 0;         // 1 / sqrt(variance + epsilon)
  double inverse_growth = 0;  // relative error of it, at most
  bool mean_may_overflow = false;
  bool variance_may_overflow = false;
};

/// Sums of a row in long double: exact to 2^-64 of the magnitudes, so that the mean of a row far
/// from 0 leaves a variance good to double.
Moments momentsOf(std::span<const double> row, double epsilon) {
  const auto n = static_cast<long double>(row.size());
  long double sum = 0;
  long double magnitude = 0;
  for (const double x : row) {
    sum += x;
    magnitude += std::fabs(x);
  }
  const long double mean = sum / n;
  long double squares = 0;
  for (const double x : row) squares += (x - mean) * (x - mean);
  const auto variance = static_cast<double>(squares / n);
  const auto count = static_cast<double>(n);
  Moments m;
  m.mean = static_cast<double>(mean);
  m.mean_error = growth(count + 1) * static_cast<double>(magnitude / n) + kLeastF32;
  const double shifted = variance + m.mean_error * m.mean_error;
  const double variance_error =
      m.mean_error * m.mean_error + growth(count + 4) * shifted + 2 * kLeastF32;
  m.inverse = 1 / std::sqrt(variance + epsilon);
  const double relative =
      variance_error / (variance + epsilon) * (1 + kHalfUlp) + kHalfUlp;  // of variance + epsilon
  m.inverse_growth = relative < 1 ? std::pow(1 + kHalfUlp, 2) / std::sqrt(1 - relative) - 1
                                  : std::numeric_limits<double>::infinity();
  if (!std::isfinite(static_cast<double>(magnitude))) return m;  // the exact row is NaN
  m.mean_may_overflow = static_cast<double>(magnitude) * (1 + growth(count - 1)) >= kOverflow;
  m.variance_may_overflow = count * shifted * (1 + growth(count + 2)) >= kOverflow ||
                            variance + variance_error + epsilon >= kOverflow;
  return m;
}

/// The bound of checkLayerNorm() for one element.
BoundedValue boundElement(double x, const Moments& m, double gamma, double beta) {
  const double u = kHalfUlp;
  const double d = x - m.mean;
  const double scale = std::fabs(gamma) * m.inverse;
  const double product_error =
      scale *
      ((std::fabs(d) + m.mean_error) * std::pow(1 + u, 3) * (1 + m.inverse_growth) - std::fabs(d));
  BoundedValue out;
  out.value = d * m.inverse * gamma + beta;
  out.error = (product_error * (1 + u) + u * std::fabs(out.value)) * kReference +
              3 * kLeastF32 * (1 + std::fabs(gamma));
  if (gamma == 0) out.error = u * std::fabs(beta);
  const double largest = (std::fabs(d) + m.mean_error) * m.inverse * (1 + m.inverse_growth);
  out.may_overflow = !(
      std::max(1.0, std::fabs(gamma)) * largest * std::pow(1 + u, 3) + std::fabs(beta) < kOverflow);
  out.may_be_nan = m.mean_may_overflow;
  if (m.variance_may_overflow && std::isfinite(gamma)) out.collapsed = static_cast<float>(beta);
  if (std::isnan(out.value) && std::isfinite(x) && std::isfinite(gamma) && std::isfinite(beta) &&
      std::isfinite(m.mean))
    out = {0, std::numeric_limits<double>::infinity(), true};  // variance and epsilon are 0
  return out;
}

Result<std::vector<double>> vectorOf(const Call& call, size_t index, uint64_t length) {
  using enum ElementType;
  if (index >= call.inputs().size()) return std::vector<double>();
  Result<const Array*> array = call.array(index, {f32, bf16, f16});
  if (!array.ok()) return array.error();
  if ((*array)->shape != Shape{length})
    return call.error(fmt::format("{}; from {} it must have {} element(s)",
                                  call.describeInput(index), call.describeInput(0), length));
  return elementValues(**array);
}

}  // namespace

/// layer_norm(x[, gamma[, beta]]) -> y: y = (x - mean) / sqrt(variance + epsilon) * gamma + beta
/// along the last axis, variance the mean square distance from the mean, as ONNX LayerNormalization
/// with axis = -1. Floats to f32, bf16, f16; gamma and beta have one element a column.
///
/// with       epsilon=1e-5 (an f32), saturate=0.
///
/// Bounded, for f32 arithmetic to nearest that takes two passes (mean first, then squares of the
/// differences; the one-pass E[x^2] - mean^2 has no useful bound), sums in any order, with
/// u = 2^-24, eta = 2^-149, g(k) = k u / (1 - k u), S = sum |x| / n:
///
/// 1. mean: n - 1 additions, then a quotient or the rounded 1/n and a product:
///    off by at most E = g(n + 1) S + eta.
/// 2. The differences are (d_j + a)(1 + b_j), with one |a| <= E for the row and |b_j| <= u. Because
///    sum d_j = 0, the mean of their squares is exactly (v + a^2) but for roundings: two from b_j,
///    one of the square, n - 1 additions, two of the quotient:
///    variance off by at most V = E^2 + g(n + 4)(v + E^2) + 2 eta.
/// 3. w = v + epsilon is rounded: relatively off by R = V / w (1 + u) + u. Its inverse root, one
///    rounding of rsqrt, or of root and quotient: off by at most Q = (1 + u)^2 / sqrt(1 - R) - 1.
/// 4. The difference times the inverse root, then times gamma, is off by at most
///    Z = |gamma| / sqrt(w) ((|d_j| + E)(1 + u)^3 (1 + Q) - |d_j|),
///    the addition of beta: error = Z (1 + u) + u |y| + 3 eta (1 + |gamma|).
///
/// 5. Overflow, from T = 2^128 - 2^103 on; each of these is legal beside the bounded result:
///    - (1 + g(n - 1)) sum |x| >= T: a partial sum, so the mean, may be infinite or NaN. Then all
///      differences are, or, with a finite mean, some (as |d_j| <= sum |x|). Their squares make the
///      variance infinite or NaN, the inverse root 0 or NaN, and such an element NaN: inf * 0.
///    - n (v + E^2)(1 + g(n + 2)) >= T, or v + V + epsilon >= T: the variance may be infinite with
///      finite differences. The inverse root is 0 and y = beta, to the bit.
///    - the product with gamma or the sum with beta may reach T: infinities, and NaN.
///
/// Where R reaches 1 the bound is infinite and the element is counted as unbounded: a constant row
/// with epsilon near 0. The factor 1 + 2^-28 pays for the reference's own arithmetic.
Result<CheckReport> checkLayerNorm(const Call& call) {
  using enum ElementType;
  ETALON_RETURN_IF_ERROR(
      call.expectInputs(1, 3, "layer_norm(x[, gamma[, beta]]) -> y with epsilon=1e-5, saturate=0"));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({"epsilon", "saturate"}));
  const Result<const Array*> x = call.array(0, {f32, bf16, f16, f8e4m3, f8e5m2});
  if (!x.ok()) return x.error();
  ETALON_RETURN_IF_ERROR(call.expectOutputType({f32, bf16, f16, f8e4m3, f8e5m2}));
  ETALON_RETURN_IF_ERROR(call.expectOutputShape((*x)->shape));
  const uint64_t length = (*x)->shape.empty() ? 1 : (*x)->shape.back();
  const Result<std::vector<double>> gamma = vectorOf(call, 1, length);
  if (!gamma.ok()) return gamma.error();
  const Result<std::vector<double>> beta = vectorOf(call, 2, length);
  if (!beta.ok()) return beta.error();
  const Result<double> epsilon = call.real("epsilon", static_cast<double>(1e-5F));
  if (!epsilon.ok()) return epsilon.error();
  if (!(*epsilon >= 0))
    return call.error(fmt::format("attribute epsilon is {}; it is 0 or more", *epsilon));
  const std::vector<double> values = elementValues(**x);
  std::vector<BoundedValue> expected(values.size());
  for (size_t first = 0; first < values.size(); first += length) {
    const Moments moments = momentsOf(std::span(values).subspan(first, length), *epsilon);
    for (size_t j = 0; j < length; ++j)
      expected[first + j] =
          boundElement(values[first + j], moments, gamma->empty() ? 1 : (*gamma)[j],
                       beta->empty() ? 0 : (*beta)[j]);
  }
  return compareBounds(call.operation(), call.output(), expected);
}

}  // namespace etalon::kernels
