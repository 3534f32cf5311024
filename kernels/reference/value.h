// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/element_type.h"

namespace etalon::kernels {

/// A real number too fine for a double: `head` plus an infinitesimal of the sign of `tail`.
///
/// That is all a rounding to a format of at most 24 significant bits needs to know about an exact
/// result: head is one of the two doubles next to it, tail says on which side of head it lies (0:
/// it is head).
struct Exact {
  double head = 0;
  int tail = 0;
};

/// The value of an element, exactly. Integers of up to 32 bits, all floats and e8m0.
///
/// `bits` holds the element in its low end; higher bits are ignored. i64 has values no double
/// holds: decodeInteger().
double decode(ElementType type, uint64_t bits);

/// The value of an element of an integer type, i64 included.
int64_t decodeInteger(ElementType type, uint64_t bits);

/// Rounds a real number once, to nearest even, to a float type (not e8m0).
///
/// NaN gives the canonical quiet NaN of the type. Overflow is judged on the rounded value: infinity,
/// or NaN in E4M3, which has none; with `saturate` (and always in E2M1) the largest finite value,
/// for an infinity too. E2M1 has no NaN: +6. Zeros keep their sign; subnormals are kept.
/// Source: isa.md section 5; OCP OFP8 and MX.
uint64_t encode(ElementType type, Exact value, bool saturate = false);

/// encode() to f32 as a value.
float roundToFloat(Exact value);

/// Rounds to nearest even and saturates to an integer type of up to 32 bits; NaN gives 0.
uint64_t encodeInteger(ElementType type, double value);

/// Largest finite value of a float type.
double largestFinite(ElementType type);

/// Distance of neighbouring values of a float type at a magnitude (of its binade; the subnormal
/// distance below the least normal; beyond the largest finite value as if exponents went on).
double ulpAt(ElementType type, double magnitude);

}  // namespace etalon::kernels
