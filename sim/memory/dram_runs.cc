// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/dram_runs.h"

#include <algorithm>

#include "isa/base/check.h"
#include "isa/base/share_folder.h"

namespace etalon::sim {

DramRun runAccesses(const isa::DramPreset& preset, const std::vector<PatternAccess>& accesses,
                    std::vector<DramCommand>* log) {
  DramController controller(preset);
  controller.logTo(log);
  const uint32_t block = controller.blockBytes();
  Nck now = 0;
  uint64_t waiting = 0;
  for (const PatternAccess& access : accesses) {
    for (uint32_t at = 0; at < 64; at += block) {
      while (controller.room(access.write) == 0) {
        now = std::max(now, controller.nextCommand()) + 1;
        controller.runUntil(now);
      }
      waiting +=
          !controller.submit(access.address + at, std::min(block, 64U), access.write, 0, now);
    }
    waiting -= controller.done().size();
    controller.done().clear();
    ++now;
  }
  for (Nck next = controller.nextCommand(); next != kNeverNck; next = controller.nextCommand()) {
    now = std::max(now, next) + 1;
    controller.runUntil(now);
  }
  ETALON_CHECK(waiting == controller.done().size(), "reads without completion");
  return {controller.dataEnd(), controller.counters()};
}

isa::DramPreset shippedPreset(const std::string& name) {
  const auto preset = isa::loadDramPreset(isaFolder() + "/machines/parts/memory/" + name + ".yaml");
  ETALON_CHECK(preset.ok(), "no such memory preset");
  return *preset;
}

std::vector<std::string> shippedDramNames() {
  const auto presets = isa::listDramPresets(isaFolder() + "/machines/parts/memory");
  ETALON_CHECK(presets.ok(), "memory presets that cannot be read");
  std::vector<std::string> names;
  for (const isa::DramPreset& preset : *presets)
    if (preset.kind == isa::DramPreset::Kind::Dram) names.push_back(preset.name);
  return names;
}

uint64_t addressOf(const isa::DramPreset& preset, uint32_t bank, uint32_t row) {
  const DramMapping mapping(preset);
  const uint64_t row_bytes = preset.page_bytes * preset.allBanks();
  uint64_t address = row * row_bytes;
  // A mapping is linear: below the row, each bit of the address is one bit of the bank or of the column.
  for (uint64_t bit = preset.burst_bytes; bit < row_bytes; bit *= 2)
    if ((mapping.decode(bit).bank & (mapping.decode(address).bank ^ bank)) != 0) address |= bit;
  ETALON_CHECK((mapping.decode(address) == DramAddress{bank, row, 0}),
               "a mapping that misses a place");
  return address;
}

}  // namespace etalon::sim
