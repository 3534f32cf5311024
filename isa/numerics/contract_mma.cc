// SPDX-License-Identifier: Apache-2.0
// Tile product under a declared rule: blocks of outputs, operands as exact doubles.
#include "isa/numerics/contract_mma.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "isa/base/check.h"
#include "isa/numerics/contract_sum.h"
#include "isa/numerics/convert.h"

namespace etalon::numerics {
namespace {

constexpr size_t kBlockRows = 32;
constexpr size_t kBlockColumns = 32;
static_assert(kBlockColumns % kSumLanes == 0);
/// Terms that are decoded at a time, unless a group has more.
constexpr size_t kBlockTerms = 256;

/// Which logical k stands at each position of the order.
class Order {
 public:
  Order(const ProductRule& rule, uint64_t k)
      : order_(rule.order), k_(k), period_(rule.permutation) {
    const uint64_t whole = period_.empty() ? 0 : k / period_.size();
    for (const uint16_t place : period_)
      if (whole * period_.size() + place < k) tail_.push_back(place);
  }
  uint64_t operator[](uint64_t position) const {
    if (order_ == TermOrder::ascending) return position;
    if (order_ == TermOrder::descending) return k_ - 1 - position;
    const uint64_t period = position / period_.size();
    const uint64_t within = position % period_.size();
    const bool whole = (period + 1) * period_.size() <= k_;
    return period * period_.size() + (whole ? period_[within] : tail_[within]);
  }

 private:
  TermOrder order_;
  uint64_t k_;
  const std::vector<uint16_t>& period_;
  std::vector<uint16_t> tail_;  // of the last period, if it is not whole
};

/// An operand as a matrix of exact values.
class Operand {
 public:
  Operand(const TileRef& tile, const RoundingRules& rules)
      : tile_(tile), bytes_(static_cast<size_t>(elementInfo(tile.type).bits) / 8) {
    using enum ElementType;
    const bool has_exponent = isFloat(tile.type);
    if (has_exponent) least_exponent_ = 1 - elementInfo(tile.type).bias;
    // Subnormals of the narrow formats are never flushed.
    flushes_ = rules.flush_in && (tile.type == f16 || tile.type == bf16 || tile.type == f32);
  }
  double at(uint64_t r, uint64_t c) const {
    if (tile_.transpose) std::swap(r, c);
    uint32_t bits = 0;
    std::memcpy(&bits, tile_.row(r) + c * bytes_, bytes_);
    const double value = widenToFloat(tile_.type, bits);
    return flushes_ ? flushedBelow(value, powerOfTwo(least_exponent_)) : value;
  }
  /// Of the least normal of the element type.
  int32_t leastExponent() const { return least_exponent_; }

 private:
  TileRef tile_;
  size_t bytes_;
  int32_t least_exponent_ = kNoExponent;
  bool flushes_ = false;
};

class Evaluator {
 public:
  Evaluator(const ProductRule& rule, const TileRef& a, const TileRef& b, const TileRef& acc,
            bool accumulate)
      : rule_(rule),
        a_(a, rule.rules),
        b_(b, rule.rules),
        acc_(acc),
        accumulate_(accumulate),
        k_(a.columns()),
        order_(rule, k_),
        summer_(rule),
        by_operands_(rule.sum == GroupSum::aligned && rule.exponent == AddendExponent::operands) {
    const size_t group = std::min<uint64_t>(rule.group, k_);
    block_terms_ = (kBlockTerms + group - 1) / group * group;
    a_values_.resize(kBlockRows * block_terms_);
    b_values_.resize(kBlockColumns * block_terms_);
    terms_.resize(block_terms_ + 1);
    if (!by_operands_) return;
    a_exponents_.resize(a_values_.size());
    b_exponents_.resize(b_values_.size());
    exponents_.resize(terms_.size());
  }

  void run() {
    for (uint64_t m = 0; m < acc_.rows(); m += kBlockRows)
      for (uint64_t n = 0; n < acc_.columns(); n += kBlockColumns)
        block({m, n, std::min<uint64_t>(kBlockRows, acc_.rows() - m),
               std::min<uint64_t>(kBlockColumns, acc_.columns() - n)});
  }

 private:
  struct Block {
    uint64_t row, column;
    size_t rows, columns;
  };

  void block(const Block& outputs) {
    load(outputs);
    for (uint64_t first = 0; first < k_; first += block_terms_) {
      const size_t count = std::min<uint64_t>(block_terms_, k_ - first);
      decode(outputs, first, count);
      for (size_t r = 0; r < outputs.rows; ++r)
        for (size_t c = 0; c < outputs.columns; c += kSumLanes) sum(r, c, first, count);
    }
    store(outputs);
  }

