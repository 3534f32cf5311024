// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "isa/machines/timing.h"
#include "sim/fabric/channel_port.h"
#include "sim/fabric/fabric_map.h"
#include "sim/fabric/network.h"
#include "sim/functional/functional_device.h"
#include "sim/memory/memory_channel.h"
#include "sim/observe/events.h"
#include "sim/system/core_units.h"
#include "sim/system/timed_core.h"

namespace etalon::sim {

/// The cores of a launch, the network and the memory channels in time: components with a number each, that whoever holds
/// the clock advances when they are due. Messages between components arrive at least a cycle later, so the components that
/// are due in one cycle may be advanced in any order.
class TimedChip final : private CoreUplink {
 public:
  /// Told when a component became due earlier than its nextTime() said. The time is later than the current one.
  using Wake = std::function<void(unsigned component, Cycles at)>;
  using Channels = std::vector<std::unique_ptr<MemoryChannel>>;

  /// `device` has started a timed launch on `machine`, which has timing; `channels` are as many as it says. `device` and
  /// `observer`, which may be nullptr, outlive the chip.
  TimedChip(const isa::Machine& machine, FunctionalDevice& device, Channels channels,
            RunObserver* observer, Wake wake, Jitter jitter = Jitter(0));
  ~TimedChip() override;

  /// Cores from 0, then the network, then the channel ports and the ports of cores' windows.
  unsigned components() const { return static_cast<unsigned>(cores_.size() + 1 + ports_.size()); }
  /// Somebody outside changed what interrupts of a core are pending: it looks at `at`, which is after now.
  void interruptsChanged(unsigned core, Cycles at);
  /// A memory channel will have something at `at`, after now, that its nextTime() did not know of.
  void wakeChannel(unsigned channel, Cycles at);
  /// Unique, of letters, digits and underscores: core_0, network, channel_3, window_1.
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

 private:
  /// What arrives at a core.
  struct Message {
    enum class Kind : uint8_t { answer, signal, barrier, interrupt };
    Cycles time = 0;
    Kind kind = Kind::answer;
    uint16_t from = 0;   // the core whose signal it is
    uint64_t order = 0;  // among those of one time, kind and sender
    FabricRequest request;

    bool operator>(const Message& other) const {
      return std::tie(time, kind, from, order) >
             std::tie(other.time, other.kind, other.from, other.order);
    }
  };
  struct CoreNode {
    std::unique_ptr<CoreUnits> units;
    std::unique_ptr<TimedCore> core;
    std::vector<Message> inbox;  // a heap, the earliest first
    Cycles last_signal = 0;      // when the last one it sent arrives
    uint64_t signals = 0;
    Cycles register_written = 0;  // when its last store to msip takes place
  };
  struct PortNode {
    std::unique_ptr<MemoryChannel> channel;
    std::unique_ptr<ChannelPort> port;
  };

  void access(unsigned core, const ScalarAccess& access, Cycles now) override;
  Cycles signal(unsigned core, unsigned target, Cycles now) override;
  Cycles barrierPassed(unsigned core, Cycles now) override;
  Cycles registerWritten(unsigned core, Cycles now) const override {
    return std::max(cores_[core].register_written, now);
  }

  void sendSoftware(unsigned from, unsigned target, bool raised);
  /// Stores to msip that arrive by now; before any component of the cycle looks.
  void performStores(Cycles now);
  void advanceCore(unsigned number, Cycles now);
  static void answer(CoreNode& node, const Delivery& delivery);
  void advanceNetwork(Cycles now);
  void advancePort(unsigned number, Cycles now);
  void post(unsigned core, Message message);
  void wakeNetwork(Cycles now);
  void record(uint16_t path, const FabricRequest& request, Cycles now);
  void finish(RunStatus status, uint64_t exit_code, Cycles now);
  void checkEnd(const TimedCore& core, Cycles now);

  isa::Timing timing_;
  FunctionalDevice& device_;
  RunObserver* observer_;
  Wake wake_;
  Jitter jitter_;
  FabricMap map_;
  Network network_;
  std::vector<CoreNode> cores_;
  std::unique_ptr<LocalMemory> idle_local_;  // of cores that take no part in the launch
  std::vector<PortNode> ports_;
  std::vector<Delivery> to_endpoints_, to_cores_;
  ChannelPortOutput port_output_;
  uint64_t messages_ = 0;
  Cycles now_ = 0;
  /// On their way, by when they arrive and where they come from.
  struct SoftwareStore {
    unsigned target = 0;
    bool raised = false;
  };
  std::map<std::pair<Cycles, unsigned>, SoftwareStore> stores_;
  std::optional<End> end_;
};

}  // namespace etalon::sim
