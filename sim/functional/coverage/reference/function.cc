// SPDX-License-Identifier: Apache-2.0
// Functions and division by MPFR with 256 bits: no f32 argument of these functions comes closer than
// about 2^-80 to a tie, so the value truncated to a double with the last bit set if anything was cut
// rounds as the exact value does.
#include <mpfr.h>

#include <bit>
#include <cmath>

#include "sim/functional/coverage/reference/lane.h"

namespace etalon::reference {
namespace {

constexpr mpfr_prec_t kBits = 256;

class Real {
 public:
  explicit Real(double value = 0) {
    mpfr_init2(value_, kBits);
    mpfr_set_d(value_, value, MPFR_RNDZ);
  }
  ~Real() { mpfr_clear(value_); }
  Real(const Real&) = delete;
  Real& operator=(const Real&) = delete;

  mpfr_ptr get() { return value_; }

  /// Truncated to a double, its last bit set if it is not exact.
  double toOdd(bool inexact) {
    const double cut = mpfr_get_d(value_, MPFR_RNDZ);
    if (!std::isfinite(cut)) return cut;
    inexact |= mpfr_cmp_d(value_, cut) != 0;
    return inexact ? std::bit_cast<double>(std::bit_cast<uint64_t>(cut) | 1) : cut;
  }

 private:
  mpfr_t value_;
};

double sigmoid(double x) {
  Real v(-x);
  mpfr_exp(v.get(), v.get(), MPFR_RNDZ);
  mpfr_add_ui(v.get(), v.get(), 1, MPFR_RNDZ);
  const int inexact = mpfr_ui_div(v.get(), 1, v.get(), MPFR_RNDZ);
  return v.toOdd(inexact != 0);
}

}  // namespace

double divideOdd(double a, double b) {
  Real x(a), y(b);
  const int inexact = mpfr_div(x.get(), x.get(), y.get(), MPFR_RNDZ);
  return x.toOdd(inexact != 0);
}

double functionOdd(std::string_view name, double x) {
  if (name == "recip") return divideOdd(1, x);
  if (name == "sigmoid") return sigmoid(x);
  // IEEE 754 gives -0 a negative infinity, MPFR a positive one.
  if (name == "rsqrt" && x == 0) return std::copysign(HUGE_VAL, x);
  using Function = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  const Function function = name == "exp"     ? mpfr_exp
                            : name == "exp2"  ? mpfr_exp2
                            : name == "log"   ? mpfr_log
                            : name == "log2"  ? mpfr_log2
                            : name == "sqrt"  ? mpfr_sqrt
                            : name == "rsqrt" ? mpfr_rec_sqrt
                            : name == "tanh"  ? mpfr_tanh
                            : name == "sin"   ? mpfr_sin
                            : name == "cos"   ? mpfr_cos
                                              : mpfr_erf;
  Real v(x);
  const int inexact = function(v.get(), v.get(), MPFR_RNDZ);
  return v.toOdd(inexact != 0);
}

}  // namespace etalon::reference
