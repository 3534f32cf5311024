// SPDX-License-Identifier: Apache-2.0
// DMA: copies between boxes of views and tiles, converting on the way, and updates of boxes by tiles.
#include <fmt/format.h>

#include <optional>

#include "isa/numerics/atomic_update.h"
#include "isa/numerics/contract_convert.h"
#include "isa/numerics/nibbles.h"
#include "isa/state/semantics.h"
#include "isa/state/view_walk.h"

namespace etalon::isa::semantics {

using numerics::ElementRun;

/// A tile's run of columns, for copying against a run of the view.
inline ElementRun tileRun(const numerics::TileRef& tile, uint64_t row, uint64_t column) {
  if (elementInfo(tile.type).bits == 4)
    return {tile.row(row) + column / 2, 1, static_cast<int64_t>(column % 2)};
  const ptrdiff_t stride = static_cast<ptrdiff_t>(tile.step) * elementInfo(tile.type).bits / 8;
  return {tile.row(row) + static_cast<ptrdiff_t>(column) * stride, stride};
}

enum class Transfer : uint8_t { load, store, update };

/// What a DMA instruction does from element to element. Loads and stores convert, equal types move bits.
struct Mover {
  Transfer kind;
  ElementType from, to;
  numerics::ConvertMode mode;                         // of loads and stores
  ElementwiseOp op;                                   // of updates
  const numerics::VectorContract* contract;           // declared; nullptr: canonical
  std::optional<numerics::NibbleMover> nibbles = {};  // where either type has 4 bits

