// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/base/status.h"
#include "kernels/reference/call.h"
#include "kernels/reference/verdict.h"

namespace etalon::kernels {

/// What the operators of attention share: types, attributes and the bound of one query.
///
/// Attributes `scale=0` (a factor of the scores, an f32; 0: 1 / sqrt(D)), `block=0` (keys of a
/// block of an online kernel; 0: all at once), `weights=f32|bf16|f16` (what weights are rounded to before
/// they meet the values), `saturate=0`.
class AttentionBound {
 public:
  /// `depth` is D, of queries and keys. Errors: attributes out of range; D or `most_keys` of 2^22
  /// or more, where the bound says nothing.
  static Result<AttentionBound> create(const Call& call, uint64_t depth, uint64_t most_keys);

  /// Attributes beside those of the caller, for expectAttributes().
  static constexpr std::string_view kUsage = "scale=0, block=0, weights=f32|bf16|f16, saturate=0";

  /// A key that the query sees, and its value.
  struct Seen {
    const double* key = nullptr;    // [D]
    const double* value = nullptr;  // [E]
  };

  /// y[e] = sum_j w_j v_j[e], w = softmax of t_j = scale * sum_d q[d] k_j[d]; 0 without keys. A row
  /// with a score of NaN or +Inf, or of -Inf alone, is NaN.
  ///
  /// Bounded, for f32 arithmetic to nearest, sums in any order, with u = 2^-24, eta = 2^-149,
  /// g(k) = k u / (1 - k u), n keys, R = ceil(n / block) - 1 rescalings:
  ///
  /// 1. Scores: D products and their sum, the scaling, and the scale itself, two roundings if it is
  ///    the usual one: off by at most
  ///    T_j = |scale| g(D + 3) sum_d |q k_j| + (D + 1)(1 + |scale|) eta.
  /// 2. The weight before it is divided by the sum is exp of the distance from the greatest score.
  ///    A common factor cancels, so let e_j = exp(t_j - m), d_j = m - t_j, m the greatest exact
  ///    score. Differences are rounded, relatively by u; those of rescalings have one sign and add
  ///    up to at most d_j + T_j + max T. With one rounding of exp and two of each rescaling (its exp, the
  ///    product): e_j (1 + r_j), |r_j| <= exp(T_j + u (d_j + T_j + max T)) (1 + u)^(1 + 2 R) - 1.
  /// 3. The sum l of weights, n - 1 + R additions: relatively off by at most
  ///    S = sum e_j ((1 + r_j)(1 + u)^(n - 1 + R) - 1) / l + 2 n eta / l.
  /// 4. Weights are rounded to their type, relatively by h (2^-8 bf16, 2^-11 f16, 0 f32) or, where
  ///    that is subnormal, by half its least subnormal, s; products and sum have n + R roundings:
  ///    N[e] = sum_j |v_j| (e_j ((1 + r_j)(1 + h)(1 + u)^(n + R) - 1) + s + 2 eta) + 2 n eta.
  /// 5. The quotient, or reciprocal and product, at most two roundings:
  ///    error = (N / l + |y| S) / (1 - S) (1 + u)^2 + |y| ((1 + u)^2 - 1) + 2 eta.
  ///
  /// The factor 1 + 2^-28 pays for the reference's own double arithmetic. Where S reaches 1, or a
  /// score may pass the range of f32 although its operands are finite, the row is unbounded. Where
  /// sum |v_j| e_j (before division) may pass it, infinities and NaN are legal too; where a seen
  /// value is not finite, so is NaN: its weight may underflow to 0.
  void bound(std::span<const double> query, std::span<const Seen> seen,
             std::span<BoundedValue> out) const;

 private:
  AttentionBound() = default;

  double scale_ = 1;
  uint64_t block_ = 0;
  double weight_rounding_ = 0;  // h
  double weight_least_ = 0;     // s
};

}  // namespace etalon::kernels
