// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/matrix_product.h"

#include <fmt/format.h>

#include <optional>

#include "kernels/reference/broadcast.h"
#include "kernels/reference/dot.h"

namespace etalon::kernels {
namespace {

struct Extents {
  Shape batch;  // broadcast leading axes
  Shape a_batch;
  Shape b_batch;
  uint64_t m = 0;
  uint64_t k = 0;
  uint64_t n = 0;
  bool transpose_a = false;
  bool transpose_b = false;
};

Result<Extents> extentsOf(const Call& call) {
  const Shape& a = call.inputs()[0].array->shape;
  const Shape& b = call.inputs()[1].array->shape;
  const auto mismatch = [&](std::string_view why) {
    return call.error(
        fmt::format("{} and {}: {}", call.describeInput(0), call.describeInput(1), why));
  };
  if (a.size() < 2 || b.size() < 2) return mismatch("both must have two axes or more");
  const Result<std::vector<int64_t>> transpose = call.integers("transpose", 2, 0, 1, 0);
  if (!transpose.ok()) return transpose.error();
  Extents extents;
  extents.transpose_a = (*transpose)[0] != 0;
  extents.transpose_b = (*transpose)[1] != 0;
  extents.m = a[a.size() - (extents.transpose_a ? 1 : 2)];
  extents.k = a[a.size() - (extents.transpose_a ? 2 : 1)];
  extents.n = b[b.size() - (extents.transpose_b ? 2 : 1)];
  const uint64_t b_k = b[b.size() - (extents.transpose_b ? 1 : 2)];
  if (extents.k != b_k)
    return mismatch(fmt::format("K is {} by the first but {} by the second", extents.k, b_k));
  extents.a_batch.assign(a.begin(), a.end() - 2);
  extents.b_batch.assign(b.begin(), b.end() - 2);
  const std::optional<Shape> batch = broadcastShape(extents.a_batch, extents.b_batch);
  if (!batch) return mismatch("their leading axes do not broadcast");
  extents.batch = *batch;
  return extents;
}

}  // namespace

Result<CheckReport> checkMatrixProduct(const Call& call, bool requantising) {
  const Result<Extents> found = extentsOf(call);
  if (!found.ok()) return found.error();
  const Extents& e = *found;
  Shape shape = e.batch;
  shape.push_back(e.m);
  shape.push_back(e.n);
  ETALON_RETURN_IF_ERROR(call.expectOutputShape(shape));
  Result<DotFinish> made = DotFinish::create(call, e.k, e.n, requantising);
  if (!made.ok()) return made.error();
  DotFinish finish = *std::move(made);
  finish.reserve(abi::elementCount(shape));

  const std::vector<double> a = elementValues(*call.inputs()[0].array);
  const std::vector<double> b = elementValues(*call.inputs()[1].array);
  const std::vector<uint64_t> a_matrix = broadcastIndices(e.a_batch, e.batch);
  const std::vector<uint64_t> b_matrix = broadcastIndices(e.b_batch, e.batch);
  std::optional<DotWeights> weights;
  std::vector<double> row(e.k);
  std::vector<double> sums(e.n);
  std::vector<double> magnitudes(e.n);
  for (size_t batch = 0; batch < a_matrix.size(); ++batch) {
    if (batch == 0 || b_matrix[batch] != b_matrix[batch - 1])
      weights.emplace(std::span(b).subspan(b_matrix[batch] * e.k * e.n, e.k * e.n), e.k, e.n,
                      e.transpose_b);
    const std::span<const double> matrix = std::span(a).subspan(a_matrix[batch] * e.m * e.k);
    for (uint64_t m = 0; m < e.m; ++m) {
      for (uint64_t k = 0; k < e.k; ++k)
        row[k] = e.transpose_a ? matrix[k * e.m + m] : matrix[m * e.k + k];
      weights->multiply(row, sums, magnitudes);
      for (uint64_t n = 0; n < e.n; ++n) finish.take(n, sums[n], magnitudes[n]);
    }
  }
  return finish.report(call);
}

}  // namespace etalon::kernels
