// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

#include "sim/fabric/fabric_map.h"
#include "sim/fabric/fabric_request.h"
#include "sim/fabric/link_fabric.h"

namespace etalon::sim {

/// A signal from a core of one device to a core of another; both are known to whoever sends it.
struct RemoteSignal {
  uint16_t source = 0, destination = 0;  // devices, from 0
  uint16_t from = 0, to = 0;             // cores in them
};

/// What comes out of a Gateway in one advance.
struct GatewayOutput {
  std::vector<FabricRequest> credits;   // Network::credit: the room of those that wanted to leave
  std::vector<FabricRequest> requests;  // Network::send: of other devices
  std::vector<FabricRequest> answers;   // Network::answer: from other devices
  std::vector<LinkMessage> messages;    // LinkFabric::send
  std::vector<RemoteSignal> signals;    // that arrive here, to be performed
  std::vector<RemoteSignal> performed;  // that came from here
  void clear();
};

/// Where a chip's network meets the links: docs/spec/microarchitecture.md, section 8.3. What a core asks of another device
/// leaves as a message and is asked there by the other gateway in its own name; the answer comes back the same way. It has
/// room for all that cores may have on their way.
class Gateway {
 public:
  /// `device` counted from 0. `map` and `peers`, the gateways of all devices in order, outlive it.
  Gateway(uint16_t device, const FabricMap& map, const std::vector<Gateway*>& peers)
      : map_(&map), peers_(&peers), device_(device) {}

  // What comes, now or later.
  /// A request of the own chip that has reached a door, or an answer to one that a door has sent.
  void deliver(const Delivery& delivery);
  /// A message of another device.
  void arrive(const LinkDelivery& delivery);

  Cycles nextTime() const { return inbox_.empty() ? kNever : inbox_.front().time; }
  void advance(Cycles now, GatewayOutput& out);

  /// The message that carries a signal to its destination, and the one that says there it was performed.
  static LinkMessage carry(const RemoteSignal& signal, Cycles sent);
  static LinkMessage acknowledge(const RemoteSignal& signal, Cycles sent);

 private:
  enum class Kind : uint8_t { request, answer, signal, performed };
  /// Bytes that say which semaphore and how much.
  static constexpr uint32_t kSignalBytes = 16;

  struct Item {
    Cycles time = 0;
    uint64_t order = 0;  // of one time, that of what it is, not of when it was put here
    bool from_links = false;
    FabricRequest request;
    LinkMessage message;

    bool operator>(const Item& other) const {
      return std::tie(time, from_links, order) >
             std::tie(other.time, other.from_links, other.order);
    }
  };
  /// What other devices asked: whom the answer goes to.
  struct Asked {
    uint16_t source = 0;
    uint64_t tag = 0;
  };

  void put(const Item& item);
  void leave(const FabricRequest& request, GatewayOutput& out, Cycles now);
  void answer(const FabricRequest& request, GatewayOutput& out, Cycles now);
  void receive(const LinkMessage& message, GatewayOutput& out, Cycles now);
  void ask(const LinkMessage& message, GatewayOutput& out, Cycles now);

  const FabricMap* map_;
  const std::vector<Gateway*>* peers_;
  uint16_t device_;
  std::vector<Item> inbox_;             // a heap, the earliest first
  std::vector<FabricRequest> waiting_;  // of the own chip, by tag of the message
  std::vector<uint32_t> free_waiting_;
  std::vector<Asked> asked_;  // by tag of the request
  std::vector<uint32_t> free_asked_;
};

}  // namespace etalon::sim
