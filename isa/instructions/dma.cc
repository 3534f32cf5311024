// SPDX-License-Identifier: Apache-2.0
// DMA: copies between boxes of views and tiles, converting on the way, and updates of boxes by tiles.
#include <fmt/format.h>

#include "isa/numerics/atomic_update.h"
#include "isa/numerics/contract_convert.h"
#include "isa/state/semantics.h"
#include "isa/state/view_walk.h"

namespace etalon::isa::semantics {

/// A tile's run of columns, byte pointer and stride, for copying against a run of the view.
struct TileRun {
  std::byte* data;
  ptrdiff_t stride;
};
inline TileRun tileRun(const numerics::TileRef& tile, uint64_t row, uint64_t column) {
  const ptrdiff_t stride = static_cast<ptrdiff_t>(tile.step) * elementInfo(tile.type).bits / 8;
  return {tile.row(row) + static_cast<ptrdiff_t>(column) * stride, stride};
}

enum class Transfer : uint8_t { load, store, update };

/// What a DMA instruction does from element to element. Loads and stores convert, equal types move bits.
struct Mover {
  Transfer kind;
  ElementType from, to;
  numerics::ConvertMode mode;                // of loads and stores
  ElementwiseOp op;                          // of updates
  const numerics::VectorContract* contract;  // declared; nullptr: canonical