  void run(const ElementRun& src, const ElementRun& dst, uint64_t n) const {
    if (nibbles)
      nibbles->run(src, dst, n);
    else if (kind == Transfer::update)
      numerics::updateRun(op, to, src.data, src.stride, dst.data, dst.stride, n, contract);
    else if (from == to)
      numerics::copyRun(static_cast<size_t>(elementInfo(from).bits) / 8, src.data, src.stride,
                        dst.data, dst.stride, n);
    else
      numerics::convertRun(numerics::declaredConversion(contract), from, src.data, src.stride, to,
                           dst.data, dst.stride, n, mode);
  }
};
/// Mode of the two bits: RNE, RNE saturating, toward zero, toward zero saturating.
inline numerics::ConvertMode dmaMode(uint32_t mode) {
  return {mode & 2 ? numerics::Rounding::TowardZero : numerics::Rounding::NearestEven,
          (mode & 1) != 0};
}

template <CoreContext Core>
Mover moverOf(const Core& core, const Instruction& in, Transfer kind, ElementwiseOp op,
              const TileRegister& tile, const ViewDescriptor& view) {
  const ElementType of_tile = tile.elementType(), of_view = view.elementType();
  const bool load = kind == Transfer::load;
  Mover mover{
      kind, load ? of_view : of_tile, load ? of_tile : of_view, dmaMode(bits(in.raw, 31, 30)),
      op,   vectorContract(core)};
  if (elementInfo(of_tile).bits == 4 || elementInfo(of_view).bits == 4)
    mover.nibbles.emplace(numerics::declaredConversion(mover.contract), mover.from, mover.to,
                          mover.mode);
  return mover;
}

inline void requireBoxShape(TileOperands& operands, const TileRegister& tile, uint64_t rows,
                            uint64_t columns) {
  operands.require(tile.rows() == rows && tile.columns() == columns, Rule::dma_shape, 0, [&] {
    return fmt::format("the box has {} rows of {} columns, the tile {} of {}", rows, columns,
                       tile.rows(), tile.columns());
  });
}

inline uint64_t elementCount(const TileRegister& tile) {
  return saturatingProduct(tile.rows(), tile.columns());
}

inline void countTransferWork(TileOperands& operands, const TileRegister& tile,
                              const ViewDescriptor& view) {
  const uint64_t elements = elementCount(tile);
  const auto widest = static_cast<uint64_t>(
      std::max(tile.hasType() ? tile.elementBits() : 0, view.hasType() ? view.elementBits() : 0));
  operands.countWork(0, elements, saturatingProduct(elements, widest) / 8);
}

/// Copies one run of the view into the tile (or its fill), recording what is read. Returns useful bits.
template <CoreContext Core>
uint64_t loadRun(Core& core, const Mover& mover, const numerics::TileRef& tile, uint64_t fill,
                 uint64_t row, uint64_t column, uint64_t count, const ViewRun& run,
                 int view_operand) {
  const ElementRun to = tileRun(tile, row, column);
  if (!run.inside) {
    if (core.computes()) mover.run({reinterpret_cast<std::byte*>(&fill), 0}, to, count);
    return 0;
  }
  const auto& memory = core.viewMemory(view_operand);
  const int bits = elementInfo(mover.from).bits;
  forEachRunPiece(run, count, bits, [&](uint64_t address, uint64_t bytes) {
    core.recordView(memory, address, bytes, false);
  });
  if (core.computes()) mover.run({memory.at(run.address), run.stride, run.nibble}, to, count);
  return count * static_cast<uint64_t>(bits);
}

/// Brings a run of the tile into the view, recording what is written or updated. Returns useful bits.
template <CoreContext Core>
uint64_t storeRun(Core& core, const Mover& mover, const numerics::TileRef& tile, uint64_t row,
                  uint64_t column, uint64_t count, const ViewRun& run, int view_operand) {
  if (!run.inside) return 0;
  const ElementRun from = tileRun(tile, row, column);
  const auto& memory = core.viewMemory(view_operand);
  const int bits = elementInfo(mover.to).bits;
  if (core.computes()) mover.run(from, {memory.at(run.address), run.stride, run.nibble}, count);
  forEachRunPiece(run, count, bits, [&](uint64_t address, uint64_t bytes) {
    if (mover.kind == Transfer::update)
      core.recordUpdate(memory, address, bytes,
                        mover.op == ElementwiseOp::add && isFloat(mover.to));
    else
      core.recordView(memory, address, bytes, true);
  });
  return count * static_cast<uint64_t>(bits);
}

template <CoreContext Core>
void retireTransfer(Core& core, bool load, uint64_t useful_bits) {
  core.addCounter(load ? Counter::retired_load : Counter::retired_store, 1);
  core.addCounter(load ? Counter::load_bytes : Counter::store_bytes, (useful_bits + 7) / 8);
}

/// et.ld, et.st and its updates by `op`: tile operand 0, view operand 1.
template <CoreContext Core>
void transfer(Core& core, const Instruction& in, Transfer kind,
              ElementwiseOp op = ElementwiseOp::add) {
  const bool load = kind == Transfer::load;
  auto operands = core.operands(in, {.updates = kind == Transfer::update});
  const TileRegister& tile =
      operands.tile(in.rd, core.tile(in.rd), load ? Role::destination : Role::source);
  const ViewDescriptor& view =
      operands.view(in.rs1, core.view(in.rs1), load ? Role::source : Role::destination);
  operands.checkRegisters();
  operands.checkTypes();
  requireBoxShape(operands, tile, view.rows(), view.columns());
  operands.checkPlacement();
  countTransferWork(operands, tile, view);
  if (!core.begin(operands)) return;
  const numerics::TileRef ref = core.tileRef(tile);
  const Mover mover = moverOf(core, in, kind, op, tile, view);
  uint64_t useful_bits = 0;
  if (!tile.empty() && load && !core.readsViews()) {
    useful_bits = elementsInside(view) * static_cast<uint64_t>(view.elementBits());
  } else if (!tile.empty()) {
    walkView(view, [&](uint64_t row, uint64_t column, uint64_t count, const ViewRun& run) {
      useful_bits += load ? loadRun(core, mover, ref, view.fill, row, column, count, run, 1)
                          : storeRun(core, mover, ref, row, column, count, run, 1);
    });
  }
  core.finish(operands);
  retireTransfer(core, load, useful_bits);
}
SEMANTICS(et_ld) { transfer(core, in, Transfer::load); }
SEMANTICS(et_st) { transfer(core, in, Transfer::store); }
SEMANTICS(et_st_add) { transfer(core, in, Transfer::update, ElementwiseOp::add); }
SEMANTICS(et_st_max) { transfer(core, in, Transfer::update, ElementwiseOp::max); }
SEMANTICS(et_st_min) { transfer(core, in, Transfer::update, ElementwiseOp::min); }
SEMANTICS(et_pf) { core.addCounter(Counter::retired_load, 1); }

/// Index number i of a tile of indices, row-major.
inline int64_t indexAt(const numerics::TileRef& indices, uint64_t i) {
  const ElementRun at = tileRun(indices, i / indices.cols, i % indices.cols);
  return indices.type == ElementType::i64 ? loadBytes<int64_t>(at.data)
                                          : loadBytes<int32_t>(at.data);
}

/// et.gather, et.scatter and its updates by `op`: tile operand 0, view operand 1 with box dim 0 counting the indices of
/// operand 2.
template <CoreContext Core>
void transferIndexed(Core& core, const Instruction& in, Transfer kind,
                     ElementwiseOp op = ElementwiseOp::add) {
  const bool load = kind == Transfer::load;
  const int axis = in.rs3 & 7;
  auto operands = core.operands(in, {.updates = kind == Transfer::update});
  const TileRegister& tile =
      operands.tile(in.rd, core.tile(in.rd), load ? Role::destination : Role::source);
  const ViewDescriptor& of_register = core.view(in.rs1);
  const bool named =
      axis < of_register.naxes && of_register.nbox > 0 && of_register.box[0].axis == axis;
  const ViewDescriptor& view = operands.view(
      in.rs1, of_register, load ? Role::source : Role::destination, named ? axis : kNoNamedAxis);
  const TileRegister& index = operands.tile(in.rs2, core.tile(in.rs2), Role::source);
  operands.useAsIndex(2);
  operands.checkRegisters();
  operands.checkTypes();
  requireBoxShape(operands, tile, view.rows(), view.columns());
  operands.require(named, Rule::dma_gather_count, 1,
                   [&] { return fmt::format("box dim 0 must name axis {}", axis); });
  operands.require(named && view.box[0].extent == elementCount(index), Rule::dma_gather_count, 2,
                   [&] {
                     return fmt::format("box dim 0 has extent {}, there are {} x {} indices",
                                        view.box[0].extent, index.rows(), index.columns());
                   });
  operands.checkPlacement();
  countTransferWork(operands, tile, view);
  if (!core.begin(operands)) return;
  const numerics::TileRef ref = core.tileRef(tile), indices = core.tileRef(index);
  const Mover mover = moverOf(core, in, kind, op, tile, view);
  uint64_t useful_bits = 0;
  bool outside = false;
  const auto index_of = [&](uint64_t i) {
    const int64_t value = indexAt(indices, i);
    outside |= static_cast<uint64_t>(value) >= view.axes[axis].dim;
    return value;
  };
  if (!tile.empty()) {
    walkGather(view, axis, index_of,
               [&](uint64_t row, uint64_t column, uint64_t count, const ViewRun& run) {
                 useful_bits +=
                     load ? loadRun(core, mover, ref, view.fill, row, column, count, run, 1)
                          : storeRun(core, mover, ref, row, column, count, run, 1);
               });
  }
  if (outside) core.noteIndexOutside(load ? Unit::load : Unit::store);
  core.finish(operands);
  retireTransfer(core, load, useful_bits);
}
SEMANTICS(et_gather) { transferIndexed(core, in, Transfer::load); }
SEMANTICS(et_scatter) { transferIndexed(core, in, Transfer::store); }
SEMANTICS(et_scatter_add) { transferIndexed(core, in, Transfer::update, ElementwiseOp::add); }
SEMANTICS(et_scatter_max) { transferIndexed(core, in, Transfer::update, ElementwiseOp::max); }
SEMANTICS(et_scatter_min) { transferIndexed(core, in, Transfer::update, ElementwiseOp::min); }

}  // namespace etalon::isa::semantics
