// SPDX-License-Identifier: Apache-2.0
// Runs without values: which instructions compute, what their results poison, and where poison ends the run.
#include <fmt/format.h>

#include "sim/arch/core.h"

namespace etalon::sim {

using isa::Rule;

bool Core::beginPoison(const isa::TileOperands& operands) {
  Region& local = memory_.local(agent_);
  poisons_ = operands.leavesOutValues();
  for (int i = 0; i < operands.count(); ++i) {
    const auto& operand = operands.operand(i);
    if (operand.is_view || !isa::reads(operand.role)) continue;
    if (poisons_ && !operand.is_index) continue;
    std::optional<uint64_t> first;
    operand.forEachTile([&](const isa::TileRegister& tile) {
      if (!first) first = firstPoisoned(tile);
    });
    if (!first) continue;
    if (operand.is_index)
      return stopAtPoison(fmt::format("{} (tr{})", operand.name, operand.reg), "an index", local,
                          *first);
    poisons_ = true;
  }
  return true;
}

std::optional<uint64_t> Core::firstPoisoned(const isa::TileRegister& tile) {
  const PoisonMap& poison = *memory_.local(agent_).poison;
  std::optional<uint64_t> first;
  if (tile.empty()) return first;
  isa::forEachRun(tile, [&](uint64_t offset, uint64_t bytes) {
    if (!first) first = poison.first(offset, bytes);
  });
  return first;
}

bool Core::staysPoisoned(const isa::TileRegister& tile) {
  if (watched() || memory_.anyReservation()) return false;
  return poisoned_tiles_.holds(tile, memory_.local(agent_).poison->cleared());
}

bool Core::stopAtPoison(std::string operand, std::string_view use, const Region& region,
                        uint64_t offset) {
  findings_.add(PoisonStop{.core = static_cast<uint16_t>(agent_),
                           .pc = pc_,
                           .instruction = raw_,
                           .operand = std::move(operand),
                           .use = std::string(use),
                           .address = memory_.canonicalAddress(region.id, offset)});
  events_ |= event::trapped;
  setState(CoreState::poisoned);
  return false;
}

void Core::illegalInstruction(uint32_t raw) {
  if (raw == kPoisonedInstruction && memory_.values() == Values::left_out) {
    const auto place = memory_.find(agent_, fetchAddress().value_or(pc_), sizeof raw);
    // Decoded while it was poisoned, it is not what stands there now, or still poisoned.
    if (place && (place->region->poisoned(place->offset, sizeof raw) ||
                  loadBytes<uint32_t>(place->data()) != raw)) {
      raw_ = 0;
      stopAtPoison("", "an instruction", *place->region, place->offset);
      return;
    }
  }
  trap(isa::Cause::illegal, raw, Rule::scalar_illegal);
}

void Core::stopHostRead(const Place& place, uint64_t bytes) {
  pc_ -= 4;
  stopAtPoison("", "the host", *place.region, *place.region->poison->first(place.offset, bytes));
}

}  // namespace etalon::sim
