// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/reference/dot.h"
#include "kernels/reference/operators.h"

namespace etalon::kernels {
namespace {

constexpr double kLeastF32 = 0x1p-149;  // eta
constexpr double kOverflow = 0x1p127;   // half of what overflows: pays for all rounding on the way
constexpr uint64_t kMostTerms = uint64_t{1} << 22;

struct Inputs {
  uint64_t rows = 0;
  uint64_t length = 0;
  std::vector<double> dy, x, mean, rstd, gamma;
};

Result<Inputs> inputsOf(const Call& call) {
  using enum ElementType;
  Inputs in;
  std::vector<double>* values[] = {&in.dy, &in.x, &in.mean, &in.rstd, &in.gamma};
  for (size_t i = 0; i < 5; ++i) {
    const Result<const Array*> array =
        i < 2 ? call.array(i, {f32, bf16, f16}) : call.array(i, {f32});
    if (!array.ok()) return array.error();
    *values[i] = elementValues(**array);
  }
  const Shape& shape = call.inputs()[1].array->shape;
  const auto has_shape = [&](size_t input, const Shape& wanted) {
    return call.inputs()[input].array->shape == wanted;
  };
  if (shape.size() != 2 || !has_shape(0, shape) || !has_shape(2, {shape[0]}) ||
      !has_shape(3, {shape[0]}) || !has_shape(4, {shape[1]}))
    return call.error(
        fmt::format("{}, {}, {}, {} and {}: they must be [R, N], [R, N], [R], [R] and [N]",
                    call.describeInput(0), call.describeInput(1), call.describeInput(2),
                    call.describeInput(3), call.describeInput(4)));
  in.rows = shape[0];
  in.length = shape[1];
  if (in.rows >= kMostTerms || in.length >= kMostTerms)
    return call.error(fmt::format("R = {}, N = {}; the error bound says nothing from {} on",
                                  in.rows, in.length, kMostTerms));
  return in;
}

/// dx of one row; see checkLayerNormBackward().
void boundRow(const Inputs& in, uint64_t row, std::vector<BoundedValue>& out) {
  const double n = static_cast<double>(in.length);
  const double rstd = in.rstd[row];
  double sums[2] = {0, 0};  // of g, of g h
  double magnitudes[2] = {0, 0};
  double largest = 0;  // of what is multiplied on the way
  for (uint64_t j = 0; j < in.length; ++j) {
    const double dy = in.dy[row * in.length + j];
    const double h = (in.x[row * in.length + j] - in.mean[row]) * rstd;
    const double g = dy * in.gamma[j];
    sums[0] += g;
    sums[1] += g * h;
    magnitudes[0] += std::fabs(g);
    magnitudes[1] += std::fabs(g * h);
    largest = std::max({largest, std::fabs(h), std::fabs(dy * h), std::fabs(in.gamma[j])});
  }
  largest = std::max({largest, magnitudes[0], magnitudes[1], std::fabs(rstd) * magnitudes[0],
                      std::fabs(rstd) * magnitudes[1]});
  for (uint64_t j = 0; j < in.length; ++j) {
    const double h = (in.x[row * in.length + j] - in.mean[row]) * rstd;
    const double g = in.dy[row * in.length + j] * in.gamma[j];
    const double value = rstd * (g - sums[0] / n - h * (sums[1] / n));
    const double magnitude =
        std::fabs(rstd) * (std::fabs(g) + magnitudes[0] / n + std::fabs(h) * (magnitudes[1] / n));
    BoundedValue bounded = boundOfSum(value, magnitude, n + 12);
    bounded.error +=
        (n + 12) * kLeastF32 * (1 + std::fabs(rstd)) * (1 + std::fabs(h)) * (1 + largest);
    bounded.may_overflow = bounded.may_overflow || !(largest < kOverflow);
    out.push_back(bounded);
  }
}

}  // namespace

/// layer_norm_backward(dy, x, mean, rstd, gamma) -> dx, dgamma, dbeta for rows of N:
///
///     h = (x - mean) rstd, g = dy gamma
///     dx = rstd (g - sum_j g / N - h sum_j g h / N), dgamma = sum over rows of dy h, dbeta of dy
///
/// dy, x      [R, N] f32, bf16 or f16; mean, rstd f32 [R], as the forward pass left them: they are data,
///            whatever rows they belong to. gamma f32 [N].
/// Outputs    dx f32, bf16 or f16; dgamma and dbeta f32.
///
/// Bounded, for f32 arithmetic to nearest in any order of the sums, u = 2^-24, eta = 2^-149, by
/// boundOfSum() with n roundings on the way of each term:
///
/// - h has two, relative to itself; g one. In sum g h a term has four before the sum and N - 1 in it, in
///   sum g two. Each sum is multiplied by 1 / N, which is rounded, and by rstd: three more; the product
///   with h has h's two and its own, and at most three additions follow: N + 12 in all, on terms whose
///   magnitudes are |rstd| (|g| + sum |g| / N + |h| sum |g h| / N). Underflow anywhere is at most eta,
///   times what it is multiplied with afterwards.
/// - dgamma: three roundings in dy h, R in the sum with a start and partial sums: n = R + 4. dbeta: R + 1.
Result<CheckReport> checkLayerNormBackward(const Call& call) {
  using enum ElementType;
  ETALON_RETURN_IF_ERROR(call.expectInputs(
      5, 5, "layer_norm_backward(dy, x, mean, rstd, gamma) -> dx, dgamma, dbeta", 3));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({}));
  const Result<Inputs> inputs = inputsOf(call);
  if (!inputs.ok()) return inputs.error();
  const Inputs& in = *inputs;
  ETALON_RETURN_IF_ERROR(call.expectOutputType({f32, bf16, f16}, 0));
  ETALON_RETURN_IF_ERROR(call.expectOutputShape({in.rows, in.length}, 0));
  for (const size_t output : {1, 2}) {
    ETALON_RETURN_IF_ERROR(call.expectOutputType({f32}, output));
    ETALON_RETURN_IF_ERROR(call.expectOutputShape({in.length}, output));
  }
  std::vector<BoundedValue> dx;
  dx.reserve(in.rows * in.length);
  for (uint64_t row = 0; row < in.rows; ++row) boundRow(in, row, dx);
  std::vector<BoundedValue> dgamma;
  std::vector<BoundedValue> dbeta;
  const double rows = static_cast<double>(in.rows);
  for (uint64_t j = 0; j < in.length; ++j) {
    double sums[2] = {0, 0};
    double magnitudes[2] = {0, 0};
    double largest = 0;
    for (uint64_t row = 0; row < in.rows; ++row) {
      const double dy = in.dy[row * in.length + j];
      const double h = (in.x[row * in.length + j] - in.mean[row]) * in.rstd[row];
      sums[0] += dy * h;
      sums[1] += dy;
      magnitudes[0] += std::fabs(dy * h);
      magnitudes[1] += std::fabs(dy);
      largest = std::max({largest, std::fabs(h), std::fabs(dy), std::fabs(in.rstd[row])});
    }
    dgamma.push_back(boundOfSum(sums[0], magnitudes[0], rows + 4));
    dgamma.back().error += 2 * (rows + 4) * kLeastF32 * (1 + largest) * (1 + largest);
    dgamma.back().may_overflow = dgamma.back().may_overflow || !(largest < kOverflow);
    dbeta.push_back(boundOfSum(sums[1], magnitudes[1], rows + 1));
  }
  return mergeReports({compareBounds(call.operation(), call.output(0), dx),
                       compareBounds(call.operation(), call.output(1), dgamma),
                       compareBounds(call.operation(), call.output(2), dbeta)});
}

}  // namespace etalon::kernels
