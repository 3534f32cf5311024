// SPDX-License-Identifier: Apache-2.0
// Products and functions under a declared contract in integers of any length, for tests. Slow and
// plain: written from docs/spec/09-contracts.md, it shares nothing with the evaluators but the
// contract's plain data.
#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <optional>
#include <span>

#include "isa/numerics/contract.h"

namespace etalon::reference {

/// A number in fixed point, magnitude * 2^-kFixedBits, or a special value.
inline constexpr int kFixedBits = 900;
struct Fixed {
  enum class Kind : uint8_t { finite, infinite, nan };
  Kind kind = Kind::finite;
  bool negative = false;
  mpz_class magnitude = 0;

  bool isZero() const { return kind == Kind::finite && magnitude == 0; }
};

/// An element of a source: bits in the low end, optionally with a scale.
struct Element {
  ElementType type = ElementType::f32;
  uint32_t bits = 0;
  std::optional<ElementType> scale_type;
  uint32_t scale = 0;
};

Fixed decode(ElementType type, uint32_t bits);
Fixed decodeF32(uint32_t bits);

/// One rounding of an exact value; zeros keep their sign but for `positive_zero`.
Fixed rounded(const Fixed& exact, numerics::NumberFormat format, numerics::Direction direction,
              const numerics::RoundingRules& rules);
/// Exact sum of addends, and one rounding.
Fixed roundedSum(std::span<const Fixed> addends, numerics::NumberFormat format,
                 numerics::Direction direction, const numerics::RoundingRules& rules);
Fixed product(const Fixed& a, const Fixed& b);

/// f32 bits of a value that is a number of f32; NaN gives `nan`.
uint32_t bitsOf(const Fixed& value, uint32_t nan);

/// One output of a product: terms a[k] * b[k] from k = 0 up, onto the accumulator's bits if there
/// are any, else from +0.
uint32_t productUnder(const numerics::ProductRule& rule, std::span<const Element> a,
                      std::span<const Element> b, std::optional<uint32_t> accumulator);

}  // namespace etalon::reference
