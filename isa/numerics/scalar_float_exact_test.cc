// SPDX-License-Identifier: Apache-2.0
// Against MPFR: the exact result, rounded to a multiple of the format's quantum as an integer. It
// has all five rounding modes, so it is the reference of nearest_max_magnitude and a second,
// host-independent one of the others.
#include <gtest/gtest.h>
#include <inttypes.h>
#include <mpfr.h>

#include <bit>
#include <cmath>

#include "isa/numerics/scalar_float.h"
#include "isa/numerics/scalar_float_test_values.h"
#include "isa/state/rule_test.h"

namespace etalon::numerics::scalar {
namespace {

/// Bits that hold every sum of a product and an addend of f32 exactly: exponents -298..256, and
/// carry.
constexpr mpfr_prec_t kPrecision = 640;

class Exact {
 public:
  Exact() { mpfr_init2(value_, kPrecision); }
  explicit Exact(uint32_t bits) : Exact() {
    mpfr_set_flt(value_, std::bit_cast<float>(bits), MPFR_RNDN);
  }
  ~Exact() { mpfr_clear(value_); }
  Exact(const Exact&) = delete;
  Exact& operator=(const Exact&) = delete;
  mpfr_ptr get() { return value_; }

 private:
  mpfr_t value_;
};

/// Rounds `value` to an integer in place; true if it was not one.
bool toWhole(mpfr_ptr value, Rounding mode) {
  const bool inexact = !mpfr_integer_p(value);
  switch (mode) {
    case Rounding::nearest_even: mpfr_rint(value, value, MPFR_RNDN); break;
    case Rounding::toward_zero: mpfr_trunc(value, value); break;
    case Rounding::down: mpfr_floor(value, value); break;
    case Rounding::up: mpfr_ceil(value, value); break;
    case Rounding::nearest_max_magnitude: mpfr_round(value, value); break;
  }
  return inexact;
}

/// `value` rounded to a multiple of 2^quantum; true if it was not one.
bool toMultiple(mpfr_ptr value, long quantum, Rounding mode) {
  mpfr_mul_2si(value, value, -quantum, MPFR_RNDN);
  const bool inexact = toWhole(value, mode);
  mpfr_mul_2si(value, value, quantum, MPFR_RNDN);
  return inexact;
}

/// The f32 result and flags of a finite exact value other than 0.
Outcome<uint32_t> rounded(mpfr_ptr exact, Rounding mode) {
  const bool negative = mpfr_sgn(exact) < 0;
  const long leading = mpfr_get_exp(exact) - 1;
  Exact unbounded;
  mpfr_set(unbounded.get(), exact, MPFR_RNDN);
  toMultiple(unbounded.get(), leading - 23, mode);
  const bool tiny = mpfr_cmpabs(unbounded.get(), Exact(0x00800000).get()) < 0;
  const bool inexact = toMultiple(exact, std::max(leading - 23, -149L), mode);
  if (mpfr_cmpabs(exact, Exact(0x7f7fffff).get()) > 0) {
    const bool finite =
        mode == Rounding::toward_zero || mode == (negative ? Rounding::up : Rounding::down);
    return {(negative ? kSignBit : 0) | (finite ? 0x7f7fffffu : 0x7f800000u), kOverflow | kInexact};
  }
  const float result =
      std::copysign(std::fabs(mpfr_get_flt(exact, MPFR_RNDN)), negative ? -1.0f : 1.0f);
  return {std::bit_cast<uint32_t>(result),
          (inexact ? kInexact : 0) | (inexact && tiny ? kUnderflow : 0)};
}

bool isFinite(uint32_t a) { return (a & 0x7f800000) != 0x7f800000; }

/// Operations whose exact result is 0, an infinity or a NaN have no rounding; the host's test
/// covers them.
void expectRounded(Outcome<uint32_t> actual, mpfr_ptr exact, Rounding mode, const char* operation,
                   uint32_t a, uint32_t b, uint32_t c) {
  if (mpfr_zero_p(exact) || !mpfr_number_p(exact)) return;
  const Outcome<uint32_t> expected = rounded(exact, mode);
  ASSERT_EQ(actual.bits, expected.bits) << operation << std::hex << " " << a << " " << b << " " << c
                                        << " mode " << static_cast<int>(mode);
  ASSERT_EQ(actual.flags, expected.flags) << operation << std::hex << " " << a << " " << b << " "
                                          << c << " mode " << static_cast<int>(mode);
}

void checkAll(uint32_t a, uint32_t b, uint32_t c, Rounding mode) {
  if (!isFinite(a) || !isFinite(b) || !isFinite(c)) return;
  Exact x(a), y(b), z(c), result;
  mpfr_add(result.get(), x.get(), y.get(), MPFR_RNDN);
  expectRounded(add(a, b, mode), result.get(), mode, "add", a, b, 0);
  mpfr_mul(result.get(), x.get(), y.get(), MPFR_RNDN);
  expectRounded(multiply(a, b, mode), result.get(), mode, "multiply", a, b, 0);
  mpfr_fma(result.get(), x.get(), y.get(), z.get(), MPFR_RNDN);
  expectRounded(multiplyAdd(a, b, c, mode), result.get(), mode, "multiplyAdd", a, b, c);
  // Quotients and roots that are not f32 ties stay 2^-50 away from one, so 640 bits decide like the
  // exact value.
  mpfr_div(result.get(), x.get(), y.get(), MPFR_RNDN);
  expectRounded(divide(a, b, mode), result.get(), mode, "divide", a, b, 0);
  if (a & kSignBit) return;
  mpfr_sqrt(result.get(), x.get(), MPFR_RNDN);
  expectRounded(squareRoot(a, mode), result.get(), mode, "squareRoot", a, 0, 0);
}

TEST(ScalarFloatExact, RoundsDirectedOperandsInEveryMode) {
  SHOWS(zfinx_as_ratified);
  for (Rounding mode : kModes)
    for (uint32_t a : kDirected)
      for (uint32_t b : kDirected) {
        checkAll(a, b ^ kSignBit, kDirected[(a + b) % kDirected.size()], mode);
        checkAll(a ^ kSignBit, b ^ kSignBit, kDirected[(a ^ b) % kDirected.size()], mode);
        if (HasFatalFailure()) return;
      }
}

TEST(ScalarFloatExact, RoundsRandomOperandsInEveryMode) {
  OperandSource source(6);
  for (int i = 0; i < 60000 && !HasFatalFailure(); ++i) {
    source.recentre();
    const uint32_t a = source.next(), b = source.next(), c = source.next();
    // Nearest-max-magnitude has no other reference, so it gets most of the cases.
    checkAll(a, b, c,
             i % 3 ? Rounding::nearest_max_magnitude
                   : kModes[static_cast<size_t>(i / 3) % kModes.size()]);
  }
}

template <class T>
void checkToInteger(Outcome<T> (*ours)(uint32_t, Rounding), uint32_t a, Rounding mode) {
  Exact value(a);
  const bool inexact = toWhole(value.get(), mode);
  Outcome<T> expected{std::numeric_limits<T>::max(), kInvalid};
  const bool fits = std::is_signed_v<T> ? mpfr_fits_slong_p(value.get(), MPFR_RNDN)
                                        : mpfr_fits_ulong_p(value.get(), MPFR_RNDN);
  if constexpr (std::is_signed_v<T>) {
    const long whole = mpfr_get_si(value.get(), MPFR_RNDN);
    if (whole < std::numeric_limits<T>::min() || (!fits && whole < 0))
      expected.bits = std::numeric_limits<T>::min();
    else if (fits && whole <= std::numeric_limits<T>::max())
      expected = {static_cast<T>(whole), inexact ? kInexact : 0};
  } else {
    const unsigned long whole = mpfr_get_ui(value.get(), MPFR_RNDN);
    if (mpfr_sgn(value.get()) < 0)
      expected.bits = 0;
    else if (fits && whole <= std::numeric_limits<T>::max())
      expected = {static_cast<T>(whole), inexact ? kInexact : 0};
  }
  ASSERT_EQ(ours(a, mode).bits, expected.bits)
      << std::hex << a << " mode " << static_cast<int>(mode);
  ASSERT_EQ(ours(a, mode).flags, expected.flags)
      << std::hex << a << " mode " << static_cast<int>(mode);
}

TEST(ScalarFloatExact, RoundsToAndFromIntegersInEveryMode) {
  SHOWS(zfinx_as_ratified);
  std::mt19937_64 random(7);
  for (int i = 0; i < 40000 && !HasFatalFailure(); ++i) {
    const Rounding mode = i % 2 ? Rounding::nearest_max_magnitude
                                : kModes[static_cast<size_t>(i / 2) % kModes.size()];
    // Few fraction bits: ties are frequent.
    const uint32_t a =
        (static_cast<uint32_t>(random()) & 0x80700000) | static_cast<uint32_t>(120 + i % 74) << 23;
    checkToInteger(toInt32, a, mode);
    checkToInteger(toUint32, a, mode);
    checkToInteger(toInt64, a, mode);
    checkToInteger(toUint64, a, mode);
    // 25 significant bits, the lowest set, tie in f32; 26 and more do not always.
    const uint64_t wide = ((random() >> 39) | 1) << (i % 39) | (i % 5 == 0);
    Exact exact;
    mpfr_set_uj(exact.get(), wide, MPFR_RNDN);
    expectRounded(fromUint64(wide, mode), exact.get(), mode, "fromUint64",
                  static_cast<uint32_t>(wide >> 32), static_cast<uint32_t>(wide), 0);
    const auto negative = static_cast<int64_t>(0 - (wide >> 1));
    mpfr_set_sj(exact.get(), negative, MPFR_RNDN);
    expectRounded(fromInt64(negative, mode), exact.get(), mode, "fromInt64",
                  static_cast<uint32_t>(wide >> 32), static_cast<uint32_t>(wide), 0);
  }
}

}  // namespace
}  // namespace etalon::numerics::scalar
