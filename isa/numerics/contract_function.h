// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "isa/numerics/contract.h"

namespace etalon::numerics {

/// f32 bits of a function of one argument under a declared contract (docs/spec/09-contracts.md):
/// by its piecewise polynomials, its table, or correctly rounded; subnormals and NaN by the
/// arithmetic rules. `op` is one that unaryFunction() has.
class ContractFunction {
 public:
  ContractFunction(const VectorContract& contract, ElementwiseOp op);
  uint32_t operator()(uint32_t argument) const;

 private:
  uint32_t piecewise(uint32_t argument) const;

  const ArithmeticRule& arithmetic_;
  const FunctionRule* rule_;  // nullptr: correctly rounded
  ElementwiseOp op_;
};

/// Segments that a piecewise function of this operation has coefficients for.
uint32_t segmentCount(ElementwiseOp op, const PiecewiseFunction& function);

}  // namespace etalon::numerics
