// SPDX-License-Identifier: Apache-2.0
#include "sim/fabric/network.h"

#include <algorithm>

#include "sim/fabric/network_topology.h"

namespace etalon::sim {

Network::Network(const isa::Timing& timing, const FabricMap& map)
    : map_(&map),
      port_bytes_(timing.network.port_bytes),
      planes_{NetworkPlane(planeLayout(timing.network, map, PlaneDirection::to_endpoints)),
              NetworkPlane(planeLayout(timing.network, map, PlaneDirection::to_endpoints)),
              NetworkPlane(planeLayout(timing.network, map, PlaneDirection::to_cores)),
              NetworkPlane(planeLayout(timing.network, map, PlaneDirection::to_cores))} {}

void Network::send(const FabricRequest& request) {
  const bool writes = request.writes();
  planes_[writes ? writes_out : reads_out].send(portNumber(request), request.endpoint,
                                                writes ? pieces(request) : 1, bursts(request),
                                                request, request.sent);
}

void Network::answer(FabricRequest request, Cycles now) {
  const bool data = !request.writes();
  NetworkPlane& plane = planes_[data ? data_back : acknowledgements_back];
  plane.send(request.endpoint, portNumber(request), data ? pieces(request) : 1, 1, request, now);
}

void Network::credit(const FabricRequest& request, Cycles now) {
  planes_[request.writes() ? writes_out : reads_out].credit(request.endpoint, bursts(request), now);
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
  return planes_[data_back].busyCycles(core * map_->ports() + port);
}

}  // namespace etalon::sim
