// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "isa/numerics/chain.h"
#include "isa/numerics/elementwise_lanes.h"

namespace etalon::numerics {

/// What is the same for every element of a chain: which operands to load, how each step is
/// computed.
struct ChainPlan {
  /// A tile (displaced or not) or a constant that some step, td or the reduction reads.
  struct Operand {
    uint8_t selector;
    int8_t tile;           ///< index of the source, -1 for a constant
    int32_t displacement;  ///< bytes
    bool aligned;          ///< moved as bits, left-aligned in 32
  };
  struct Step {
    ChainStep step;
    LaneFunction function;  ///< nullptr for mask and cvt
    int selectors;          ///< how many of a, b, c the step has
    ElementType natural;    ///< type of the temporary before conversion to the result type
    bool converts;
    int64_t low, high;  ///< range of the result type
  };

  std::vector<Operand> operands;
  std::vector<Step> steps;
  ElementType td_type = ElementType::f32;  ///< f32, i32 or u32: what td's selector holds at the end
  ElementType reduce_type = ElementType::f32;  ///< the same of the reduction's selector
  bool moves_bits = false;                     ///< see runChain
};

/// Precondition: the program and its operand types have been checked; violations abort.
ChainPlan planChain(const ChainProgram& program, const ChainTiles& tiles, HostIsa isa,
                    const VectorContract* contract = nullptr);

}  // namespace etalon::numerics
