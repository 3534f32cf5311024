// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/numerics/elementwise_lanes.h"
#include "isa/numerics/host_isa.h"

namespace etalon::numerics {

/// Class of a 32-bit compute type (f32, i32, u32).
constexpr LaneClass laneClass(ElementType compute) {
  return compute == ElementType::f32   ? LaneClass::Float
         : compute == ElementType::i32 ? LaneClass::Int
                                       : LaneClass::UInt;
}

/// Least and greatest value of an integer type of up to 32 bits: what `.sat` operations and requant
/// saturate to.
struct SaturationRange {
  int64_t low;
  int64_t high;
};

constexpr SaturationRange saturationRange(ElementType type) {
  const ElementInfo& info = elementInfo(type);
  if (info.kind == ElementKind::UInt) return {0, (int64_t{1} << info.bits) - 1};
  const int64_t half = int64_t{1} << ((info.bits > 32 ? 32 : info.bits) - 1);
  return {-half, half - 1};
}

/// One element of an operation on 32-bit temporaries, the definition of its meaning.
///
/// Numerics: isa.md section 5. f32 results are rounded once to nearest even and NaNs are canonical
/// (abs, neg, copysign and select move bits). Integers compute modulo 2^32, shift counts modulo 32;
/// `.sat` and requant saturate the exact result to `result`, all other operations ignore it. Masks
/// are 0 or 1. Reversed operations (rsub..) take the tile as a and the scalar as b. Errors: an
/// operation that does not take the class aborts, as do mask and cvt (see chain.h).
uint32_t evaluateElementwise(ElementwiseOp op, ElementType compute, ElementType result, uint32_t a,
                             uint32_t b = 0, uint32_t c = 0);

/// The lane functions for an instruction set of the host; equal to the bit for all of them.
const LaneTable& laneTable(HostIsa isa);

}  // namespace etalon::numerics
