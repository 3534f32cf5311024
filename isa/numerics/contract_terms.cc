// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/contract_terms.h"

#include <algorithm>
#include <array>

#include "isa/numerics/contract_sum.h"
#include "isa/numerics/mma_expand.h"
#include "isa/numerics/mma_kernels.h"

namespace etalon::numerics {
namespace {

/// Elements of k of which a sparse A stores two.
constexpr size_t kSparseGroup = 4;
/// Columns that the expanding functions take at a time, and groups of positions.
constexpr size_t kMostColumns = kMmaBlockUnits;
constexpr size_t kMostGroups = kMmaBlockUnits / kSparseGroup;

bool isFlushed(ElementType type) {
  return type == ElementType::f16 || type == ElementType::bf16 || type == ElementType::f32;
}

}  // namespace

TermReader::TermReader(const ProductRule& rule, const MmaSource& a, const MmaSource& b,
                       size_t most_terms)
    : order_(rule.order),
      period_(rule.permutation),
      by_operands_(rule.sum == GroupSum::aligned && rule.exponent == AddendExponent::operands),
      sparse_(a.metadata.has_value()),
      k_(b.tile.rows()),
      terms_(a.tile.columns()),
      a_(side(a, false, rule.rules)),
      b_(side(b, true, rule.rules)) {
  if (!period_.empty()) {
    const uint64_t whole = terms_ / period_.size() * period_.size();
    for (const uint16_t place : period_)
      if (whole + place < terms_) tail_.push_back(place);
  }
  // A permutation reaches into the periods that begin and end a block; 4-bit elements and groups of
  // a sparse A are read whole.
  const size_t most = most_terms + 2 * period_.size() + 2 * kSparseGroup;
  a_.stride = most;
  a_.values.resize(kRows * most);
  b_.stride = kColumns;
  b_.values.resize(kColumns * most * (sparse_ ? 2 : 1));
  turned_.resize(std::max(a_.values.size(), b_.values.size()));
  places_.resize(most_terms);
  if (sparse_) sparse_places_.resize(kRows * most_terms);
  if (!by_operands_) return;
  a_.exponents.resize(a_.values.size());
  b_.exponents.resize(b_.values.size());
}

TermReader::Side TermReader::side(const MmaSource& source, bool is_b,
                                  const RoundingRules& rules) const {
  Side side{source, is_b == source.tile.transpose, 0, kNoExponent, 0, {}, {}};
  const ElementType element = source.tile.type;
  const bool rounded_scales = source.scales && source.scales->type == ElementType::f32;
  const ElementType type = rounded_scales ? ElementType::f32 : element;
  const int bias = elementInfo(type).bias;
  const bool is_scaled = source.scales && !rounded_scales;
  if (rules.flush_in && isFlushed(type) && !is_scaled) side.least_normal = powerOfTwo(1 - bias);
  if (isFloat(element) && !source.scales) side.least_exponent = 1 - bias;
  return side;
}

uint64_t TermReader::termAt(uint64_t position) const {
  if (order_ == TermOrder::ascending) return position;
  if (order_ == TermOrder::descending) return terms_ - 1 - position;
  const uint64_t first = position / period_.size() * period_.size();
  const bool whole = first + period_.size() <= terms_;
  return first + (whole ? period_ : tail_)[position - first];
}

TermReader::Range TermReader::span(uint64_t first, size_t count) const {
  uint64_t low = first, high = first + count;
  if (order_ == TermOrder::descending) {
    low = terms_ - first - count;
    high = terms_ - first;
  } else if (order_ == TermOrder::permuted) {
    const uint64_t period = period_.size();
    low = low / period * period;
    high = std::min((high + period - 1) / period * period, terms_);
  }
  low = low / 2 * 2;
  if (sparse_) high = (high + 1) / 2 * 2;
  return {low, static_cast<size_t>(high - low)};
}

void TermReader::read(const OutputBlock& outputs, uint64_t first, size_t count) {
  const Range terms = span(first, count);
  decodeA(outputs, terms);
  if (sparse_) {
    const uint64_t k = terms.first * 2;
    const uint64_t end = std::min<uint64_t>(k + terms.count * 2, k_);
    // Positions at or past K read zeros.
    std::fill_n(b_.values.begin(), terms.count * 2 * kColumns, 0.0);
    decodeB(outputs, {k, static_cast<size_t>(end - k)});
  } else {
    decodeB(outputs, terms);
  }
  findPlaces(outputs, terms, first, count);
}

/// Lines are rows of A or columns of B: out[line][k] where k is in columns, else out[k][line].
void TermReader::decode(const Side& side, const Range& lines, const Range& k, double* out,
                        size_t stride) {
  if (!side.k_in_columns)
    return expandDoubles(side.source, false, {k.first, lines.first, k.count, lines.count}, out,
                         stride);
  for (size_t done = 0; done < k.count; done += kMostColumns)
    expandDoubles(
        side.source, true,
        {lines.first, k.first + done, lines.count, std::min(kMostColumns, k.count - done)},
        out + done, stride);
}

void TermReader::decodeA(const OutputBlock& outputs, const Range& k) {
  const Range lines{outputs.row, outputs.rows};
  if (a_.k_in_columns) {
    decode(a_, lines, k, a_.values.data(), a_.stride);
  } else {
    decode(a_, lines, k, turned_.data(), kRows);
    for (size_t i = 0; i < k.count; ++i)
      for (size_t r = 0; r < outputs.rows; ++r)
        a_.values[r * a_.stride + i] = turned_[i * kRows + r];
  }
  for (size_t r = 0; r < outputs.rows; ++r) finish(a_, r * a_.stride, k.count);
}

void TermReader::decodeB(const OutputBlock& outputs, const Range& k) {
  const Range lines{outputs.column, outputs.columns};
  if (outputs.columns < kColumns) std::fill_n(b_.values.begin(), k.count * kColumns, 0.0);
  if (!b_.k_in_columns) {
    decode(b_, lines, k, b_.values.data(), kColumns);
  } else {
    decode(b_, lines, k, turned_.data(), k.count);
    for (size_t c = 0; c < outputs.columns; ++c)
      for (size_t i = 0; i < k.count; ++i) b_.values[i * kColumns + c] = turned_[c * k.count + i];
  }
  finish(b_, 0, k.count * kColumns);
}

void TermReader::finish(Side& side, size_t first, size_t count) {
  if (side.least_normal != 0)
    for (size_t i = first; i < first + count; ++i)
      side.values[i] = flushedBelow(side.values[i], side.least_normal);
  if (!by_operands_) return;
  for (size_t i = first; i < first + count; ++i)
    side.exponents[i] = exponentOf(side.values[i], side.least_exponent);
}

void TermReader::findPlaces(const OutputBlock& outputs, const Range& terms, uint64_t first,
                            size_t count) {
  for (size_t p = 0; p < count; ++p)
    places_[p] = static_cast<uint32_t>(termAt(first + p) - terms.first);
  if (!sparse_) return;
  std::vector<uint32_t> of_terms(terms.count);
  std::array<uint8_t, kMmaBlockUnits> block;
  for (size_t r = 0; r < outputs.rows; ++r) {
    for (size_t group = 0; group < terms.count / 2; group += kMostGroups) {
      const size_t groups = std::min(kMostGroups, terms.count / 2 - group);
      expandPositions(*a_.source.metadata, outputs.row + r, 1, terms.first / 2 + group, groups,
                      block.data(), block.size());
      for (size_t t = 0; t < 2 * groups; ++t)
        of_terms[2 * group + t] = static_cast<uint32_t>(kSparseGroup * group + block[t]);
    }
    for (size_t p = 0; p < count; ++p)
      sparse_places_[r * places_.size() + p] = of_terms[places_[p]];
  }
}

}  // namespace etalon::numerics
