// SPDX-License-Identifier: Apache-2.0
#include "sim/system/timed_chip.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/base/bits.h"
#include "isa/base/check.h"
#include "isa/machines/address_map.h"
#include "sim/memory/window_channel.h"

namespace etalon::sim {

TimedChip::TimedChip(FunctionalDevice& device, unsigned index, Channels channels,
                     RunObserver* observer, ChipUplink& uplink,
                     const std::vector<Gateway*>& gateways, Jitter jitter)
    : timing_(*device.machine().timing),
      device_(device),
      index_(index),
      first_core_(device.launchFirstCore()),
      observer_(observer),
      uplink_(uplink),
      jitter_(jitter),
      map_(timing_, device.machine().cores, device.machine().global_base),
      paths_(device.machine(), device.launchCores(), device.cluster().devices),
      network_(timing_, map_),
      gateway_(static_cast<uint16_t>(index), map_, gateways) {
  CoreUplink& core_uplink = *this;
  for (unsigned i = 0; i < device.launchCores(); ++i) cores_.emplace_back();
  for (unsigned core = first_core_; runs(core); ++core) {
    CoreNode& node = nodeOf(core);
    node.units = std::make_unique<CoreUnits>(core, timing_, map_);
    TimedCore::Units units;
    for (int q = 0; q < kQueues; ++q) units[q] = node.units->of(static_cast<Queue>(q));
    node.core = std::make_unique<TimedCore>(timing_, device, device.core(agent(core)),
                                            observed(core), units, core_uplink, observer, jitter);
  }
  ETALON_CHECK(channels.size() == map_.channels(), "a channel for each that the machine has");
  idle_local_ = std::make_unique<LocalMemory>(timing_.local);
  for (unsigned core = 0; core < map_.cores(); ++core)
    channels.push_back(std::make_unique<WindowChannel>(
        runs(core) ? nodeOf(core).units->local : *idle_local_, timing_.dma.port_bytes,
        timing_.dma.burst_bytes, timing_.scalar.local));
  for (auto& channel : channels) {
    PortNode& node = ports_.emplace_back();
    node.channel = std::move(channel);
    node.port = std::make_unique<ChannelPort>(*node.channel);
  }
  InterruptRegisters& interrupts = device.memory().interrupts(index);
  interrupts.setClock([this] { return now_; });
  interrupts.setSender(
      [this](unsigned from, unsigned target, bool raised) { sendSoftware(from, target, raised); });
}

TimedChip::~TimedChip() {
  device_.memory().interrupts(index_).stopClock();
  device_.memory().interrupts(index_).setSender(nullptr);
}

std::string TimedChip::componentName(unsigned component) const {
  if (component < networkComponent()) return fmt::format("core_{}", first_core_ + component);
  if (component == networkComponent()) return "network";
  if (component == gatewayComponent()) return "gateway";
  const unsigned port = component - portComponent(0);
  if (port < map_.channels()) return fmt::format("channel_{}", port);
  return fmt::format("window_{}", port - map_.channels());
}

Cycles TimedChip::nextTime(unsigned component) const {
  if (component < networkComponent()) {
    const CoreNode& node = cores_[component];
    const Cycles message = node.inbox.empty() ? kNever : node.inbox.front().time;
    return std::min(message, node.core->nextTime());
  }
  if (component == networkComponent()) return network_.nextTime();
  if (component == gatewayComponent()) return gateway_.nextTime();
  return ports_[component - portComponent(0)].port->nextTime();
}

void TimedChip::advance(unsigned component, Cycles now) {
  now_ = now;
  performStores(now);
  if (component < networkComponent()) return advanceCore(cores_[component], now);
  if (component == networkComponent()) return advanceNetwork(now);
  if (component == gatewayComponent()) return advanceGateway(now);
  advancePort(component - portComponent(0), now);
}

void TimedChip::advanceCore(CoreNode& node, Cycles now) {
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
      case Message::Kind::performed: node.core->signalPerformed(now); break;
      case Message::Kind::interrupt: node.core->wake(Activity::interrupt); break;
    }
  }
  node.units->local.retire(now);
  node.core->advance(now);
  for (const FabricRequest& request : node.units->outbox) network_.send(request);
  node.units->outbox.clear();
  wakeNetwork(now);
  uplink_.worked(*node.core, now);
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
    const uint16_t endpoint = delivery.request.endpoint;
    if (map_.isDoor(endpoint)) {
      gateway_.deliver(delivery);
      wake(gatewayComponent(), delivery.time);
      continue;
    }
    ports_[endpoint].port->deliver(delivery);
    wake(portComponent(endpoint), delivery.time);
  }
  for (const Delivery& delivery : to_cores_) {
    const FabricRequest& request = delivery.request;
    if (request.core >= map_.cores()) {
      gateway_.deliver(delivery);
      wake(gatewayComponent(), delivery.time);
      continue;
    }
    if (observer_)
      record(paths_.network(index_, request.core - first_core_, request.writes()), request, now);
    // By what it is and not by how many came before: that would depend on the order of those of one cycle.
    const Cycles delay = jitter_.delay(Jitter::Of::answer, observed(request.core),
                                       mixed(request.sent, request.address));
    post(request.core,
         {.time = delivery.time + delay, .kind = Message::Kind::answer, .request = request});
  }
}

