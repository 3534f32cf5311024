// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/reference/dot.h"
#include "kernels/reference/operators.h"

namespace etalon::kernels {

/// matmul_sparse24(A, metadata, B) -> C: A stores two of each four elements of k; B is [K, N].
///
/// A          [M, 2 ceil(K / 4)], types as matmul.
/// metadata   u4 [M, ceil(K / 4)], p0 + 4 p1: the stored elements 2g and 2g + 1 stand at k = 4g + p0
///            and 4g + p1. Every value is legal. At a place at or past K, B is +0.
/// with       activation=none|relu, saturate=0.
/// Output     f32, bf16, f16, f8: bounded as matmul, over the stored terms alone: what is absent is no
///            term, also beside an infinity or NaN in B. i8 and u8 to i32: exact.
Result<CheckReport> checkMatmulSparse24(const Call& call) {
  using enum ElementType;
  ETALON_RETURN_IF_ERROR(call.expectInputs(
      3, 3, "matmul_sparse24(A, metadata, B) -> C with activation=none, saturate=0"));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({"activation", "saturate"}));
  const Result<const Array*> metadata = call.array(1, {u4});
  if (!metadata.ok()) return metadata.error();
  const Result<const Array*> a = call.array(0, {i8, u8, f8e4m3, f8e5m2, f16, bf16, f32});
  if (!a.ok()) return a.error();
  const Result<const Array*> b = call.array(2, {i8, u8, f8e4m3, f8e5m2, f16, bf16, f32});
  if (!b.ok()) return b.error();
  if (!multiplies((*a)->type, (*b)->type))
    return call.error(fmt::format("{} and {}: such elements are not multiplied",
                                  call.describeInput(0), call.describeInput(2)));
  if ((*a)->shape.size() != 2 || (*b)->shape.size() != 2)
    return call.error(fmt::format("{} and {}: both must have two axes", call.describeInput(0),
                                  call.describeInput(2)));
  const uint64_t m = (*a)->shape[0];
  const uint64_t k = (*b)->shape[0];
  const uint64_t n = (*b)->shape[1];
  const uint64_t groups = (k + 3) / 4;
  if ((*a)->shape[1] != 2 * groups || (*metadata)->shape != Shape{m, groups})
    return call.error(fmt::format("{} and {}: with K = {} they must be [{}, {}] and [{}, {}]",
                                  call.describeInput(0), call.describeInput(1), k, m, 2 * groups, m,
                                  groups));
  ETALON_RETURN_IF_ERROR(call.expectOutputShape({m, n}));
  Result<DotFinish> made = DotFinish::create(call, 2 * groups, n, false, 3);
  if (!made.ok()) return made.error();
  DotFinish finish = *std::move(made);
  finish.reserve(m * n);
  const std::vector<double> stored = elementValues(**a);
  const std::vector<uint64_t> places = elementBits(**metadata);
  const std::vector<double> weights = elementValues(**b);
  std::vector<double> sums(n);
  std::vector<double> magnitudes(n);
  for (uint64_t row = 0; row < m; ++row) {
    std::ranges::fill(sums, 0);
    std::ranges::fill(magnitudes, 0);
    for (uint64_t i = 0; i < 2 * groups; ++i) {
      const uint64_t place = (places[row * groups + i / 2] >> (i % 2 * 2)) & 3;
      const uint64_t at = i / 2 * 4 + place;
      const double value = stored[row * 2 * groups + i];
      for (uint64_t column = 0; column < n; ++column) {
        const double product = value * (at < k ? weights[at * n + column] : 0);
        sums[column] += product;
        magnitudes[column] += std::fabs(product);
      }
    }
    for (uint64_t column = 0; column < n; ++column)
      finish.take(column, sums[column], magnitudes[column]);
  }
  return finish.report(call);
}

}  // namespace etalon::kernels
