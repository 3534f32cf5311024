// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "sim/system/timed_chip.h"
#include "sim/systemc/timed_module.h"
#include "sim/systemc/tlm_memory.h"

namespace etalon::sim {

/// A chip in SystemC: a module for each core, one for the network, one for each memory channel and each core's window,
/// woken when they are due. The launch begins with the simulation; chip().end() says when and how it was over, and then
/// nothing of the chip happens any more.
class ChipModule : public sc_core::sc_module {
 public:
  /// With the memory that `channels` model. `device` has started a timed launch; it and `observer`, which may be nullptr,
  /// outlive the module.
  ChipModule(const sc_core::sc_module_name& name, const isa::Machine& machine,
             FunctionalDevice& device, TimedChip::Channels channels, RunObserver* observer,
             Jitter jitter = Jitter(0));
  /// With memory of somebody else's behind memory(i).socket, for each channel that the machine has.
  ChipModule(const sc_core::sc_module_name& name, const isa::Machine& machine,
             FunctionalDevice& device, RunObserver* observer);
  ~ChipModule() override;

  unsigned memories() const { return static_cast<unsigned>(memories_.size()); }
  TlmMemory& memory(unsigned channel) { return *memories_[channel]; }

  const TimedChip& chip() const { return *chip_; }
  TimedChip& chip() { return *chip_; }
  Cycles now() const { return clock_.now(); }

 private:
  class Component;

  void build(const isa::Machine& machine, FunctionalDevice& device, TimedChip::Channels channels,
             RunObserver* observer, Jitter jitter);
  void start_of_simulation() override;

  ClockDomain clock_;
  AddressInterleave interleave_;
  std::vector<std::unique_ptr<TlmMemory>> memories_;
  std::unique_ptr<TimedChip> chip_;
  std::vector<std::unique_ptr<Component>> components_;
};

}  // namespace etalon::sim
