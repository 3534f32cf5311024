// SPDX-License-Identifier: Apache-2.0
#include "sim/fabric/link_topology.h"

#include <fmt/format.h>

#include "isa/machines/address_map.h"

namespace etalon::sim {
namespace {

/// A torus of `rows` rings of `columns` devices; a ring is one of one row.
struct Grid {
  uint32_t columns = 1, rows = 1;
};

Grid mostSquare(uint32_t devices) {
  Grid grid{devices, 1};
  for (uint32_t rows = 2; rows * rows <= devices; ++rows)
    if (devices % rows == 0) grid = {devices / rows, rows};
  return grid;
}

/// The next place on a ring of `size` on the shorter way; where both are as long, `turn` says which.
uint32_t nextOnRing(uint32_t from, uint32_t to, uint32_t size, bool turn) {
  const uint32_t up = (to + size - from) % size, down = size - up;
  const bool goes_up = up == down ? !turn : up < down;
  return (from + (goes_up ? 1 : size - 1)) % size;
}

class Builder {
 public:
  Builder(uint32_t devices, uint32_t nodes) : devices_(devices) {
    layout_.devices = devices;
    layout_.route.assign(size_t{nodes} * devices * LinkLayout::kTurns, 0);
  }

  LinkLayout grid(const Grid& grid, uint32_t links_of_neighbour) {
    for (uint32_t node = 0; node < devices_; ++node)
      for (uint32_t to = 0; to < devices_; ++to)
        for (uint32_t turn = 0; node != to && turn < LinkLayout::kTurns; ++turn) {
          const uint32_t column = node % grid.columns, row = node / grid.columns;
          const uint32_t to_column = to % grid.columns, to_row = to / grid.columns;
          const bool in_row = column != to_column;
          const uint32_t next =
              in_row ? row * grid.columns +
                           nextOnRing(column, to_column, grid.columns, (turn & 1) != 0)
                     : nextOnRing(row, to_row, grid.rows, (turn & 2) != 0) * grid.columns + column;
          const bool both_ways = (in_row ? grid.columns : grid.rows) == 2;
          route(node, to, turn, next, links_of_neighbour * (both_ways ? 2 : 1));
        }
    return std::move(layout_);
  }

  LinkLayout star(uint32_t links) {
    const uint32_t hub = devices_;
    for (uint32_t node = 0; node <= hub; ++node)
      for (uint32_t to = 0; to < devices_; ++to)
        for (uint32_t turn = 0; node != to && turn < LinkLayout::kTurns; ++turn)
          route(node, to, turn, node == hub ? to : hub, links);
    return std::move(layout_);
  }

 private:
  void route(uint32_t node, uint32_t to, uint32_t turn, uint32_t next, uint32_t links) {
    uint32_t output = 0;
    while (output < layout_.outputs.size() &&
           (layout_.outputs[output].from != node || layout_.outputs[output].to != next))
      ++output;
    if (output == layout_.outputs.size()) layout_.outputs.push_back({node, next, links});
    layout_.route[(size_t{node} * devices_ + to) * LinkLayout::kTurns + turn] = output;
  }

  uint32_t devices_;
  LinkLayout layout_;
};

}  // namespace

Result<LinkLayout> linkLayout(const isa::LinkTiming& timing, uint64_t devices) {
  if (timing.count == 0)
    return Error{
        fmt::format("{} devices of a machine without links (links.count 0): take a "
                    "machine with links, such as base or server",
                    devices)};
  if (devices < 2 || devices > isa::kMaxDevices)
    return Error{fmt::format("{} devices: links join 2 to {}", devices, isa::kMaxDevices)};
  const auto count = static_cast<uint32_t>(timing.count), number = static_cast<uint32_t>(devices);
  if (timing.topology == isa::LinkTiming::kSwitch) return Builder(number, number + 1).star(count);
  if (timing.topology == isa::LinkTiming::kRing)
    return Builder(number, number).grid({number, 1}, count / 2);
  const Grid grid = mostSquare(number);
  if (grid.rows == 1)
    return Error{
        fmt::format("{} devices make no torus, which has rows and columns of at least 2; "
                    "{} would, or links.topology ring",
                    devices, devices < 4 ? 4 : devices + 1)};
  return Builder(number, number).grid(grid, count / 4);
}

}  // namespace etalon::sim
