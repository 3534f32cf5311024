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

/// What the cores of one launch share beside memory: the order of their accesses, and barriers.
class LaunchState {
 public:
  /// `defers_signals`: et.sig is performed when the launch says so (Core::deliverSignals), not as it is issued.
  /// `observes`: races and reads of bytes that nobody wrote are looked for.
  static Result<std::unique_ptr<LaunchState>> create(unsigned cores, const Memory& memory,
                                                     bool defers_signals = false,
                                                     bool observes = true);

  unsigned cores() const { return cores_; }
  /// Mask of all cores of the launch.
  uint64_t allCores() const { return cores_ == 64 ? ~uint64_t{0} : (uint64_t{1} << cores_) - 1; }
  bool defersSignals() const { return defers_signals_; }
  bool observes() const { return races_.detects(); }
  RaceDetector& races() { return races_; }
  const RaceDetector& races() const { return races_; }

  /// A core executes et.barrier: true if it may pass. `again`: it has arrived there before, and only waits.
  bool passBarrier(unsigned core, uint64_t mask, bool again);
  /// The mask that a core arrived with last and has not passed, 0 if none.
  uint64_t arrivedWith(unsigned core) const { return arrived_[core]; }
  /// Cores of the mask that `core` waits for, e.g. "cores 1, 3".
  std::string missingAtBarrier(unsigned core) const;

  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);

 private:
  LaunchState(unsigned cores, RaceDetector races, bool defers_signals)
      : cores_(cores),
        defers_signals_(defers_signals),
        races_(std::move(races)),
        arrived_(cores),
        released_(cores) {}

  /// The mask that it stands at a barrier with that has not completed; 0 if it does not.
  uint64_t waitsWith(unsigned core) const { return released_[core] ? 0 : arrived_[core]; }

  unsigned cores_;
  bool defers_signals_;
  RaceDetector races_;
  std::vector<uint64_t> arrived_;  // mask a core arrived with and has not passed, 0 if none
  std::vector<bool> released_;     // its barrier completed; it has not passed yet
};

}  // namespace etalon::sim
