// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "isa/base/units.h"
#include "sim/fabric/event_wheel.h"
#include "sim/fabric/fabric_request.h"

namespace etalon::sim {

/// How a plane of the network is wired: queues in front of routers, links behind them.
struct PlaneLayout {
  static constexpr uint32_t kNone = ~uint32_t{0};

  /// Holds what waits for a router. A source's takes all that is sent; any other is fed by one link, which counts its room.
  struct Queue {
    uint32_t router = 0;
    uint32_t fed_by = kNone;  // link
    bool ring = false;        // fed by a link of a ring
    bool wide = false;        // leaves at the width of endpoints, else of ports
  };
  struct Link {
    uint32_t queue = kNone;  // where it leads; kNone: it leaves the plane at `exit`
    uint32_t exit = 0;
    uint32_t latency = 1;  // cycles from the grant until the first piece is there
    uint32_t room = 0;     // bursts that wait behind it; 0: without limit
    bool ring = false;     // part of a ring: entering it must leave room for a request (bubble)
    bool wide = false;     // as wide as endpoints, else as ports
  };

  std::vector<Queue> queues;  // those of the sources first
  std::vector<Link> links;
  std::vector<uint32_t> route;  // [router * exits + exit]: the link to take
  uint32_t exits = 0;
  uint32_t entry = 1;  // cycles from sending until a request may be granted, >= 1
};

/// How much a request is: cycles of a link of a port's width and of one as wide as an endpoint, and bursts where it waits.
struct PacketSize {
  uint16_t narrow = 1, wide = 1, bursts = 1;

  Cycles cycles(bool of_wide) const { return of_wide ? wide : narrow; }
};

/// One plane of the network: carries requests one way. Virtual cut-through: a request takes a link for as many cycles as its
/// bytes need, and only if all of it has room behind the link.
///
/// Each queue offers its oldest request, an urgent one first; each free link grants the offer with the smallest key: urgent,
/// then age, then core, then port, then queue. If that one finds no room, the link waits. All that is decided in a cycle is
/// visible in the next, so results do not depend on the order of calls within a cycle.
class NetworkPlane {
 public:
  explicit NetworkPlane(PlaneLayout layout);

  /// A request enters at a source, for an exit. Of a source and urgency in the order of `when`.
  void send(uint32_t source, uint32_t exit, const PacketSize& size, const FabricRequest& request,
            Cycles when);
  /// Room behind the link of an exit comes back; counts from the next cycle on.
  void credit(uint32_t exit, uint32_t bursts, Cycles now);

  Cycles nextTime() const { return wheel_.nextTime(); }
  /// Goes on to `now` and appends what leaves, each with the time at which it is complete, later than `now`.
  void advance(Cycles now, std::vector<Delivery>& left);

  /// Cycles in which the link of an exit carried something.
  uint64_t busyCycles(uint32_t exit) const { return links_[exit_link_[exit]].busy_cycles; }

 private:
  static constexpr uint32_t kNone = PlaneLayout::kNone;
  static constexpr int kUrgent = 0, kClasses = 2;

  struct Packet {
    FabricRequest request;
    uint32_t exit = 0;
    uint32_t next = kNone;  // behind it in its queue, or of the free list
    PacketSize size;
    Cycles visible = 0;  // first cycle in which it may be granted here
  };
  struct Fifo {
    uint32_t first = kNone, last = kNone;
  };
  struct Queue {
    PlaneLayout::Queue wiring;
    std::array<Fifo, kClasses> fifos;
    Cycles free = 0;         // a request is leaving until then
    uint32_t offer = kNone;  // packet that waits at its link
  };
  struct Waiting {
    uint64_t key;
    uint32_t queue;
  };
  struct Link {
    PlaneLayout::Link wiring;
    Cycles free = 0;
    int64_t room = 0;      // bursts left behind it
    Cycles looked_at = 0;  // last time, and the next time for which that is arranged
    Cycles wakes_at = 0;
    uint64_t busy_cycles = 0;
    std::vector<Waiting> waiting;
  };

  // Events of the wheel: what in the upper bits, bursts of a credit in the lowest.
  enum Event : uint32_t { offer_event, link_event, credit_event };
  static constexpr int kKindShift = 30, kBurstBits = 8;

  static uint64_t keyOf(const FabricRequest& request);
  uint32_t linkOf(const Queue& queue, const Packet& packet) const {
    return layout_.route[queue.wiring.router * layout_.exits + packet.exit];
  }
  void enqueue(uint32_t queue, uint32_t packet, int fifo);
  void offer(uint32_t queue, Cycles now);
  void lookAt(uint32_t link, Cycles now);
  void wakeWhenFree(uint32_t link);
  void grant(uint32_t link, Cycles now, std::vector<Delivery>& left);
  bool entersRing(const Link& link, uint32_t queue) const {
    return link.wiring.ring && !queues_[queue].wiring.ring;
  }
  void pop(uint32_t queue, Cycles now);
  void wake(uint32_t event_kind, uint32_t number, uint32_t bursts, Cycles time);

  PlaneLayout layout_;
  std::vector<Queue> queues_;
  std::vector<Link> links_;
  std::vector<uint32_t> exit_link_;
  std::vector<Packet> packets_;
  uint32_t free_packet_ = kNone;
  EventWheel wheel_;
  std::vector<uint32_t> looks_;  // links to look at in this cycle
};

}  // namespace etalon::sim
