// SPDX-License-Identifier: Apache-2.0
// The terms of a product as exact values, block by block, in a declared order. Internal to
// isa/numerics.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/numerics/contract.h"
#include "isa/numerics/mma.h"

namespace etalon::numerics {

/// Outputs that are computed together.
struct OutputBlock {
  uint64_t row, column;
  size_t rows, columns;
};

/// Decodes both sources of a product: scaled elements are exact numbers e * s, a sparse A has the
/// terms it stores, and B stands at the position of each.
class TermReader {
 public:
  static constexpr size_t kRows = 32;
  static constexpr size_t kColumns = 32;

  /// At most `most_terms` terms are asked for at a time.
  TermReader(const ProductRule& rule, const MmaSource& a, const MmaSource& b, size_t most_terms);

  /// Terms of each output: K, or those that a sparse A stores.
  uint64_t terms() const { return terms_; }

  /// Reads the terms at `count` positions of the order, from `first` on, of a block of at most
  /// kRows x kColumns outputs.
  void read(const OutputBlock& outputs, uint64_t first, size_t count);

  // What was read. First factors of row r: aValues(r)[aPlaces()[p]] for positions p < count; second
  // ones: kColumns values from bValues() + kColumns * bPlaces(r)[p], zeros beyond the block.
  const double* aValues(size_t r) const { return &a_.values[r * a_.stride]; }
  const double* bValues() const { return b_.values.data(); }
  const uint32_t* aPlaces() const { return places_.data(); }
  const uint32_t* bPlaces(size_t r) const {
    return sparse_ ? &sparse_places_[r * places_.size()] : places_.data();
  }
  // The exponents of the factors likewise, where AddendExponent::operands asks for them.
  const int32_t* aExponents(size_t r) const { return &a_.exponents[r * a_.stride]; }
  const int32_t* bExponents() const { return b_.exponents.data(); }

 private:
  struct Side {
    MmaSource source;
    bool k_in_columns;       // of the stored tile
    double least_normal;     // what is below counts as zero; 0: nothing does
    int32_t least_exponent;  // of the operand's type, subnormals count as having it
    size_t stride;           // of values, in elements
    std::vector<double> values;
    std::vector<int32_t> exponents;
  };
  struct Range {
    uint64_t first;
    size_t count;
  };

  Side side(const MmaSource& source, bool is_b, const RoundingRules& rules) const;
  uint64_t termAt(uint64_t position) const;
  /// Logical k (or stored columns of a sparse A) from the least to the greatest of the positions.
  Range span(uint64_t first, size_t count) const;
  void decodeA(const OutputBlock& outputs, const Range& k);
  void decodeB(const OutputBlock& outputs, const Range& k);
  void decode(const Side& side, const Range& lines, const Range& k, double* out, size_t stride);
  /// Flushes decoded values, and finds their exponents.
  void finish(Side& side, size_t first, size_t count);
  void findPlaces(const OutputBlock& outputs, const Range& terms, uint64_t first, size_t count);

  TermOrder order_;
  std::vector<uint16_t> period_;
  std::vector<uint16_t> tail_;  // of the last period, if it is not whole
  bool by_operands_;
  bool sparse_;
  uint64_t k_;
  uint64_t terms_;
  Side a_, b_;
  std::vector<double> turned_;
  std::vector<uint32_t> places_;
  std::vector<uint32_t> sparse_places_;
};

}  // namespace etalon::numerics
