// SPDX-License-Identifier: Apache-2.0
// Sums of one group of terms as a product rule declares them, for several outputs side by side.
// Internal to isa/numerics.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "isa/numerics/contract.h"
#include "isa/numerics/exact_sum.h"
#include "isa/numerics/rounder.h"

namespace etalon::numerics {

/// Outputs that are summed together: neighbours of one row.
inline constexpr size_t kSumLanes = 8;
using Lanes = std::array<double, kSumLanes>;
using LaneExponents = std::array<int32_t, kSumLanes>;

/// An exponent that no finite nonzero addend has.
inline constexpr int32_t kNoExponent = -100000;

/// floor(log2 |x|), or `least` if that is more; kNoExponent for zeros.
inline int32_t exponentOf(double x, int32_t least) {
  const auto field = static_cast<int32_t>(std::bit_cast<uint64_t>(x) >> 52 & 0x7ff);
  if (field == 0) return kNoExponent;
  return field - kDoubleBias < least ? least : field - kDoubleBias;
}

/// Sums groups of terms into accumulators. Terms are exact products or, where the rule says so,
/// rounded ones; infinities and NaN are allowed everywhere.
class GroupSummer {
 public:
  explicit GroupSummer(const ProductRule& rule);

  /// Adds the n terms of a group, terms[1..n], in order. terms[0] is free, all are overwritten.
  /// `exponents`: likewise those of the terms, where AddendExponent::operands asks for them.
  void add(Lanes* terms, LaneExponents* exponents, size_t n, Lanes& accumulators);

  /// True if add() takes any number of terms at once, because it adds one after another.
  bool takesChains() const { return sum_ == GroupSum::chain && rule_.joins_in_sum; }

  /// The accumulator as the format and the rules have it, from what td holds.
  double accumulatorFrom(float value) const;
  void roundProducts(Lanes* terms, size_t n) const;
  void spill(Lanes& accumulators) const;
  /// Bits of td.
  uint32_t result(double accumulator) const;

 private:
  template <Direction D>
  void chain(const Lanes* terms, size_t n, Lanes& sums) const;
  template <Direction D>
  void adjacentTree(Lanes* leaves, size_t n, Lanes& sums) const;
  template <Direction D>
  void halvesTree(Lanes* leaves, size_t n, size_t size, Lanes& sums) const;

  void aligned(const Lanes* addends, const LaneExponents* exponents, size_t n, Lanes& sums);
  template <Direction C>
  void cutAndSum(const Lanes* addends, size_t n, const LaneExponents& lowest, Lanes& sums) const;
  double cutAndSumExactly(const Lanes* addends, size_t n, size_t lane, int lowest);

  const ProductRule& rule_;
  Rounder rounder_;
  Rounder to_f32_;
  Rounder to_spill_;
  GroupSum sum_;            // the cheapest one that is the same
  int kept_;                // bits of an addend from the greatest exponent on; 0: all
  int32_t least_exponent_;  // of an accumulator, for AddendExponent::operands
  ExactSum exact_;
};

}  // namespace etalon::numerics
