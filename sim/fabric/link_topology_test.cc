// SPDX-License-Identifier: Apache-2.0
#include "sim/fabric/link_topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sim/fabric/link_traffic.h"

namespace etalon::sim {
namespace {

using traffic::linkTiming;

constexpr uint64_t kRing = isa::LinkTiming::kRing, kTorus = isa::LinkTiming::kTorus,
                   kSwitch = isa::LinkTiming::kSwitch;

LinkLayout layoutOf(uint64_t topology, uint64_t count, uint64_t devices) {
  return linkLayout(linkTiming(topology, count).links, devices).value();
}

std::string errorOf(uint64_t topology, uint64_t count, uint64_t devices) {
  const auto layout = linkLayout(linkTiming(topology, count).links, devices);
  return layout.ok() ? "accepted" : layout.error().message;
}

/// Neighbours of a device, with the links to each.
std::set<std::pair<uint32_t, uint32_t>> neighbours(const LinkLayout& layout, uint32_t device) {
  std::set<std::pair<uint32_t, uint32_t>> found;
  for (const LinkLayout::Output& output : layout.outputs)
    if (output.from == device) found.emplace(output.to, output.links);
  return found;
}

using Neighbours = std::set<std::pair<uint32_t, uint32_t>>;

TEST(LinkTopology, ARingSharesItsLinksAmongTwoNeighbours) {
  EXPECT_EQ(neighbours(layoutOf(kRing, 4, 5), 0), (Neighbours{{1, 2}, {4, 2}}));
  EXPECT_EQ(neighbours(layoutOf(kRing, 4, 3), 1), (Neighbours{{0, 2}, {2, 2}}));
  EXPECT_EQ(neighbours(layoutOf(kRing, 4, 2), 1), (Neighbours{{0, 4}}));
}

TEST(LinkTopology, ATorusIsAsSquareAsItsNumberAllows) {
  EXPECT_EQ(neighbours(layoutOf(kTorus, 4, 16), 5), (Neighbours{{1, 1}, {9, 1}, {4, 1}, {6, 1}}));
  // 3 x 4, the corner.
  EXPECT_EQ(neighbours(layoutOf(kTorus, 8, 12), 0), (Neighbours{{1, 2}, {3, 2}, {4, 2}, {8, 2}}));
  // 2 x 4: one neighbour in the column, with the links of two.
  EXPECT_EQ(neighbours(layoutOf(kTorus, 4, 8), 1), (Neighbours{{0, 1}, {2, 1}, {5, 2}}));
  EXPECT_EQ(neighbours(layoutOf(kTorus, 4, 4), 3), (Neighbours{{1, 2}, {2, 2}}));
}

TEST(LinkTopology, ASwitchJoinsAllWithAllLinks) {
  const LinkLayout layout = layoutOf(kSwitch, 3, 5);
  for (uint32_t device = 0; device < 5; ++device)
    EXPECT_EQ(neighbours(layout, device), (Neighbours{{5, 3}}));
  EXPECT_EQ(neighbours(layout, 5), (Neighbours{{0, 3}, {1, 3}, {2, 3}, {3, 3}, {4, 3}}));
}

TEST(LinkTopology, ATorusGoesAlongTheRowFirst) {
  const LinkLayout layout = layoutOf(kTorus, 4, 9);
  for (uint32_t turn = 0; turn < LinkLayout::kTurns; ++turn) {
    EXPECT_EQ(layout.outputs[layout.output(0, 4, turn)].to, 1u);
    EXPECT_EQ(layout.outputs[layout.output(0, 8, turn)].to, 2u);
    EXPECT_EQ(layout.outputs[layout.output(2, 8, turn)].to, 8u);
  }
}

TEST(LinkTopology, EveryWayArrivesOnEveryTurn) {
  for (const uint64_t topology : {kRing, kTorus, kSwitch})
    for (uint64_t devices = 2; devices <= 16; ++devices) {
      const auto made = linkLayout(linkTiming(topology, 4).links, devices);
      if (!made.ok()) continue;
      const LinkLayout& layout = *made;
      for (uint32_t from = 0; from < devices; ++from)
        for (uint32_t to = 0; to < devices; ++to)
          for (uint32_t turn = 0; turn < LinkLayout::kTurns; ++turn) {
            uint32_t at = from, hops = 0;
            for (; at != to && hops <= devices; ++hops) {
              const LinkLayout::Output& output = layout.outputs[layout.output(at, to, turn)];
              ASSERT_EQ(output.from, at);
              at = output.to;
            }
            ASSERT_LE(hops, devices / 2 + 1);
          }
    }
}

TEST(LinkTopology, WhatCannotBeJoinedIsRefused) {
  EXPECT_EQ(errorOf(kRing, 2, 1), "1 devices: links join 2 to 16");
  EXPECT_EQ(errorOf(kSwitch, 2, 17), "17 devices: links join 2 to 16");
  EXPECT_EQ(errorOf(kRing, 2, uint64_t{1} << 32 | 2), "4294967298 devices: links join 2 to 16");
  EXPECT_EQ(errorOf(kRing, 0, 2),
            "2 devices of a machine without links (links.count 0): take a machine with links, such "
            "as base or server");
  for (const auto& [devices, instead] : {std::pair{2, 4}, {3, 4}, {5, 6}, {7, 8}, {13, 14}}) {
    const std::string expected =
        std::to_string(devices) +
        " devices make no torus, which has rows and columns of at least 2; " +
        std::to_string(instead) + " would, or links.topology ring";
    EXPECT_EQ(errorOf(kTorus, 4, static_cast<uint64_t>(devices)), expected);
    EXPECT_EQ(errorOf(kTorus, 4, static_cast<uint64_t>(instead)), "accepted");
  }
}

}  // namespace
}  // namespace etalon::sim
