// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/reference/attention_bound.h"
#include "kernels/reference/operators.h"

namespace etalon::kernels {
namespace {

/// q [B, H, S, D], k [B, G, T, D], v [B, G, T, E], y [B, H, S, E].
struct Extents {
  uint64_t b, h, s, d, g, t, e;
};

Result<Extents> extentsOf(const Call& call) {
  using enum ElementType;
  const Array* arrays[3] = {};
  for (size_t i = 0; i < 3; ++i) {
    const Result<const Array*> array = call.array(i, {bf16, f16, f32});
    if (!array.ok()) return array.error();
    arrays[i] = *array;
    if ((*array)->shape.size() != 4)
      return call.error(call.describeInput(i) + "; it must have four axes");
    if ((*array)->type != arrays[0]->type)
      return call.error(
          fmt::format("{} and {} differ in type", call.describeInput(0), call.describeInput(i)));
  }
  const Shape& q = arrays[0]->shape;
  const Shape& k = arrays[1]->shape;
  const Shape& v = arrays[2]->shape;
  const Extents x = {q[0], q[1], q[2], q[3], k[1], k[2], v[3]};
  if (k[0] != x.b || k[3] != x.d)
    return call.error(fmt::format("{}; from {} it would be [{}, G, T, {}]", call.describeInput(1),
                                  call.describeInput(0), x.b, x.d));
  if (v[0] != x.b || v[1] != x.g || v[2] != x.t)
    return call.error(fmt::format("{}; from {} it would be [{}, {}, {}, E]", call.describeInput(2),
                                  call.describeInput(1), x.b, x.g, x.t));
  if (x.h != 0 && (x.g == 0 || x.h % x.g != 0))
    return call.error(fmt::format("{} heads of queries are no multiple of {} of keys", x.h, x.g));
  return x;
}

/// For each column of a head's values [T, E], one past the last key whose value is not finite.
std::vector<uint64_t> notFiniteBefore(std::span<const double> values, uint64_t columns) {
  std::vector<uint64_t> out(columns);
  for (size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i])) out[i % columns] = i / columns + 1;
  return out;
}

}  // namespace

/// attention(q, k, v) -> y: y[b, h, i] = sum_j softmax_j(scale q[b, h, i] . k[b, g, j]) v[b, g, j],
/// g = h / (H / G): grouped-query, G = H multi-head. Floats of one type to f32, bf16, f16 or f8.
///
/// with       causal=0: query i sees the keys j <= i + T - S (aligned at the end, as PyTorch's
///            causal_lower_right and ONNX Attention with a past of T - S keys); one that sees none
///            gives 0. And scale, block, weights, saturate as AttentionBound has them.
///
/// Bounded as AttentionBound::bound() derives. Where a value that the query does not see is not
/// finite, NaN is legal too: a weight of 0 may meet it.
Result<CheckReport> checkAttention(const Call& call) {
  using enum ElementType;
  ETALON_RETURN_IF_ERROR(call.expectInputs(
      3, 3, fmt::format("attention(q, k, v) -> y with causal=0, {}", AttentionBound::kUsage)));
  ETALON_RETURN_IF_ERROR(
      call.expectAttributes({"causal", "scale", "block", "weights", "saturate"}));
  const Result<Extents> extents = extentsOf(call);
  if (!extents.ok()) return extents.error();
  const Extents& x = *extents;
  ETALON_RETURN_IF_ERROR(call.expectOutputType({f32, bf16, f16, f8e4m3, f8e5m2}));
  ETALON_RETURN_IF_ERROR(call.expectOutputShape({x.b, x.h, x.s, x.e}));
  const Result<bool> causal = call.flag("causal");
  if (!causal.ok()) return causal.error();
  const Result<AttentionBound> bound = AttentionBound::create(call, x.d, x.t);
  if (!bound.ok()) return bound.error();

  const std::vector<double> q = elementValues(*call.inputs()[0].array);
  const std::vector<double> k = elementValues(*call.inputs()[1].array);
  const std::vector<double> v = elementValues(*call.inputs()[2].array);
  std::vector<BoundedValue> expected(x.b * x.h * x.s * x.e);
  for (uint64_t head = 0; head < x.b * x.h && x.e != 0; ++head) {
    const uint64_t first = (head / x.h * x.g + head % x.h / (x.h / x.g)) * x.t;
    std::vector<AttentionBound::Seen> keys(x.t);
    for (uint64_t j = 0; j < x.t; ++j)
      keys[j] = {k.data() + (first + j) * x.d, v.data() + (first + j) * x.e};
    const std::vector<uint64_t> bad =
        notFiniteBefore(std::span(v).subspan(first * x.e, x.t * x.e), x.e);
    for (uint64_t i = 0; i < x.s; ++i) {
      const uint64_t row = head * x.s + i;
      const uint64_t seen = *causal ? (i + 1 + x.t > x.s ? i + 1 + x.t - x.s : 0) : x.t;
      const std::span<BoundedValue> out = std::span(expected).subspan(row * x.e, x.e);
      bound->bound(std::span(q).subspan(row * x.d, x.d), std::span(keys).first(seen), out);
      for (uint64_t e = 0; e < x.e; ++e) out[e].may_be_nan |= bad[e] > seen;
    }
  }
  return compareBounds(call.operation(), call.output(), expected);
}

}  // namespace etalon::kernels
