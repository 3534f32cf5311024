// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "isa/base/status.h"
#include "isa/machines/timing.h"

namespace etalon::sim {

/// Which nodes the links between chips join, and the ways over them. Nodes are the devices, from 0, and then the switch if
/// there is one.
struct LinkLayout {
  /// Parallel links one way, from a node to a neighbour.
  struct Output {
    uint32_t from = 0, to = 0;  // nodes
    uint32_t links = 0;
  };
  /// Where two ways are as long, a packet's turn decides: bit 0 along a row or ring, bit 1 along a column.
  static constexpr uint32_t kTurns = 4;

  uint32_t devices = 0;
  std::vector<Output> outputs;
  std::vector<uint32_t> route;  // [(node * devices + destination) * kTurns + turn]: output

  uint32_t output(uint32_t node, uint32_t destination, uint32_t turn) const {
    return route[(node * devices + destination) * kTurns + turn];
  }
};

/// The wiring of `links.topology` for a number of devices.
///
/// Ring: half of the links to each neighbour. Torus: the most square rows x columns, row by row, a quarter of the links to
/// each neighbour; a packet goes along its row first. A dimension of two has one neighbour and all its links.
/// Switch: all links of each device up to it and as many down.
/// Errors: a chip without links; fewer than 2 devices or more than 16; a torus of fewer than 4 or a prime number.
Result<LinkLayout> linkLayout(const isa::LinkTiming& timing, uint64_t devices);

}  // namespace etalon::sim
