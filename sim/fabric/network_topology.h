// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "isa/machines/timing.h"
#include "sim/fabric/fabric_map.h"
#include "sim/fabric/network_plane.h"

namespace etalon::sim {

/// Which way a plane carries.
enum class PlaneDirection : uint8_t {
  to_endpoints,  // sources: FabricMap::portNumber; exits: endpoints
  to_cores,      // sources: endpoints; exits: FabricMap::portNumber
};

/// The wiring of one plane by `network.topology`.
///
/// Crossbar: one router; a request is granted `latency - 1` cycles after it was sent at the earliest and leaves a cycle
/// later.
/// Mesh and ring: a router a core and port, so as many parallel networks as ports; `latency` cycles a hop. A mesh is the
/// smallest grid ceil(sqrt(cores)) wide that holds the cores, row by row, routed along x first; a ring goes the shorter way,
/// upwards where both are as long. Channel c stands at the core c * cores / channels, the doors of the
/// gateway at core 0.
PlaneLayout planeLayout(const isa::NetworkTiming& timing, const FabricMap& map,
                        PlaneDirection direction);

}  // namespace etalon::sim
