// SPDX-License-Identifier: Apache-2.0
// What tile instructions see of a core: operands, places in memory, and the record of their accesses.
#include <fmt/format.h>

#include "sim/arch/core.h"

namespace etalon::sim {

using isa::Cause;
using isa::Rule;

bool Core::check(isa::TileOperands& operands) {
  for (int i = 0; i < operands.count(); ++i) {
    operands.checkBounds(i);
    const auto& operand = operands.operand(i);
    if (!operand.is_view || operands.fault()) continue;
    const isa::ByteInterval hull = isa::boxHull(operand.view, operand.named_axis);
    view_memory_[i] = {};
    if (hull.empty()) continue;
    const auto address = static_cast<uint64_t>(hull.lo);
    const auto bytes = static_cast<uint64_t>(hull.hi - hull.lo);
    const uint8_t rights = operands.rights(i);
    const auto refused = operand.outside_windows
                             ? std::optional(agent_)
                             : memory_.refusedBy(agent_, address, bytes, rights);
    if (refused) {
      operands.raise(Cause::global_access, Rule::window_access, i,
                     refusalBy(*refused, address, bytes, rights), kWindowHint);
      continue;
    }
    const auto place = memory_.find(agent_, address, bytes);
    if (!place)
      operands.raise(
          Cause::global_access, Rule::view_bounds, i,
          fmt::format("bytes {:#x}..{:#x} are not inside one memory: {}", address,
                      address + bytes - 1, memory_.describeMiss(address)),
          "bounds are those of the axes (dim), not of the box; check base, dims and strides");
    else
      view_memory_[i] = {place->data(), address, place->region, place->offset};
  }
  operands.checkLimits();
  if (operands.fault()) {
    trapWith(*operands.fault());
    return false;
  }
  return true;
}

bool Core::begin(isa::TileOperands& operands) {
  if (!check(operands)) return false;
  launch_->races().beginTile(site());
  poisons_ = false;
  bool writes_any = false, has_destination = false;
  for (int i = 0; i < operands.count(); ++i) {
    if (!isa::writes(operands.operand(i).role)) continue;
    has_destination = true;
    writes_any |= !operands.operand(i).empty();
  }
  if (has_destination && !writes_any) return true;
  if (memory_.values() == Values::left_out && !beginPoison(operands)) return false;
  if (issue_sink_) issue_sink_->issued(*this, operands);
  if (!watched()) return true;
  for (int i = 0; i < operands.count(); ++i) {
    const auto& operand = operands.operand(i);
    if (operand.is_view || operand.recorded_by_element || !isa::reads(operand.role)) continue;
    operand.forEachTile([&](const isa::TileRegister& tile) { recordTile(tile, false); });
  }
  return true;
}

void Core::finish(const isa::TileOperands& operands) {
  for (int i = 0; i < operands.count(); ++i) {
    const auto& operand = operands.operand(i);
    if (operand.is_view || operand.recorded_by_element || !isa::writes(operand.role)) continue;
    if (poisons_ && staysPoisoned(operand.tile)) continue;
    recordTile(operand.tile, true);
    if (poisons_) poisoned_tiles_.note(operand.tile, memory_.local(agent_).poison->cleared());
  }
}

numerics::TileRef Core::tileRef(const isa::TileRegister& tile) const {
  return {.data = memory_.local(agent_).data() + tile.base,
          .type = tile.elementType(),
          .outer = tile.outer,
          .inner = tile.inner,
          .cols = tile.cols,
          .ostride = tile.ostride,
          .istride = tile.istride,
          .step = tile.step,
          .transpose = tile.transpose};
}

void Core::recordTile(const isa::TileRegister& tile, bool write) {
  if (tile.empty()) return;
  Region& local = memory_.local(agent_);
  isa::forEachRun(tile,
                  [&](uint64_t offset, uint64_t bytes) { recordRun(local, offset, bytes, write); });
}

void Core::recordElements(const isa::TileRegister& tile, uint64_t row, uint64_t column,
                          uint64_t count, bool write) {
  const uint64_t size = tile.elementBytes();
  const uint64_t start =
      tile.base + row / tile.inner * tile.ostride + row % tile.inner * tile.istride;
  Region& local = memory_.local(agent_);
  if (tile.step == 1) return recordRun(local, start + column * size, count * size, write);
  for (uint64_t c = column; c < column + count; ++c)
    recordRun(local, start + c * tile.step * size, size, write);
}

void Core::recordRun(Region& region, uint64_t offset, uint64_t bytes, bool write) {
  if (!watched()) {
    if (write) finishTileWrite(region, offset, bytes);
    return;
  }
  const MemoryRegion where{region.id};
  if (watchpoints_) noteWatched(region, offset, bytes, write);
  if (write) {
    launch_->races().tileWrite(where, offset, bytes);
    finishTileWrite(region, offset, bytes);
  } else {
    if (!region.init.allSet(offset, bytes)) noteUninitialised(region, offset, bytes);
    launch_->races().tileRead(where, offset, bytes);
  }
}

void Core::finishTileWrite(Region& region, uint64_t offset, uint64_t bytes) {
  region.init.setRange(offset, bytes);
  if (region.poison) {
    if (poisons_)
      region.poison->set(offset, bytes);
    else
      region.poison->clear(offset, bytes);
  }
  if (memory_.anyReservation()) memory_.breakReservations(agent_, region, offset, bytes);
}

void Core::recordView(const ViewMemory& memory, uint64_t address, uint64_t bytes, bool write) {
  const uint64_t offset = memory.offset + (address - memory.address);
  if (!write && !poisons_) poisons_ = memory.region->poisoned(offset, bytes);
  recordRun(*memory.region, offset, bytes, write);
}

void Core::recordUpdate(const ViewMemory& memory, uint64_t address, uint64_t bytes,
                        bool floating_add) {
  Region& region = *memory.region;
  const uint64_t offset = memory.offset + (address - memory.address);
  if (watchpoints_) noteWatched(region, offset, bytes, true);
  if (watched() && !region.init.allSet(offset, bytes)) noteUninitialised(region, offset, bytes);
  if (floating_add)
    launch_->races().tileFloatAdd(MemoryRegion{region.id}, offset, bytes);
  else
    launch_->races().tileAtomic(MemoryRegion{region.id}, offset, bytes);
  // What is added to poison stays poison.
  poisons_ |= region.poisoned(offset, bytes);
  finishTileWrite(region, offset, bytes);
}

bool Core::storable(uint64_t address, uint64_t bytes) {
  const auto size = static_cast<unsigned>(bytes);
  const auto meant = resolve(address, bytes, isa::right::write);
  if (!meant) return windowFault(Cause::store_access, address, size, isa::right::write);
  return memory_.find(agent_, *meant, bytes) || accessFault(Cause::store_access, address, size);
}

void Core::noteIndexOutside(isa::Unit unit) {
  const int slot = unit == isa::Unit::load ? 0 : unit == isa::Unit::store ? 1 : 2;
  if (index_pc_[slot] == 0) index_pc_[slot] = pc_;
  etstatus_ |= 1;
}

}  // namespace etalon::sim
