// SPDX-License-Identifier: Apache-2.0
#include "sim/fabric/network_topology.h"

#include <algorithm>

#include "isa/base/check.h"

namespace etalon::sim {
namespace {

constexpr uint32_t kNone = PlaneLayout::kNone;

/// The nodes of a mesh or ring and the way from one to the next.
class Grid {
 public:
  Grid(const isa::NetworkTiming& timing, uint32_t cores)
      : ring_(timing.topology == isa::NetworkTiming::kRing) {
    if (ring_) {
      width_ = cores;
      height_ = 1;
      return;
    }
    while (width_ * width_ < cores) ++width_;
    height_ = (cores + width_ - 1) / width_;
  }

  uint32_t nodes() const { return width_ * height_; }
  bool ring() const { return ring_; }

  /// The neighbour of `from` on the way to another node.
  uint32_t next(uint32_t from, uint32_t to) const {
    if (ring_) {
      const uint32_t up = (to + width_ - from) % width_;
      return up <= width_ - up ? (from + 1) % width_ : (from + width_ - 1) % width_;
    }
    if (from % width_ != to % width_) return from % width_ < to % width_ ? from + 1 : from - 1;
    return from < to ? from + width_ : from - width_;
  }

 private:
  bool ring_;
  uint32_t width_ = 1, height_ = 1;
};

/// Node of an endpoint in a mesh or ring: the core whose routers it hangs on.
uint32_t nodeOfEndpoint(const FabricMap& map, uint32_t endpoint) {
  if (endpoint < map.channels())
    return static_cast<uint32_t>(uint64_t{endpoint} * map.cores() / map.channels());
  return map.isDoor(endpoint) ? 0 : endpoint - map.channels();
}

/// Ends of a plane: which node and which lane each source and exit has.
struct Ends {
  struct End {
    uint32_t node, lane;
    bool endpoint;  // of every lane
  };
  std::vector<End> sources, exits;
};

Ends endsOf(const FabricMap& map, PlaneDirection direction) {
  Ends ends;
  auto& cores = direction == PlaneDirection::to_endpoints ? ends.sources : ends.exits;
  auto& endpoints = direction == PlaneDirection::to_endpoints ? ends.exits : ends.sources;
  for (uint32_t core = 0; core < map.cores(); ++core)
    for (uint32_t port = 0; port < map.ports(); ++port) cores.push_back({core, port, false});
  for (uint32_t door = 0; door < map.doors(); ++door)
    cores.push_back({0, door % map.ports(), false});
  for (uint32_t e = 0; e < map.endpoints(); ++e)
    endpoints.push_back({nodeOfEndpoint(map, e), 0, true});
  return ends;
}

/// Builds the routers of a mesh or ring: nodes * lanes, then one a node where sources of every lane enter.
class RoutedPlane {
 public:
  RoutedPlane(const isa::NetworkTiming& timing, const Grid& grid, uint32_t lanes, const Ends& ends,
              uint32_t exit_room)
      : timing_(timing), grid_(grid), lanes_(lanes), ends_(ends) {
    layout_.exits = static_cast<uint32_t>(ends.exits.size());
    for (const Ends::End& source : ends.sources)
      layout_.queues.push_back(
          {.router = source.endpoint ? entryRouter(source.node) : router(source.node, source.lane),
           .wide = source.endpoint});
    for (uint32_t exit = 0; exit < layout_.exits; ++exit)
      layout_.links.push_back({.exit = exit, .room = exit_room, .wide = ends.exits[exit].endpoint});
    neighbour_link_.assign(size_t{grid.nodes()} * grid.nodes() * lanes, kNone);
    layout_.route.assign(size_t{grid.nodes()} * (lanes + 1) * layout_.exits, kNone);
  }

  PlaneLayout build() {
    for (uint32_t node = 0; node < grid_.nodes(); ++node)
      for (uint32_t exit = 0; exit < layout_.exits; ++exit)
        for (uint32_t lane = 0; lane <= lanes_; ++lane) route(node, lane, exit);
    return std::move(layout_);
  }

 private:
  uint32_t router(uint32_t node, uint32_t lane) const { return node * lanes_ + lane; }
  uint32_t entryRouter(uint32_t node) const { return grid_.nodes() * lanes_ + node; }

  /// `lane` == lanes_: of the entry router, where the exit decides.
  void route(uint32_t node, uint32_t lane, uint32_t exit) {
    const Ends::End& to = ends_.exits[exit];
    const bool entry = lane == lanes_;
    if (entry && to.endpoint) return;  // no source of every lane goes to an exit of every lane
    if (!entry && !to.endpoint && lane != to.lane) return;
    const uint32_t at = entry ? entryRouter(node) : router(node, lane);
    layout_.route[size_t{at} * layout_.exits + exit] =
        node == to.node ? exit
                        : linkBetween(node, grid_.next(node, to.node), entry ? to.lane : lane);
  }

  uint32_t linkBetween(uint32_t from, uint32_t to, uint32_t lane) {
    uint32_t& link = neighbour_link_[(size_t{from} * grid_.nodes() + to) * lanes_ + lane];
    if (link != kNone) return link;
    link = static_cast<uint32_t>(layout_.links.size());
    // Of a ring, room for one request more is what the bubble takes.
    const uint64_t room = std::max(timing_.queue, kRequestBursts);
    layout_.links.push_back(
        {.queue = static_cast<uint32_t>(layout_.queues.size()),
         .latency = static_cast<uint32_t>(timing_.latency),
         .room = static_cast<uint32_t>(room + (grid_.ring() ? kRequestBursts : 0)),
         .ring = grid_.ring()});
    layout_.queues.push_back({.router = router(to, lane), .fed_by = link, .ring = grid_.ring()});
    return link;
  }

  const isa::NetworkTiming& timing_;
  const Grid& grid_;
  uint32_t lanes_;
  const Ends& ends_;
  PlaneLayout layout_;
  std::vector<uint32_t> neighbour_link_;
};

PlaneLayout crossbar(const isa::NetworkTiming& timing, const Ends& ends, uint32_t exit_room) {
  PlaneLayout layout;
  layout.exits = static_cast<uint32_t>(ends.exits.size());
  for (const Ends::End& source : ends.sources) layout.queues.push_back({.wide = source.endpoint});
  for (uint32_t exit = 0; exit < layout.exits; ++exit) {
    layout.links.push_back({.exit = exit, .room = exit_room, .wide = ends.exits[exit].endpoint});
    layout.route.push_back(exit);
  }
  ETALON_CHECK(timing.latency >= 2, "checked by the machine loader");
  layout.entry = static_cast<uint32_t>(timing.latency - 1);
  return layout;
}

}  // namespace

PlaneLayout planeLayout(const isa::NetworkTiming& timing, const FabricMap& map,
                        PlaneDirection direction) {
  const Ends ends = endsOf(map, direction);
  // Answers always find room: whoever asked kept it.
  const auto room =
      direction == PlaneDirection::to_endpoints ? static_cast<uint32_t>(timing.queue) : 0;
  if (timing.topology == isa::NetworkTiming::kCrossbar) return crossbar(timing, ends, room);
  const Grid grid(timing, map.cores());
  return RoutedPlane(timing, grid, map.ports(), ends, room).build();
}

}  // namespace etalon::sim
