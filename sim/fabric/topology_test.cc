// SPDX-License-Identifier: Apache-2.0
// Mesh and ring: times by counting hops, bandwidth by counting the flows over the busiest link.
#include <gtest/gtest.h>

#include "sim/fabric/traffic.h"

namespace etalon::sim {
namespace {

using namespace traffic;

constexpr uint64_t kMesh = isa::NetworkTiming::kMesh, kRing = isa::NetworkTiming::kRing;

/// `channels` a core, hops of two cycles.
isa::Timing gridTiming(uint64_t topology, uint64_t channels) {
  isa::Timing timing = timingOf(channels, topology);
  timing.network.latency = 2;
  return timing;
}

/// The first byte of a block that is in a channel.
uint64_t inChannel(uint64_t channels, uint32_t channel, uint64_t block) {
  return kBase + AddressInterleave(channels, 256).offset({channel, block * 256});
}

/// Cycles from sending a read of 64 bytes until it is back, over a network of a channel a core.
Cycles readTime(uint64_t topology, uint64_t cores, uint16_t core, uint32_t channel) {
  Traffic t(gridTiming(topology, cores), cores, {.latency = 50, .bytes_per_cycle = 64});
  const FabricRequest r = t.request(core, inChannel(cores, channel, 3), 64, FabricAccess::read);
  EXPECT_EQ(r.endpoint, channel);
  t.send(r);
  t.runOut();
  return t.answers().at(0).time - r.sent;
}

// One to enter, two a hop, one to leave, both ways; 51 at the channel.
constexpr Cycles timeOf(Cycles hops) { return 2 * (1 + 2 * hops + 1) + 51; }

TEST(Topology, AMeshTakesTheSumOfBothDistances) {
  // 3 x 3.
  EXPECT_EQ(readTime(kMesh, 9, 0, 0), timeOf(0));
  EXPECT_EQ(readTime(kMesh, 9, 0, 1), timeOf(1));
  EXPECT_EQ(readTime(kMesh, 9, 0, 8), timeOf(4));
  EXPECT_EQ(readTime(kMesh, 9, 5, 6), timeOf(3));
  // 3 wide, the last row has two of three.
  EXPECT_EQ(readTime(kMesh, 8, 7, 2), timeOf(3));
}

TEST(Topology, ARingGoesTheShorterWay) {
  EXPECT_EQ(readTime(kRing, 6, 0, 5), timeOf(1));
  EXPECT_EQ(readTime(kRing, 6, 1, 4), timeOf(3));
  EXPECT_EQ(readTime(kRing, 6, 5, 1), timeOf(2));
}

/// Bytes a cycle of writes of 256 bytes from core i to the channels of core to[i], so many a core that links bind.
constexpr uint32_t kChannels = 16;

double flows(uint64_t topology, const std::vector<uint32_t>& to) {
  const uint64_t cores = to.size(), channels = kChannels * cores;
  Traffic t(gridTiming(topology, channels), cores, {.latency = 20, .bytes_per_cycle = 256});
  std::vector<uint64_t> sent(cores);
  return bandwidth(t, FabricAccess::write, 64, [&](uint16_t core) {
    const uint64_t n = sent[core]++;
    return inChannel(channels, to[core] * kChannels + static_cast<uint32_t>(n % kChannels),
                     n / kChannels * cores + core);
  });
}

TEST(Topology, NeighboursDoNotShareALinkOfTheRing) {
  // Each link one flow of four lanes of 64 bytes.
  const double rate = flows(kRing, {1, 2, 3, 4, 5, 0});
  EXPECT_LE(rate, 6 * 256.0);
  EXPECT_GE(rate, 0.95 * 6 * 256);
}

TEST(Topology, TheOppositeOfARingSharesEachLinkAmongItsHops) {
  // Half way is upwards: every link up carries three flows.
  const double rate = flows(kRing, {3, 4, 5, 0, 1, 2});
  EXPECT_LE(rate, 6 * 256 / 3.0);
  // Less where flows overlap: who enters waits for a bubble.
  EXPECT_GE(rate, 0.8 * 6 * 256 / 3.0);
}

TEST(Topology, EveryCoreGetsItsShareOfAFullRing) {
  constexpr uint64_t kCores = 6, kInRing = kChannels * kCores;
  Traffic t(gridTiming(kRing, kInRing), kCores, {.latency = 20, .bytes_per_cycle = 256});
  std::vector<uint64_t> sent(kCores), got(kCores);
  bandwidth(t, FabricAccess::write, 64, [&](uint16_t core) {
    const uint64_t n = sent[core]++;
    return inChannel(kInRing,
                     (core + 2) % kCores * kChannels + static_cast<uint32_t>(n % kChannels),
                     n / kChannels * kCores + core);
  });
  for (const Delivery& d : t.answers()) ++got[d.request.core];
  const auto [least, most] = std::ranges::minmax_element(got);
  EXPECT_GE(*least * 10, *most * 9);
}

TEST(Topology, TheTransposeOfAMeshIsBoundByItsBusiestLink) {
  // 2 x 2, core 1 to 2 and 2 to 1: along the row first, so no link has two flows; 0 and 3 stay at home.
  const double rate = flows(kMesh, {0, 2, 1, 3});
  EXPECT_LE(rate, 4 * 256.0);
  EXPECT_GE(rate, 0.95 * 4 * 256);
}

TEST(Topology, AColumnOfAMeshIsSharedByWhoeverPassesIt) {
  // 2 x 2, cores 0 and 1 to core 3: 0 goes by 1, so the link from 1 to 3 has both flows.
  const double rate = flows(kMesh, {3, 3, 2, 2});
  // Core 3 to core 2 and core 2 at home meet at no link.
  EXPECT_LE(rate, 3 * 256.0);
  EXPECT_GE(rate, 0.95 * 3 * 256);
}

TEST(Topology, AFullRingGoesOn) {
  // As small as queues may be, more on the way than all of them hold, both directions, channels that hold them up.
  isa::Timing timing = gridTiming(kRing, 8);
  timing.network.queue = 4;
  Traffic t(timing, 8, {.latency = 100, .bytes_per_cycle = 16, .most = 2});
  std::vector<uint64_t> sent(8);
  t.run(
      [&](uint16_t core, FabricRequest& r) {
        if (sent[core] == 400) return false;
        const uint64_t n = sent[core]++;
        r = t.request(core, inChannel(8, static_cast<uint32_t>((core + 2 + n % 5) % 8), n), 256,
                      n % 3 == 0 ? FabricAccess::read : FabricAccess::write);
        return true;
      },
      200);
  EXPECT_EQ(t.answers().size(), 8u * 400);
}

}  // namespace
}  // namespace etalon::sim
