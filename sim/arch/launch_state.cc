// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/launch_state.h"

#include <fmt/format.h>

namespace etalon::sim {

Result<std::unique_ptr<LaunchState>> LaunchState::create(unsigned cores, const Memory& memory,
                                                         bool defers_signals, bool observes,
                                                         unsigned first_core) {
  RaceDetectorConfig config;
  config.cores = first_core + cores;
  config.idle_cores = memory.cores() - config.cores;
  config.global_bytes = memory.globalBytes();
  config.local_bytes = memory.localBytes();
  config.detect = observes;
  auto races = RaceDetector::create(config);
  if (!races.ok()) return races.error();
  return std::unique_ptr<LaunchState>(
      new LaunchState(first_core, cores, std::move(*races), defers_signals));
}

bool LaunchState::passBarrier(unsigned core, uint64_t mask) {
  if (released_[core]) {
    released_[core] = false;
    return true;
  }
  arrived_[core] = mask;
  std::vector<uint16_t> members;
  for (unsigned i = first_core_; i < coresToLast(); ++i) {
    if (!(mask >> i & 1)) continue;
    if (arrived_[i] != mask) return false;
    members.push_back(static_cast<uint16_t>(i));
  }
  races_.barrier(members);
  for (uint16_t member : members) {
    arrived_[member] = 0;
    released_[member] = member != core;
  }
  return true;
}

std::string LaunchState::missingAtBarrier(unsigned core) const {
  std::string text;
  for (unsigned i = first_core_; i < coresToLast(); ++i)
    if ((arrived_[core] >> i & 1) && arrived_[i] != arrived_[core])
      text += fmt::format("{}core {}", text.empty() ? "" : ", ", i);
  return text;
}

}  // namespace etalon::sim
