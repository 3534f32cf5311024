// SPDX-License-Identifier: Apache-2.0
#include "sim/fabric/network.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "sim/fabric/traffic.h"

namespace etalon::sim {
namespace {

using namespace traffic;

TEST(Network, AReadTakesBothWaysAndTheChannel) {
  Traffic t(timingOf(4), 1, {.latency = 50, .bytes_per_cycle = 64});
  t.send(t.request(0, kBase, 64, FabricAccess::read));
  t.runOut();
  ASSERT_EQ(t.answers().size(), 1u);
  // Sent in cycle 1; 8 there, one for a burst at 64 bytes a cycle, 50, 8 back.
  EXPECT_EQ(t.answers()[0].time, 1u + 8 + 1 + 50 + 8);
}

TEST(Network, AReadOfFourBurstsComesBackInFourCycles) {
  Traffic t(timingOf(4), 1, {.latency = 50, .bytes_per_cycle = 256});
  t.send(t.request(0, kBase, 256, FabricAccess::read));
  t.runOut();
  ASSERT_EQ(t.answers().size(), 1u);
  EXPECT_EQ(t.answers()[0].time, 1u + 8 + 1 + 50 + 8 + 3);
}

TEST(Network, AWriteOfFourBurstsGoesThereInFourCycles) {
  Traffic t(timingOf(4), 1, {.latency = 50, .bytes_per_cycle = 256});
  t.send(t.request(0, kBase, 256, FabricAccess::write));
  t.runOut();
  ASSERT_EQ(t.answers().size(), 1u);
  EXPECT_EQ(t.answers()[0].time, 1u + 8 + 3 + 1 + 50 + 8);
}

TEST(Network, AnUnalignedRequestTakesEveryBurstItTouches) {
  Traffic t(timingOf(4), 1, {.latency = 50, .bytes_per_cycle = 256});
  t.send(t.request(0, kBase + 60, 8, FabricAccess::read));
  t.runOut();
  EXPECT_EQ(t.answers().at(0).time, 1u + 8 + 1 + 50 + 8 + 1);
}

class Bandwidth : public testing::TestWithParam<FabricAccess> {};

TEST_P(Bandwidth, OneCoreAloneReaches95PercentOfItsPorts) {
  Traffic t(timingOf(32), 1, {.latency = 50, .bytes_per_cycle = 64});
  uint64_t i = 0;
  const double rate = bandwidth(t, GetParam(), 256, [&](uint16_t) { return kBase + i++ * 256; });
  EXPECT_LE(rate, 4 * 64.0);
  EXPECT_GE(rate, 0.95 * 4 * 64);
}

TEST_P(Bandwidth, FewerChannelsThanPortsUseAllPorts) {
  // A channel is as wide as two of four ports. The queue covers eight cycles of a port and the way back of its room.
  isa::Timing timing = timingOf(2);
  timing.network.port_bytes = 32;
  timing.network.queue = 16;
  Traffic t(timing, 1, {.latency = 50, .bytes_per_cycle = 64});
  uint64_t i = 0;
  const double rate = bandwidth(t, GetParam(), 64, [&](uint16_t) { return kBase + i++ * 256; });
  EXPECT_LE(rate, 2 * 64.0);
  EXPECT_GE(rate, 0.95 * 2 * 64);
}

TEST_P(Bandwidth, RowsAPowerOfTwoApartUseAllPorts) {
  for (uint64_t stride = 512; stride <= 65536; stride *= 2) {
    Traffic t(timingOf(32), 1, {.latency = 50, .bytes_per_cycle = 64});
    uint64_t i = 0;
    const double rate =
        bandwidth(t, GetParam(), 256, [&](uint16_t) { return kBase + i++ * stride; });
    EXPECT_GE(rate, 0.95 * 4 * 64) << stride;
  }
}

TEST_P(Bandwidth, AllCoresToAllChannelsReach95PercentOfSlowChannels) {
  Traffic t(timingOf(32), 4, {.latency = 50, .bytes_per_cycle = 19});
  std::vector<uint64_t> i(4);
  const double rate = bandwidth(t, GetParam(), 256, [&](uint16_t core) {
    return kBase + core * 0x1000000 + i[core]++ * 256;
  });
  // ceil(256 / 19) = 14 cycles a request and channel.
  const double bound = 32 * 256.0 / 14;
  EXPECT_LE(rate, bound);
  EXPECT_GE(rate, 0.95 * bound);
}

TEST_P(Bandwidth, AllToOneChannelReach95PercentOfIt) {
  Traffic t(timingOf(32), 4, {.latency = 50, .bytes_per_cycle = 32});
  std::vector<uint64_t> i(4);
  const AddressInterleave interleave(32, 256);
  const double rate = bandwidth(t, GetParam(), 64, [&](uint16_t core) {
    return kBase + interleave.offset({7, (core * 4096 + i[core]++) * 256});
  });
  EXPECT_LE(rate, 32.0);
  EXPECT_GE(rate, 0.95 * 32);
}

TEST_P(Bandwidth, OneChannelIsBoundByItsLinkOfThePortsWidth) {
  Traffic t(timingOf(32), 4, {.latency = 50, .bytes_per_cycle = 1024});
  std::vector<uint64_t> i(4);
  const AddressInterleave interleave(32, 256);
  const double rate = bandwidth(t, GetParam(), 64, [&](uint16_t core) {
    return kBase + interleave.offset({7, (core * 4096 + i[core]++) * 256});
  });
  EXPECT_LE(rate, 64.0);
  EXPECT_GE(rate, 0.95 * 64);
}

TEST_P(Bandwidth, UniformRandomTrafficStaysUnderBothBounds) {
  Traffic t(timingOf(32), 4, {.latency = 50, .bytes_per_cycle = 19});
  std::minstd_rand rng(5);
  const double rate =
      bandwidth(t, GetParam(), 256, [&](uint16_t) { return kBase + rng() % 0x40000 * 256; });
  EXPECT_LE(rate, 32 * 256.0 / 14);
  EXPECT_GE(rate, 0.95 * 32 * 256.0 / 14);
}

TEST_P(Bandwidth, AChannelIsNotBoundByPortsThatAreNarrowerThanIt) {
  // 16 ports of 32 bytes, channels of 38: ceil(256 / 38) = 7 cycles a request.
  isa::Timing timing = timingOf(16);
  timing.network.ports = 16;
  timing.network.port_bytes = 32;
  Traffic t(timing, 4, {.latency = 50, .bytes_per_cycle = 38});
  std::vector<uint64_t> i(4);
  const AddressInterleave interleave(16, 256);
  // Few of each core, so that answers to one do not come in a row: they would wait for its port.
  const double rate = bandwidth(t, GetParam(), 4, [&](uint16_t core) {
    return kBase + interleave.offset({7, (core * 4096 + i[core]++) * 256});
  });
  EXPECT_LE(rate, 256 / 7.0);
  EXPECT_GE(rate, 0.95 * 256 / 7.0);
}

TEST_P(Bandwidth, ANarrowPortTakesItsTime) {
  isa::Timing timing = timingOf(1);
  timing.network.ports = 1;
  timing.network.port_bytes = 16;
  Traffic t(timing, 1, {.latency = 50, .bytes_per_cycle = 256});
  const FabricRequest r = t.request(0, kBase, 256, GetParam());
  t.send(r);
  t.runOut();
  EXPECT_EQ(t.answers().at(0).time, 1u + 8 + 1 + 50 + 8 + 15) << "16 cycles of 16 bytes";
}

INSTANTIATE_TEST_SUITE_P(Network, Bandwidth,
                         testing::Values(FabricAccess::read, FabricAccess::write));

TEST(Network, ReadsAndWritesDoNotShareAPort) {
  Traffic t(timingOf(32), 1, {.latency = 50, .bytes_per_cycle = 1024});
  uint64_t i = 0;
  const Cycles end = 10'000;
  t.run(
      [&](uint16_t core, FabricRequest& r) {
        r = t.request(core, kBase + i / 2 * 256, 256,
                      i % 2 != 0 ? FabricAccess::read : FabricAccess::write);
        ++i;
        return true;
      },
      512, end);
  EXPECT_GE(static_cast<double>(t.answers().size()) * 256 / static_cast<double>(end),
            0.95 * 2 * 4 * 64);
}

TEST(Network, AFullOutputHoldsThePortAndEverythingBehind) {
  // One port; a channel that takes a request and keeps it for 1,000 cycles. The queue holds 8 bursts: two requests.
  isa::Timing timing = timingOf(4);
  timing.network.ports = 1;
  const auto time_of_other = [&](uint64_t before) {
    Traffic t(timing, 1, {.latency = 1000, .bytes_per_cycle = 256, .most = 1});
    const AddressInterleave interleave(4, 256);
    for (uint64_t i = 0; i < before; ++i)
      t.send(t.request(0, kBase + interleave.offset({1, i * 256}), 256, FabricAccess::write));
    const FabricRequest other =
        t.request(0, kBase + interleave.offset({2, 0}), 64, FabricAccess::write);
    t.send(other);
    t.runOut();
    for (const Delivery& d : t.answers())
      if (d.request.tag == other.tag) return d.time;
    return kNever;
  };
  // One in the channel and two in its queue: the port is free after three times four cycles.
  EXPECT_EQ(time_of_other(3), 1u + 8 + 12 + 1 + 1000 + 8);
  // One more waits until the second leaves the queue for the channel, when the first leaves that; the room is known a cycle
  // later.
  constexpr Cycles kFirstLeaves = 1 + 8 + 3 + 1 + 1000;
  EXPECT_EQ(time_of_other(4), kFirstLeaves + 1 + 4 + 1 + 1 + 1000 + 8);
}

TEST(Network, OldestFirstThenTheLowerCore) {
  isa::Timing timing = timingOf(1);
  timing.network.ports = 1;
  Traffic t(timing, 4, {.latency = 10, .bytes_per_cycle = 1024});
  const auto at = [&](uint16_t core, Cycles sent) {
    FabricRequest r = t.request(core, kBase, 256, FabricAccess::write);
    r.sent = sent;
    t.send(r);
  };
  at(3, 1);  // takes the output for four cycles, in which the others come
  at(2, 3);
  at(1, 4);
  at(0, 4);
  t.runOut();
  std::vector<uint16_t> order;
  for (const Delivery& d : t.answers()) order.push_back(d.request.core);
  EXPECT_EQ(order, (std::vector<uint16_t>{3, 2, 0, 1}));
}

TEST(Network, ScalarRequestsGoAheadOfDma) {
  isa::Timing timing = timingOf(1);
  timing.network.ports = 1;
  Traffic t(timing, 1, {.latency = 10, .bytes_per_cycle = 1024});
  for (int i = 0; i < 5; ++i) t.send(t.request(0, kBase, 256, FabricAccess::write));
  FabricRequest scalar = t.request(0, kBase, 8, FabricAccess::write);
  scalar.client = FabricClient::scalar;
  scalar.sent = 2;
  t.send(scalar);
  t.runOut();
  // It waits for the one that is leaving the port, and for no other.
  ASSERT_EQ(t.answers().size(), 6u);
  EXPECT_EQ(t.answers()[1].request.tag, scalar.tag);
}

/// All topologies: what was sent comes back once, and the same in every order of looking.
class AnyTopology : public testing::TestWithParam<uint64_t> {};

std::map<uint64_t, Cycles> randomRun(uint64_t topology, uint64_t cores, bool first,
                                     bool backwards) {
  isa::Timing timing = timingOf(8, topology);
  timing.network.latency = topology == isa::NetworkTiming::kCrossbar ? 8 : 2;
  Traffic t(timing, cores, {.latency = 30, .bytes_per_cycle = 20, .most = 6});
  t.endpoints_first = first;
  t.backwards = backwards;
  std::vector<std::minstd_rand> rng;
  std::vector<uint64_t> sent(cores);
  for (uint64_t core = 0; core < cores; ++core) rng.emplace_back(core + 1);
  t.run(
      [&](uint16_t core, FabricRequest& r) {
        if (sent[core] == 300) return false;
        auto& random = rng[core];
        const uint64_t kind = random() % 8;
        const uint64_t bytes = 1 + random() % 256;
        const uint64_t offset = random() % 0x1000 * 256 + random() % (257 - bytes);
        const uint64_t address =
            kind == 0 ? isa::kCoreWindowBase + random() % cores * isa::kCoreWindowStride + offset
                      : kBase + offset;
        r = t.request(core, address, static_cast<uint32_t>(bytes),
                      kind == 1  ? FabricAccess::update
                      : kind < 5 ? FabricAccess::write
                                 : FabricAccess::read);
        r.elements = 4;
        r.tag = core * 1000 + sent[core]++;
        if (kind == 7) r.client = FabricClient::scalar;
        return true;
      },
      40);
  std::map<uint64_t, Cycles> times;
  for (const Delivery& d : t.answers())
    EXPECT_TRUE(times.emplace(d.request.tag, d.time).second) << "answered twice";
  EXPECT_EQ(times.size(), cores * 300);
  return times;
}

TEST_P(AnyTopology, EveryRequestIsAnsweredOnceInEveryOrderOfLookingTheSame) {
  for (const uint64_t cores : {1, 3, 5, 8}) {
    const auto times = randomRun(GetParam(), cores, false, false);
    EXPECT_EQ(times, randomRun(GetParam(), cores, true, false)) << cores;
    EXPECT_EQ(times, randomRun(GetParam(), cores, false, true)) << cores;
    EXPECT_EQ(times, randomRun(GetParam(), cores, true, true)) << cores;
  }
}

INSTANTIATE_TEST_SUITE_P(Network, AnyTopology,
                         testing::Values(isa::NetworkTiming::kCrossbar, isa::NetworkTiming::kMesh,
                                         isa::NetworkTiming::kRing));

}  // namespace
}  // namespace etalon::sim
