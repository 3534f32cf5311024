// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "kernels/reference/dot.h"
#include "kernels/reference/operators.h"
#include "kernels/reference/value.h"

namespace etalon::kernels {
namespace {

/// Elements of k that share a scale; 0: this type scales no such elements (isa.md section 3).
uint64_t blockLength(ElementType scale, ElementType element) {
  using enum ElementType;
  const bool f8 = element == f8e4m3 || element == f8e5m2;
  if (scale == e8m0 && (f8 || element == f4e2m1)) return 32;
  if (scale == f8e4m3 && element == f4e2m1) return 16;
  if (scale == f32 && f8) return 128;
  return 0;
}

/// One operand as lines of K scaled elements: rows of A, columns of B.
struct ScaledOperand {
  uint64_t lines = 0;
  uint64_t k = 0;
  std::vector<double> values;  // [lines, k]
};

/// `k_first`: the array is stored [K, lines], its scales [blocks, lines].
Result<ScaledOperand> scaledOperand(const Call& call, size_t element_input, size_t scale_input,
                                    bool k_first) {
  using enum ElementType;
  const Result<const Array*> elements = call.array(element_input, {f8e4m3, f8e5m2, f4e2m1});
  if (!elements.ok()) return elements.error();
  const Result<const Array*> scales = call.array(scale_input, {e8m0, f8e4m3, f32});
  if (!scales.ok()) return scales.error();
  const uint64_t block = blockLength((*scales)->type, (*elements)->type);
  const auto mismatch = [&](std::string_view why) {
    return call.error(fmt::format("{} and {}: {}", call.describeInput(element_input),
                                  call.describeInput(scale_input), why));
  };
  if (block == 0)
    return mismatch("e8m0 scales 32 elements of f8 or f4e2m1, f8e4m3 16 of f4e2m1, f32 128 of f8");
  const Shape& shape = (*elements)->shape;
  if (shape.size() != 2) return mismatch("both must have two axes");
  ScaledOperand operand{shape[k_first ? 1 : 0], shape[k_first ? 0 : 1], {}};
  const uint64_t blocks = (operand.k + block - 1) / block;
  const Shape wanted = k_first ? Shape{blocks, operand.lines} : Shape{operand.lines, blocks};
  if ((*scales)->shape != wanted)
    return mismatch(fmt::format("the scales must be [{}, {}]", wanted[0], wanted[1]));
  const std::vector<double> e = elementValues(**elements);
  const std::vector<double> s = elementValues(**scales);
  operand.values.resize(e.size());
  for (uint64_t line = 0; line < operand.lines; ++line) {
    for (uint64_t i = 0; i < operand.k; ++i) {
      const double element = e[k_first ? i * operand.lines + line : line * operand.k + i];
      const double scale =
          s[k_first ? i / block * operand.lines + line : line * blocks + i / block];
      const double scaled = element * scale;  // exact: 28 significant bits at most
      operand.values[line * operand.k + i] =
          (*scales)->type == f32 ? double{roundToFloat({scaled, 0})} : scaled;
    }
  }
  return operand;
}

}  // namespace

/// matmul_scaled(A, B, a_scale, b_scale) -> C: A [M, K] times B [K, N], both under block scales.
///
/// A, B       f8e4m3, f8e5m2 or f4e2m1.
/// scales     [M, blocks] and [blocks, N]; block b belongs to k from b * length on, the last may be
///            short. e8m0 for 32 elements, f8e4m3 for 16 of f4e2m1, f32 for 128 of f8.
/// with       transpose=[0, 0] (1: that operand and its scales are stored with their axes exchanged),
///            activation=none|relu, saturate=0.
/// Output     f32, bf16, f16, f8: bounded.
///
/// An element is its value times its scale, exact, or rounded once to f32 where scales are f32. The
/// bound is that of DotFinish with two more roundings a term, so that a device may as well multiply
/// the sum of a block by the product of its two scales.
Result<CheckReport> checkMatmulScaled(const Call& call) {
  ETALON_RETURN_IF_ERROR(call.expectInputs(
      4, 4,
      "matmul_scaled(A, B, a_scale, b_scale) -> C with transpose=[0, 0], activation=none, "
      "saturate=0"));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({"transpose", "activation", "saturate"}));
  const Result<std::vector<int64_t>> transpose = call.integers("transpose", 2, 0, 1, 0);
  if (!transpose.ok()) return transpose.error();
  const Result<ScaledOperand> a = scaledOperand(call, 0, 2, (*transpose)[0] != 0);
  if (!a.ok()) return a.error();
  const Result<ScaledOperand> b = scaledOperand(call, 1, 3, (*transpose)[1] == 0);
  if (!b.ok()) return b.error();
  if (a->k != b->k)
    return call.error(fmt::format("{} and {}: K is {} by the first but {} by the second",
                                  call.describeInput(0), call.describeInput(1), a->k, b->k));
  ETALON_RETURN_IF_ERROR(call.expectOutputShape({a->lines, b->lines}));
  Result<DotFinish> made = DotFinish::create(call, a->k + 2, b->lines, false, 4);
  if (!made.ok()) return made.error();
  DotFinish finish = *std::move(made);
  finish.reserve(a->lines * b->lines);
  const DotWeights weights(b->values, b->k, b->lines, true);
  std::vector<double> sums(b->lines);
  std::vector<double> magnitudes(b->lines);
  for (uint64_t m = 0; m < a->lines; ++m) {
    weights.multiply(std::span(a->values).subspan(m * a->k, a->k), sums, magnitudes);
    for (uint64_t n = 0; n < b->lines; ++n) finish.take(n, sums[n], magnitudes[n]);
  }
  return finish.report(call);
}

}  // namespace etalon::kernels
