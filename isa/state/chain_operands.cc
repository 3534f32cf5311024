// SPDX-License-Identifier: Apache-2.0
#include "isa/state/chain_operands.h"

#include <fmt/format.h>

#include <algorithm>

namespace etalon::isa {
namespace {

constexpr uint64_t kLanes = 64;

/// Adds a read of a source tile at a displacement.
void addRead(ChainUse::Source& source, int32_t displacement, bool displaced) {
  source.read = true;
  source.displaced |= displaced;
  auto* const end = source.displacements.begin() + source.count;
  if (std::find(source.displacements.begin(), end, displacement) == end)
    source.displacements[static_cast<size_t>(source.count++)] = displacement;
}

/// Selectors a step reads: none that it does not have, and not the constants of a mask.
template <class F>
void forEachRead(const ChainStep& step, F f) {
  const ElementwiseInfo& info = *elementwiseInfo(step.op);
  for (int i = 0; i < stepSelectors(info, step.mode); ++i)
    if (info.op != ElementwiseOp::mask || i != 1) f(i, step.selectors[static_cast<size_t>(i)]);
}

std::string_view typeName(ElementType type) { return elementInfo(type).name; }

/// Types that tiles and conversion steps of the vector unit have.
bool isVectorType(uint8_t type) {
  if (type >= kElementTypes) return false;
  const ElementInfo& info = kElementInfo[type];
  return info.kind != ElementKind::Scale && info.bits >= 8 && info.bits <= 32;
}

ElementType widened(uint8_t type) { return kElementInfo[type].widens_to; }

/// Walks a chain's reads with the types they have.
class TypeChecker {
 public:
  TypeChecker(TileOperands& operands, const ChainDescriptor& chain, const ChainTileOperands& at)
      : operands_(operands), chain_(chain), at_(at) {}

  void check() {
    for (int i = 0; i < operands_.count(); ++i) checkTile(i);
    if (operands_.fault()) return;
    for (int s = 0; s < chain_.nsteps; ++s) checkStep(s);
    if (chain_.writesTd()) checkTd();
    if (chain_.reduces()) checkReduction();
    needProfiles();
  }

 private:
  void checkTile(int i) {
    const uint8_t type = operands_.operand(i).type();
    const auto text = [&] {
      return fmt::format("{} is {}; a chain takes tiles of 8 to 32 bits", operands_.operand(i).name,
                         kElementInfo[type].name);
    };
    operands_.require(isVectorType(type), Rule::op_types, i, text);
    if (isVectorType(type)) used_ |= 1u << type;
  }

  /// Operand a selector names, operand 0 if it names no tile.
  int operandOf(uint8_t code) const {
    const Selector selector = decodeSelector(code);
    const bool tile =
        selector.kind == Selector::Kind::Tile || selector.kind == Selector::Kind::Displaced;
    return tile ? at_.sources[selector.tile] : 0;
  }

  /// 32-bit type of what a selector reads after `steps` steps; nullopt for a constant, which has any.
  std::optional<ElementType> typeOf(uint8_t code, int steps) const {
    const Selector selector = decodeSelector(code);
    if (selector.kind == Selector::Kind::Constant) return std::nullopt;
    if (selector.kind == Selector::Kind::Temporary)
      return static_cast<ElementType>(*temporaryType(chain_, selector.index, steps));
    return widened(operands_.operand(operandOf(code)).type());
  }

  void checkStep(int s) {
    const ChainStep& step = chain_.steps[static_cast<size_t>(s)];
    const ElementwiseInfo& info = *elementwiseInfo(step.op);
    const auto compute = static_cast<ElementType>(step.compute_type);
    forEachRead(step, [&](int i, uint8_t code) {
      const auto type = typeOf(code, s);
      const bool condition = info.op == ElementwiseOp::select && i == 0;
      const bool words = info.op == ElementwiseOp::cvt && i == 1;
      const ElementType wanted = words ? ElementType::u32 : compute;
      const bool fits = !type || (condition ? isInteger(*type) : *type == wanted);
      operands_.require(fits, Rule::chain_step_types, operandOf(code), [&] {
        return fmt::format("step {} ({}) computes in {}, but its selector {} reads {}{}", s,
                           info.name, typeName(compute), "abc"[i], typeName(*type),
                           condition ? "; a condition is an integer"
                           : words   ? "; random words are u32"
                                     : "");
      });
    });
    operands_.require(isVectorType(step.result_type), Rule::chain_step_types, 0, [&] {
      return fmt::format("step {} converts to {}, which no vector tile has", s,
                         kElementInfo[step.result_type].name);
    });
    if (isVectorType(step.result_type)) used_ |= 1u << step.result_type;
    random_ |= roundsStochastically(step.mode);
  }

