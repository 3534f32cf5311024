// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/functional/coverage/reference/number.h"

// The vector unit's element operations on 32-bit values of type f32, i32 or u32 (isa.md section 5).
namespace etalon::reference {

struct Operands {
  uint32_t a = 0, b = 0, c = 0;
};

/// True if `op` (add, min.num, exp, ...) is an operation of this file.
bool isLaneOperation(std::string_view op);
/// Number of values the operation takes.
int arity(std::string_view op);
/// True if it gives 1 or 0 as u32.
bool isComparison(std::string_view op);

/// The result of an operation that computes in `compute`. Saturating operations and requantise
/// saturate to `range`, an integer type of the class (requantise: any); the result is then the
/// value modulo 2^32.
uint32_t applyLane(std::string_view op, ElementType compute, ElementType range,
                   const Operands& values);

/// A source element as the vector unit sees it: 32-bit types as they are, others widened exactly with
/// canonical NaNs.
uint32_t widen(ElementType type, uint64_t bits);
/// A 32-bit value of type `from` (f32, i32, u32) as written to a tile: f32 to f32 moves bits, else
/// one rounding to nearest even without saturation; integers modulo 2^w.
uint64_t narrow(ElementType from, uint32_t bits, ElementType to);

/// a op b of a reduction or scan: sum, prod, max, min.
uint32_t reduceLane(std::string_view op, ElementType compute, uint32_t a, uint32_t b);
/// Where such a reduction begins.
uint32_t identityLane(std::string_view op, ElementType compute);

/// A correctly rounded function of f32, by MPFR; rounded to odd.
double functionOdd(std::string_view name, double x);
/// a / b, rounded to odd.
double divideOdd(double a, double b);

}  // namespace etalon::reference
