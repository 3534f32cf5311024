// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "kernels/reference/operators.h"
#include "kernels/reference/softmax_bound.h"

namespace etalon::kernels {

/// topk_routing(logits) -> expert, gate: for each row of logits [T, E] the k experts with the greatest
/// logits, greatest first, and the softmax of these k logits alone; k is the length of the outputs.
///
/// expert     i32 [T, k]: exact. Of equal logits the lower expert comes first; -0 equals +0, a NaN is
///            greater than every number and equals every other NaN (isa.md section 5, Selection).
/// gate       f32 or bf16 [T, k]: bounded as softmax of the k logits, so NaN where one is NaN or +Inf.
Result<CheckReport> checkTopkRouting(const Call& call) {
  using enum ElementType;
  ETALON_RETURN_IF_ERROR(call.expectInputs(1, 1, "topk_routing(logits) -> expert, gate", 2));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({}));
  const Result<const Array*> logits = call.array(0, {f32, bf16, f16});
  if (!logits.ok()) return logits.error();
  ETALON_RETURN_IF_ERROR(call.expectOutputType({i32}, 0));
  ETALON_RETURN_IF_ERROR(call.expectOutputType({f32, bf16}, 1));
  const Shape& shape = (*logits)->shape;
  const Shape& out = call.outputShape(0);
  if (shape.size() != 2 || out.size() != 2 || out[1] > shape[1])
    return call.error(fmt::format("{} and output {}: they must be [T, E] and [T, k], k up to E",
                                  call.describeInput(0), call.output(0).name));
  ETALON_RETURN_IF_ERROR(call.expectOutputShape({shape[0], out[1]}, 0));
  ETALON_RETURN_IF_ERROR(call.expectOutputShape({shape[0], out[1]}, 1));
  const uint64_t experts = shape[1];
  const uint64_t k = out[1];
  const std::vector<double> values = elementValues(**logits);
  std::vector<uint64_t> chosen;
  std::vector<BoundedValue> gates(shape[0] * k);
  std::vector<uint64_t> order(experts);
  std::vector<double> top(k);
  for (uint64_t t = 0; t < shape[0]; ++t) {
    const std::span<const double> row = std::span(values).subspan(t * experts, experts);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](uint64_t a, uint64_t b) {
      const bool a_nan = std::isnan(row[a]);
      if (a_nan != std::isnan(row[b])) return a_nan;
      if (a_nan || row[a] == row[b]) return a < b;
      return row[a] > row[b];
    });
    for (uint64_t j = 0; j < k; ++j) {
      chosen.push_back(order[j]);
      top[j] = row[order[j]];
    }
    boundSoftmax(top, 0, std::span(gates).subspan(t * k, k));
  }
  return mergeReports({compareBits(call.operation(), "exact", call.output(0), chosen),
                       compareBounds(call.operation(), call.output(1), gates)});
}

}  // namespace etalon::kernels
