// SPDX-License-Identifier: Apache-2.0
// Accumulation of runs into lanes, compiled once per instruction set; see elementwise_lanes.h for
// why it is tagged.
#pragma once

#include "isa/numerics/elementwise_lanes.h"

namespace etalon::numerics {

/// lanes[k] = lanes[k] op values[k] for k < n. Float NaNs may leave here uncanonical (sum, prod).
using AccumulateFunction = void (*)(uint32_t* lanes, const uint32_t* values, size_t n);
/// The same for `count` runs of 64 values one after the other into the same 64 lanes.
using Accumulate64Function = void (*)(uint32_t* lanes, const uint32_t* values, size_t count);

struct ReduceFunctions {
  AccumulateFunction accumulate;
  Accumulate64Function accumulate64;
};

/// By reduction (sum, prod, max, min) and class.
using ReduceTable = std::array<std::array<ReduceFunctions, 3>, 4>;

namespace lanes {

template <class Isa, ElementwiseOp Op, LaneClass Class>
uint32_t accumulateLane(uint32_t lane_value, uint32_t value) {
  if constexpr (Class == LaneClass::Float && Op == ElementwiseOp::add)
    return __builtin_bit_cast(
        uint32_t, __builtin_bit_cast(float, lane_value) + __builtin_bit_cast(float, value));
  if constexpr (Class == LaneClass::Float && Op == ElementwiseOp::mul)
    return __builtin_bit_cast(
        uint32_t, __builtin_bit_cast(float, lane_value) * __builtin_bit_cast(float, value));
  return lane<Isa, Op, Class>(lane_value, value, 0, 0, 0);
}

template <class Isa, ElementwiseOp Op, LaneClass Class>
void accumulate(uint32_t* __restrict lane_values, const uint32_t* __restrict values, size_t n) {
  for (size_t k = 0; k < n; ++k)
    lane_values[k] = accumulateLane<Isa, Op, Class>(lane_values[k], values[k]);
}

template <class Isa, ElementwiseOp Op, LaneClass Class>
void accumulate64(uint32_t* __restrict lane_values, const uint32_t* __restrict values,
                  size_t count) {
  for (size_t run = 0; run < count; ++run)
    for (size_t k = 0; k < 64; ++k)
      lane_values[k] = accumulateLane<Isa, Op, Class>(lane_values[k], values[run * 64 + k]);
}

template <class Isa, ElementwiseOp Op>
constexpr std::array<ReduceFunctions, 3> reduceRow() {
  return {{{accumulate<Isa, Op, LaneClass::Float>, accumulate64<Isa, Op, LaneClass::Float>},
           {accumulate<Isa, Op, LaneClass::Int>, accumulate64<Isa, Op, LaneClass::Int>},
           {accumulate<Isa, Op, LaneClass::UInt>, accumulate64<Isa, Op, LaneClass::UInt>}}};
}

}  // namespace lanes

template <class Isa>
constexpr ReduceTable makeReduceTable() {
  return {lanes::reduceRow<Isa, ElementwiseOp::add>(), lanes::reduceRow<Isa, ElementwiseOp::mul>(),
          lanes::reduceRow<Isa, ElementwiseOp::max>(), lanes::reduceRow<Isa, ElementwiseOp::min>()};
}

}  // namespace etalon::numerics
