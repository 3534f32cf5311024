// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "kernels/reference/attention_bound.h"
#include "kernels/reference/operators.h"

namespace etalon::kernels {
namespace {

/// q [N, H, D], k [P, L, G, D], v [P, L, G, E], table [N, M], lengths [N], y [N, H, E].
struct Extents {
  uint64_t n, h, d, p, l, g, e, m;
};

Result<Extents> extentsOf(const Call& call) {
  using enum ElementType;
  constexpr size_t kAxes[] = {3, 4, 4, 2, 1};
  const Array* arrays[5] = {};
  for (size_t i = 0; i < 5; ++i) {
    const bool index = i >= 3;
    const Result<const Array*> array =
        index ? call.array(i, {i32}) : call.array(i, {bf16, f16, f32});
    if (!array.ok()) return array.error();
    arrays[i] = *array;
    if ((*array)->shape.size() != kAxes[i])
      return call.error(fmt::format("{}; it must have {} axes", call.describeInput(i), kAxes[i]));
    if (!index && (*array)->type != arrays[0]->type)
      return call.error(
          fmt::format("{} and {} differ in type", call.describeInput(0), call.describeInput(i)));
  }
  const Shape& q = arrays[0]->shape;
  const Shape& k = arrays[1]->shape;
  const Shape& v = arrays[2]->shape;
  const Extents x = {q[0], q[1], q[2], k[0], k[1], k[2], v[3], arrays[3]->shape[1]};
  if (k[3] != x.d)
    return call.error(fmt::format("{}; from {} it would be [P, L, G, {}]", call.describeInput(1),
                                  call.describeInput(0), x.d));
  if (v[0] != x.p || v[1] != x.l || v[2] != x.g)
    return call.error(fmt::format("{}; from {} it would be [{}, {}, {}, E]", call.describeInput(2),
                                  call.describeInput(1), x.p, x.l, x.g));
  for (const size_t i : {3, 4})
    if (arrays[i]->shape[0] != x.n)
      return call.error(fmt::format("{}; from {} it has {} row(s)", call.describeInput(i),
                                    call.describeInput(0), x.n));
  if (x.h != 0 && (x.g == 0 || x.h % x.g != 0))
    return call.error(fmt::format("{} heads of queries are no multiple of {} of keys", x.h, x.g));
  return x;
}

/// Where the keys of a sequence stand: rows of L tokens a page.
Result<std::vector<uint64_t>> tokensOf(const Call& call, const Extents& x, uint64_t sequence,
                                       std::span<const int64_t> table, int64_t length) {
  if (length < 0 || static_cast<uint64_t>(length) > x.m * x.l)
    return call.error(fmt::format("length {} of sequence {}; {} page(s) of {} hold 0 to {}", length,
                                  sequence, x.m, x.l, x.m * x.l));
  std::vector<uint64_t> tokens;
  for (uint64_t j = 0; j < static_cast<uint64_t>(length); ++j) {
    const int64_t page = table[sequence * x.m + j / x.l];
    if (page < 0 || static_cast<uint64_t>(page) >= x.p)
      return call.error(fmt::format("page {} of sequence {} is {}; the cache has {} page(s)",
                                    j / x.l, sequence, page, x.p));
    tokens.push_back(static_cast<uint64_t>(page) * x.l + j % x.l);
  }
  return tokens;
}

}  // namespace

/// paged_attention(q, k, v, table, lengths) -> y: one query for each of N sequences against keys and
/// values in pages of L tokens: y[n, h] = sum_j softmax_j(scale q[n, h] . k_j) v_j over j <
/// lengths[n], where token j stands in page table[n, j / L] at j mod L, of head h / (H / G). Floats
/// of one type to f32, bf16, f16 or f8; table and lengths are i32.
///
/// with       scale, block, weights, saturate as AttentionBound has them.
///
/// Bounded as AttentionBound::bound() derives; a sequence of length 0 gives 0.
/// Errors: a length outside 0..M * L; a page outside the cache where a token is seen.
Result<CheckReport> checkPagedAttention(const Call& call) {
  using enum ElementType;
  ETALON_RETURN_IF_ERROR(
      call.expectInputs(5, 5,
                        fmt::format("paged_attention(q, k, v, table, lengths) -> y with {}",
                                    AttentionBound::kUsage)));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({"scale", "block", "weights", "saturate"}));
  const Result<Extents> extents = extentsOf(call);
  if (!extents.ok()) return extents.error();
  const Extents& x = *extents;
  ETALON_RETURN_IF_ERROR(call.expectOutputType({f32, bf16, f16, f8e4m3, f8e5m2}));
  ETALON_RETURN_IF_ERROR(call.expectOutputShape({x.n, x.h, x.e}));
  const Result<AttentionBound> bound = AttentionBound::create(call, x.d, x.m * x.l);
  if (!bound.ok()) return bound.error();

  const std::vector<double> q = elementValues(*call.inputs()[0].array);
  const std::vector<double> k = elementValues(*call.inputs()[1].array);
  const std::vector<double> v = elementValues(*call.inputs()[2].array);
  const std::vector<int64_t> table = elementIntegers(*call.inputs()[3].array);
  const std::vector<int64_t> lengths = elementIntegers(*call.inputs()[4].array);
  std::vector<BoundedValue> expected(x.n * x.h * x.e);
  for (uint64_t n = 0; n < x.n; ++n) {
    const Result<std::vector<uint64_t>> tokens = tokensOf(call, x, n, table, lengths[n]);
    if (!tokens.ok()) return tokens.error();
    for (uint64_t h = 0; h < x.h; ++h) {
      std::vector<AttentionBound::Seen> seen;
      for (const uint64_t token : *tokens) {
        const uint64_t row = token * x.g + h / (x.h / x.g);
        seen.push_back({k.data() + row * x.d, v.data() + row * x.e});
      }
      const uint64_t row = n * x.h + h;
      bound->bound(std::span(q).subspan(row * x.d, x.d), seen,
                   std::span(expected).subspan(row * x.e, x.e));
    }
  }
  return compareBounds(call.operation(), call.output(), expected);
}

}  // namespace etalon::kernels
