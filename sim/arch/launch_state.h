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
                                                     bool observes = true, unsigned first_core = 0);

  unsigned cores() const { return cores_; }
  unsigned firstCore() const { return first_core_; }
  /// The launch's cores and all before them.
  unsigned coresToLast() const { return first_core_ + cores_; }
  /// Mask of all cores of the launch.
  uint64_t allCores() const {
    return (cores_ == 64 ? ~uint64_t{0} : (uint64_t{1} << cores_) - 1) << first_core_;
  }
  bool defersSignals() const { return defers_signals_; }
  bool observes() const { return races_.detects(); }
  RaceDetector& races() { return races_; }
  const RaceDetector& races() const { return races_; }

  /// A core executes et.barrier: true if it may pass. Arrival is kept, so executing it again only waits.
  bool passBarrier(unsigned core, uint64_t mask);
  /// Cores of the mask that `core` waits for, e.g. "cores 1, 3".
  std::string missingAtBarrier(unsigned core) const;

  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);

 private:
  LaunchState(unsigned first_core, unsigned cores, RaceDetector races, bool defers_signals)
      : first_core_(first_core),
        cores_(cores),
        defers_signals_(defers_signals),
        races_(std::move(races)),
        arrived_(coresToLast()),
        released_(coresToLast()) {}

  unsigned first_core_;
  unsigned cores_;
  bool defers_signals_;
  RaceDetector races_;
  std::vector<uint64_t> arrived_;  // mask a core arrived with, 0 if it did not
  std::vector<bool> released_;     // its barrier completed; it has not passed yet
};

}  // namespace etalon::sim
