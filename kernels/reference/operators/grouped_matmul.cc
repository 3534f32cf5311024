// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <span>

#include "kernels/reference/dot.h"
#include "kernels/reference/operators.h"

namespace etalon::kernels {
namespace {

constexpr uint64_t kMostTerms = uint64_t{1} << 22;
constexpr double kLeastF32 = 0x1p-149;

}  // namespace

/// grouped_matmul(x, W, expert, gate) -> z, y: the experts of a mixture. z[t, j] = gate[t, j] times
/// x[t] W[expert[t, j]], y[t] = sum over j of z[t, j].
///
/// x          [T, D]; W [E, D, F]: floats as matmul takes them.
/// expert     i32 [T, K]; outside 0..E-1: z is 0, whatever the gate.
/// gate       f32 or bf16 [T, K].
/// Outputs    z [T, K, F] and y [T, F], f32 or bf16: bounded, boundOfSum() with n = D + 2 for z (the
///            products, the start, the gate) and D + K + 2 for y, in any order of the experts. That y
///            adds the very z that was written is not asked.
Result<CheckReport> checkGroupedMatmul(const Call& call) {
  using enum ElementType;
  ETALON_RETURN_IF_ERROR(call.expectInputs(4, 4, "grouped_matmul(x, W, expert, gate) -> z, y", 2));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({}));
  const Result<const Array*> x = call.array(0, {f8e4m3, f8e5m2, f16, bf16, f32});
  if (!x.ok()) return x.error();
  ETALON_RETURN_IF_ERROR(expectDotOperands(call));
  const Result<const Array*> expert = call.array(2, {i32});
  if (!expert.ok()) return expert.error();
  const Result<const Array*> gate = call.array(3, {f32, bf16});
  if (!gate.ok()) return gate.error();
  const Shape& w = call.inputs()[1].array->shape;
  const Shape& chosen = (*expert)->shape;
  if ((*x)->shape.size() != 2 || w.size() != 3 || chosen.size() != 2 || w[1] != (*x)->shape[1] ||
      chosen[0] != (*x)->shape[0] || (*gate)->shape != chosen)
    return call.error(
        fmt::format("{}, {}, {} and {}: they must be [T, D], [E, D, F], [T, K] and [T, K]",
                    call.describeInput(0), call.describeInput(1), call.describeInput(2),
                    call.describeInput(3)));
  const uint64_t depth = w[1];
  const uint64_t width = w[2];
  const uint64_t k = chosen[1];
  for (const size_t output : {0, 1})
    ETALON_RETURN_IF_ERROR(call.expectOutputType({f32, bf16}, output));
  ETALON_RETURN_IF_ERROR(call.expectOutputShape({chosen[0], k, width}, 0));
  ETALON_RETURN_IF_ERROR(call.expectOutputShape({chosen[0], width}, 1));
  if (depth + k >= kMostTerms)
    return call.error(
        fmt::format("D + K = {}; the error bound says nothing from {} on", depth + k, kMostTerms));

  const std::vector<double> rows = elementValues(**x);
  const std::vector<double> weights = elementValues(*call.inputs()[1].array);
  const std::vector<int64_t> ids = elementIntegers(**expert);
  const std::vector<double> gates = elementValues(**gate);
  std::vector<BoundedValue> parts;
  std::vector<BoundedValue> sums;
  parts.reserve(ids.size() * width);
  for (uint64_t t = 0; t < chosen[0]; ++t) {
    std::vector<double> sum(width);
    std::vector<double> magnitude(width);
    double underflow = 0;  // of the products, times their gates
    for (uint64_t j = 0; j < k; ++j) {
      const int64_t e = ids[t * k + j];
      const bool inside = e >= 0 && static_cast<uint64_t>(e) < w[0];
      const double scale = inside ? gates[t * k + j] : 0;
      const double small = std::fabs(scale) * static_cast<double>(depth + 1) * kLeastF32;
      underflow += small;
      for (uint64_t f = 0; f < width; ++f) {
        double dot = 0;
        double dot_magnitude = 0;
        for (uint64_t d = 0; inside && d < depth; ++d) {
          const double product =
              rows[t * depth + d] * weights[(static_cast<uint64_t>(e) * depth + d) * width + f];
          dot += product;
          dot_magnitude += std::fabs(product);
        }
        parts.push_back(boundOfSum(scale * dot, std::fabs(scale) * dot_magnitude,
                                   static_cast<double>(depth) + 2));
        parts.back().error += small;
        sum[f] += scale * dot;
        magnitude[f] += std::fabs(scale) * dot_magnitude;
      }
    }
    for (uint64_t f = 0; f < width; ++f) {
      sums.push_back(boundOfSum(sum[f], magnitude[f], static_cast<double>(depth + k) + 2));
      sums.back().error += underflow;
    }
  }
  return mergeReports({compareBounds(call.operation(), call.output(0), parts),
                       compareBounds(call.operation(), call.output(1), sums)});
}

}  // namespace etalon::kernels