void TimedChip::advancePort(unsigned number, Cycles now) {
  port_output_.clear();
  ports_[number].port->advance(now, port_output_);
  if (observer_ && number < map_.channels())
    for (const FabricRequest& request : port_output_.answers)
      record(paths_.channel(index_, number, request.writes()), request, now);
  for (const FabricRequest& request : port_output_.credits) network_.credit(request, now);
  for (const FabricRequest& request : port_output_.answers) network_.answer(request, now);
  wakeNetwork(now);
}

void TimedChip::advanceGateway(Cycles now) {
  gateway_output_.clear();
  gateway_.advance(now, gateway_output_);
  for (const FabricRequest& request : gateway_output_.credits) network_.credit(request, now);
  for (const FabricRequest& request : gateway_output_.requests) network_.send(request);
  for (const FabricRequest& request : gateway_output_.answers) network_.answer(request, now);
  wakeNetwork(now);
  for (const LinkMessage& message : gateway_output_.messages) sendByLinks(message, now);
  for (const RemoteSignal& signal : gateway_output_.signals) perform(signal, now);
  for (const RemoteSignal& signal : gateway_output_.performed)
    post(signal.from, {.time = now + timing_.network.latency, .kind = Message::Kind::performed});
}

/// A signal of another device's: it goes on to its core, and back the word that it did.
void TimedChip::perform(const RemoteSignal& signal, Cycles now) {
  const Cycles time = now + timing_.network.latency;
  post(runs(signal.to) ? signal.to : first_core_,
       {.time = time,
        .kind = Message::Kind::signal,
        .from = static_cast<uint16_t>(signal.source * map_.cores() + signal.from)});
  sendByLinks(Gateway::acknowledge(signal, time), now);
}

void TimedChip::arrive(const LinkDelivery& delivery) {
  LinkDelivery delayed = delivery;
  const LinkMessage& message = delivery.message;
  delayed.time += jitter_.delay(Jitter::Of::link, message.source, mixed(message.sent, message.tag));
  gateway_.arrive(delayed);
  wake(gatewayComponent(), delayed.time);
}

void TimedChip::sendByLinks(const LinkMessage& message, Cycles now) {
  uplink_.send(message);
  if (!observer_) return;
  const Bytes packets = std::max<Bytes>(
      1, (message.bytes + timing_.links.packet_bytes - 1) / timing_.links.packet_bytes);
  observer_->transfer({paths_.links(index_), now, now + 1,
                       message.bytes + packets * timing_.links.header_bytes, message.bytes});
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
  wake(portComponent(channel), at);
}

void TimedChip::wakeNetwork(Cycles now) {
  const Cycles next = std::max(network_.nextTime(), now + 1);
  if (next != kNever) wake(networkComponent(), next);
}

void TimedChip::post(unsigned core, Message message) {
  CoreNode& node = nodeOf(core);
  message.order = ++messages_;
  node.inbox.push_back(message);
  std::ranges::push_heap(node.inbox, std::greater<>());
  wake(core - first_core_, message.time);
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

std::optional<Cycles> TimedChip::signal(unsigned core, unsigned target, Cycles now) {
  CoreNode& node = nodeOf(core);
  const unsigned device = target / map_.cores(), to = target % map_.cores();
  const bool elsewhere = device != index_;
  const Cycles latency = target == agent(core) ? timing_.signal_latency : timing_.network.latency;
  const Cycles arrival =
      std::max(now + latency + jitter_.delay(Jitter::Of::signal, observed(core), ++node.signals),
               node.last_signal);
  node.last_signal = arrival;
  if (elsewhere) {
    const RemoteSignal signal{static_cast<uint16_t>(index_), static_cast<uint16_t>(device),
                              static_cast<uint16_t>(core), static_cast<uint16_t>(to)};
    sendByLinks(Gateway::carry(signal, arrival), now);
    return std::nullopt;
  }
  // A core that takes no part in the launch has semaphores all the same.
  post(
      runs(to) ? to : core,
      {.time = arrival, .kind = Message::Kind::signal, .from = static_cast<uint16_t>(agent(core))});
  return arrival;
}

Cycles TimedChip::barrierPassed(unsigned core, Cycles now) {
  const Cycles time = now + timing_.barrier_latency;
  for (unsigned other = first_core_; runs(other); ++other)
    if (other != core) post(other, {.time = time, .kind = Message::Kind::barrier});
  return time;
}

void TimedChip::sendSoftware(unsigned from, unsigned target, bool raised) {
  CoreNode& node = nodeOf(from);
  const Cycles latency = from == target ? timing_.signal_latency : timing_.network.latency;
  node.register_written =
      now_ + latency + jitter_.delay(Jitter::Of::signal, observed(from), ++node.signals);
  stores_[{node.register_written, from}] = {target, raised};
  lookAtInterrupts(target, node.register_written);
}

void TimedChip::performStores(Cycles now) {
  while (!stores_.empty() && stores_.begin()->first.first <= now) {
    const SoftwareStore store = stores_.begin()->second;
    device_.memory().interrupts(index_).setSoftware(store.target, store.raised);
    stores_.erase(stores_.begin());
  }
}

void TimedChip::interruptsChanged(Cycles at) {
  for (unsigned core = first_core_; runs(core); ++core) lookAtInterrupts(core, at);
}

void TimedChip::lookAtInterrupts(unsigned core, Cycles at) {
  if (runs(core)) post(core, {.time = at, .kind = Message::Kind::interrupt});
}

bool TimedChip::finished() const {
  return std::ranges::all_of(cores_, [](const CoreNode& node) { return node.core->finished(); });
}

void TimedChip::close(Cycles total) {
  for (CoreNode& node : cores_) node.core->close(total);
}

}  // namespace etalon::sim
