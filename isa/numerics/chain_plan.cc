// SPDX-License-Identifier: Apache-2.0
#include "isa/numerics/chain_plan.h"

#include <algorithm>

#include "isa/base/check.h"
#include "isa/numerics/contract_lanes.h"
#include "isa/numerics/convert.h"
#include "isa/numerics/elementwise.h"

namespace etalon::numerics {
namespace {

bool isTemporary(uint8_t selector) {
  return selector >= kSelectorTemporary && selector < kSelectorTemporary + 4;
}
bool isConstant(uint8_t selector) {
  return selector >= kSelectorConstant && selector < kSelectorConstant + kChainConstants;
}

/// Source tile a selector reads, -1 if none.
int tileOf(uint8_t selector) {
  if (selector < 3) return selector;
  if (selector >= kSelectorDisplacedA && selector < kSelectorDisplacedA + kChainConstants) return 0;
  if (selector >= kSelectorDisplacedB && selector < kSelectorDisplacedB + kChainConstants) return 1;
  return -1;
}

/// Builds a plan; the members follow the order in which a chain is read.
class Planner {
 public:
  Planner(const ChainProgram& program, const ChainTiles& tiles, HostIsa isa,
          const VectorContract* contract)
      : program_(program), tiles_(tiles), table_(laneTable(isa)), contract_(contract) {}

  ChainPlan plan() {
    plan_.moves_bits = movesBits();
    for (int s = 0; s < program_.nsteps; ++s) addStep(program_.steps[static_cast<size_t>(s)]);
    if (tiles_.td != nullptr) {
      plan_.td_type =
          use(program_.td_selector, elementInfo(tiles_.td->type).widens_to, plan_.moves_bits);
    }
    if (program_.reduce) plan_.reduce_type = use(program_.reduce_selector, ElementType::f32, false);
    return std::move(plan_);
  }

 private:
  /// Notes that a selector is read; returns the type of its lanes (of a constant: `constant_type`).
  ElementType use(uint8_t selector, ElementType constant_type, bool moved) {
    if (isTemporary(selector)) {
      ETALON_CHECK(written_[selector - kSelectorTemporary],
                   "a chain reads a temporary before writing it");
      return temporary_types_[selector - kSelectorTemporary];
    }
    const int tile = tileOf(selector);
    ETALON_CHECK(tile >= 0 || isConstant(selector), "a chain selector is reserved");
    ETALON_CHECK(tile < 0 || tiles_.sources[static_cast<size_t>(tile)] != nullptr,
                 "a chain reads an absent tile");
    const auto same = [&](const ChainPlan::Operand& operand) {
      return operand.selector == selector;
    };
    if (std::none_of(plan_.operands.begin(), plan_.operands.end(), same)) {
      const int32_t displacement = selector >= kSelectorDisplacedA
                                       ? static_cast<int32_t>(program_.constants[selector % 16])
                                       : 0;
      plan_.operands.push_back({selector, static_cast<int8_t>(tile), displacement, moved});
    }
    if (tile < 0) return constant_type;
    return elementInfo(tiles_.sources[static_cast<size_t>(tile)]->type).widens_to;
  }

  LaneFunction laneFunction(ElementwiseOp op, LaneClass lane_class) const {
    if (contract_ != nullptr && lane_class == LaneClass::Float)
      if (const LaneFunction declared = contractLane(*contract_, op)) return declared;
    return table_[static_cast<size_t>(op)][static_cast<size_t>(lane_class)];
  }

