// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "sim/system/timed_chip.h"
#include "sim/systemc/timed_module.h"

namespace etalon::sim {

/// A chip in SystemC: a module for each core, one for the network, one for each memory channel and each core's window,
/// woken when they are due.
class ChipModule : public sc_core::sc_module {
 public:
  /// `device` has started a timed launch; it and `observer`, which may be nullptr, outlive the module.
  ChipModule(const sc_core::sc_module_name& name, const isa::Machine& machine,
             FunctionalDevice& device, TimedChip::Channels channels, RunObserver* observer,
             Jitter jitter = Jitter(0));
  ~ChipModule() override;

  const TimedChip& chip() const { return *chip_; }
  TimedChip& chip() { return *chip_; }
  Cycles now() const { return clock_.now(); }

 private:
  class Component;

  void start_of_simulation() override;

  ClockDomain clock_;
  std::unique_ptr<TimedChip> chip_;
  std::vector<std::unique_ptr<Component>> components_;
};

}  // namespace etalon::sim
