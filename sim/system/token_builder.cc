// SPDX-License-Identifier: Apache-2.0
#include "sim/system/token_builder.h"

#include "isa/base/bits.h"
#include "isa/machines/address_map.h"

namespace etalon::sim {
namespace {

ByteSpan spanOf(const isa::ByteInterval& interval) {
  return {static_cast<uint64_t>(interval.lo), static_cast<uint64_t>(interval.hi)};
}

/// The values of an index tile, row-major.
std::shared_ptr<const std::vector<int64_t>> indicesOf(const numerics::TileRef& tile) {
  const uint64_t size = elementInfo(tile.type).bits / 8;
  auto indices = std::make_shared<std::vector<int64_t>>();
  for (uint64_t row = 0; row < uint64_t{tile.outer} * tile.inner; ++row)
    for (uint64_t column = 0; column < tile.cols; ++column) {
      const std::byte* at = tile.row(row) + column * tile.step * size;
      indices->push_back(size == 8 ? loadBytes<int64_t>(at) : loadBytes<int32_t>(at));
    }
  return indices;
}

}  // namespace

TileUse tileUse(const isa::TileRegister& tile) {
  return {.tile = tile, .span = tile.empty() ? ByteSpan{} : spanOf(tile.hull())};
}

ViewUse viewUse(const isa::ViewDescriptor& view, const isa::MachineLimits& limits, int named_axis) {
  ViewUse use{.view = view, .named_axis = named_axis};
  if (view.empty()) return use;
  use.span = spanOf(isa::boxHull(view, named_axis));
  use.moved = 0 - limits.ownDevice(use.span.lo);
  use.span = {use.span.lo + use.moved, use.span.hi + use.moved};
  // Own local memory has two windows, and bounds were checked: a box lies in one memory.
  for (const uint64_t window : {isa::kLocalWindowBase, limits.core_window}) {
    if (use.span.lo - window >= limits.local_bytes) continue;
    use.local = true;
    use.moved -= window;
    use.span = {use.span.lo - window, use.span.hi - window};
    break;
  }
  return use;
}

void TokenBuilder::issued(const Core& core, const isa::TileOperands& operands) {
  if (!token_) return;
  Token& token = *token_;
  token.tile_count = 0;
  token.view.reset();
  for (int i = 0; i < operands.count(); ++i) {
    const isa::TileOperands::Operand& operand = operands.operand(i);
    if (operand.empty()) continue;
    if (operand.is_view) {
      token.view = viewUse(operand.view, core.limits(), operand.named_axis);
      token.view->reads = isa::reads(operand.role);
      token.view->writes = isa::writes(operand.role);
      continue;
    }
    token.tile_uses[token.tile_count++] = {operand.tile, spanOf(operand.hull()),
                                           operand.displaced(), isa::reads(operand.role),
                                           isa::writes(operand.role)};
  }
  const isa::Instruction& in = operands.instruction();
  if (token.view && token.view->named_axis != isa::kNoNamedAxis)
    token.view->indices = indicesOf(core.tileRef(token.tile_uses[token.tile_count - 1].tile));
  if (token.unit == isa::Unit::matrix) token.matrix = matrixWork(operands);
  if (token.unit == isa::Unit::vector)
    token.vector = vectorWork(
        operands, in.id == isa::InstructionId::et_vx ? &core.chain(in.rs3 & 7) : nullptr);
  issued_ = true;
  token_ = nullptr;
}

}  // namespace etalon::sim
