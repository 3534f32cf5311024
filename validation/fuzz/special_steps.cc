// SPDX-License-Identifier: Apache-2.0
// Operands that the tables do not tell all about: chains, indexed transfers, what the links of products name.
#include <algorithm>

#include "isa/base/check.h"
#include "isa/codec/codec.h"
#include "isa/numerics/mma.h"
#include "sim/functional/random_chain.h"
#include "validation/fuzz/step_maker.h"

namespace etalon::fuzz {

void StepMaker::makeChain(Operands& o, Step& step) {
  sim::RandomChain made = sim::randomChain(random_.engine());
  while (made.shape().rows() * made.shape().columns() > 2 * elements_)
    made = sim::randomChain(random_.engine());
  // Tiles that began in one place still do.
  std::vector<std::pair<uint32_t, uint32_t>> moved;
  const auto put = [&](isa::TileRegister& tile, bool written) {
    const auto found = std::ranges::find(moved, tile.base, &std::pair<uint32_t, uint32_t>::first);
    const uint32_t before = tile.base;
    if (found != moved.end())
      tile.base = found->second;
    else
      placer_.findBase(tile, written);
    moved.emplace_back(before, tile.base);
    placer_.add(tile, written);
    return static_cast<uint8_t>(setTile(tile, step));
  };
  const uint8_t ta = put(made.sources[0], false), tb = put(made.sources[1], false);
  made.chain.third_source = put(made.sources[2], false);
  uint8_t td = ta;
  if (made.chain.writesTd()) td = put(made.td, true);
  if (made.chain.reduces()) made.chain.reduction_tile = put(made.reduction, true);
  const auto ch = static_cast<uint8_t>(random_.below(isa::kChainRegisters));
  step.chains.push_back({ch, made.chain});
  o.values = {td, ta, tb, ch};
}

/// The index tile becomes 0, 1, 2 and so on, or steps of 2, or all the same.
void StepMaker::countUp(int64_t ti, const Step& step) {
  const auto found = std::ranges::find(step.tiles, ti, &Step::Tile::reg);
  if (found == step.tiles.end()) return;
  const isa::TileRegister& tile = found->value;
  if (tile.step == 0 || tile.istride == 0 || tile.ostride == 0) return;
  Step fill;
  fill.tiles.push_back(*found);
  const uint64_t by = random_.below(3);
  fill.x = {{1, random_.below(3)}, {2, by}, {3, by}};
  const int64_t operands[4] = {ti, 1, 2, 3};
  fill.word = *isa::encode(isa::InstructionId::et_iota, operands);
  before_.push_back(std::move(fill));
}

/// Indices that count up, then the transfer; a row of the tile for each index, or several.
void StepMaker::makeIndexed(Operands& o, Step& step) {
  size_t typed = 0;
  ElementType types[3] = {ElementType::f32, ElementType::f32,
                          ElementType::i32};  // tile, view, indices
  for (const isa::OperandInfo& operand : o.info.operands()) {
    if (operand.kind != isa::OperandKind::tile && operand.kind != isa::OperandKind::view) continue;
    if (typed < o.types.size())
      types[operand.name == "ti"                     ? 2
            : operand.kind == isa::OperandKind::view ? 1
                                                     : 0] = o.types[typed];
    ++typed;
  }
  const uint64_t indices = o.shapes[0].rows, rows = indices * (1 + random_.below(2));
  uint64_t columns = std::max<uint64_t>(o.shapes[0].columns / 2, 1);
  if (elementInfo(types[1]).bits == 4 && !accident(4)) columns += columns & 1;
  const bool written = o.info.unit == isa::Unit::load;
  const int64_t data = tileOperand({types[0], rows, columns, written, true, false}, step);
  const bool tall = random_.oneIn(2);
  const int64_t ti =
      tileOperand({types[2], tall ? indices : 1, tall ? 1 : indices, false, true, false}, step);
  if (!random_.oneIn(4)) countUp(ti, step);
  const int64_t vs = viewOperand(
      [&](const Area& area) {
        return makeIndexedView(random_, types[1], indices, rows, columns, area);
      },
      step);
  o.values.clear();
  for (const isa::OperandInfo& operand : o.info.operands())
    o.values.push_back(operand.name == "ti"                     ? ti
                       : operand.kind == isa::OperandKind::view ? vs
                       : operand.kind == isa::OperandKind::tile ? data
                       : operand.name == "axis"
                           ? accident(16)
                           : static_cast<int64_t>(random_.below(uint64_t{1} << operand.width)));
}

/// Scales of the source among step.tiles, linked from there or from its metadata.
void StepMaker::linkScales(Step& step, size_t source, size_t link_from, Shape shape,
                           bool transpose) {
  const ElementType element = step.tiles[source].value.elementType();
  std::vector<ElementType> choices;
  for (const ElementType type : {ElementType::e8m0, ElementType::f8e4m3, ElementType::f32})
    if (numerics::scaleBlock(element, type) != 0) choices.push_back(type);
  if (choices.empty() || (!hasProfile("Et-mx") && !accident(8))) return;
  const ElementType type = random_.pick(choices);
  const uint64_t block = numerics::scaleBlock(element, type);
  uint64_t& along = source == 0 ? shape.columns : shape.rows;
  along = (along + block - 1) / block;
  if (transpose) std::swap(shape.rows, shape.columns);
  isa::TileRegister scales = placer_.place({type, shape.rows, shape.columns, false, false, false});
  const auto reg = static_cast<uint8_t>(setTile(scales, step));
  step.tiles[link_from].value.link_valid = true;
  step.tiles[link_from].value.link = reg;
}

/// Block scales and sparsity metadata of some products. Links change what a register holds, so their sources are set up anew.
void StepMaker::addLinks(Operands& o, Step& step) {
  const Shape a = o.shapes[1], b = o.shapes[2];
  const bool integers = o.types.size() == 3 && isInteger(o.types[1]) && isInteger(o.types[2]);
  const bool needs = integers && o.types[0] == ElementType::f32;
  if (!needs && !random_.oneIn(3)) return;
  for (const size_t operand : {1u, 2u}) known_[static_cast<size_t>(o.values[operand])].reset();
  step.tiles.clear();
  placer_.beginStep();
  const bool sparse = random_.oneIn(3) && hasProfile("Et-sparse");
  const auto place = [&](size_t i, Shape shape) {
    o.values[i] = setTile(placer_.place({o.types[i], shape.rows, shape.columns, i == 0, false,
                                         i == 2 || (i == 1 && !sparse)}),
                          step);
  };
  const uint64_t groups = (a.columns + 3) / 4;
  place(1, sparse ? Shape{a.rows, 2 * groups} : a);
  place(2, b);
  size_t from = 0;
  if (sparse) {
    isa::TileRegister metadata =
        placer_.place({ElementType::u4, a.rows, groups, false, false, false});
    step.tiles[0].value.link = static_cast<uint8_t>(setTile(metadata, step));
    step.tiles[0].value.link_valid = true;
    from = step.tiles.size() - 1;
  }
  if (o.types[0] == ElementType::f32) {
    if (needs || random_.oneIn(2)) linkScales(step, 0, from, a, step.tiles[0].value.transpose);
    if (random_.oneIn(2)) linkScales(step, 1, 1, b, step.tiles[1].value.transpose);
  }
  place(0, o.shapes[0]);
  for (const Step::Tile& t : step.tiles) known_[t.reg].reset();
}

}  // namespace etalon::fuzz
