// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "isa/base/units.h"
#include "isa/machines/timing.h"
#include "sim/fabric/event_wheel.h"
#include "sim/fabric/link_topology.h"

namespace etalon::sim {

/// What one device's gateway sends to another's. Of its bytes each is carried in a packet, and a message of none in an
/// empty one.
struct LinkMessage {
  uint64_t tag = 0;  // of whoever sends; comes with the delivery
  Cycles sent =
      0;  // it is at the sender's links from the next cycle on; the age that arbitration goes by
  uint32_t bytes = 0;
  uint16_t source = 0, destination = 0;  // devices, from 0
  uint8_t kind = 0;                      // a meaning that sender and receiver agree on
};

/// A message that has arrived, complete, at `time`.
struct LinkDelivery {
  Cycles time = 0;
  LinkMessage message;
};

/// The links between the chips of a cluster and the switch, if they have one. docs/spec/microarchitecture.md, section 8.2.
///
/// A link moves `megabytes_per_second` exactly: the time at which it is free has fractions of a cycle. Packets are whole at
/// a node before they go on. Each output sends the oldest of its packets by the link that is free first. Nothing holds a
/// packet up but other packets: queues have no end, and whoever sends bounds what it has on its way.
///
/// Holds no clock; what goes in counts from a later cycle on and what comes out is for a later one. So chips and links may
/// be looked at in any order within a cycle.
class LinkFabric {
 public:
  LinkFabric(const isa::Timing& timing, LinkLayout layout);

  /// At message.sent, which is now or later. Source and destination differ.
  void send(const LinkMessage& message);

  Cycles nextTime() const { return wheel_.nextTime(); }
  /// Goes on to `now`; appends what arrives, in an order that depends on the run alone and with times later than `now`.
  void advance(Cycles now, std::vector<LinkDelivery>& arrived);

  /// What a link has carried so far. Of an output the links are numbered from 0.
  struct LinkUse {
    uint64_t packets = 0;
    Bytes payload = 0, headers = 0;
  };
  const LinkLayout& layout() const { return layout_; }
  const LinkUse& use(uint32_t output, uint32_t link) const {
    return links_[outputs_[output].first_link + link].use;
  }
  /// Cycles in which the link was moving bytes, rounded up.
  Cycles busyCycles(uint32_t output, uint32_t link) const;
  /// The most bytes, headers too, that ever waited at an output: what its queue would need.
  Bytes mostQueued(uint32_t output) const { return outputs_[output].most_queued; }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};

  /// The oldest first; of the same cycle the one with the lower number, then the lower device's.
  struct Age {
    Cycles sent = 0;
    uint64_t order = 0;  // number of the packet, counted by its device, above that device
    auto operator<=>(const Age&) const = default;
  };
  struct Packet {
    Age age;
    uint32_t message = 0;
    uint32_t next = kNone;  // behind it on its link, or of the free list
    uint32_t payload = 0;
    uint16_t destination = 0;
    uint16_t node = 0;  // where it is, or arrives next
    uint8_t turn = 0;   // LinkLayout::kTurns
    Cycles there = 0;   // may go on from that node
  };
  struct Message {
    LinkMessage message;
    uint32_t left = 0;      // packets that have not arrived
    uint32_t next = kNone;  // of the free list
    Cycles arrived = 0;     // the last of them so far
  };
  struct Waiting {
    Age age;
    uint32_t packet = 0;
    bool operator>(const Waiting& other) const { return age > other.age; }
  };
  struct Moment {
    Cycles cycle = 0;
    uint64_t part = 0;  // of the cycle, in cycle_parts_
    auto operator<=>(const Moment&) const = default;
  };
  struct Link {
    Moment free;
    uint32_t first = kNone, last = kNone;  // on it or at its end, in the order in which they go on
    LinkUse use;
  };
  struct Output {
    uint32_t first_link = 0;
    std::vector<Waiting> waiting;  // a heap, the oldest first
    Bytes queued = 0, most_queued = 0;
    Cycles looked_at = 0, wakes_at = 0;
  };

  // Events of the wheel: what in the upper bits, its number in the others.
  enum Event : uint32_t { packet_event, link_event, output_event };
  static constexpr int kKindShift = 30;

  void wake(Event what, uint32_t number, Cycles time);
  void goOn(uint32_t link, Cycles now);
  void enqueue(uint32_t packet, Cycles now);
  void lookAt(uint32_t output, Cycles now);
  void grant(uint32_t output, Cycles now, std::vector<LinkDelivery>& arrived);
  void carry(uint32_t link, uint32_t packet);
  void arrive(uint32_t packet, Cycles time, std::vector<LinkDelivery>& arrived);
  Bytes bytesOf(const Packet& packet) const { return packet.payload + header_bytes_; }

  LinkLayout layout_;
  uint64_t cycle_parts_, byte_parts_;  // parts of a cycle, and how many a byte takes
  Cycles latency_, transit_;
  uint32_t packet_bytes_, header_bytes_;
  std::vector<Output> outputs_;
  std::vector<Link> links_;        // of one output after the other
  std::vector<uint8_t> turns_;     // [source * devices + destination]: of the next packet
  std::vector<uint64_t> numbers_;  // packets of each device
  std::vector<Packet> packets_;
  std::vector<Message> messages_;
  uint32_t free_packet_ = kNone, free_message_ = kNone;
  EventWheel wheel_;
  std::vector<uint32_t> looks_;  // outputs to look at in this cycle
};

}  // namespace etalon::sim
