// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/contract_reduce.h"

#include <algorithm>

#include "isa/numerics/contract_arithmetic.h"

namespace etalon::numerics {

const ArithmeticRule* declaredSum(const VectorContract* contract, ReduceOp op,
                                  ElementType compute) {
  const bool rounds = compute == ElementType::f32 && (op == ReduceOp::Sum || op == ReduceOp::Prod);
  return rounds ? declaredArithmetic(contract) : nullptr;
}

const VectorContract* declaredRowSum(const VectorContract* contract, ReduceOp op,
                                     ElementType compute) {
  const bool rounds = compute == ElementType::f32 && (op == ReduceOp::Sum || op == ReduceOp::Prod);
  if (contract == nullptr || !rounds) return nullptr;
  const bool canonical =
      contract->arithmetic == ArithmeticRule{} && contract->reduction == ReductionRule{};
  return canonical ? nullptr : contract;
}

void accumulateUnder(const ArithmeticRule& rule, ReduceOp op, uint32_t* sums,
                     const uint32_t* values, size_t n) {
  withArithmetic(rule, [&](const auto& unit) {
    for (size_t k = 0; k < n; ++k)
      sums[k] =
          op == ReduceOp::Sum ? unit.add(sums[k], values[k]) : unit.multiply(sums[k], values[k]);
  });
}

size_t ContractRowSum::lanesUsed() const {
  return contract_.reduction.shape == ReductionShape::lanes ? contract_.reduction.width : 1;
}

void ContractRowSum::consume(std::array<uint32_t, kReduceLanes>& lanes, const uint32_t* values,
                             uint64_t column, size_t n) {
  const size_t width = contract_.reduction.width;
  if (contract_.reduction.shape == ReductionShape::tree) {
    for (size_t k = 0; k < n; ++k) {
      leaves_[held_++] = values[k];
      if (held_ == width) endOfRow(lanes);
    }
    return;
  }
  while (n != 0) {
    const size_t lane = column % width;
    const size_t run = std::min(n, width - lane);
    accumulateUnder(contract_.arithmetic, op_, lanes.data() + lane, values, run);
    values += run;
    column += run;
    n -= run;
  }
}

void ContractRowSum::endOfRow(std::array<uint32_t, kReduceLanes>& lanes) {
  if (held_ == 0) return;
  for (; held_ > 1; held_ = (held_ + 1) / 2) {
    std::array<uint32_t, kReduceLanes / 2> right;
    for (size_t i = 0; i < held_ / 2; ++i) right[i] = leaves_[2 * i + 1];
    for (size_t i = 0; i < (held_ + 1) / 2; ++i) leaves_[i] = leaves_[2 * i];
    accumulateUnder(contract_.arithmetic, op_, leaves_.data(), right.data(), held_ / 2);
  }
  accumulateUnder(contract_.arithmetic, op_, lanes.data(), leaves_.data(), 1);
  held_ = 0;
}

uint32_t ContractRowSum::fold(std::array<uint32_t, kReduceLanes> lanes) const {
  for (size_t half = lanesUsed() / 2; half != 0; half /= 2)
    accumulateUnder(contract_.arithmetic, op_, lanes.data(), lanes.data() + half, half);
  return lanes[0];
}

}  // namespace etalon::numerics
