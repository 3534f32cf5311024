// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/elementwise_op.h"

namespace etalon::numerics {

/// Correctly rounded (nearest, ties to even) f32 functions: the golden transcendentals of isa.md
/// section 5.
///
/// NaN, and arguments outside the domain (log and log2 below 0, sqrt and rsqrt below 0 except -0,
/// sin and cos of +-Inf), give the canonical NaN. log(+-0) = -Inf, rsqrt(+-0) = +-Inf,
/// recip(+-0) = +-Inf, sqrt(-0) = -0, log(1) = +0. tanh, erf, recip, sin are odd to the bit, cos is
/// even; tanh(-0) = erf(-0) = sin(-0) = -0. Arguments of sin and cos are radians. Subnormal
/// arguments and results are kept. The host must be in round-to-nearest mode. How: see function.cc.
float rneExp(float x);
float rneExp2(float x);
float rneLog(float x);
float rneLog2(float x);
float rneSqrt(float x);
float rneRsqrt(float x);
float rneRecip(float x);
float rneTanh(float x);
float rneSigmoid(float x);
float rneErf(float x);
float rneSin(float x);
float rneCos(float x);

using UnaryFunction = float (*)(float);

/// The function of one of the transcendental operations above (sqrt and recip included), nullptr
/// for any other.
UnaryFunction unaryFunction(ElementwiseOp op);

}  // namespace etalon::numerics
