// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/exact_math.h"

#include <cfloat>
#include <cmath>
#include <limits>

namespace etalon::kernels {
namespace {

static_assert(LDBL_MANT_DIG >= 64, "the functions need a long double of 64 significant bits");

int signOf(double x) { return x > 0 ? 1 : (x < 0 ? -1 : 0); }

/// `head` with the sign of an error that means nothing where head is not finite.
Exact withError(double head, double error) {
  return std::isfinite(head) ? Exact{head, signOf(error)} : Exact{head, 0};
}

/// The error of head = a + b (Knuth's two-sum; |a|, |b| far below the range of double).
double sumError(double a, double b, double head) {
  const double b_part = head - a;
  return (a - (head - b_part)) + (b - b_part);
}

Exact split(long double value) {
  const double head = static_cast<double>(value);
  return withError(head, static_cast<double>(value - static_cast<long double>(head)));
}

}  // namespace

Exact exactSum(double a, double b) {
  const double head = a + b;
  return withError(head, sumError(a, b, head));
}

Exact exactProduct(double a, double b) { return {a * b, 0}; }  // 48 bits at most

Exact exactQuotient(double a, double b) {
  const double head = a / b;
  if (!std::isfinite(head) || !std::isfinite(b)) return {head, 0};
  // a - head * b is exact in one fused operation; dividing by b turns its sign.
  const double rest = std::fma(-head, b, a);
  return {head, signOf(rest) * signOf(b)};
}

Exact exactSquareRoot(double a) {
  const double head = std::sqrt(a);
  return withError(head, std::isfinite(head) ? std::fma(-head, head, a) : 0);
}

Exact exactFusedProduct(double a, double b, double c) { return exactSum(a * b, c); }

Exact exactExp(double x) { return split(std::exp(static_cast<long double>(x))); }
Exact exactExp2(double x) { return split(std::exp2(static_cast<long double>(x))); }
Exact exactLog(double x) { return split(std::log(static_cast<long double>(x))); }
Exact exactLog2(double x) { return split(std::log2(static_cast<long double>(x))); }
Exact exactTanh(double x) { return split(std::tanh(static_cast<long double>(x))); }
Exact exactErf(double x) { return split(std::erf(static_cast<long double>(x))); }

Exact exactSigmoid(double x) {
  constexpr double kSeries = 0x1p-7;
  if (!(std::fabs(x) < kSeries)) return split(1 / (1 + std::exp(-static_cast<long double>(x))));
  // 1/2 + x/4 - x^3/48 + x^5/480 - 17 x^7/80640: the next term is below 2^-70 of x/4. All but the
  // half are summed first, then the half is added with its error, so that no tie hides x^3/48.
  const long double t = x;
  const long double square = t * t;
  const long double odd =
      t * (0.25L - square * (1.0L / 48 - square * (1.0L / 480 - square * (17.0L / 80640))));
  const double odd_head = static_cast<double>(odd);
  const double odd_tail = static_cast<double>(odd - static_cast<long double>(odd_head));
  const double head = 0.5 + odd_head;
  return {head, signOf(sumError(0.5, odd_head, head) + odd_tail)};
}

Exact exactReciprocalRoot(double x) { return split(1 / std::sqrt(static_cast<long double>(x))); }

double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

double minimum(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

}  // namespace etalon::kernels
