// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sim/system/agenda.h"
#include "sim/system/timed_system.h"
#include "sim/systemc/clock_domain.h"
#include "sim/systemc/tlm_memory.h"

namespace etalon::sim {

/// A chip in SystemC, or several and their links: one process that works when something of the chip is due, and a module with a socket for each memory
/// channel that somebody else models. The launch begins with the simulation; chip().end() says when and how it was over, and
/// then nothing of the chip happens any more.
class ChipModule : public sc_core::sc_module {
 public:
  /// With the memory that `channels` model. `device` has started a timed launch; it and `observer`, which may be nullptr,
  /// outlive the module.
  ChipModule(const sc_core::sc_module_name& name, FunctionalDevice& device,
             TimedSystem::Channels channels, RunObserver* observer, Jitter jitter = Jitter(0));
  /// With memory of somebody else's behind memory(i).socket, for each channel that the machine has; of several chips those of
  /// one after the other.
  ChipModule(const sc_core::sc_module_name& name, FunctionalDevice& device, RunObserver* observer);
  ~ChipModule() override;

  unsigned memories() const { return static_cast<unsigned>(memories_.size()); }
  TlmMemory& memory(unsigned channel) { return *memories_[channel]; }

  const TimedSystem& chip() const { return *chip_; }
  TimedSystem& chip() { return *chip_; }
  /// The cycle that the chip has come to.
  Cycles now() const { return now_; }
  /// As long as nothing else is to happen in the simulation, the chip may work ahead of SystemC's time, up to this cycle:
  /// what is due then costs no event. 0, as at first: never.
  void mayRunAhead(Cycles until) { ahead_until_ = until; }

 private:
  void build(FunctionalDevice& device, TimedSystem::Channels channels, RunObserver* observer,
             Jitter jitter);
  void start_of_simulation() override;
  void wake(unsigned component, Cycles at);
  void work();
  /// The kernel calls work() at this cycle, if not before.
  void callAt(Cycles cycle);
  bool mayGoOnTo(Cycles cycle) const;

  ClockDomain clock_;
  sc_core::sc_event due_;
  Cycles now_ = 0, ahead_until_ = 0;
  bool working_ = false;
  AddressInterleave interleave_;
  std::vector<std::unique_ptr<TlmMemory>> memories_;
  std::unique_ptr<TimedSystem> chip_;
  std::optional<Agenda> agenda_;
};

}  // namespace etalon::sim
