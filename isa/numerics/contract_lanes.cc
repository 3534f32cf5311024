// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/contract_lanes.h"

#include "isa/numerics/contract_arithmetic.h"
#include "isa/numerics/contract_function.h"

namespace etalon::numerics {
namespace {

template <ElementwiseOp Op>
void arithmeticLane(const LaneRun& run) {
  withArithmetic(run.contract->arithmetic, [&](const auto& unit) {
    for (size_t i = 0; i < run.n; ++i) {
      using enum ElementwiseOp;
      if constexpr (Op == add) run.out[i] = unit.add(run.a[i], run.b[i]);
      if constexpr (Op == sub) run.out[i] = unit.subtract(run.a[i], run.b[i]);
      if constexpr (Op == rsub) run.out[i] = unit.subtract(run.b[i], run.a[i]);
      if constexpr (Op == mul) run.out[i] = unit.multiply(run.a[i], run.b[i]);
      if constexpr (Op == div) run.out[i] = unit.divide(run.a[i], run.b[i]);
      if constexpr (Op == rdiv) run.out[i] = unit.divide(run.b[i], run.a[i]);
      if constexpr (Op == fma) run.out[i] = unit.fma(run.a[i], run.b[i], run.c[i]);
    }
  });
}

void functionLane(const LaneRun& run) {
  const ContractFunction function(*run.contract, run.op);
  for (size_t i = 0; i < run.n; ++i) run.out[i] = function(run.a[i]);
}

LaneFunction arithmeticLaneOf(ElementwiseOp op) {
  switch (op) {
    case ElementwiseOp::add: return arithmeticLane<ElementwiseOp::add>;
    case ElementwiseOp::sub: return arithmeticLane<ElementwiseOp::sub>;
    case ElementwiseOp::rsub: return arithmeticLane<ElementwiseOp::rsub>;
    case ElementwiseOp::mul: return arithmeticLane<ElementwiseOp::mul>;
    case ElementwiseOp::div: return arithmeticLane<ElementwiseOp::div>;
    case ElementwiseOp::rdiv: return arithmeticLane<ElementwiseOp::rdiv>;
    case ElementwiseOp::fma: return arithmeticLane<ElementwiseOp::fma>;
    default: return nullptr;
  }
}

}  // namespace

LaneFunction contractLane(const VectorContract& contract, ElementwiseOp op) {
  if (unaryFunction(op) != nullptr) {
    const bool declared =
        contract.function(op) != nullptr || contract.arithmetic.rules != RoundingRules{};
    return declared ? functionLane : nullptr;
  }
  return contract.arithmetic == ArithmeticRule{} ? nullptr : arithmeticLaneOf(op);
}

}  // namespace etalon::numerics
