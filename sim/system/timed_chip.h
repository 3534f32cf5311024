// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "isa/machines/timing.h"
#include "sim/fabric/channel_port.h"
#include "sim/fabric/fabric_map.h"
#include "sim/fabric/gateway.h"
#include "sim/fabric/network.h"
#include "sim/functional/functional_device.h"
#include "sim/memory/memory_channel.h"
#include "sim/observe/events.h"
#include "sim/system/core_units.h"
#include "sim/system/run_shape.h"
#include "sim/system/timed_core.h"

namespace etalon::sim {

/// What a chip tells whoever holds the chips of a run together.
class ChipUplink {
 public:
  virtual ~ChipUplink() = default;
  /// A component became due earlier than its nextTime() said, at a time after the current one.
  virtual void wake(unsigned device, unsigned component, Cycles at) = 0;
  /// To another device, by the links.
  virtual void send(const LinkMessage& message) = 0;
  /// A core has done what was due.
  virtual void worked(const TimedCore& core, Cycles now) = 0;
};

/// The cores of a launch in one device, their network, the memory channels and the gateway to other devices in time:
/// components with a number each, advanced when they are due. Messages between components arrive at least a cycle later, so
/// the components that are due in one cycle may be advanced in any order.
class TimedChip final : private CoreUplink {
 public:
  using Channels = std::vector<std::unique_ptr<MemoryChannel>>;

  /// `device` has started a timed launch on machines that have timing; the chip is number `index` of them, from 0. `channels`
  /// are as many as a machine has. `device`, `observer`, which may be nullptr, `uplink` and `gateways`, those of all chips,
  /// outlive the chip.
  TimedChip(FunctionalDevice& device, unsigned index, Channels channels, RunObserver* observer,
            ChipUplink& uplink, const std::vector<Gateway*>& gateways, Jitter jitter);
  ~TimedChip() override;

  /// Cores from 0, then the network, the channel ports, the ports of cores' windows, and the gateway.
  unsigned components() const { return static_cast<unsigned>(cores_.size() + 2 + ports_.size()); }
  /// It is `now`, also for components that have nothing to do.
  void passTime(Cycles now) {
    now_ = now;
    performStores(now);
  }
  /// Somebody outside changed what interrupts are pending: every core looks at `at`, which is after now.
  void interruptsChanged(Cycles at);
  /// A memory channel will have something at `at`, after now, that its nextTime() did not know of.
  void wakeChannel(unsigned channel, Cycles at);
  /// A message of another device's reaches the gateway, at its time, which is later than now.
  void arrive(const LinkDelivery& delivery);
  /// Unique, of letters, digits and underscores: core_0, network, channel_3, window_1, gateway.
  std::string componentName(unsigned component) const;
  Cycles nextTime(unsigned component) const;
  void advance(unsigned component, Cycles now);

  Gateway& gateway() { return gateway_; }
  /// All cores of the launch have halted, and nothing of theirs is on its way.
  bool finished() const;
  /// The launch is over.
  void close(Cycles total);
  /// What the units of all cores had to do, so far.
  UnitWork work() const;

 private:
  /// What arrives at a core.
  struct Message {
    enum class Kind : uint8_t { answer, signal, barrier, performed, interrupt };
    Cycles time = 0;
    Kind kind = Kind::answer;
    uint16_t from = 0;   // the agent whose signal it is
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
  std::optional<Cycles> signal(unsigned core, unsigned target, Cycles now) override;
  Cycles barrierPassed(unsigned core, Cycles now) override;
  Cycles registerWritten(unsigned core, Cycles now) const override {
    return std::max(cores_[core - first_core_].register_written, now);
  }

  void sendSoftware(unsigned from, unsigned target, bool raised);
  /// Stores to msip that arrive by now; before any component of the cycle looks.
  void performStores(Cycles now);
  void advanceCore(CoreNode& node, Cycles now);
  static void answer(CoreNode& node, const Delivery& delivery);
  void advanceNetwork(Cycles now);
  void advancePort(unsigned number, Cycles now);
  void advanceGateway(Cycles now);
  void perform(const RemoteSignal& signal, Cycles now);
  void lookAtInterrupts(unsigned core, Cycles at);
  void post(unsigned core, Message message);
  void wake(unsigned component, Cycles at) { uplink_.wake(index_, component, at); }
  void wakeNetwork(Cycles now);
  void record(uint16_t path, const FabricRequest& request, Cycles now);
  void sendByLinks(const LinkMessage& message, Cycles now);
  // A core is named by its number in the device, as programs do; its component counts from the first of the launch.
  CoreNode& nodeOf(unsigned core) { return cores_[core - first_core_]; }
  bool runs(unsigned core) const { return core - first_core_ < cores_.size(); }
  unsigned agent(unsigned core) const { return index_ * map_.cores() + core; }
  /// A core's number among all of the launch.
  unsigned observed(unsigned core) const {
    return index_ * static_cast<unsigned>(cores_.size()) + core - first_core_;
  }
  unsigned networkComponent() const { return static_cast<unsigned>(cores_.size()); }
  unsigned portComponent(unsigned port) const { return networkComponent() + 1 + port; }
  unsigned gatewayComponent() const { return components() - 1; }

  isa::Timing timing_;
  FunctionalDevice& device_;
  unsigned index_, first_core_;
  RunObserver* observer_;
  ChipUplink& uplink_;
  Jitter jitter_;
  FabricMap map_;
  RunPaths paths_;
  Network network_;
  Gateway gateway_;
  std::vector<CoreNode> cores_;
  std::unique_ptr<LocalMemory> idle_local_;  // of cores that take no part in the launch
  std::vector<PortNode> ports_;
  std::vector<Delivery> to_endpoints_, to_cores_;
  ChannelPortOutput port_output_;
  GatewayOutput gateway_output_;
  uint64_t messages_ = 0;
  Cycles now_ = 0;
  /// On their way, by when they arrive and where they come from.
  struct SoftwareStore {
    unsigned target = 0;
    bool raised = false;
  };
  std::map<std::pair<Cycles, unsigned>, SoftwareStore> stores_;
};

}  // namespace etalon::sim
