// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/element_type.h"

// Numbers of the reference: every element but i64 is exact in a double, and every exact result is
// kept in a double rounded to odd (the last bit set if anything was lost), from which one rounding
// to any element type is the rounding of the exact value, since a double has more than two bits
// more than f32 (Boldo and Melquiond, 2008). Nothing here is taken from isa/numerics.
namespace etalon::reference {

/// How a value becomes an element: to nearest even or toward zero; overflow of FP8 saturating.
struct Mode {
  bool toward_zero = false;
  bool saturate = false;
};

bool isFloatType(ElementType type);
bool isSignedType(ElementType type);
int bitsOf(ElementType type);
/// f32, i32 or u32: what a vector source of this type becomes.
ElementType widened(ElementType type);
/// Greatest finite value of a float type, greatest value of an integer type of up to 32 bits.
double greatest(ElementType type);
double least(ElementType type);
/// The bits every NaN result has.
uint64_t canonicalNan(ElementType type);

/// The number an element of up to 32 bits denotes.
double decode(ElementType type, uint64_t bits);
/// One rounding of an exact (or rounded-to-odd) number. Integers: floats saturate and NaN is 0.
uint64_t encode(ElementType to, double value, Mode mode = {});
/// An exact number as an element of a float type, rounded stochastically by a random word.
uint64_t encodeStochastic(ElementType to, double value, bool saturate, uint32_t word);
/// A conversion between types of up to 32 bits; integers to integers modulo 2^w or saturating.
uint64_t convert(ElementType from, uint64_t bits, ElementType to, Mode mode = {});
/// An integer modulo 2^w as an element.
uint64_t wrap(ElementType to, int64_t value);
/// An integer element's value.
int64_t integer(ElementType type, uint64_t bits);

// Exact results rounded to odd; NaN and infinities as IEEE 754 has them.
double addOdd(double a, double b);
double mulOdd(double a, double b);            // exact for f32 operands
double fmaOdd(double a, double b, double c);  // a * b exact: f32, or fewer bits and any exponents

/// RNE_f32 of a * b + c, as a double.
double fmaF32(double a, double b, double c);
/// The f32 nearest to a number rounded to odd.
double roundF32(double value);

}  // namespace etalon::reference
