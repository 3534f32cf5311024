// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/function_reference.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace etalon::reference {
namespace {

/// 1 / (1 + e^-x), correctly rounded to the precision of result: Ziv's loop on a rounding test of
/// MPFR's own.
int sigmoid(mpfr_t result, const mpfr_t x, mpfr_rnd_t rounding) {
  if (mpfr_zero_p(x) != 0) return mpfr_set_d(result, 0.5, rounding);
  if (mpfr_nan_p(x) != 0) return mpfr_set(result, x, rounding);
  const mpfr_exp_t emin = mpfr_get_emin();
  const mpfr_exp_t emax = mpfr_get_emax();
  mpfr_set_emin(mpfr_get_emin_min());  // e^-x exceeds f32 where 1 / (1 + e^-x) does not
  mpfr_set_emax(mpfr_get_emax_max());
  int ternary = 0;
  for (mpfr_prec_t precision = 96;; precision *= 2) {
    mpfr_t t;
    mpfr_init2(t, precision);
    mpfr_neg(t, x, MPFR_RNDN);
    mpfr_exp(t, t, MPFR_RNDN);
    mpfr_add_ui(t, t, 1, MPFR_RNDN);
    mpfr_ui_div(t, 1, t, MPFR_RNDN);
    const bool certain =
        mpfr_inf_p(x) != 0 || precision > 4096 ||
        mpfr_can_round(t, precision - 4, MPFR_RNDN, MPFR_RNDZ,
                       mpfr_get_prec(result) + (rounding == MPFR_RNDN ? 1 : 0)) != 0;
    if (certain) ternary = mpfr_set(result, t, rounding);
    mpfr_clear(t);
    if (!certain) continue;
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    return mpfr_check_range(result, ternary, rounding);
  }
}

int reciprocal(mpfr_t result, const mpfr_t x, mpfr_rnd_t rounding) {
  return mpfr_ui_div(result, 1, x, rounding);
}

int inverseRoot(mpfr_t result, const mpfr_t x, mpfr_rnd_t rounding) {
  if (mpfr_zero_p(x) != 0)
    return mpfr_ui_div(result, 1, x, rounding);  // MPFR's own gives +Inf for -0
  return mpfr_rec_sqrt(result, x, rounding);
}

struct Named {
  std::string_view name;
  int (*evaluate)(mpfr_t, const mpfr_t, mpfr_rnd_t);
};

constexpr Named kNamed[] = {
    {"exp", mpfr_exp},    {"exp2", mpfr_exp2},    {"log", mpfr_log},     {"log2", mpfr_log2},
    {"sqrt", mpfr_sqrt},  {"rsqrt", inverseRoot}, {"recip", reciprocal}, {"tanh", mpfr_tanh},
    {"sigmoid", sigmoid}, {"erf", mpfr_erf},      {"sin", mpfr_sin},     {"cos", mpfr_cos},
};

}  // namespace

const std::vector<std::string_view>& MpfrFunction::names() {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names;
    for (const Named& named : kNamed) names.push_back(named.name);
    return names;
  }();
  return kNames;
}

MpfrFunction::MpfrFunction(std::string_view name) : evaluate_(nullptr) {
  for (const Named& named : kNamed)
    if (named.name == name) evaluate_ = named.evaluate;
  if (evaluate_ == nullptr) std::abort();
  mpfr_set_emin(-148);  // MPFR counts a significand in [1/2, 1): 2^-149 = 0.5 * 2^-148
  mpfr_set_emax(128);
  mpfr_init2(argument_, 24);
  mpfr_init2(result_, 24);
}

MpfrFunction::~MpfrFunction() {
  mpfr_clear(argument_);
  mpfr_clear(result_);
}

float MpfrFunction::operator()(float x) {
  mpfr_set_flt(argument_, x, MPFR_RNDN);
  const int ternary = evaluate_(result_, argument_, MPFR_RNDN);
  mpfr_subnormalize(result_, ternary, MPFR_RNDN);
  const float value = mpfr_get_flt(result_, MPFR_RNDN);
  return value != value ? std::bit_cast<float>(uint32_t{0x7fc00000}) : value;
}

}  // namespace etalon::reference
