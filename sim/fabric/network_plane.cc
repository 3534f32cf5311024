// SPDX-License-Identifier: Apache-2.0
#include "sim/fabric/network_plane.h"

#include <algorithm>
#include <tuple>

#include "isa/base/check.h"

namespace etalon::sim {

NetworkPlane::NetworkPlane(PlaneLayout layout) : layout_(std::move(layout)) {
  for (const PlaneLayout::Queue& wiring : layout_.queues) queues_.push_back({.wiring = wiring});
  exit_link_.resize(layout_.exits, kNone);
  for (const PlaneLayout::Link& wiring : layout_.links) {
    if (wiring.queue == kNone) exit_link_[wiring.exit] = static_cast<uint32_t>(links_.size());
    links_.push_back({.wiring = wiring, .room = wiring.room});
  }
  ETALON_CHECK(std::max(queues_.size(), links_.size()) < (1u << (kKindShift - kBurstBits)),
               "numbers fit into events");
}

// A ring never fills up if whoever enters it leaves room for one request of any size (bubble flow control).
constexpr int64_t kRingBubble = kRequestBursts;
// Whoever enters a ring counts as so many cycles younger. Without it a ring with overlapping flows stalls for want of
// bubbles (77 % of its bandwidth in topology_test); if the ring always went first, some cores would hardly enter at all.
constexpr Cycles kRingHandicap = 64;

// Above core and port, below urgency: 46 bits, most of a day at 1 GHz.
constexpr uint64_t ageKey(Cycles cycles) { return cycles << 17; }

uint64_t NetworkPlane::keyOf(const FabricRequest& request) {
  return uint64_t{!request.urgent()} << 63 | ageKey(request.sent) | uint64_t{request.core} << 6 |
         request.port;
}

void NetworkPlane::wake(uint32_t kind, uint32_t number, uint32_t bursts, Cycles time) {
  wheel_.add(time, kind << kKindShift | number << kBurstBits | bursts);
}

void NetworkPlane::send(uint32_t source, uint32_t exit, const PacketSize& size,
                        const FabricRequest& request, Cycles when) {
  uint32_t number = free_packet_;
  if (number == kNone) {
    number = static_cast<uint32_t>(packets_.size());
    packets_.emplace_back();
  } else {
    free_packet_ = packets_[number].next;
  }
  Packet& packet = packets_[number];
  packet.request = request;
  packet.exit = exit;
  packet.size = size;
  packet.visible = when + layout_.entry;
  enqueue(source, number, request.urgent() ? kUrgent : kUrgent + 1);
}

void NetworkPlane::enqueue(uint32_t number, uint32_t packet, int fifo_number) {
  Queue& queue = queues_[number];
  Fifo& fifo = queue.fifos[fifo_number];
  Packet& added = packets_[packet];
  added.next = kNone;
  if (fifo.first == kNone) {
    fifo.first = fifo.last = packet;
    wake(offer_event, number, 0, std::max(added.visible, queue.free));
    return;
  }
  Packet& before = packets_[fifo.last];
  added.visible = std::max(added.visible, before.visible);
  before.next = packet;
  fifo.last = packet;
}

void NetworkPlane::credit(uint32_t exit, uint32_t bursts, Cycles now) {
  wake(credit_event, exit_link_[exit], bursts, now + 1);
}

void NetworkPlane::lookAt(uint32_t number, Cycles now) {
  Link& link = links_[number];
  if (link.looked_at == now) return;
  link.looked_at = now;
  looks_.push_back(number);
}

void NetworkPlane::offer(uint32_t number, Cycles now) {
  Queue& queue = queues_[number];
  if (queue.free > now) return;
  uint32_t best = kNone;
  for (const Fifo& fifo : queue.fifos) {
    if (fifo.first == kNone || packets_[fifo.first].visible > now) continue;
    best = fifo.first;
    break;
  }
  if (best == queue.offer || best == kNone) return;
  if (queue.offer != kNone) {
    // An urgent request takes the place of the offer.
    auto& waiting = links_[linkOf(queue, packets_[queue.offer])].waiting;
    std::erase_if(waiting, [&](const Waiting& w) { return w.queue == number; });
  }
  queue.offer = best;
  const Packet& packet = packets_[best];
  const uint32_t link = linkOf(queue, packet);
  links_[link].waiting.push_back({keyOf(packet.request), number});
  lookAt(link, now);
}

void NetworkPlane::advance(Cycles now, std::vector<Delivery>& left) {
  for (Cycles time = wheel_.nextTime(); time <= now; time = wheel_.nextTime()) {
    looks_.clear();
    for (const uint32_t event : wheel_.drain(time)) {
      const uint32_t number = event << 2 >> (2 + kBurstBits);
      switch (event >> kKindShift) {
        case offer_event: offer(number, time); break;
        case link_event: lookAt(number, time); break;
        default: links_[number].room += event & ((1u << kBurstBits) - 1); lookAt(number, time);
      }
    }
    for (const uint32_t link : looks_) grant(link, time, left);
  }
  wheel_.skip(now);
}

void NetworkPlane::wakeWhenFree(uint32_t number) {
  Link& link = links_[number];
  if (link.wakes_at == link.free) return;
  link.wakes_at = link.free;
  wake(link_event, number, 0, link.free);
}

void NetworkPlane::grant(uint32_t number, Cycles now, std::vector<Delivery>& left) {
  Link& link = links_[number];
  if (link.waiting.empty()) return;
  if (link.free > now) return wakeWhenFree(number);
  const bool limited = link.wiring.room != 0;
  const auto held = [&](const Waiting& w) {
    return entersRing(link, w.queue) &&
           link.room < int64_t{packets_[queues_[w.queue].offer].size.bursts} + kRingBubble;
  };
  const auto rank = [&](const Waiting& w) {
    const uint64_t handicap = entersRing(link, w.queue) ? ageKey(kRingHandicap) : 0;
    return std::tuple(held(w), w.key + handicap, w.queue);
  };
  const auto best =
      static_cast<size_t>(std::ranges::min_element(link.waiting, {}, rank) - link.waiting.begin());
  if (held(link.waiting[best])) return;
  const uint32_t queue = link.waiting[best].queue;
  const uint32_t packet_number = queues_[queue].offer;
  Packet& packet = packets_[packet_number];
  // What is larger than the whole room goes when nothing waits there.
  if (limited && link.room < packet.size.bursts && link.room != link.wiring.room) return;
  link.waiting[best] = link.waiting.back();
  link.waiting.pop_back();
  const Cycles cycles = packet.size.cycles(link.wiring.wide);
  link.free = now + cycles;
  link.busy_cycles += cycles;
  if (limited) link.room -= packet.size.bursts;
  if (!link.waiting.empty()) wakeWhenFree(number);
  pop(queue, now);
  if (link.wiring.queue != kNone) {
    packet.visible = now + link.wiring.latency;
    enqueue(link.wiring.queue, packet_number, kUrgent + 1);
    return;
  }
  const Cycles last = std::max(cycles, packet.size.cycles(queues_[queue].wiring.wide)) - 1;
  left.push_back({now + link.wiring.latency + last, packet.request});
  packet.next = free_packet_;
  free_packet_ = packet_number;
}

void NetworkPlane::pop(uint32_t number, Cycles now) {
  Queue& queue = queues_[number];
  const uint32_t packet_number = queue.offer;
  const Packet& packet = packets_[packet_number];
  queue.offer = kNone;
  queue.free = now + packet.size.cycles(queue.wiring.wide);
  for (Fifo& fifo : queue.fifos)
    if (fifo.first == packet_number) fifo.first = packet.next;
  Cycles earlier = kNever;
  for (const Fifo& fifo : queue.fifos) {
    if (fifo.first == kNone) continue;
    const Cycles when = std::max(queue.free, packets_[fifo.first].visible);
    if (when != earlier) wake(offer_event, number, 0, when);
    earlier = when;
  }
  // What comes in the place of what leaves does not come faster, so all of the room counts at once.
  if (queue.wiring.fed_by != kNone)
    wake(credit_event, queue.wiring.fed_by, packet.size.bursts, now + 1);
}

}  // namespace etalon::sim