  void checkTd() {
    const auto type = typeOf(chain_.td_selector, chain_.nsteps);
    const ElementType td = operands_.operand(at_.td).tile.elementType();
    operands_.require(!type || *type == elementInfo(td).widens_to, Rule::chain_step_types, at_.td,
                      [&] {
                        return fmt::format("td is {}, the chain gives {}; convert with a cvt step",
                                           typeName(td), typeName(*type));
                      });
  }

  void checkReduction() {
    const ElementType type = *typeOf(chain_.reduction_selector, chain_.nsteps);
    const ElementType tile = operands_.operand(at_.reduction).tile.elementType();
    const bool fits =
        chain_.accumulatesLanes() ? tile == type : elementInfo(tile).widens_to == type;
    operands_.require(fits, Rule::chain_step_types, at_.reduction, [&] {
      return fmt::format("the reduction tile is {}, the reduction runs in {}{}", typeName(tile),
                         typeName(type),
                         chain_.accumulatesLanes() ? "; lanes have exactly that type" : "");
    });
  }

  void needProfiles() {
    if (random_) operands_.needProfile("Et-rand");
    for (int type = 0; type < kElementTypes; ++type)
      if (used_ >> type & 1) operands_.needProfile(kElementInfo[type].profile);
    for (int s = 0; s < chain_.nsteps; ++s)
      operands_.needProfile(elementwiseInfo(chain_.steps[static_cast<size_t>(s)].op)->profile);
  }

  TileOperands& operands_;
  const ChainDescriptor& chain_;
  const ChainTileOperands& at_;
  uint32_t used_ = 0;    // mask of type codes
  bool random_ = false;  // some step needs random words
};

}  // namespace

ChainUse chainUse(const ChainDescriptor& chain) {
  ChainUse use;
  const auto note = [&](uint8_t code) {
    const Selector selector = decodeSelector(code);
    if (selector.kind == Selector::Kind::Tile) addRead(use.sources[selector.tile], 0, false);
    if (selector.kind == Selector::Kind::Displaced)
      addRead(use.sources[selector.tile], static_cast<int32_t>(chain.constants[selector.index]),
              true);
  };
  for (size_t s = 0; s < chain.nsteps; ++s)
    forEachRead(chain.steps[s], [&](int, uint8_t code) { note(code); });
  if (chain.writesTd())
    note(chain.td_selector);
  else if (!use.sources[0].read)
    addRead(use.sources[0], 0, false);
  return use;
}

void checkChainTypes(TileOperands& operands, const ChainDescriptor& chain,
                     const ChainTileOperands& at) {
  if (!operands.fault()) TypeChecker(operands, chain, at).check();
}

void checkChainShapes(TileOperands& operands, const ChainDescriptor& chain,
                      const ChainTileOperands& at) {
  const int reference = at.td >= 0 ? at.td : at.sources[0];
  const TileRegister& shape = operands.operand(reference).tile;
  const auto require = [&](int i, uint64_t columns) {
    if (i < 0) return;
    const TileOperands::Operand& o = operands.operand(i);
    operands.require(o.tile.rows() == shape.rows() && o.tile.columns() == columns,
                     Rule::chain_shape, i, [&] {
                       return fmt::format("{} is {} x {}, it must be {} x {} ({} gives the shape)",
                                          o.name, o.tile.rows(), o.tile.columns(), shape.rows(),
                                          columns, operands.operand(reference).name);
                     });
  };
  for (const int source : at.sources) require(source, shape.columns());
  require(at.reduction, chain.accumulatesLanes() ? kLanes : 1);
}

}  // namespace etalon::isa
