// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "isa/elementwise_op.h"
#include "isa/numerics/chain_codes.h"
#include "isa/numerics/contract.h"
#include "isa/numerics/host_isa.h"
#include "isa/numerics/reduce.h"
#include "isa/numerics/tile_ref.h"

namespace etalon::numerics {

/// A step: temporary[dest] = op(a, b, c) computed in `compute` (f32, i32, u32), converted to
/// `result` by `mode`.
struct ChainStep {
  ElementwiseOp op = ElementwiseOp::add;
  ElementType compute = ElementType::f32;
  ElementType result = ElementType::f32;
  uint8_t mode = 0;
  uint8_t dest = 0;
  uint8_t a = 0, b = 0, c = 0;
};

/// A decoded chain descriptor. One-step instructions are chains of one step, so both have one
/// meaning.
struct ChainProgram {
  uint8_t nsteps = 0;
  std::array<ChainStep, kChainSteps> steps{};
  std::array<uint32_t, kChainConstants> constants{};
  uint8_t td_selector = kSelectorTemporary;
  bool reduce = false;
  bool accumulate = false;  ///< the reduction keeps 64 lanes
  ReduceOp reduce_op = ReduceOp::Sum;
  uint8_t reduce_selector = kSelectorTemporary;
};

/// Tiles a chain works on. Sources and td have equal rows and columns (vectors by stride 0, step
/// 0). An absent tile is nullptr; td absent means a gives the shape. reduction: rows x 1, or rows x
/// 64 lanes. No transpose flags.
struct ChainTiles {
  std::array<const TileRef*, 3> sources{};
  const TileRef* td = nullptr;
  const TileRef* reduction = nullptr;
};

/// Runs a chain over every element.
///
/// Sources widen exactly to f32, i32 or u32. Each step computes as evaluateElementwise in its
/// compute type; if its result type is another than that operation's, the temporary is converted to
/// it by the mode byte (rounding 2:0, saturation 3) and holds the result's value widened again:
/// this is how narrow floats arise, cvt being nothing else. A stochastic cvt takes the random word
/// of each element from its operand b.
/// `.sat` and requant saturate to the result type. A mask step keeps a where
/// k[b] + (r / inner) * k[b+1] + (r % inner) * k[b+2] + c * k[b+3] >= 0 in exact integers, else c;
/// r and inner are td's, or a's where td is absent.
///
/// The write of td rounds once to nearest even (integers wrap, FP8 does not saturate: a step's mode
/// can); equal types move bits. A single neg, abs, copysign, select or mask whose moved tiles all
/// have td's float type, and a chain without steps whose tile has it, move bits also in narrow types
/// (vec.move-bits; of constants among them chain.meaning). Longer chains go through f32 tiles, where
/// a narrow NaN became canonical. The reduction sees the temporary before td's rounding.
///
/// In place: a block of sources is read before any of it is written, so td may coincide with a
/// source. The program and the operand types have been checked at decode and issue; violations
/// abort. `contract`: declared arithmetic, functions, conversions and reductions, else the
/// canonical ones.
void runChain(const ChainProgram& program, const ChainTiles& tiles, HostIsa isa = hostIsa(),
              const VectorContract* contract = nullptr);

}  // namespace etalon::numerics
