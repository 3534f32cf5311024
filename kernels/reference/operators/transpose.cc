// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "kernels/reference/operators.h"

namespace etalon::kernels {
namespace {

Result<std::vector<int64_t>> permutationOf(const Call& call, size_t rank) {
  Result<std::vector<int64_t>> found =
      call.integers("perm", rank, 0, static_cast<int64_t>(rank) - 1, 0);
  if (!found.ok()) return found;
  std::vector<int64_t> axes = *std::move(found);
  std::vector<bool> seen(rank, false);
  if (!call.text("perm"))
    for (size_t axis = 0; axis < rank; ++axis) axes[axis] = static_cast<int64_t>(rank - 1 - axis);
  for (const int64_t axis : axes) {
    if (seen[static_cast<size_t>(axis)])
      return call.error(fmt::format("attribute perm names axis {} twice", axis));
    seen[static_cast<size_t>(axis)] = true;
  }
  return axes;
}

}  // namespace

/// transpose(x) -> y: axis i of y is axis perm[i] of x, as ONNX Transpose; any type: exact.
///
/// with       perm=[...] (left out: the axes in reverse).
Result<CheckReport> checkTranspose(const Call& call) {
  ETALON_RETURN_IF_ERROR(call.expectInputs(1, 1, "transpose(x) -> y with perm=[1, 0]"));
  ETALON_RETURN_IF_ERROR(call.expectAttributes({"perm"}));
  const Array* x = call.inputs()[0].array;
  if (x == nullptr) return call.error(call.describeInput(0) + "; it must be an array");
  ETALON_RETURN_IF_ERROR(call.expectOutputType({x->type}));
  const size_t rank = x->shape.size();
  const Result<std::vector<int64_t>> axes = permutationOf(call, rank);
  if (!axes.ok()) return axes.error();
  Shape shape(rank);
  std::vector<uint64_t> steps(rank);  // in x, along the axes of y
  for (size_t axis = 0; axis < rank; ++axis) {
    const auto from = static_cast<size_t>((*axes)[axis]);
    shape[axis] = x->shape[from];
    steps[axis] =
        abi::elementCount({x->shape.begin() + static_cast<ptrdiff_t>(from) + 1, x->shape.end()});
  }
  ETALON_RETURN_IF_ERROR(call.expectOutputShape(shape));
  const std::vector<uint64_t> from = elementBits(*x);
  std::vector<uint64_t> expected(from.size());
  for (uint64_t i = 0; i < expected.size(); ++i) {
    uint64_t rest = i;
    uint64_t source = 0;
    for (size_t axis = rank; axis-- > 0;) {
      source += rest % shape[axis] * steps[axis];
      rest /= shape[axis];
    }
    expected[i] = from[source];
  }
  return compareBits(call.operation(), "exact", call.output(), expected);
}

}  // namespace etalon::kernels
