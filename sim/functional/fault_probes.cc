// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/fault_probes.h"

#include <limits>

#include "isa/base/check.h"
#include "isa/codec/codec.h"
#include "isa/machines/address_map.h"

namespace etalon::sim {
namespace {

using isa::Cause;
using isa::OperandKind;

constexpr uint64_t kNowhere = 0x1000;  // an address below every memory
constexpr uint64_t kGlobal = 0x90000000;

/// Changes the attempt's operand if it is a tile (or a view).
template <class F>
void onTile(const ProbeTarget& t, F change) {
  if (auto* tile = t.tile(static_cast<size_t>(t.attempt))) change(*tile);
}
template <class F>
void onView(const ProbeTarget& t, F change) {
  for (size_t i = 0; i < t.operands.size(); ++i)
    if (auto* view = t.view(i)) change(*view);
}
template <class F>
void onEveryTile(const ProbeTarget& t, F change) {
  for (size_t i = 0; i < t.operands.size(); ++i)
    if (auto* tile = t.tile(i)) change(*tile, i);
}
void setBits(uint32_t& word, int low, int length, uint32_t value) {
  const uint32_t mask = ((1u << length) - 1) << low;
  word = (word & ~mask) | (value << low & mask);
}

// Products of 64 x 2^24 x 64, transfers of 8192 x 4096 bytes: more than the least work cap, and nothing else is wrong.
void tooMuchWork(const ProbeTarget& t) {
  constexpr uint32_t kRows = 8192, kColumns = 4096;
  bool has_view = false;
  onView(t, [&](isa::ViewDescriptor& v) {
    has_view = true;
    v = {.base = kGlobal,
         .type = static_cast<uint8_t>(ElementType::i8),
         .naxes = 2,
         .nbox = 2,
         .ncol = 1};
    v.axes[0] = {.dim = kRows, .stride = kColumns};
    v.axes[1] = {.dim = kColumns, .stride = 1};
    v.box[0] = {.extent = kRows, .axis = 0, .step = 1};
    v.box[1] = {.extent = kColumns, .axis = 1, .step = 1};
  });
  const bool product = !has_view && t.operands.size() == 3;
  onEveryTile(t, [&](isa::TileRegister& tile, size_t i) {
    tile.outer = 1;
    tile.transpose = false;
    if (product) {
      tile.inner = i == 2 ? isa::kMaxCount : 64;
      tile.cols = i == 1 ? isa::kMaxCount : 64;
      tile.istride = i == 0 ? 256 : 0;
      tile.base = i == 0 ? 0x3000000 : i == 1 ? 0 : 0x3800000;
      return;
    }
    const bool index = i == 2;
    tile.inner = index ? 1 : kRows;
    tile.cols = index ? kRows : kColumns;
    tile.istride = index ? 0 : kColumns;
    tile.base = index ? 0x3000000 : 0;
    tile.type = static_cast<uint8_t>(index ? ElementType::i32 : ElementType::i8);
  });
}

/// Bytes are always aligned: a tile of them becomes one of i16.
void misalign(isa::TileRegister& tile) {
  if (tile.elementBits() <= 8) tile.type = static_cast<uint8_t>(ElementType::i16);
  tile.base += 1;
}

void overlapOperands(const ProbeTarget& t) {
  auto* first = t.tile(0);
  auto* other = t.tile(1 + static_cast<size_t>(t.attempt % 3));
  if (!first || !other) return;
  first->base = other->base + (t.attempt >= 3 ? 4 : 0);
}

void misalignTarget(const ProbeTarget& t) {
  const uint32_t opcode = t.word & 0x7f;
  if (opcode == 0x67) t.rs1() += 1;
  if (opcode == 0x6f) setBits(t.word, 21, 1, 1);
  if (opcode != 0x63) return;
  setBits(t.word, 8, 1, 1);
  t.rs1() = t.attempt == 2 ? 1 : 0;
  t.state.x[t.word >> 20 & 31] = t.attempt == 1 ? 1 : 0;
}

void overflowPosition(const ProbeTarget& t) {
  onView(t, [](isa::ViewDescriptor& v) {
    v.axes[v.naxes] = {.dim = 4, .stride = 4, .origin = std::numeric_limits<int64_t>::max()};
    v.box[v.nbox++] = {.extent = 2, .axis = v.naxes++, .step = 1};
  });
}

const FaultProbe kProbes[] = {
    // Scalar
    {"mem.scalar-bounds",
     {Cause::load_access, Cause::store_access},
     [](const ProbeTarget& t) { t.rs1() = kNowhere; },
     {}},
    {"mem.amo-align",
     {Cause::load_misaligned, Cause::store_misaligned},
     [](const ProbeTarget& t) { t.rs1() = kGlobal + 2 - t.attempt % 2; },
     {}},
    {"mem.fetch-align", {Cause::fetch_misaligned}, misalignTarget, {}},
    {"zfinx.rounding-mode",
     {Cause::illegal},
     [](const ProbeTarget& t) { setBits(t.word, 12, 3, 5); },
     {}},
    {"csr.access",
     {Cause::illegal},
     [](const ProbeTarget& t) { setBits(t.word, 20, 12, 0x5ff); },
     {}},
    // Descriptors
    {"desc.align",
     {Cause::load_misaligned, Cause::store_misaligned},
     [](const ProbeTarget& t) { t.rs1() = kGlobal + 4; },
     {}},
    {"chain.constant",
     {Cause::illegal},
     [](const ProbeTarget& t) { setBits(t.word, 20, 4, 12); },
     {}},
    {"view.update",
     {Cause::malformed},
     [](const ProbeTarget& t) { setBits(t.word, 20, 3, 5); },
     {}},
    // Tiles
    {"tile.type",
     {Cause::malformed},
     [](const ProbeTarget& t) { onTile(t, [](auto& tile) { tile.type = 40; }); },
     {}},
    {"tile.transpose",
     {Cause::shape},
     [](const ProbeTarget& t) { onTile(t, [](auto& tile) { tile.transpose = true; }); },
     {}},
    {"tile.step",
     {Cause::shape},
     [](const ProbeTarget& t) { onTile(t, [](auto& tile) { tile.step = 2; }); },
     {}},
    {"tile.link",
     {Cause::shape},
     [](const ProbeTarget& t) { onTile(t, [](auto& tile) { tile.link_valid = true; }); },
     {}},
    {"tile.align", {Cause::local_bounds}, [](const ProbeTarget& t) { onTile(t, misalign); }, {}},
    {"tile.bounds",
     {Cause::local_bounds},
     [](const ProbeTarget& t) { onTile(t, [](auto& tile) { tile.base = 64 << 20; }); },
     {}},
    // Types and shapes
    {"op.types",
     {Cause::shape},
     [](const ProbeTarget& t) {
       onTile(t, [](auto& tile) { tile.type = static_cast<uint8_t>(ElementType::i64); });
     },
     {}},
    {"op.unsupported",
     {Cause::unsupported},
     [](const ProbeTarget& t) {
       onEveryTile(t,
                   [](auto& tile, size_t) { tile.type = static_cast<uint8_t>(ElementType::f32); });
     },
     {"profiles=Et-base"}},
    {"op.shape",
     {Cause::shape},
     [](const ProbeTarget& t) { onTile(t, [](auto& tile) { tile.cols += 1; }); },
     {}},
    {"mm.shape",
     {Cause::shape},
     [](const ProbeTarget& t) { onTile(t, [](auto& tile) { tile.cols += 1; }); },
     {}},
    {"dma.shape",
     {Cause::shape},
     [](const ProbeTarget& t) { onTile(t, [](auto& tile) { tile.cols += 1; }); },
     {}},
    {"dma.gather-count",
     {Cause::shape},
     [](const ProbeTarget& t) { onTile(t, [](auto& tile) { tile.cols -= 1; }); },
     {}},
    // Aliasing
    {"alias.overlap", {Cause::aliasing}, overlapOperands, {}},
    {"alias.inout", {Cause::aliasing}, overlapOperands, {}},
    {"alias.self",
     {Cause::aliasing},
     [](const ProbeTarget& t) {
       if (auto* tile = t.tile(0))
         (t.attempt == 0 ? tile->istride : tile->ostride) = 0,
                                           tile->step = t.attempt == 2 ? 0 : tile->step;
     },
     {}},
    {"alias.view",
     {Cause::aliasing},
     [](const ProbeTarget& t) {
       onView(t, [&](auto& view) {
         view.base = isa::kLocalWindowBase + t.tile(0)->base, view.axes[0].origin = 0;
       });
     },
     {}},
    {"dma.store-overlap",
     {Cause::aliasing},
     [](const ProbeTarget& t) { onView(t, [](auto& view) { view.axes[0].stride = 0; }); },
     {}},
    // Views
    {"view.align",
     {Cause::global_access},
     [](const ProbeTarget& t) { onView(t, [](auto& view) { view.base += 1; }); },
     {}},
    {"view.bounds",
     {Cause::global_access},
     [](const ProbeTarget& t) { onView(t, [](auto& view) { view.base = kNowhere; }); },
     {}},
    {"view.position", {Cause::malformed}, overflowPosition, {}},
    {"op.work-cap",
     {Cause::work_cap},
     tooMuchWork,
     {"work_cap.macs_log2=30", "work_cap.elements_log2=24", "work_cap.bytes_log2=26"}},
};

}  // namespace

std::vector<ProbeOperand> probeOperands(uint32_t word) {
  const isa::InstructionInfo& info = isa::instructionInfo(isa::decode(word).id);
  const auto values = isa::operandValues(info, word);
  std::vector<ProbeOperand> operands;
  for (size_t i = 0; i < values.size(); ++i) {
    const isa::OperandInfo& operand = info.operand_infos[i];
    if (operand.kind == OperandKind::tile || operand.kind == OperandKind::view ||
        operand.kind == OperandKind::chain)
      operands.push_back(
          {operand.kind, std::string(operand.name), static_cast<uint8_t>(values[i])});
  }
  return operands;
}

isa::TileRegister* ProbeTarget::tile(size_t i) const {
  if (i >= operands.size() || operands[i].kind != OperandKind::tile) return nullptr;
  return &state.tiles[operands[i].reg];
}

isa::ViewDescriptor* ProbeTarget::view(size_t i) const {
  if (i >= operands.size() || operands[i].kind != OperandKind::view) return nullptr;
  return &state.views[operands[i].reg];
}

std::span<const FaultProbe> faultProbes() { return kProbes; }

}  // namespace etalon::sim
