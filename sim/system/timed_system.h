// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/fabric/link_fabric.h"
#include "sim/system/timed_chip.h"

namespace etalon::sim {

/// A launch in time: the chip that it runs on, or several and the links between them. Components with a number each, that
/// whoever holds the clock advances when they are due, in any order where several are due in one cycle (TimedChip).
class TimedSystem final : private ChipUplink {
 public:
  /// Told when a component became due earlier than its nextTime() said. The time is later than the current one.
  using Wake = std::function<void(unsigned component, Cycles at)>;
  using Channels = TimedChip::Channels;

  /// `device` has started a timed launch, on machines that have timing and, if they are several, links that can join them
  /// (linkLayout()); `channels` are as many as these machines have, of one after the other. `device` and `observer`, which
  /// may be nullptr, outlive the system.
  TimedSystem(FunctionalDevice& device, Channels channels, RunObserver* observer, Wake wake,
              Jitter jitter = Jitter(0));
  ~TimedSystem() override;

  /// Those of each chip, one chip after the other, and the links if there are several chips.
  unsigned components() const { return first_.back() + (links_ ? 1 : 0); }
  /// A memory channel, counted through all chips, will have something at `at`, after now, that its nextTime() did not know of.
  void wakeChannel(unsigned channel, Cycles at);
  /// It is `now`, also for components that have nothing to do: for who looks at registers from outside.
  void passTime(Cycles now);
  /// Somebody outside changed what interrupts are pending: every core looks at `at`, which is after now.
  void interruptsChanged(Cycles at);
  /// Unique, of letters, digits and underscores: core_0, network, channel_3; of several chips chip_1_core_0, links.
  std::string componentName(unsigned component) const;
  Cycles nextTime(unsigned component) const;
  void advance(unsigned component, Cycles now);

  /// The launch is over: how, from the cycle it was over in. Until then nothing.
  struct End {
    RunStatus status = RunStatus::exited;
    uint64_t exit_code = 0;
    Cycles time = 0;
  };
  const std::optional<End>& end() const { return end_; }
  /// Nothing is due any more and the launch is not over: it never will be. The cores that wait do so for ever.
  void deadlock(Cycles now) { finish(RunStatus::deadlock, 0, now); }
  /// It ends because somebody outside says so.
  void stop(RunStatus status, Cycles now) { finish(status, 0, now); }
  /// What the units of all cores had to do, so far.
  UnitWork work() const;
  /// The links between the chips; nullptr of a lone one.
  const LinkFabric* links() const { return links_.get(); }

 private:
  void wake(unsigned device, unsigned component, Cycles at) override;
  void send(const LinkMessage& message) override;
  void worked(const TimedCore& core, Cycles now) override;

  /// The chip that a component is of; the links are of none.
  unsigned chipOf(unsigned component) const;
  void advanceLinks(Cycles now);
  void finish(RunStatus status, uint64_t exit_code, Cycles now);

  FunctionalDevice& device_;
  RunObserver* observer_;
  Wake wake_;
  std::vector<Gateway*> gateways_;
  std::vector<std::unique_ptr<TimedChip>> chips_;
  std::vector<unsigned> first_{0};  // component of each chip, and the first after all
  std::unique_ptr<LinkFabric> links_;
  std::vector<LinkDelivery> arrived_;
  std::optional<End> end_;
};

}  // namespace etalon::sim
