// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/contract_sum.h"

#include <algorithm>
#include <cmath>

namespace etalon::numerics {
namespace {

/// From this many bits on no addend is cut: all of them lie between 2^-352 and 2^288.
constexpr int kWholeRange = 640;
/// Bits of an integer sum that stay free.
constexpr int kIntegerBits = 62;

constexpr int leastExponent(NumberFormat format) { return 2 - (1 << (format.exponent_bits - 1)); }

/// x rounded to a multiple of 2^lowest.
template <Direction C>
double cutTo(double x, int lowest) {
  const double scaled = x * powerOfTwo(-lowest);
  if (std::fabs(scaled) >= 0x1p52) return x;
  return static_cast<double>(toInteger<C>(scaled)) * powerOfTwo(lowest);
}

/// What an addition in double gives where a special value is among the addends.
double specialSum(const Lanes* addends, size_t n, size_t lane) {
  double sum = addends[0][lane];
  for (size_t i = 1; i < n; ++i) sum += addends[i][lane];
  return sum;
}

struct ZeroSigns {
  bool all_positive = true, all_negative = true;
};
ZeroSigns zeroSigns(const Lanes* addends, size_t n, size_t lane) {
  ZeroSigns signs;
  for (size_t i = 0; i < n; ++i) {
    const auto bits = std::bit_cast<uint64_t>(addends[i][lane]);
    signs.all_positive &= bits == 0;
    signs.all_negative &= bits == kDoubleSign;
  }
  return signs;
}

}  // namespace

GroupSummer::GroupSummer(const ProductRule& rule)
    : rule_(rule),
      rounder_(rule.accumulator, rule.rules),
      to_f32_(kFormatF32, rule.rules),
      to_spill_(rule.spill, rule.rules),
      sum_(rule.sum),
      kept_(static_cast<int>(rule.width == 0 ? 0 : rule.width + rule.guard)),
      least_exponent_(leastExponent(rule.accumulator)) {
  if (kept_ >= kWholeRange) kept_ = 0;
  if (kept_ == 0 && rule.group == 1 && sum_ == GroupSum::aligned) sum_ = GroupSum::chain;
}

template <Direction D>
void GroupSummer::chain(const Lanes* terms, size_t n, Lanes& sums) const {
  for (size_t i = 0; i < n; ++i)
    for (size_t l = 0; l < kSumLanes; ++l) sums[l] = rounder_.add<D>(sums[l], terms[i][l]);
}

template <Direction D>
void GroupSummer::adjacentTree(Lanes* leaves, size_t n, Lanes& sums) const {
  for (; n > 1; n = (n + 1) / 2) {
    for (size_t i = 0; i < n / 2; ++i)
      for (size_t l = 0; l < kSumLanes; ++l)
        leaves[i][l] = rounder_.add<D>(leaves[2 * i][l], leaves[2 * i + 1][l]);
    if (n % 2 != 0) leaves[n / 2] = leaves[n - 1];
  }
  for (size_t l = 0; l < kSumLanes; ++l) sums[l] = rounder_.round<D>(leaves[0][l]);
}

template <Direction D>
void GroupSummer::halvesTree(Lanes* leaves, size_t n, size_t size, Lanes& sums) const {
  while (size > 1) {
    size = (size + 1) / 2;
    for (size_t i = 0; i + size < n; ++i)
      for (size_t l = 0; l < kSumLanes; ++l)
        leaves[i][l] = rounder_.add<D>(leaves[i][l], leaves[i + size][l]);
    n = std::min(n, size);
  }
  for (size_t l = 0; l < kSumLanes; ++l) sums[l] = rounder_.round<D>(leaves[0][l]);
}

template <Direction C>
void GroupSummer::cutAndSum(const Lanes* addends, size_t n, const LaneExponents& lowest,
                            Lanes& sums) const {
  Lanes scale;
  for (size_t l = 0; l < kSumLanes; ++l) scale[l] = powerOfTwo(-lowest[l]);
  std::array<int64_t, kSumLanes> integers{};
  for (size_t i = 0; i < n; ++i)
    for (size_t l = 0; l < kSumLanes; ++l) integers[l] += toInteger<C>(addends[i][l] * scale[l]);
  for (size_t l = 0; l < kSumLanes; ++l) {
    const int64_t sum = integers[l];
    const auto magnitude = static_cast<uint64_t>(sum < 0 ? -sum : sum);
    sums[l] = oddDouble(sum < 0, magnitude, false, lowest[l]);
  }
}

double GroupSummer::cutAndSumExactly(const Lanes* addends, size_t n, size_t lane, int lowest) {
  if (kept_ == 0) {
    for (size_t i = 0; i < n; ++i) exact_.add(addends[i][lane]);
  } else {
    withDirection(rule_.cut, [&]<Direction C>() {
      for (size_t i = 0; i < n; ++i) exact_.add(cutTo<C>(addends[i][lane], lowest));
    });
  }
  return exact_.take();
}

void GroupSummer::aligned(const Lanes* addends, const LaneExponents* exponents, size_t n,
                          Lanes& sums) {
  std::array<uint64_t, kSumLanes> greatest{};
  for (size_t i = 0; i < n; ++i)
    for (size_t l = 0; l < kSumLanes; ++l)
      greatest[l] = std::max(greatest[l], std::bit_cast<uint64_t>(addends[i][l]) & ~kDoubleSign);
  LaneExponents top;
  bool special = false;
  for (size_t l = 0; l < kSumLanes; ++l) {
    special |= greatest[l] >= kDoubleInf;
    top[l] = exponentOf(std::bit_cast<double>(greatest[l]), kNoExponent);
  }
  if (exponents != nullptr) {
    top.fill(kNoExponent);
    for (size_t i = 0; i < n; ++i)
      for (size_t l = 0; l < kSumLanes; ++l)
        if (addends[i][l] != 0) top[l] = std::max(top[l], exponents[i][l]);
  }
  // The lowest bit that is kept; any will do where all addends are zeros.
  LaneExponents lowest;
  for (size_t l = 0; l < kSumLanes; ++l) lowest[l] = greatest[l] == 0 ? 0 : top[l] + 1 - kept_;
  // Magnitudes below 2^(kept + 1), the products of operands that are aligned by their exponents
  // included, and one more for a cut that rounds up.
  const bool fits = kept_ + 2 + static_cast<int>(std::bit_width(n)) <= kIntegerBits;
  if (kept_ != 0 && fits && !special) {
    withDirection(rule_.cut, [&]<Direction C>() { cutAndSum<C>(addends, n, lowest, sums); });
  } else {
    for (size_t l = 0; l < kSumLanes; ++l)
      sums[l] = greatest[l] >= kDoubleInf ? specialSum(addends, n, l)
                                          : cutAndSumExactly(addends, n, l, lowest[l]);
  }
  withDirection(rule_.rounding, [&]<Direction D>() {
    for (size_t l = 0; l < kSumLanes; ++l) {
      if (sums[l] == 0) {
        const ZeroSigns signs = zeroSigns(addends, n, l);
        sums[l] = rounder_.zeroSum<D>(signs.all_positive, signs.all_negative);
      } else {
        sums[l] = rounder_.round<D>(sums[l]);
      }
    }
  });
}

void GroupSummer::add(Lanes* terms, LaneExponents* exponents, size_t n, Lanes& accumulators) {
  const bool joins = rule_.joins_in_sum;
  if (takesChains()) {
    withDirection(rule_.rounding, [&]<Direction D>() { chain<D>(terms + 1, n, accumulators); });
    return;
  }
  if (joins) terms[0] = accumulators;
  Lanes* const addends = joins ? terms : terms + 1;
  const size_t count = joins ? n + 1 : n;
  Lanes sums;
  if (sum_ == GroupSum::aligned) {
    const bool by_operands = rule_.exponent == AddendExponent::operands;
    if (by_operands && joins)
      for (size_t l = 0; l < kSumLanes; ++l)
        exponents[0][l] = exponentOf(accumulators[l], least_exponent_);
    aligned(addends, by_operands ? exponents + (addends - terms) : nullptr, count, sums);
  } else {
    withDirection(rule_.rounding, [&]<Direction D>() {
      if (sum_ == GroupSum::chain) {
        for (size_t l = 0; l < kSumLanes; ++l) sums[l] = rounder_.round<D>(addends[0][l]);
        chain<D>(addends + 1, count - 1, sums);
      } else if (rule_.tree == TreeShape::adjacent) {
        adjacentTree<D>(addends, count, sums);
      } else {
        halvesTree<D>(addends, count, rule_.group + (joins ? 1 : 0), sums);
      }
    });
  }
  if (joins) {
    accumulators = sums;
    return;
  }
  withDirection(rule_.join, [&]<Direction D>() {
    for (size_t l = 0; l < kSumLanes; ++l)
      accumulators[l] = rounder_.add<D>(accumulators[l], sums[l]);
  });
}

double GroupSummer::accumulatorFrom(float value) const {
  double x = value;
  if (rule_.rules.flush_in) x = flushedBelow(x, powerOfTwo(leastExponent(kFormatF32)));
  if (holdsF32(rule_.accumulator)) return x;
  return withDirection(rule_.rounding, [&]<Direction D>() { return rounder_.round<D>(x); });
}

void GroupSummer::roundProducts(Lanes* terms, size_t n) const {
  withDirection(rule_.rounding, [&]<Direction D>() {
    for (size_t i = 0; i < n; ++i)
      for (double& term : terms[i]) term = rounder_.round<D>(term);
  });
}

void GroupSummer::spill(Lanes& accumulators) const {
  withDirection(rule_.spill_rounding, [&]<Direction D>() {
    for (double& accumulator : accumulators) accumulator = to_spill_.round<D>(accumulator);
  });
}

uint32_t GroupSummer::result(double accumulator) const {
  if (accumulator != accumulator) return rule_.rules.nan;
  const double value =
      withDirection(rule_.rounding, [&]<Direction D>() { return to_f32_.round<D>(accumulator); });
  return std::bit_cast<uint32_t>(static_cast<float>(value));
}

}  // namespace etalon::numerics
