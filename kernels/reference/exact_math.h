// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/reference/value.h"

namespace etalon::kernels {

// Exact results of single operations on f32 values, fit for one rounding to f32 (value.h).
//
// Arguments are f32 values held in doubles. Sums, products, quotients and roots are exact by
// error-free transformations: the double result, and the sign of what it lacks. NaN, infinities and
// zeros are what double arithmetic gives, as IEEE 754 defines them for every format alike.

Exact exactSum(double a, double b);
Exact exactProduct(double a, double b);
Exact exactQuotient(double a, double b);
Exact exactSquareRoot(double a);
/// a * b + c.
Exact exactFusedProduct(double a, double b, double c);

// Transcendental functions in `long double` (64 significant bits or more), error below 2^-61 of
// the value. Rounded to f32 that is right unless the value lies within 2^-61 of a midpoint between
// two f32; over all 2^32 arguments the nearest misses lie near 2^-56 (32 bits of chance beyond the
// 24 of the format), except where a series runs along a midpoint: sigmoid near 0, which is summed
// in two parts.

Exact exactExp(double x);
Exact exactExp2(double x);
Exact exactLog(double x);
Exact exactLog2(double x);
Exact exactTanh(double x);
Exact exactErf(double x);
Exact exactSigmoid(double x);
/// 1 / sqrt(x).
Exact exactReciprocalRoot(double x);

/// IEEE 754-2019 maximum and minimum: NaN wins, -0 < +0.
double maximum(double a, double b);
double minimum(double a, double b);

}  // namespace etalon::kernels
