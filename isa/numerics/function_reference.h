// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpfr.h>

#include <string_view>
#include <vector>

namespace etalon::reference {

/// A correctly rounded f32 function by MPFR alone, for tests: evaluated with growing precision
/// until f32 rounding is certain, into an f32-shaped MPFR number (24 bits, its exponent range,
/// gradual underflow). Names: exp exp2 log log2 sqrt rsqrt recip tanh sigmoid erf sin cos. Any NaN result
/// is returned as the bits 0x7fc00000.
class MpfrFunction {
 public:
  explicit MpfrFunction(std::string_view name);
  ~MpfrFunction();
  MpfrFunction(const MpfrFunction&) = delete;
  MpfrFunction& operator=(const MpfrFunction&) = delete;

  float operator()(float x);
  static const std::vector<std::string_view>& names();

 private:
  using Evaluate = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);

  Evaluate evaluate_;
  mpfr_t argument_;
  mpfr_t result_;
};

}  // namespace etalon::reference
