// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "isa/base/status.h"
#include "sim/arch/memory.h"
#include "sim/arch/race_detector.h"

namespace etalon::sim {

/// What the cores of one launch share beside memory: the order of their accesses, and barriers. A launch is on the same
/// cores of every device.
class LaunchState {
 public:
  /// `cores`: of each device. `defers_signals`: et.sig is performed when the launch says so (Core::deliverSignals), not as it is issued.
  /// `observes`: races and reads of bytes that nobody wrote are looked for.
  static Result<std::unique_ptr<LaunchState>> create(unsigned cores, const Memory& memory,
                                                     bool defers_signals = false,
                                                     bool observes = true, unsigned first_core = 0);

  /// Cores of each device.
  unsigned cores() const { return cores_; }
  /// The first of them.
  unsigned firstCore() const { return first_core_; }
  /// Cores on all devices, and the agent that number i of them is.
  unsigned size() const { return cluster_.devices * cores_; }
  unsigned agent(unsigned i) const { return cluster_.agent(i / cores_, first_core_ + i % cores_); }
  /// Those and all agents before them.
  unsigned agents() const { return agent(size() - 1) + 1; }
  /// Mask of all cores of a device in the launch.
  uint64_t allCores() const {
    return (cores_ == 64 ? ~uint64_t{0} : (uint64_t{1} << cores_) - 1) << first_core_;
  }
  bool defersSignals() const { return defers_signals_; }
  bool observes() const { return races_.detects(); }
  RaceDetector& races() { return races_; }
  const RaceDetector& races() const { return races_; }

  /// An agent executes et.barrier with cores of its device: true if it may pass. `again`: it has arrived there before, and
  /// only waits.
  bool passBarrier(unsigned agent, uint64_t mask, bool again);
  /// The mask that an agent arrived with last and has not passed, 0 if none.
  uint64_t arrivedWith(unsigned agent) const { return arrived_[agent]; }
  /// Cores of the mask that the agent waits for, e.g. "core 1, core 3".
  std::string missingAtBarrier(unsigned agent) const;

  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);

 private:
  LaunchState(unsigned first_core, unsigned cores, const Cluster& cluster, RaceDetector races,
              bool defers_signals)
      : first_core_(first_core),
        cores_(cores),
        cluster_(cluster),
        defers_signals_(defers_signals),
        races_(std::move(races)),
        arrived_(agents()),
        released_(agents()) {}

  /// The mask that it stands at a barrier with that has not completed; 0 if it does not.
  uint64_t waitsWith(unsigned agent) const { return released_[agent] ? 0 : arrived_[agent]; }

  unsigned first_core_;
  unsigned cores_;
  Cluster cluster_;
  bool defers_signals_;
  RaceDetector races_;
  std::vector<uint64_t> arrived_;  // mask an agent arrived with and has not passed, 0 if none
  std::vector<bool> released_;     // its barrier completed; it has not passed yet
};

}  // namespace etalon::sim
