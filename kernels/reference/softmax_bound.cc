// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/softmax_bound.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace etalon::kernels {
namespace {

constexpr double kHalfUlp = 0x1p-24;    // u of f32 to nearest
constexpr double kLeastF32 = 0x1p-149;  // eta
constexpr double kReference = 1 + 0x1p-28;
/// exp(-200) is 2^-288: such an element is 0 in every type, and adds nothing to the sum.
constexpr double kNothing = 200;

}  // namespace

void boundSoftmax(std::span<const double> row, double rescales, std::span<BoundedValue> out) {
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

}  // namespace etalon::kernels
