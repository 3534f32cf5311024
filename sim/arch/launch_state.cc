// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/launch_state.h"

#include <fmt/format.h>

namespace etalon::sim {

Result<std::unique_ptr<LaunchState>> LaunchState::create(unsigned cores, const Memory& memory,
                                                         bool defers_signals, bool observes,
                                                         unsigned first_core) {
  RaceDetectorConfig config;
  const Cluster& cluster = memory.cluster();
  config.cores = cluster.agent(cluster.devices - 1, first_core + cores);
  config.idle_cores = cluster.agents() - config.cores;
  config.devices = cluster.devices;
  config.global_bytes = memory.globalBytes();
  config.local_bytes = memory.localBytes();
  config.detect = observes;
  auto races = RaceDetector::create(config);
  if (!races.ok()) return races.error();
  return std::unique_ptr<LaunchState>(
      new LaunchState(first_core, cores, cluster, std::move(*races), defers_signals));
}

bool LaunchState::passBarrier(unsigned agent, uint64_t mask, bool again) {
  if (again && released_[agent]) {
    released_[agent] = false;
    arrived_[agent] = 0;
    return true;
  }
  released_[agent] = false;
  arrived_[agent] = mask;
  const unsigned first = cluster_.agent(cluster_.device(agent), 0);
  std::vector<uint16_t> members;
  for (unsigned i = first_core_; i < first_core_ + cores_; ++i) {
    if (!(mask >> i & 1)) continue;
    if (waitsWith(first + i) != mask) return false;
    members.push_back(static_cast<uint16_t>(first + i));
  }
  races_.barrier(members);
  for (uint16_t member : members) released_[member] = member != agent;
  arrived_[agent] = 0;
  return true;
}

std::string LaunchState::missingAtBarrier(unsigned agent) const {
  const unsigned first = cluster_.agent(cluster_.device(agent), 0);
  std::string text;
  for (unsigned i = first_core_; i < first_core_ + cores_; ++i)
    if ((arrived_[agent] >> i & 1) && waitsWith(first + i) != arrived_[agent])
      text += fmt::format("{}core {}", text.empty() ? "" : ", ", i);
  return text;
}

}  // namespace etalon::sim