  Lanes& lanes(size_t row, size_t column) {
    return sums_[(row * kBlockColumns + column) / kSumLanes];
  }

  void load(const Block& outputs) {
    for (Lanes& lane : sums_) lane.fill(0);
    if (!accumulate_) return;
    for (size_t r = 0; r < outputs.rows; ++r)
      for (size_t c = 0; c < outputs.columns; ++c) {
        float value;
        std::memcpy(&value, place(outputs, r, c), sizeof value);
        lanes(r, c)[c % kSumLanes] = summer_.accumulatorFrom(value);
      }
  }

  void store(const Block& outputs) {
    for (size_t r = 0; r < outputs.rows; ++r)
      for (size_t c = 0; c < outputs.columns; ++c) {
        const uint32_t bits = summer_.result(lanes(r, c)[c % kSumLanes]);
        std::memcpy(place(outputs, r, c), &bits, sizeof bits);
      }
  }
  std::byte* place(const Block& outputs, size_t r, size_t c) const {
    return acc_.row(outputs.row + r) + (outputs.column + c) * sizeof(float);
  }

  /// Terms first..first+count of the order: A row by row, B a row of columns a term.
  void decode(const Block& outputs, uint64_t first, size_t count) {
    for (size_t p = 0; p < count; ++p) {
      const uint64_t k = order_[first + p];
      for (size_t r = 0; r < outputs.rows; ++r)
        a_values_[r * block_terms_ + p] = a_.at(outputs.row + r, k);
      for (size_t c = 0; c < outputs.columns; ++c)
        b_values_[p * kBlockColumns + c] = b_.at(k, outputs.column + c);
    }
    if (!by_operands_) return;
    for (size_t i = 0; i < a_values_.size(); ++i)
      a_exponents_[i] = exponentOf(a_values_[i], a_.leastExponent());
    for (size_t i = 0; i < b_values_.size(); ++i)
      b_exponents_[i] = exponentOf(b_values_[i], b_.leastExponent());
  }

  /// Adds decoded terms to the accumulators of kSumLanes outputs, cut where groups or spills end.
  void sum(size_t row, size_t column, uint64_t first, size_t count) {
    Lanes& accumulators = lanes(row, column);
    for (size_t p = 0; p < count;) {
      size_t n = std::min<size_t>(summer_.takesChains() ? kBlockTerms : rule_.group, count - p);
      if (rule_.spill_every != 0)
        n = std::min<uint64_t>(n, rule_.spill_every - (first + p) % rule_.spill_every);
      multiply(row, column, p, n);
      summer_.add(terms_.data(), exponents_.data(), n, accumulators);
      p += n;
      if (rule_.spill_every != 0 && (first + p) % rule_.spill_every == 0)
        summer_.spill(accumulators);
    }
  }

  void multiply(size_t row, size_t column, size_t p, size_t n) {
    const double* a = &a_values_[row * block_terms_ + p];
    const double* b = &b_values_[p * kBlockColumns + column];
    for (size_t i = 0; i < n; ++i)
      for (size_t l = 0; l < kSumLanes; ++l) terms_[1 + i][l] = a[i] * b[i * kBlockColumns + l];
    if (rule_.rounds_products) summer_.roundProducts(&terms_[1], n);
    if (!by_operands_) return;
    const int32_t* ea = &a_exponents_[row * block_terms_ + p];
    const int32_t* eb = &b_exponents_[p * kBlockColumns + column];
    for (size_t i = 0; i < n; ++i)
      for (size_t l = 0; l < kSumLanes; ++l)
        exponents_[1 + i][l] = ea[i] + eb[i * kBlockColumns + l];
  }

  const ProductRule& rule_;
  Operand a_, b_;
  TileRef acc_;
  bool accumulate_;
  uint64_t k_;
  Order order_;
  GroupSummer summer_;
  bool by_operands_;
  size_t block_terms_;
  std::vector<double> a_values_, b_values_;
  std::vector<int32_t> a_exponents_, b_exponents_;
  std::vector<Lanes> terms_;
  std::vector<LaneExponents> exponents_;
  std::array<Lanes, kBlockRows * kBlockColumns / kSumLanes> sums_;
};

}  // namespace

void multiplyAccumulateUnder(const ProductRule& rule, const TileRef& a, const TileRef& b,
                             const TileRef& acc, bool accumulate) {
  ETALON_CHECK(acc.type == ElementType::f32, "integer products are not open to declaration");
  if (acc.empty()) return;
  if (a.columns() == 0) {
    if (accumulate) return;
    for (uint64_t r = 0; r < acc.rows(); ++r)
      std::memset(acc.row(r), 0, acc.columns() * sizeof(float));
    return;
  }
  std::make_unique<Evaluator>(rule, a, b, acc, accumulate)->run();
}

}  // namespace etalon::numerics
