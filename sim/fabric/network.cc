// SPDX-License-Identifier: Apache-2.0
#include "sim/fabric/network.h"

#include <algorithm>

#include "sim/fabric/network_topology.h"

namespace etalon::sim {

Network::Network(const isa::Timing& timing, const FabricMap& map)
    : map_(&map),
      port_bytes_(timing.network.port_bytes),
      endpoint_bytes_(std::max(port_bytes_, timing.dma.burst_bytes)) {
  for (const Plane plane : {reads_out, writes_out, data_back, acknowledgements_back}) {
    const bool out = plane == reads_out || plane == writes_out;
    const PlaneDirection direction = out ? PlaneDirection::to_endpoints : PlaneDirection::to_cores;
    planes_.emplace_back(planeLayout(timing.network, map, direction));
  }
}

PacketSize Network::sizeOf(const FabricRequest& request, bool data) const {
  const auto touched = [&](uint64_t unit) {
    return static_cast<uint16_t>(piecesTouched(request.address, request.bytes, unit));
  };
  PacketSize size{.bursts = touched(map_->burstBytes())};
  if (data) {
    size.narrow = touched(port_bytes_);
    size.wide = touched(endpoint_bytes_);
  }
  return size;
}

void Network::send(const FabricRequest& request) {
  const bool writes = request.writes();
  planes_[writes ? writes_out : reads_out].send(portNumber(request), request.endpoint,
                                                sizeOf(request, writes), request, request.sent);
}

void Network::answer(const FabricRequest& request, Cycles now) {
  const bool data = !request.writes();
  planes_[data ? data_back : acknowledgements_back].send(request.endpoint, portNumber(request),
                                                         sizeOf(request, data), request, now);
}

void Network::credit(const FabricRequest& request, Cycles now) {
  planes_[request.writes() ? writes_out : reads_out].credit(
      request.endpoint, piecesTouched(request.address, request.bytes, map_->burstBytes()), now);
}

Cycles Network::nextTime() const {
  Cycles next = kNever;
  for (const NetworkPlane& plane : planes_) next = std::min(next, plane.nextTime());
  return next;
}

void Network::advance(Cycles now, std::vector<Delivery>& to_endpoints,
                      std::vector<Delivery>& to_cores) {
  planes_[reads_out].advance(now, to_endpoints);
  planes_[writes_out].advance(now, to_endpoints);
  planes_[data_back].advance(now, to_cores);
  planes_[acknowledgements_back].advance(now, to_cores);
}

uint64_t Network::busyToEndpoint(uint32_t endpoint) const {
  return planes_[writes_out].busyCycles(endpoint);
}

uint64_t Network::busyToPort(uint32_t core, uint32_t port) const {
  return planes_[data_back].busyCycles(map_->portNumber(core, port));
}

}  // namespace etalon::sim
