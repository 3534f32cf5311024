// SPDX-License-Identifier: Apache-2.0
// Ziv's strategy. A double result d with |d - v| <= 2^-48 |v| decides the f32 rounding of v unless
// a rounding boundary lies within that distance, about one argument in 2^23; then a long double
// with 2^-59 decides.
//
// Bounds. 2^-48 is 16 ulp of double and 2^-59 is 16 ulp of the 64-bit long double; the host's libm
// stays within 4 ulp in both (glibc's manual, "Known Maximum Errors": exp, log 1; erf 1; tanh 2,
// tanhl 3; sin, cos, sinl, cosl 2), sigmoid adds at most 2 more for its sum and quotient. For sin
// and cos that holds of every argument, since libm reduces by as many bits of pi as the argument
// needs: next to a zero the error is an ulp of the small result. Both bounds hold relative to v
// over the whole range of f32 arguments, since results of subnormal f32 size are normal in double.
// Beyond the long double stage no argument remains except the exact or structured cases below; that
// is shown by running etalon_exhaustive over all arguments, which compares with MPFR.
#include "isa/numerics/function.h"

#include <bit>
#include <cfloat>
#include <cmath>

#include "isa/base/check.h"
#include "isa/numerics/convert.h"

namespace etalon::numerics {
namespace {

static_assert(LDBL_MANT_DIG >= 64, "the second stage needs a long double of 64 bits or more");

constexpr double kDoubleBound = 0x1p-48;
constexpr long double kLongBound = 0x1p-59L;

float nan() { return std::bit_cast<float>(kNanF32); }

/// Rounds v, given v to the double bound; asks for the long double only when that cannot decide.
template <class Precise>
float roundOnce(double approximate, float x, Precise precise) {
  const float low = static_cast<float>(approximate * (1 - kDoubleBound));
  const float high = static_cast<float>(approximate * (1 + kDoubleBound));
  if (low == high) return low;
  const long double value = precise(static_cast<long double>(x));
  const float lower = static_cast<float>(value * (1 - kLongBound));
  const float upper = static_cast<float>(value * (1 + kLongBound));
  ETALON_CHECK(
      lower == upper,
      "an argument harder than the long double stage; add it to the cases handled exactly");
  return lower;
}

/// sigmoid(x) for 2^-26 <= |x| < 2^-17 is 1/2 + x/4 - e with 0 < |e| < 2^-56, the sign of x. 1/2 +
/// x/4 is a double, and often a midpoint of two floats, which no working precision near 64 bits
/// could tell from the value.
float sigmoidNearZero(float x) {
  const double sum = 0.5 + static_cast<double>(x) * 0.25;
  const bool midpoint = (std::bit_cast<uint64_t>(sum) & 0x1fffffff) == 0x10000000;
  return static_cast<float>(midpoint ? std::nextafter(sum, 0.5) : sum);
}

}  // namespace

float rneExp(float x) {
  if (x != x) return nan();
  return roundOnce(std::exp(static_cast<double>(x)), x, [](long double v) { return std::exp(v); });
}

float rneExp2(float x) {
  if (x != x) return nan();
  // Powers of two are exact, and 2^-150 is a tie.
  if (std::fabs(x) < 256 && x == std::trunc(x))
    return static_cast<float>(std::ldexp(1.0, static_cast<int>(x)));
  return roundOnce(std::exp2(static_cast<double>(x)), x,
                   [](long double v) { return std::exp2(v); });
}

float rneLog(float x) {
  if (x != x || x < 0) return nan();
  return roundOnce(std::log(static_cast<double>(x)), x, [](long double v) { return std::log(v); });
}

float rneLog2(float x) {
  if (x != x || x < 0) return nan();
  return roundOnce(std::log2(static_cast<double>(x)), x,
                   [](long double v) { return std::log2(v); });
}

float rneSqrt(float x) {
  if (x != x || x < 0) return nan();
  return std::sqrt(x);
}

float rneRsqrt(float x) {
  if (x != x || x < 0) return nan();
  if (x == 0) return std::copysign(INFINITY, x);
  return roundOnce(1.0 / std::sqrt(static_cast<double>(x)), x,
                   [](long double v) { return 1.0L / std::sqrt(v); });
}

float rneRecip(float x) { return x != x ? nan() : 1.0f / x; }

float rneTanh(float x) {
  if (x != x) return nan();
  if (x == 0) return x;
  const float magnitude = std::fabs(x);
  const float result = roundOnce(std::tanh(static_cast<double>(magnitude)), magnitude,
                                 [](long double v) { return std::tanh(v); });
  return std::copysign(result, x);
}

float rneSigmoid(float x) {
  if (x != x) return nan();
  const float magnitude = std::fabs(x);
  if (magnitude < 0x1p-26f) return 0.5f;
  if (magnitude < 0x1p-17f) return sigmoidNearZero(x);
  return roundOnce(1.0 / (1.0 + std::exp(-static_cast<double>(x))), x,
                   [](long double v) { return 1.0L / (1.0L + std::exp(-v)); });
}

float rneErf(float x) {
  if (x != x) return nan();
  if (x == 0) return x;
  const float magnitude = std::fabs(x);
  const float result = roundOnce(std::erf(static_cast<double>(magnitude)), magnitude,
                                 [](long double v) { return std::erf(v); });
  return std::copysign(result, x);
}

float rneSin(float x) {
  if (!std::isfinite(x)) return nan();
  if (x == 0) return x;
  const float magnitude = std::fabs(x);
  const float result = roundOnce(std::sin(static_cast<double>(magnitude)), magnitude,
                                 [](long double v) { return std::sin(v); });
  return x < 0 ? -result : result;
}

float rneCos(float x) {
  if (!std::isfinite(x)) return nan();
  const float magnitude = std::fabs(x);
  return roundOnce(std::cos(static_cast<double>(magnitude)), magnitude,
                   [](long double v) { return std::cos(v); });
}

UnaryFunction unaryFunction(ElementwiseOp op) {
  switch (op) {
    case ElementwiseOp::exp: return rneExp;
    case ElementwiseOp::exp2: return rneExp2;
    case ElementwiseOp::log: return rneLog;
    case ElementwiseOp::log2: return rneLog2;
    case ElementwiseOp::sqrt: return rneSqrt;
    case ElementwiseOp::rsqrt: return rneRsqrt;
    case ElementwiseOp::recip: return rneRecip;
    case ElementwiseOp::tanh: return rneTanh;
    case ElementwiseOp::sigmoid: return rneSigmoid;
    case ElementwiseOp::erf: return rneErf;
    case ElementwiseOp::sin: return rneSin;
    case ElementwiseOp::cos: return rneCos;
    default: return nullptr;
  }
}

}  // namespace etalon::numerics
