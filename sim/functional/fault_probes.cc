// SPDX-License-Identifier: Apache-2.0
#include "sim/functional/fault_probes.h"

#include <algorithm>
#include <limits>

#include "isa/codec/codec.h"
#include "isa/element_type.h"
#include "isa/machines/address_map.h"

namespace etalon::sim {
namespace {

using isa::Cause;
using isa::OperandKind;

constexpr uint64_t kNowhere = 0x100;  // an address below every memory
constexpr uint64_t kGlobal = 0x90000000;
// In the middle of core 0's device page, which follows its local memory: immediates stay inside.
constexpr uint64_t kDevicePage = isa::kCoreWindowBase + (64 << 20) + 2048;
constexpr uint32_t kApart = 0x4000;  // bytes further there is no tile of an example
constexpr int kReductionTile = 5;    // operand of a chain
constexpr int kMetadata = 3;         // operand of a product

/// Changes the attempt's operand if it is a tile, every view, every tile, the chain: those that there are.
template <class F>
void onTile(const ProbeTarget& t, F change) {
  if (auto* tile = t.tile(t.attempt)) change(*tile);
}
template <class F>
void onView(const ProbeTarget& t, F change) {
  for (const ProbeOperand& operand : t.operands)
    if (auto* view = t.view(operand.number)) change(*view);
}
template <class F>
void onEveryTile(const ProbeTarget& t, F change) {
  for (const ProbeOperand& operand : t.operands)
    if (auto* tile = t.tile(operand.number)) change(*tile, operand.number);
}
template <class F>
void onChain(const ProbeTarget& t, F change) {
  if (auto* chain = t.chain()) change(*chain);
}
void setBits(uint32_t& word, int low, int length, uint32_t value) {
  const uint32_t mask = ((1u << length) - 1) << low;
  word = (word & ~mask) | (value << low & mask);
}

/// Bytes are always aligned: a tile of them takes the 32-bit type of its class first, and so do others of its type. Columns
/// of 4 bits neither repeat nor stand apart, which A and B of a product may not do for another reason.
void misalign(const ProbeTarget& t) {
  isa::TileRegister* broken = t.tile(t.attempt);
  if (!broken) return;
  const bool is_product = isa::instructionInfo(isa::decode(t.word).id).unit == isa::Unit::matrix;
  if (broken->elementBits() == 4 && (!is_product || t.attempt == kMetadata)) {
    broken->step = is_product ? 0 : 2;
    return;
  }
  const uint8_t type = broken->type;
  const ElementInfo& info = kElementInfo[type];
  onEveryTile(t, [&](isa::TileRegister& tile, int) {
    if (tile.type != type || info.bits > 8) return;
    tile.type = static_cast<uint8_t>(info.widens_to);
    tile.istride *= 4;
    tile.ostride *= 4;
  });
  broken->base += kApart + 1;
}

/// The first tile moves onto another; from attempt 3 on one element further, so that it is not in place.
void overlapOperands(const ProbeTarget& t) {
  auto* first = t.tile(0);
  auto* other = t.tile(1 + t.attempt % 3);
  if (t.attempt >= 3)
    onEveryTile(t,
                [](isa::TileRegister& tile, int) { tile.cols = tile.cols == 1 ? 2 : tile.cols; });
  if (!first || !other) return;
  first->base = other->base + (t.attempt >= 3 ? first->elementBytes() : 0);
}

void overlapInout(const ProbeTarget& t) {
  auto *reduction = t.tile(kReductionTile), *source = t.tile(1);
  if (!reduction) return overlapOperands(t);
  if (source) reduction->base = source->base;
}

/// Rows, then outer blocks, then columns of the destination become one; attempt 3 first gives every tile two rows.
void overlapItself(const ProbeTarget& t) {
  if (t.attempt == 3) onEveryTile(t, [](isa::TileRegister& tile, int) { tile.inner = 2; });
  auto* tile = t.tile(0);
  if (!tile) return;
  if (t.attempt == 0 || t.attempt == 3) tile->istride = 0;
  if (t.attempt == 1) tile->ostride = 0;
  if (t.attempt == 2) tile->step = 0;
}

/// Types of a profile that this machine lacks: f32 products; f16 for all that is floating or of td's type; for the first
/// source; for all but an f32 td; for all; for the first source
/// among f32. Then the first tile and the view change between the two types that updates of memory take.
void unsupportedTypes(const ProbeTarget& t) {
  const auto f16 = static_cast<uint8_t>(ElementType::f16),
             f32 = static_cast<uint8_t>(ElementType::f32),
             i32 = static_cast<uint8_t>(ElementType::i32);
  const uint8_t destination = t.tile(0) ? t.tile(0)->type : f16;
  const uint8_t update = destination == f32 ? i32 : f32;
  onEveryTile(t, [&](isa::TileRegister& tile, int i) {
    const bool is_float = elementInfo(tile.elementType()).kind == ElementKind::Float;
    if (t.attempt == 0) tile.type = f32;
    if (t.attempt == 1 && (is_float || tile.type == destination)) tile.type = f16;
    if (t.attempt == 2 && i == 1) tile.type = f16;
    if (t.attempt == 3) tile.type = i == 0 ? f32 : f16;
    if (t.attempt == 4) tile.type = f16;
    if (t.attempt == 5) tile.type = i == 1 ? f16 : f32;
    if (t.attempt == 6 && i == 0) tile.type = update;
  });
  if (t.attempt == 6) onView(t, [&](isa::ViewDescriptor& view) { view.type = update; });
}

void illegalTypes(const ProbeTarget& t) {
  if (auto* tile = t.tile(t.attempt % 3))
    tile->type = static_cast<uint8_t>(t.attempt < 3 ? ElementType::i64 : ElementType::e8m0);
}

void mixStepTypes(const ProbeTarget& t) {
  if (t.tile(1)) t.tile(1)->type = static_cast<uint8_t>(ElementType::i32);
}

/// In other instructions the bits of rs1 are a tile register, or none.
void setRs1(const ProbeTarget& t, uint64_t value) {
  const auto operands = isa::instructionInfo(isa::decode(t.word).id).operands();
  if (std::ranges::any_of(operands, [](const auto& operand) { return operand.name == "rs1"; }))
    t.rs1() = value;
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

void widen(const ProbeTarget& t) {
  onTile(t, [](isa::TileRegister& tile) { tile.cols += 1; });
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
     [](const ProbeTarget& t) { setRs1(t, kNowhere); }},
    {"mem.amo-align",
     {Cause::load_misaligned, Cause::store_misaligned},
     [](const ProbeTarget& t) { setRs1(t, kGlobal + 2 - t.attempt % 2); }},
    {"mem.scalar-misaligned",
     {Cause::load_misaligned, Cause::store_misaligned},
     [](const ProbeTarget& t) { setRs1(t, kDevicePage + 1 + t.attempt % 3); }},
    {"mem.amo-region",
     {Cause::load_access, Cause::store_access},
     [](const ProbeTarget& t) { setRs1(t, kDevicePage); }},
    {"mem.fetch-align", {Cause::fetch_misaligned}, misalignTarget},
    {"zfinx.rounding-mode",
     {Cause::illegal},
     [](const ProbeTarget& t) { setBits(t.word, 12, 3, 5); }},
    {"csr.access", {Cause::illegal}, [](const ProbeTarget& t) { setBits(t.word, 20, 12, 0x5ff); }},
    // Descriptors
    {"desc.align",
     {Cause::load_misaligned, Cause::store_misaligned},
     [](const ProbeTarget& t) { setRs1(t, kGlobal + 4); }},
    {"chain.constant", {Cause::illegal}, [](const ProbeTarget& t) { setBits(t.word, 20, 4, 12); }},
    {"view.update", {Cause::malformed}, [](const ProbeTarget& t) { setBits(t.word, 20, 3, 5); }},
    // Tiles
    {"tile.type",
     {Cause::malformed},
     [](const ProbeTarget& t) { onTile(t, [](auto& tile) { tile.type = 40; }); },
     true},
    {"tile.transpose",
     {Cause::shape},
     [](const ProbeTarget& t) { onTile(t, [](auto& tile) { tile.transpose = true; }); },
     true},
    {"tile.step",
     {Cause::shape},
     [](const ProbeTarget& t) { onTile(t, [](auto& tile) { tile.step = 2; }); },
     true},
    {"tile.link",
     {Cause::shape},
     [](const ProbeTarget& t) { onTile(t, [](auto& tile) { tile.link_valid = true; }); },
     true},
    {"tile.align", {Cause::local_bounds}, misalign, true},
    {"tile.bounds",
     {Cause::local_bounds},
     [](const ProbeTarget& t) { onTile(t, [](auto& tile) { tile.base = 64 << 20; }); },
     true},
    // Types and shapes
    {"op.types", {Cause::shape}, illegalTypes},
    {"op.unsupported", {Cause::unsupported}, unsupportedTypes, false, {"profiles=Et-base"}},
    {"mm.shape", {Cause::shape}, widen},
    {"dma.shape", {Cause::shape}, widen},
    {"vec.shape", {Cause::shape}, widen},
    {"red.shape", {Cause::shape}, widen},
    {"scan.shape", {Cause::shape}, widen},
    {"move.shape", {Cause::shape}, widen},
    {"chain.shape", {Cause::shape}, widen},
    {"sort.shape", {Cause::shape}, widen},
    {"quant.shape", {Cause::shape}, widen},
    {"dma.gather-count",
     {Cause::shape},
     [](const ProbeTarget& t) { onTile(t, [](auto& tile) { tile.cols -= 1; }); }},
    // Aliasing
    {"alias.overlap", {Cause::aliasing}, overlapOperands},
    {"alias.inout", {Cause::aliasing}, overlapInout},
    {"alias.self", {Cause::aliasing}, overlapItself},
    {"alias.view",
     {Cause::aliasing},
     [](const ProbeTarget& t) {
       const auto* tile = t.tile(0);
       if (!tile) return;
       onView(t, [&](auto& view) {
         view.base = isa::kLocalWindowBase + tile->base, view.axes[0].origin = 0;
       });
     }},
    {"dma.store-overlap",
     {Cause::aliasing},
     [](const ProbeTarget& t) { onView(t, [](auto& view) { view.axes[0].stride = 0; }); }},
    // Views
    {"view.align",
     {Cause::global_access},
     [](const ProbeTarget& t) { onView(t, [](auto& view) { view.base += 1; }); }},
    {"view.bounds",
     {Cause::global_access},
     [](const ProbeTarget& t) { onView(t, [](auto& view) { view.base = kNowhere; }); }},
    {"view.position", {Cause::malformed}, overflowPosition},
    // Chains
    {"chain.empty-register",
     {Cause::malformed},
     [](const ProbeTarget& t) { onChain(t, [](auto& chain) { chain = {}; }); }},
    {"chain.step-types", {Cause::shape}, mixStepTypes},
    {"chain.displacement",
     {Cause::local_bounds},
     [](const ProbeTarget& t) { onChain(t, [](auto& chain) { chain.constants[0] = 1; }); }},
};

}  // namespace

isa::TileRegister* ProbeTarget::tile(int number) const {
  const ProbeOperand* operand = operandNumbered(operands, number);
  return operand && operand->kind == OperandKind::tile ? &state.tiles[operand->reg] : nullptr;
}

isa::ViewDescriptor* ProbeTarget::view(int number) const {
  const ProbeOperand* operand = operandNumbered(operands, number);
  return operand && operand->kind == OperandKind::view ? &state.views[operand->reg] : nullptr;
}

isa::ChainDescriptor* ProbeTarget::chain() const {
  for (const ProbeOperand& operand : operands)
    if (operand.kind == OperandKind::chain) return &state.chains[operand.reg];
  return nullptr;
}

std::span<const FaultProbe> faultProbes() { return kProbes; }

}  // namespace etalon::sim
