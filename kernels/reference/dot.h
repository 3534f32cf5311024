// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isa/base/status.h"
#include "kernels/reference/call.h"
#include "kernels/reference/verdict.h"

namespace etalon::kernels {

/// A matrix of weights, K rows by N columns, that rows of K values are multiplied with in double.
///
/// Products of two floats of up to 24 significant bits, or of two integers of up to 16 bits, are
/// exact in double. A sum of K of them is good to K * 2^-53 of the sum of their magnitudes; integer
/// sums below 2^53 (K < 2^36 for 8-bit elements) are exact.
class DotWeights {
 public:
  /// `values` in C order, K x N of them, or N x K if transposed.
  DotWeights(std::span<const double> values, uint64_t k, uint64_t n, bool transposed);

  /// sums[n] = sum over k of row[k] * w[k, n]; magnitudes[n] the same of |row[k] * w[k, n]|. A
  /// product with an infinity or NaN counts even where the other factor is 0.
  void multiply(std::span<const double> row, std::span<double> sums,
                std::span<double> magnitudes) const;

 private:
  uint64_t k_;
  uint64_t n_;
  std::vector<double> panels_;  // [ceil(N / kLanes)][K][kLanes], zeros beyond N
};

/// The bound of a sum of products in f32, any order of additions to nearest, products rounded or fused:
///
///     u = 2^-24, g = n u / (1 - n u), error = g magnitude (1 + 2^-28) + n 2^-149
///
/// (conformance.md section 4). `terms` n: roundings on the way of one term, below 2^23. `magnitude`: sum
/// of the terms' magnitudes. The factor 1 + 2^-28 pays for the reference's own double arithmetic. A
/// partial sum may overflow where magnitude (1 + g) reaches 2^128.
BoundedValue boundOfSum(double sum, double magnitude, double terms);

/// What an operator does with the sums of products: shared by matrix product and convolution.
///
/// Columns (channels) are counted by the index of a bias. Integer sums are taken modulo 2^32.
class DotFinish {
 public:
  /// Reads the optional inputs and attributes behind the two operands.
  ///
  /// plain         inputs 0 and 1, then an optional bias: one element a channel, of the type of the
  ///               sums or of the operands. Attribute activation=none|relu.
  /// requantising  then multiplier and shift (i32, one a channel or one for all), then the optional
  ///               bias (i32). Attribute zero_point (default 0).
  /// `bias_index`  the input that is the bias, if there are so many; left out: the one that follows.
  /// Errors: wrong types or shapes; K of 2^23 or more for floats, where the bound says nothing.
  static Result<DotFinish> create(const Call& call, uint64_t k, uint64_t channels,
                                  bool requantising,
                                  std::optional<size_t> bias_index = std::nullopt);

  void reserve(uint64_t elements);
  /// Takes the next output element in C order.
  void take(uint64_t channel, double sum, double magnitude);

  /// Bound verdict for floats: boundOfSum() with n = K + 1 and the bias among the terms. Errors of the
  /// reference in the sum and the magnitude b are below (K + 1) 2^-53 b each. relu does not grow
  /// distances, so the bound stays.
  ///
  /// Integers: exact verdict; requantised: sat(sat32((a m + (s ? 2^(s-1) : 0)) >> s) + zero_point)
  /// with s modulo 64 (isa.md section 5).
  CheckReport report(const Call& call) const;

 private:
  DotFinish() = default;
  void takeInteger(uint64_t channel, double sum);
  void takeFloat(uint64_t channel, double sum, double magnitude);

  ElementType output_type_ = ElementType::f32;
  bool integer_ = false;
  bool relu_ = false;
  double terms_ = 1;                 // n of the bound
  std::vector<double> bias_;         // empty: none
  std::vector<int64_t> multiplier_;  // requantising: one, or one a channel
  std::vector<int64_t> shift_;
  bool requantising_ = false;
  int64_t zero_point_ = 0;
  std::vector<BoundedValue> bounded_;
  std::vector<uint64_t> exact_;
};

/// True if elements of the two types may be multiplied: bf16, f16 or f32 with itself, f8 with f8 of
/// either kind, i8 and u8 with either.
bool multiplies(ElementType a, ElementType b);

/// Refuses inputs 0 and 1 unless they are arrays of types that multiplies() takes.
Status expectDotOperands(const Call& call);

}  // namespace etalon::kernels
