// SPDX-License-Identifier: Apache-2.0
#include "sim/fabric/link_fabric.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

#include "isa/base/check.h"

namespace etalon::sim {
namespace {

constexpr int kDeviceBits = 8;  // of Age::order, below the packet's number

uint64_t roundedUp(uint64_t number, uint64_t divisor) { return (number + divisor - 1) / divisor; }

template <class T>
uint32_t place(std::vector<T>& items, uint32_t& free, const T& item) {
  if (free == ~uint32_t{0}) {
    items.push_back(item);
    return static_cast<uint32_t>(items.size() - 1);
  }
  const uint32_t number = free;
  free = items[number].next;
  items[number] = item;
  return number;
}

}  // namespace

LinkFabric::LinkFabric(const isa::Timing& timing, LinkLayout layout)
    : layout_(std::move(layout)),
      latency_(roundedUp(timing.links.latency_ns * timing.clock_mhz, 1000)),
      transit_(roundedUp(timing.links.switch_ns * timing.clock_mhz, 1000)),
      packet_bytes_(static_cast<uint32_t>(timing.links.packet_bytes)),
      header_bytes_(static_cast<uint32_t>(timing.links.header_bytes)),
      turns_(size_t{layout_.devices} * layout_.devices),
      numbers_(layout_.devices) {
  // A byte takes clock_mhz / megabytes_per_second cycles.
  const uint64_t common = std::gcd(timing.clock_mhz, timing.links.megabytes_per_second);
  cycle_parts_ = timing.links.megabytes_per_second / common;
  byte_parts_ = timing.clock_mhz / common;
  for (const LinkLayout::Output& output : layout_.outputs) {
    outputs_.emplace_back().first_link = static_cast<uint32_t>(links_.size());
    links_.resize(links_.size() + output.links);
  }
}

void LinkFabric::send(const LinkMessage& message) {
  ETALON_CHECK(message.source != message.destination, "what stays at home takes no link");
  ETALON_CHECK(std::max(message.source, message.destination) < layout_.devices, "no such device");
  const uint32_t packets =
      std::max(1u, static_cast<uint32_t>(roundedUp(message.bytes, packet_bytes_)));
  const uint32_t number =
      place(messages_, free_message_, Message{.message = message, .left = packets});
  uint8_t& turn = turns_[size_t{message.source} * layout_.devices + message.destination];
  for (uint32_t sent = 0, bytes = message.bytes; sent < packets; ++sent) {
    const uint32_t payload = std::min(bytes, packet_bytes_);
    bytes -= payload;
    const uint64_t order = numbers_[message.source]++ << kDeviceBits | message.source;
    const Packet packet{.age = {message.sent, order},
                        .message = number,
                        .payload = payload,
                        .destination = message.destination,
                        .node = message.source,
                        .turn = turn};
    turn = (turn + 1) % LinkLayout::kTurns;
    wake(packet_event, place(packets_, free_packet_, packet), message.sent + 1);
  }
}

void LinkFabric::wake(Event what, uint32_t number, Cycles time) {
  wheel_.add(time, static_cast<uint32_t>(what) << kKindShift | number);
}

void LinkFabric::advance(Cycles now, std::vector<LinkDelivery>& arrived) {
  for (Cycles time = wheel_.nextTime(); time <= now; time = wheel_.nextTime()) {
    looks_.clear();
    for (const uint32_t event : wheel_.drain(time)) {
      const uint32_t number = event & ~(~uint32_t{0} << kKindShift);
      switch (event >> kKindShift) {
        case packet_event: enqueue(number, time); break;
        case link_event: goOn(number, time); break;
        default: lookAt(number, time);
      }
    }
    std::ranges::sort(looks_);
    for (const uint32_t output : looks_) grant(output, time, arrived);
  }
  wheel_.skip(now);
}

// Packets of one link go on in the order in which they took it, so only the first of them needs an event.
void LinkFabric::goOn(uint32_t number, Cycles now) {
  Link& link = links_[number];
  while (link.first != kNone && packets_[link.first].there == now)
    enqueue(std::exchange(link.first, packets_[link.first].next), now);
  if (link.first != kNone) wake(link_event, number, packets_[link.first].there);
}

void LinkFabric::enqueue(uint32_t number, Cycles now) {
  const Packet& packet = packets_[number];
  const uint32_t output_number = layout_.output(packet.node, packet.destination, packet.turn);
  Output& output = outputs_[output_number];
  output.waiting.push_back({packet.age, number});
  std::ranges::push_heap(output.waiting, std::greater<>());
  output.queued += bytesOf(packet);
  lookAt(output_number, now);
}

void LinkFabric::lookAt(uint32_t number, Cycles now) {
  Output& output = outputs_[number];
  if (output.looked_at == now) return;
  output.looked_at = now;
  looks_.push_back(number);
}

// What waits takes the links that become free within this cycle, each from the fraction of the cycle on at which it does.
void LinkFabric::grant(uint32_t number, Cycles now, std::vector<LinkDelivery>& arrived) {
  Output& output = outputs_[number];
  const LinkLayout::Output& wiring = layout_.outputs[number];
  output.most_queued = std::max(output.most_queued, output.queued);
  const auto links = std::span(links_).subspan(output.first_link, wiring.links);
  while (!output.waiting.empty()) {
    Link& link = *std::ranges::min_element(links, {}, &Link::free);
    if (link.free.cycle > now) {
      if (output.wakes_at != link.free.cycle) wake(output_event, number, link.free.cycle);
      output.wakes_at = link.free.cycle;
      return;
    }
    std::ranges::pop_heap(output.waiting, std::greater<>());
    const uint32_t packet_number = output.waiting.back().packet;
    output.waiting.pop_back();
    Packet& packet = packets_[packet_number];
    const Bytes bytes = bytesOf(packet);
    output.queued -= bytes;
    const Moment start = std::max(link.free, {now, 0});
    const uint64_t parts = start.part + bytes * byte_parts_;
    link.free = {start.cycle + parts / cycle_parts_, parts % cycle_parts_};
    ++link.use.packets;
    link.use.payload += packet.payload;
    link.use.headers += header_bytes_;
    const Cycles there = link.free.cycle + (link.free.part != 0 ? 1 : 0) + latency_;
    if (wiring.to == packet.destination) {
      arrive(packet_number, there, arrived);
      continue;
    }
    packet.node = static_cast<uint16_t>(wiring.to);
    packet.there = there + transit_;
    carry(static_cast<uint32_t>(&link - links_.data()), packet_number);
  }
}

void LinkFabric::carry(uint32_t number, uint32_t packet) {
  Link& link = links_[number];
  packets_[packet].next = kNone;
  if (link.first == kNone) {
    link.first = packet;
    wake(link_event, number, packets_[packet].there);
  } else {
    packets_[link.last].next = packet;
  }
  link.last = packet;
}

void LinkFabric::arrive(uint32_t number, Cycles time, std::vector<LinkDelivery>& arrived) {
  Packet& packet = packets_[number];
  Message& message = messages_[packet.message];
  message.arrived = std::max(message.arrived, time);
  if (--message.left == 0) {
    arrived.push_back({message.arrived, message.message});
    message.next = std::exchange(free_message_, packet.message);
  }
  packet.next = std::exchange(free_packet_, number);
}

Cycles LinkFabric::busyCycles(uint32_t output, uint32_t link) const {
  const LinkUse& carried = use(output, link);
  return roundedUp((carried.payload + carried.headers) * byte_parts_, cycle_parts_);
}

}  // namespace etalon::sim
