// SPDX-License-Identifier: Apache-2.0
#include "sim/system/timed_chip.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/base/bits.h"
#include "isa/base/check.h"
#include "isa/machines/address_map.h"
#include "sim/memory/window_channel.h"
#include "sim/system/chip_memory.h"

namespace etalon::sim {

TimedChip::TimedChip(const isa::Machine& machine, FunctionalDevice& device, Channels channels,
                     RunObserver* observer, Wake wake, Jitter jitter)
    : timing_(*machine.timing),
      device_(device),
      observer_(observer),
      wake_(std::move(wake)),
      jitter_(jitter),
      map_(timing_, machine.cores, machine.global_base),
      network_(timing_, map_) {
  for (unsigned i = 0; i < device.launchCores(); ++i) {
    CoreNode& node = cores_.emplace_back();
    node.units = std::make_unique<CoreUnits>(i, timing_, map_);
    TimedCore::Units units;
    for (int q = 0; q < kQueues; ++q) units[q] = node.units->of(static_cast<Queue>(q));
    CoreUplink& uplink = *this;
    node.core = std::make_unique<TimedCore>(timing_, device, device.core(i), units, uplink,
                                            observer, jitter);
  }
  ETALON_CHECK(channels.size() == map_.channels(), "a channel for each that the machine has");
  idle_local_ = std::make_unique<LocalMemory>(timing_.local);
  for (uint64_t i = 0; i < machine.cores; ++i)
    channels.push_back(std::make_unique<WindowChannel>(
        i < cores_.size() ? cores_[i].units->local : *idle_local_, timing_.dma.port_bytes,
        timing_.dma.burst_bytes, timing_.scalar.local));
  for (auto& channel : channels) {
    PortNode& node = ports_.emplace_back();
    node.channel = std::move(channel);
    node.port = std::make_unique<ChannelPort>(*node.channel);
  }
  InterruptRegisters& interrupts = device.memory().interrupts();
  interrupts.setClock([this] { return now_; });
  interrupts.setSender(
      [this](unsigned from, unsigned target, bool raised) { sendSoftware(from, target, raised); });
}

TimedChip::~TimedChip() {
  device_.memory().interrupts().stopClock();
  device_.memory().interrupts().setSender(nullptr);
}

std::string TimedChip::componentName(unsigned component) const {
  const auto cores = static_cast<unsigned>(cores_.size());
  if (component < cores) return fmt::format("core_{}", component);
  if (component == cores) return "network";
  const unsigned port = component - cores - 1;
  if (port < map_.channels()) return fmt::format("channel_{}", port);
  return fmt::format("window_{}", port - map_.channels());
}

Cycles TimedChip::nextTime(unsigned component) const {
  if (end_) return kNever;
  if (component < cores_.size()) {
    const CoreNode& node = cores_[component];
    const Cycles message = node.inbox.empty() ? kNever : node.inbox.front().time;
    return std::min(message, node.core->nextTime());
  }
  if (component == cores_.size()) return network_.nextTime();
  return ports_[component - cores_.size() - 1].port->nextTime();
}

void TimedChip::advance(unsigned component, Cycles now) {
  if (end_) return;
  now_ = now;
  performStores(now);
  if (component < cores_.size()) return advanceCore(component, now);
  if (component == cores_.size()) return advanceNetwork(now);
  advancePort(component - static_cast<unsigned>(cores_.size()) - 1, now);
}

void TimedChip::advanceCore(unsigned number, Cycles now) {
  CoreNode& node = cores_[number];
  while (!node.inbox.empty() && node.inbox.front().time <= now) {
    std::ranges::pop_heap(node.inbox, std::greater<>());
    const Message message = node.inbox.back();
    node.inbox.pop_back();
    switch (message.kind) {
      case Message::Kind::answer: answer(node, {message.time, message.request}); break;
      case Message::Kind::signal:
        device_.core(message.from).deliverSignals(1);
        node.core->wake(Activity::semaphore);
        break;
      case Message::Kind::barrier: node.core->wake(Activity::barrier); break;
      case Message::Kind::interrupt: node.core->wake(Activity::interrupt); break;
    }
  }
  node.units->local.retire(now);
  node.core->advance(now);
  for (const FabricRequest& request : node.units->outbox) network_.send(request);
  node.units->outbox.clear();
  wakeNetwork(now);
  checkEnd(*node.core, now);
}

void TimedChip::answer(CoreNode& node, const Delivery& delivery) {
  switch (delivery.request.client) {
    case FabricClient::load: return node.units->load.deliver(delivery);
    case FabricClient::store: return node.units->store.deliver(delivery);
    default: return node.core->scalarReply(delivery.request.writes());
  }
}

void TimedChip::advanceNetwork(Cycles now) {
  to_endpoints_.clear();
  to_cores_.clear();
  network_.advance(now, to_endpoints_, to_cores_);
  for (const Delivery& delivery : to_endpoints_) {
    ChannelPort& port = *ports_[delivery.request.endpoint].port;
    port.deliver(delivery);
    wake_(static_cast<unsigned>(cores_.size()) + 1 + delivery.request.endpoint, delivery.time);
  }
  for (const Delivery& delivery : to_cores_) {
    const FabricRequest& request = delivery.request;
    if (observer_)
      record(networkPath(map_.channels(), request.core, request.writes()), request, now);
    // By what it is and not by how many came before: that would depend on the order of those of one cycle.
    const Cycles delay =
        jitter_.delay(Jitter::Of::answer, request.core, mixed(request.sent, request.address));
    post(request.core,
         {.time = delivery.time + delay, .kind = Message::Kind::answer, .request = request});
  }
}

void TimedChip::advancePort(unsigned number, Cycles now) {
  port_output_.clear();
  ports_[number].port->advance(now, port_output_);
  if (observer_ && number < map_.channels())
    for (const FabricRequest& request : port_output_.answers)
      record(channelPath(number, request.writes()), request, now);
  for (const FabricRequest& request : port_output_.credits) network_.credit(request, now);
  for (const FabricRequest& request : port_output_.answers) network_.answer(request, now);
  wakeNetwork(now);
}

void TimedChip::record(uint16_t path, const FabricRequest& request, Cycles now) {
  const Bytes moved =
      piecesTouched(request.address, request.bytes, map_.burstBytes()) * map_.burstBytes();
  // Bytes that an instruction asked for twice, such as a row that two indices name, came once.
  observer_->transfer({path, now, now + 1, moved, std::min<Bytes>(request.useful, moved)});
}

UnitWork TimedChip::work() const {
  UnitWork work;
  for (const CoreNode& node : cores_) {
    work += node.core->work();
    work.local_bytes += node.units->local.bookedInAll();
  }
  return work;
}

void TimedChip::wakeChannel(unsigned channel, Cycles at) {
  ports_[channel].port->wake(at);
  wake_(static_cast<unsigned>(cores_.size()) + 1 + channel, at);
}

void TimedChip::wakeNetwork(Cycles now) {
  const Cycles next = std::max(network_.nextTime(), now + 1);
  if (next != kNever) wake_(static_cast<unsigned>(cores_.size()), next);
}

void TimedChip::post(unsigned core, Message message) {
  CoreNode& node = cores_[core];
  message.order = ++messages_;
  node.inbox.push_back(message);
  std::ranges::push_heap(node.inbox, std::greater<>());
  wake_(core, message.time);
}

void TimedChip::access(unsigned core, const ScalarAccess& access, Cycles now) {
  uint64_t address = access.address;
  if (address >= isa::kLocalWindowBase && address < isa::kGlobalRegionBase)
    address += isa::kCoreWindowBase + core * isa::kCoreWindowStride - isa::kLocalWindowBase;
  FabricRequest request;
  request.sent = now;
  request.bytes = access.bytes;
  request.core = static_cast<uint16_t>(core);
  request.access = access.write ? FabricAccess::write : FabricAccess::read;
  request.client = FabricClient::scalar;
  // Misaligned ones may cross a block; the piece that the core waits for stands for both.
  const uint64_t room = map_.requestBytes() - address % map_.requestBytes();
  request.bytes = request.useful = static_cast<uint32_t>(std::min<uint64_t>(access.bytes, room));
  map_.place(request, address);
  network_.send(request);
}

Cycles TimedChip::signal(unsigned core, unsigned target, Cycles now) {
  CoreNode& node = cores_[core];
  const Cycles latency = core == target ? timing_.signal_latency : timing_.network.latency;
  const Cycles arrival = std::max(
      now + latency + jitter_.delay(Jitter::Of::signal, core, ++node.signals), node.last_signal);
  node.last_signal = arrival;
  // A core that takes no part in the launch has semaphores all the same.
  post(target < cores_.size() ? target : core,
       {.time = arrival, .kind = Message::Kind::signal, .from = static_cast<uint16_t>(core)});
  return arrival;
}

Cycles TimedChip::barrierPassed(unsigned core, Cycles now) {
  const Cycles time = now + timing_.barrier_latency;
  for (unsigned other = 0; other < cores_.size(); ++other)
    if (other != core) post(other, {.time = time, .kind = Message::Kind::barrier});
  return time;
}

void TimedChip::sendSoftware(unsigned from, unsigned target, bool raised) {
  CoreNode& node = cores_[from];
  const Cycles latency = from == target ? timing_.signal_latency : timing_.network.latency;
  node.register_written = now_ + latency + jitter_.delay(Jitter::Of::signal, from, ++node.signals);
  stores_[{node.register_written, from}] = {target, raised};
  interruptsChanged(target, node.register_written);
}

void TimedChip::performStores(Cycles now) {
  while (!stores_.empty() && stores_.begin()->first.first <= now) {
    const SoftwareStore store = stores_.begin()->second;
    device_.memory().interrupts().setSoftware(store.target, store.raised);
    stores_.erase(stores_.begin());
  }
}

void TimedChip::interruptsChanged(unsigned core, Cycles at) {
  if (core < cores_.size()) post(core, {.time = at, .kind = Message::Kind::interrupt});
}

void TimedChip::checkEnd(const TimedCore& core, Cycles now) {
  if (core.exitCode()) return finish(RunStatus::exited, *core.exitCode(), now + 1);
  if (core.faulted()) return finish(RunStatus::fault, 0, now + 1);
  if (core.poisoned()) return finish(RunStatus::poisoned, 0, now + 1);
  if (device_.instructionsLeft() == 0) return finish(RunStatus::instruction_limit, 0, now + 1);
  if (core.finished() &&
      std::ranges::all_of(cores_, [](const CoreNode& node) { return node.core->finished(); }))
    finish(RunStatus::exited, 0, now + 1);
}

void TimedChip::finish(RunStatus status, uint64_t exit_code, Cycles now) {
  if (end_) return;
  end_ = End{status, exit_code, now};
  for (CoreNode& node : cores_) node.core->close(now);
  if (observer_) observer_->finish(now);
}

}  // namespace etalon::sim
