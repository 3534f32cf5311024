// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sim/system/agenda.h"
#include "sim/system/timed_system.h"
#include "sim/systemc/clock_domain.h"
#include "sim/systemc/tlm_memory.h"

namespace etalon::sim {

/// A chip in SystemC, or several and their links: one process that works when something of the chip is due, and a module with a
/// socket for each memory channel that somebody else models.
///
/// A launch that the device has started before the simulation begins with it. More launches, or all of them, begin by begin(),
/// each with a chip as after reset: HostModule does that. chip().end() says when and how a launch was over, and then nothing
/// of the chip happens any more until the next one.
class ChipModule : public sc_core::sc_module {
 public:
  /// Channels for all memory of the device, for each launch new ones.
  using MakeChannels = std::function<TimedSystem::Channels()>;

  /// With the memory that these channels model. `device` and `observer`, which may be nullptr, outlive the module.
  ChipModule(const sc_core::sc_module_name& name, FunctionalDevice& device, MakeChannels channels,
             RunObserver* observer, Jitter jitter = Jitter(0));
  /// With memory of somebody else's behind memory(i).socket, for each channel that the machine has; of several chips those of
  /// one after the other.
  ChipModule(const sc_core::sc_module_name& name, FunctionalDevice& device, RunObserver* observer);
  ~ChipModule() override;

  unsigned memories() const { return static_cast<unsigned>(memories_.size()); }
  TlmMemory& memory(unsigned channel) { return *memories_[channel]; }

  bool launched() const { return chip_ != nullptr; }
  /// Of the launch at work, or of the last one.
  const TimedSystem& chip() const { return *chip_; }
  TimedSystem& chip() { return *chip_; }
  /// The launch that the device has started begins now. The one before is over, or forgotten.
  void begin();
  /// Nothing of the launch at work happens any more.
  void cancel() { chip_.reset(); }
  /// Whom to tell, when nothing is due any more or the launch is over.
  void onRest(std::function<void()> rest) { rest_ = std::move(rest); }
  /// No memory of somebody else's has still to answer.
  bool memoriesIdle() const;
  const ClockDomain& clock() const { return clock_; }
  /// The cycle of the launch that the chip has come to.
  Cycles now() const { return now_; }
  /// As long as nothing else is to happen in the simulation, the chip may work ahead of SystemC's time, up to this cycle:
  /// what is due then costs no event. 0, as at first: never; nor with memories of somebody else's.
  void mayRunAhead(Cycles until) { ahead_until_ = until; }

 private:
  void setUp();
  void start_of_simulation() override;
  void wakeAll();
  void wake(unsigned component, Cycles at);
  void work();
  /// The kernel calls work() at this cycle, if not before.
  void callAt(Cycles cycle);
  /// Before this cycle nothing else happens, and the chip may work in the process that is at work.
  Cycles horizon() const;

  FunctionalDevice& device_;
  RunObserver* observer_;
  Jitter jitter_;
  ClockDomain clock_;
  sc_core::sc_event due_;
  Cycles now_ = 0, ahead_until_ = 0;
  bool working_ = false;
  AddressInterleave interleave_;
  std::vector<std::unique_ptr<TlmMemory>> memories_;
  MakeChannels make_channels_;
  std::function<void()> rest_;
  std::unique_ptr<TimedSystem> chip_;
  std::optional<Agenda> agenda_;
};

}  // namespace etalon::sim