  void addStep(const ChainStep& step) {
    const ElementwiseInfo* info = elementwiseInfo(static_cast<int>(step.op));
    ETALON_CHECK(info != nullptr, "a chain step has a reserved operation");
    ETALON_CHECK(elementInfo(step.result).bits <= 32, "a chain step has a 64-bit result");
    ETALON_CHECK(step.op == ElementwiseOp::cvt || !roundsStochastically(step.mode),
                 "only a conversion step rounds stochastically");
    const bool select = step.op == ElementwiseOp::select;
    use(step.a, step.compute, plan_.moves_bits && !select);
    // A sign from a constant is at bit 31 already, and rounding a NaN constant would lose it.
    const bool sign = step.op == ElementwiseOp::copysign && isConstant(step.b);
    const int selectors = stepSelectors(*info, step.mode);
    if (step.op != ElementwiseOp::mask && selectors > 1)
      use(step.b, step.compute, plan_.moves_bits && !sign);
    if (selectors > 2) use(step.c, step.compute, plan_.moves_bits);
    ETALON_CHECK(
        step.op != ElementwiseOp::mask ||
            (step.b >= kSelectorConstant && step.b + 4 <= kSelectorConstant + kChainConstants),
        "a mask step needs four constants");

    ChainPlan::Step planned{step, nullptr, selectors, step.compute, false, 0, 0};
    const bool lanes = step.op != ElementwiseOp::mask && step.op != ElementwiseOp::cvt;
    if (lanes) {
      planned.function = laneFunction(step.op, laneClass(step.compute));
      ETALON_CHECK(planned.function != nullptr,
                   "a chain step computes in a class its operation does not take");
    }
    if (isInteger(step.result)) {
      const SaturationRange range = saturationRange(step.result);
      planned.low = range.low;
      planned.high = range.high;
    }
    const bool saturates = step.op == ElementwiseOp::add_sat || step.op == ElementwiseOp::sub_sat ||
                           step.op == ElementwiseOp::mul_sat || step.op == ElementwiseOp::requant;
    if (info->result == ResultKind::Mask) planned.natural = ElementType::u32;
    if (saturates) planned.natural = elementInfo(step.result).widens_to;
    planned.converts = !plan_.moves_bits && !saturates &&
                       (planned.natural != step.result || step.op == ElementwiseOp::cvt);
    plan_.steps.push_back(planned);
    written_[step.dest] = true;
    temporary_types_[step.dest] = elementInfo(step.result).widens_to;
  }

  /// True if a selector's tile has td's type, or is a constant; counts the tiles.
  bool movable(uint8_t selector, int& moved_tiles) const {
    if (isConstant(selector)) return true;
    const int tile = tileOf(selector);
    if (tile < 0 || tiles_.sources[static_cast<size_t>(tile)] == nullptr) return false;
    ++moved_tiles;
    return tiles_.sources[static_cast<size_t>(tile)]->type == tiles_.td->type;
  }

  bool movesBits() const {
    if (tiles_.td == nullptr || program_.reduce || program_.nsteps > 1) return false;
    const ElementType type = tiles_.td->type;
    if (!isFloat(type) || elementInfo(type).bits == 32) return false;
    int moved_tiles = 0;
    if (program_.nsteps == 0) return movable(program_.td_selector, moved_tiles) && moved_tiles == 1;
    const ChainStep& step = program_.steps[0];
    const bool to_td = program_.td_selector == kSelectorTemporary + step.dest &&
                       (step.result == ElementType::f32 || step.result == type) &&
                       step.compute == ElementType::f32;
    if (!to_td) return false;
    using enum ElementwiseOp;
    const bool a = step.op == neg || step.op == abs || step.op == copysign || step.op == mask;
    const bool b = step.op == select;
    const bool c = step.op == select || step.op == mask;
    return (a || b) && (!a || movable(step.a, moved_tiles)) &&
           (!b || movable(step.b, moved_tiles)) && (!c || movable(step.c, moved_tiles)) &&
           moved_tiles > 0;
  }

  const ChainProgram& program_;
  const ChainTiles& tiles_;
  const LaneTable& table_;
  const VectorContract* contract_;
  ChainPlan plan_;
  std::array<bool, 4> written_{};
  std::array<ElementType, 4> temporary_types_{};
};

}  // namespace

ChainPlan planChain(const ChainProgram& program, const ChainTiles& tiles, HostIsa isa,
                    const VectorContract* contract) {
  return Planner(program, tiles, isa, contract).plan();
}

}  // namespace etalon::numerics
