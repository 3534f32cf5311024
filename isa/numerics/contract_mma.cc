// SPDX-License-Identifier: Apache-2.0
// Tile product under a declared rule: blocks of outputs, operands as exact doubles.
#include "isa/numerics/contract_mma.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "isa/base/check.h"
#include "isa/numerics/contract_sum.h"
#include "isa/numerics/contract_terms.h"

namespace etalon::numerics {
namespace {

constexpr size_t kRows = TermReader::kRows;
constexpr size_t kColumns = TermReader::kColumns;
static_assert(kColumns % kSumLanes == 0);
/// Terms that are decoded at a time, unless a group has more.
constexpr size_t kBlockTerms = 256;

/// Terms decoded at a time: whole groups.
size_t blockTerms(const ProductRule& rule, uint64_t terms) {
  const size_t group = std::min<uint64_t>(rule.group, terms);
  return (kBlockTerms + group - 1) / group * group;
}

class Evaluator {
 public:
  Evaluator(const ProductRule& rule, const MmaSource& a, const MmaSource& b, const TileRef& acc,
            bool accumulate)
      : rule_(rule),
        acc_(acc),
        accumulate_(accumulate),
        block_terms_(blockTerms(rule, a.tile.columns())),
        reader_(rule, a, b, block_terms_),
        summer_(rule),
        by_operands_(rule.sum == GroupSum::aligned && rule.exponent == AddendExponent::operands),
        terms_(block_terms_ + 1),
        exponents_(by_operands_ ? terms_.size() : 0) {}

  void run() {
    for (uint64_t m = 0; m < acc_.rows(); m += kRows)
      for (uint64_t n = 0; n < acc_.columns(); n += kColumns)
        block({m, n, std::min<uint64_t>(kRows, acc_.rows() - m),
               std::min<uint64_t>(kColumns, acc_.columns() - n)});
  }

 private:
  void block(const OutputBlock& outputs) {
    load(outputs);
    for (uint64_t first = 0; first < reader_.terms(); first += block_terms_) {
      const size_t count = std::min<uint64_t>(block_terms_, reader_.terms() - first);
      reader_.read(outputs, first, count);
      for (size_t r = 0; r < outputs.rows; ++r)
        for (size_t c = 0; c < outputs.columns; c += kSumLanes) sum(r, c, first, count);
    }
    store(outputs);
  }

  Lanes& lanes(size_t row, size_t column) { return sums_[(row * kColumns + column) / kSumLanes]; }

  void load(const OutputBlock& outputs) {
    for (Lanes& lane : sums_) lane.fill(0);
    if (!accumulate_) return;
    for (size_t r = 0; r < outputs.rows; ++r)
      for (size_t c = 0; c < outputs.columns; ++c) {
        float value;
        std::memcpy(&value, place(outputs, r, c), sizeof value);
        lanes(r, c)[c % kSumLanes] = summer_.accumulatorFrom(value);
      }
  }

  void store(const OutputBlock& outputs) {
    for (size_t r = 0; r < outputs.rows; ++r)
      for (size_t c = 0; c < outputs.columns; ++c) {
        const uint32_t bits = summer_.result(lanes(r, c)[c % kSumLanes]);
        std::memcpy(place(outputs, r, c), &bits, sizeof bits);
      }
  }
  std::byte* place(const OutputBlock& outputs, size_t r, size_t c) const {
    return acc_.row(outputs.row + r) + (outputs.column + c) * sizeof(float);
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
    const double* const a = reader_.aValues(row);
    const double* const b = reader_.bValues() + column;
    const uint32_t* const a_places = reader_.aPlaces() + p;
    const uint32_t* const b_places = reader_.bPlaces(row) + p;
    for (size_t i = 0; i < n; ++i)
      for (size_t l = 0; l < kSumLanes; ++l)
        terms_[1 + i][l] = a[a_places[i]] * b[b_places[i] * kColumns + l];
    if (rule_.rounds_products) summer_.roundProducts(&terms_[1], n);
    if (!by_operands_) return;
    const int32_t* const ea = reader_.aExponents(row);
    const int32_t* const eb = reader_.bExponents() + column;
    for (size_t i = 0; i < n; ++i)
      for (size_t l = 0; l < kSumLanes; ++l)
        exponents_[1 + i][l] = ea[a_places[i]] + eb[b_places[i] * kColumns + l];
  }

  const ProductRule& rule_;
  TileRef acc_;
  bool accumulate_;
  size_t block_terms_;
  TermReader reader_;
  GroupSummer summer_;
  bool by_operands_;
  std::vector<Lanes> terms_;
  std::vector<LaneExponents> exponents_;
  std::array<Lanes, kRows * kColumns / kSumLanes> sums_;
};

}  // namespace

void multiplyAccumulateUnder(const ProductRule& rule, const MmaSource& a, const MmaSource& b,
                             const TileRef& acc, bool accumulate) {
  ETALON_CHECK(acc.type == ElementType::f32, "integer products are not open to declaration");
  if (acc.empty()) return;
  if (b.tile.rows() == 0) {
    if (accumulate) return;
    for (uint64_t r = 0; r < acc.rows(); ++r)
      std::memset(acc.row(r), 0, acc.columns() * sizeof(float));
    return;
  }
  std::make_unique<Evaluator>(rule, a, b, acc, accumulate)->run();
}

}  // namespace etalon::numerics
