// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/numerics/contract.h"
#include "isa/numerics/mma.h"

namespace etalon::numerics {

/// acc(M x N) = A(M x K) * B(K x N), plus the old acc if `accumulate`, as a declared rule sums it
/// (docs/spec/09-contracts.md). Sources as for multiplyAccumulate, scales and metadata
/// included; the accumulator is f32.
///
/// K = 0   +0, or with `accumulate` acc keeps its bits.
/// Cost    1 to 10 ns a multiply-accumulate, see mma_bench; no host instruction set beyond the base.
void multiplyAccumulateUnder(const ProductRule& rule, const MmaSource& a, const MmaSource& b,
                             const TileRef& acc, bool accumulate);

/// The rule by which a contract has a pair of types multiplied, nullptr where that is canonically: no
/// contract, the canonical rule, or an integer accumulator.
inline const ProductRule* declaredProduct(const Contract* contract, ElementType a, ElementType b,
                                          ElementType accumulator) {
  if (contract == nullptr || accumulator != ElementType::f32) return nullptr;
  const ProductRule& rule = contract->productRule(a, b);
  return rule == ProductRule{} ? nullptr : &rule;
}

}  // namespace etalon::numerics
