// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "isa/machines/timing.h"
#include "sim/fabric/fabric_map.h"
#include "sim/fabric/network_plane.h"

namespace etalon::sim {

/// The on-chip network between the ports of cores and the endpoints (FabricMap): channels, windows of cores, and the gateway.
/// docs/spec/microarchitecture.md, section 8.
///
/// Four planes that share nothing: reads and writes on their way out, data and acknowledgements on their way back. So a
/// port moves `port_bytes` a cycle each way at once, an endpoint that or a burst if it is more, and answers never wait for
/// requests. A request always finds room at
/// its port: whoever sends bounds what it has on its way. An endpoint has room for `network.queue` bursts of each kind and
/// gives it back by credit().
///
/// Holds no clock; everything that goes in counts from a later cycle on and what comes out is for a later one. So cores,
/// network and endpoints may be looked at in any order within a cycle.
class Network {
 public:
  /// `map` outlives it.
  Network(const isa::Timing& timing, const FabricMap& map);

  /// A core sends a request that FabricMap has placed, at request.sent. That is now or later; of the same core, port,
  /// direction and urgency it is not earlier than before, else it is taken as of then.
  void send(const FabricRequest& request);
  /// An endpoint answers a request that was delivered to it, now.
  void answer(const FabricRequest& request, Cycles now);
  /// An endpoint has room for a delivered request's bursts again.
  void credit(const FabricRequest& request, Cycles now);

  Cycles nextTime() const;
  /// Goes on to `now`; appends what reaches endpoints and what comes back to cores, each in an order that depends on the run
  /// alone and with a time later than `now`.
  void advance(Cycles now, std::vector<Delivery>& to_endpoints, std::vector<Delivery>& to_cores);

  /// Cycles in which data moved into an endpoint, or to a port of a core.
  uint64_t busyToEndpoint(uint32_t endpoint) const;
  uint64_t busyToPort(uint32_t core, uint32_t port) const;

 private:
  enum Plane { reads_out, writes_out, data_back, acknowledgements_back };

  uint32_t portNumber(const FabricRequest& request) const {
    return map_->portNumber(request.core, request.port);
  }
  PacketSize sizeOf(const FabricRequest& request, bool data) const;

  const FabricMap* map_;
  uint64_t port_bytes_, endpoint_bytes_;
  std::vector<NetworkPlane> planes_;  // by Plane
};

}  // namespace etalon::sim
