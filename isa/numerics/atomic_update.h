// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "isa/element_type.h"
#include "isa/elementwise_op.h"

namespace etalon::numerics {

struct VectorContract;

/// n elements at `to` become op(element, value), the values standing at `from`: one after another in ascending order, each
/// complete before the next, so an element that the run meets twice is updated twice. The two share no byte.
///
/// op: add, max or min. type: i32 (add is modulo 2^32) or f32 (add is RNE with canonical NaN, max and min are IEEE 754-2019
/// maximum and minimum). Strides are in bytes and may be 0 or negative. A declared contract rounds floating sums as those
/// of et.add; nullptr is the canonical arithmetic.
void updateRun(ElementwiseOp op, ElementType type, const std::byte* from, ptrdiff_t from_stride,
               std::byte* to, ptrdiff_t to_stride, size_t n,
               const VectorContract* contract = nullptr);

}  // namespace etalon::numerics
