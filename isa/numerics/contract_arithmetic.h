// SPDX-License-Identifier: Apache-2.0
// Element-wise f32 arithmetic under a declared contract. Internal to isa/numerics.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "isa/numerics/contract.h"
#include "isa/numerics/rounder.h"

namespace etalon::numerics {

/// One operation at a time on f32 bits, D being the rule's rounding.
template <Direction D>
class ContractArithmetic {
 public:
  explicit ContractArithmetic(const ArithmeticRule& rule)
      : rules_(rule.rules), rounder_(kFormatF32, rule.rules) {}

  uint32_t add(uint32_t a, uint32_t b) const { return bits(rounder_.add<D>(value(a), value(b))); }
  uint32_t subtract(uint32_t a, uint32_t b) const {
    return bits(rounder_.add<D>(value(a), -value(b)));
  }
  uint32_t multiply(uint32_t a, uint32_t b) const {
    return bits(rounder_.round<D>(value(a) * value(b)));
  }
  uint32_t fma(uint32_t a, uint32_t b, uint32_t c) const {
    return bits(rounder_.add<D>(value(a) * value(b), value(c)));
  }
  uint32_t divide(uint32_t a, uint32_t b) const {
    const double x = value(a);
    const double y = value(b);
    double quotient = x / y;
    // The quotient of two f32 is far from a double's limits, so this remainder is exact.
    const double rest = std::fma(-quotient, y, x);
    if (quotient != 0 && std::isfinite(quotient) && std::isfinite(y))
      quotient = toOdd(quotient, std::signbit(y) ? -rest : rest);
    return bits(rounder_.round<D>(quotient));
  }
  /// An exact value, or one rounded to odd, as a result.
  uint32_t result(double exact) const { return bits(rounder_.round<D>(exact)); }

  /// An operand as the unit sees it.
  double value(uint32_t bits) const {
    const double x = std::bit_cast<float>(bits);
    return rules_.flush_in ? flushedBelow(x, 0x1p-126) : x;
  }

 private:
  uint32_t bits(double x) const {
    return x != x ? rules_.nan : std::bit_cast<uint32_t>(static_cast<float>(x));
  }

  const RoundingRules& rules_;
  Rounder rounder_;
};

/// The arithmetic of a contract, nullptr if there is none or it is the canonical one.
inline const ArithmeticRule* declaredArithmetic(const VectorContract* contract) {
  if (contract == nullptr || contract->arithmetic == ArithmeticRule{}) return nullptr;
  return &contract->arithmetic;
}

/// Calls f(arithmetic) with the arithmetic of a rule.
template <class F>
auto withArithmetic(const ArithmeticRule& rule, F f) {
  return withDirection(rule.rounding,
                       [&]<Direction D>() { return f(ContractArithmetic<D>(rule)); });
}

}  // namespace etalon::numerics