  void run(const std::byte* src, ptrdiff_t src_stride, std::byte* dst, ptrdiff_t dst_stride,
           uint64_t n) const {
    if (kind == Transfer::update)
      numerics::updateRun(op, to, src, src_stride, dst, dst_stride, n, contract);
    else if (from == to)
      numerics::copyRun(static_cast<size_t>(elementInfo(from).bits) / 8, src, src_stride, dst,
                        dst_stride, n);
    else
      numerics::convertRun(numerics::declaredConversion(contract), from, src, src_stride, to, dst,
                           dst_stride, n, mode);
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
  return {kind, load ? of_view : of_tile, load ? of_tile : of_view, dmaMode(bits(in.raw, 31, 30)),
          op,   vectorContract(core)};
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

inline void checkTransferWork(TileOperands& operands, const TileRegister& tile,
                              const ViewDescriptor& view) {
  const uint64_t elements = elementCount(tile);
  const auto widest = static_cast<uint64_t>(
      std::max(tile.hasType() ? tile.elementBits() : 0, view.hasType() ? view.elementBits() : 0));
  operands.checkWork(0, elements, saturatingProduct(elements, widest) / 8);
}

/// Copies one run of the view into the tile (or its fill), recording what is read. Returns useful bytes.
template <CoreContext Core>
uint64_t loadRun(Core& core, const Mover& mover, const numerics::TileRef& tile, uint64_t fill,
                 uint64_t row, uint64_t column, uint64_t count, const ViewRun& run,
                 int view_operand) {
  const TileRun to = tileRun(tile, row, column);
  if (!run.inside) {
    mover.run(reinterpret_cast<const std::byte*>(&fill), 0, to.data, to.stride, count);
    return 0;
  }
  const auto& memory = core.viewMemory(view_operand);
  const int bits = elementInfo(mover.from).bits;
  forEachRunPiece(run, count, bits, [&](uint64_t address, uint64_t bytes) {
    core.recordView(memory, address, bytes, false);
  });
  mover.run(memory.at(run.address), run.stride, to.data, to.stride, count);
  return count * static_cast<uint64_t>(bits) / 8;
}

/// Brings a run of the tile into the view, recording what is written or updated. Returns useful bytes.
template <CoreContext Core>
uint64_t storeRun(Core& core, const Mover& mover, const numerics::TileRef& tile, uint64_t row,
                  uint64_t column, uint64_t count, const ViewRun& run, int view_operand) {
  if (!run.inside) return 0;
  const TileRun from = tileRun(tile, row, column);
  const auto& memory = core.viewMemory(view_operand);
  const int bits = elementInfo(mover.to).bits;
  mover.run(from.data, from.stride, memory.at(run.address), run.stride, count);
  forEachRunPiece(run, count, bits, [&](uint64_t address, uint64_t bytes) {
    if (mover.kind == Transfer::update)
      core.recordUpdate(memory, address, bytes,
                        mover.op == ElementwiseOp::add && isFloat(mover.to));
    else
      core.recordView(memory, address, bytes, true);
  });
  return count * static_cast<uint64_t>(bits) / 8;
}

template <CoreContext Core>
void retireTransfer(Core& core, bool load, uint64_t bytes) {
  core.addCounter(load ? Counter::retired_load : Counter::retired_store, 1);
  core.addCounter(load ? Counter::load_bytes : Counter::store_bytes, bytes);
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
  checkTransferWork(operands, tile, view);
  if (!core.begin(operands)) return;
  const numerics::TileRef ref = core.tileRef(tile);
  const Mover mover = moverOf(core, in, kind, op, tile, view);
  uint64_t bytes = 0;
  if (!tile.empty()) {
    walkView(view, [&](uint64_t row, uint64_t column, uint64_t count, const ViewRun& run) {
      bytes += load ? loadRun(core, mover, ref, view.fill, row, column, count, run, 1)
                    : storeRun(core, mover, ref, row, column, count, run, 1);
    });
  }
  core.finish(operands);
  retireTransfer(core, load, bytes);
}
SEMANTICS(et_ld) { transfer(core, in, Transfer::load); }
SEMANTICS(et_st) { transfer(core, in, Transfer::store); }
SEMANTICS(et_st_add) { transfer(core, in, Transfer::update, ElementwiseOp::add); }
SEMANTICS(et_st_max) { transfer(core, in, Transfer::update, ElementwiseOp::max); }
SEMANTICS(et_st_min) { transfer(core, in, Transfer::update, ElementwiseOp::min); }
SEMANTICS(et_pf) { core.addCounter(Counter::retired_load, 1); }

/// Index number i of a tile of indices, row-major.
inline int64_t indexAt(const numerics::TileRef& indices, uint64_t i) {
  const TileRun at = tileRun(indices, i / indices.cols, i % indices.cols);
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
  const ViewDescriptor& view =
      operands.view(in.rs1, core.view(in.rs1), load ? Role::source : Role::destination, axis);
  const TileRegister& index = operands.tile(in.rs2, core.tile(in.rs2), Role::source);
  const bool named = axis < view.naxes && view.nbox > 0 && view.box[0].axis == axis;
  // Without the named axis nothing else about the view can be asked.
  operands.require(named, Rule::dma_gather_count, 1,
                   [&] { return fmt::format("box dim 0 must name axis {}", axis); });
  if (named) operands.checkRegisters();
  operands.checkTypes();
  requireBoxShape(operands, tile, view.rows(), view.columns());
  operands.require(named && view.box[0].extent == elementCount(index), Rule::dma_gather_count, 2,
                   [&] {
                     return fmt::format("box dim 0 has extent {}, there are {} x {} indices",
                                        view.box[0].extent, index.rows(), index.columns());
                   });
  operands.checkPlacement();
  checkTransferWork(operands, tile, view);
  if (!core.begin(operands)) return;
  const numerics::TileRef ref = core.tileRef(tile), indices = core.tileRef(index);
  const Mover mover = moverOf(core, in, kind, op, tile, view);
  uint64_t bytes = 0;
  bool outside = false;
  const auto index_of = [&](uint64_t i) {
    const int64_t value = indexAt(indices, i);
    outside |= static_cast<uint64_t>(value) >= view.axes[axis].dim;
    return value;
  };
  if (!tile.empty()) {
    walkGather(view, axis, index_of,
               [&](uint64_t row, uint64_t column, uint64_t count, const ViewRun& run) {
                 bytes += load ? loadRun(core, mover, ref, view.fill, row, column, count, run, 1)
                               : storeRun(core, mover, ref, row, column, count, run, 1);
               });
  }
  if (outside) core.noteIndexOutside(load ? Unit::load : Unit::store);
  core.finish(operands);
  retireTransfer(core, load, bytes);
}
SEMANTICS(et_gather) { transferIndexed(core, in, Transfer::load); }
SEMANTICS(et_scatter) { transferIndexed(core, in, Transfer::store); }
SEMANTICS(et_scatter_add) { transferIndexed(core, in, Transfer::update, ElementwiseOp::add); }
SEMANTICS(et_scatter_max) { transferIndexed(core, in, Transfer::update, ElementwiseOp::max); }
SEMANTICS(et_scatter_min) { transferIndexed(core, in, Transfer::update, ElementwiseOp::min); }

}  // namespace etalon::isa::semantics
