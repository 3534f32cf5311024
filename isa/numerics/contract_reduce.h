// SPDX-License-Identifier: Apache-2.0
// Sums and products of f32 under a declared contract. Internal to isa/numerics.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/numerics/contract.h"
#include "isa/numerics/reduce.h"

namespace etalon::numerics {

/// The arithmetic by which a contract sums (or multiplies) elements one after another, nullptr if
/// that is the canonical one: max, min and integers always are.
const ArithmeticRule* declaredSum(const VectorContract* contract, ReduceOp op, ElementType compute);

/// The contract if it has a word on sums along rows, their arithmetic or their shape; else nullptr.
const VectorContract* declaredRowSum(const VectorContract* contract, ReduceOp op,
                                     ElementType compute);

/// sums[k] = sums[k] op values[k] for k < n.
void accumulateUnder(const ArithmeticRule& rule, ReduceOp op, uint32_t* sums,
                     const uint32_t* values, size_t n);

/// The sum or product of one row as the contract shapes it.
class ContractRowSum {
 public:
  ContractRowSum(const VectorContract& contract, ReduceOp op) : contract_(contract), op_(op) {}

  /// Takes the next n elements of the row, the first of them number `column`, into the lanes.
  void consume(std::array<uint32_t, kReduceLanes>& lanes, const uint32_t* values, uint64_t column,
               size_t n);
  /// No element follows in this row.
  void endOfRow(std::array<uint32_t, kReduceLanes>& lanes);
  /// What the lanes come to.
  uint32_t fold(std::array<uint32_t, kReduceLanes> lanes) const;

 private:
  /// Lanes that take elements.
  size_t lanesUsed() const;

  const VectorContract& contract_;
  ReduceOp op_;
  std::array<uint32_t, kReduceLanes> leaves_{};  // of a tree that is not whole yet
  size_t held_ = 0;
};

}  // namespace etalon::numerics
