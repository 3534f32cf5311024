// SPDX-License-Identifier: Apache-2.0
// Element-wise arithmetic, functions, conversions and sums under a declared contract in integers of
// any length, for tests; see contract_reference.h.
#pragma once

#include <cstdint>
#include <span>

#include "isa/numerics/contract.h"

namespace etalon::reference {

/// f32 bits of add, sub, rsub, mul, div, rdiv or fma.
uint32_t arithmeticUnder(const numerics::ArithmeticRule& rule, ElementwiseOp op, uint32_t a,
                         uint32_t b, uint32_t c);

/// f32 bits of a function that the contract computes by polynomials or by a table.
uint32_t functionUnder(const numerics::VectorContract& contract, ElementwiseOp op, uint32_t x);

/// An element of `to`: `nearest` where the instruction asks for nearest even, else it asks for
/// toward zero.
uint32_t conversionUnder(const numerics::ConversionRule& rule, ElementType from, uint32_t bits,
                         ElementType to, bool nearest, bool saturate);

/// The sum (`sums`) or product of a row of f32, from the identity.
uint32_t rowSumUnder(const numerics::VectorContract& contract, bool sums,
                     std::span<const uint32_t> row);

}  // namespace etalon::reference
