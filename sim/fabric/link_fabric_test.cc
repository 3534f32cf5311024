// SPDX-License-Identifier: Apache-2.0
// Times of single packets by counting, who goes first, what counters say, and that the order of looking does not matter.
#include "sim/fabric/link_fabric.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "isa/machines/find_machine.h"
#include "sim/fabric/link_traffic.h"

namespace etalon::sim {
namespace {

using traffic::linkTiming;
using traffic::LinkTraffic;

constexpr uint64_t kRing = isa::LinkTiming::kRing, kTorus = isa::LinkTiming::kTorus,
                   kSwitch = isa::LinkTiming::kSwitch;

uint64_t up(uint64_t number, uint64_t divisor) { return (number + divisor - 1) / divisor; }

uint64_t onRing(uint64_t from, uint64_t to, uint64_t size) {
  const uint64_t distance = from > to ? from - to : to - from;
  return std::min(distance, size - distance);
}

/// Links from one device to another.
uint64_t hops(uint64_t topology, uint64_t devices, uint64_t from, uint64_t to) {
  if (topology == kSwitch) return 2;
  if (topology == kRing) return onRing(from, to, devices);
  static const std::map<uint64_t, uint64_t> kColumns{{4, 2},  {6, 3},  {8, 4},  {9, 3}, {10, 5},
                                                     {12, 4}, {14, 7}, {15, 5}, {16, 4}};
  const uint64_t columns = kColumns.at(devices);
  return onRing(from % columns, to % columns, columns) +
         onRing(from / columns, to / columns, devices / columns);
}

/// Cycles from sending one packet until it is there: a cycle into the first link; each link its bytes and its latency; each
/// chip on the way, or the switch, its time. Whatever ends in a cycle goes on with the next one.
Cycles timeOf(const isa::Timing& timing, uint64_t hops, uint64_t payload) {
  const isa::LinkTiming& links = timing.links;
  const uint64_t bytes = payload + links.header_bytes;
  return 1 +
         hops * (up(bytes * timing.clock_mhz, links.megabytes_per_second) +
                 up(links.latency_ns * timing.clock_mhz, 1000)) +
         (hops - 1) * up(links.switch_ns * timing.clock_mhz, 1000);
}

class EveryPair : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(EveryPair, OnePacketTakesTheSumOfItsWay) {
  const auto& [machine, topology_name] = GetParam();
  const isa::Timing timing =
      *isa::openMachine(machine, {std::string("links.topology=") + topology_name, "links.count=4"})
           .value()
           .timing;
  for (uint64_t devices = 2; devices <= 16; ++devices) {
    if (!linkLayout(timing.links, devices).ok()) continue;
    for (uint64_t from = 0; from < devices; ++from)
      for (uint64_t to = 0; to < devices; ++to) {
        if (from == to) continue;
        const auto payload = static_cast<uint32_t>((from * 16 + to) % 257);
        LinkTraffic t(timing, devices);
        t.send(static_cast<uint16_t>(from), static_cast<uint16_t>(to), payload);
        t.runOut();
        ASSERT_EQ(t.arrived().size(), 1u);
        const LinkDelivery& delivery = t.arrived().front();
        EXPECT_EQ(delivery.time - delivery.message.sent,
                  timeOf(timing, hops(timing.links.topology, devices, from, to), payload))
            << devices << " devices, " << from << " to " << to;
        EXPECT_EQ(delivery.message.destination, to);
        EXPECT_EQ(delivery.message.bytes, payload);
      }
  }
}

INSTANTIATE_TEST_SUITE_P(LinkFabric, EveryPair,
                         testing::Combine(testing::Values("base", "server", "tpuv4-like"),
                                          testing::Values("ring", "torus", "switch")));

TEST(LinkFabric, APacketOfBaseTakesWhatTheMicroarchitecturePageSays) {
  const isa::Timing timing = *isa::openMachine("base", {}).value().timing;
  for (const auto& [destination, cycles] : {std::pair<uint16_t, Cycles>{1, 507}, {2, 1113}}) {
    LinkTraffic t(timing, 5);
    t.send(0, destination, 256);
    t.runOut();
    EXPECT_EQ(t.arrived().at(0).time - t.arrived().at(0).message.sent, cycles);
  }
}

std::vector<Cycles> timesOf(const LinkTraffic& t) {
  std::vector<Cycles> times;
  for (const LinkDelivery& delivery : t.arrived())
    times.push_back(delivery.time - delivery.message.sent);
  return times;
}

TEST(LinkFabric, FractionsOfCyclesDoNotAddUp) {
  // One link; 272 bytes at 50 a cycle are 5.44 cycles.
  LinkTraffic t(linkTiming(kRing, 2), 3);
  for (int i = 0; i < 100; ++i) t.send(0, 1, 256);
  t.runOut();
  const std::vector<Cycles> times = timesOf(t);
  ASSERT_EQ(times.size(), 100u);
  for (uint64_t i = 0; i < 100; ++i) EXPECT_EQ(times[i], 1 + up((i + 1) * 272, 50) + 400) << i;
}

TEST(LinkFabric, SeveralPacketsMayPassInOneCycle) {
  isa::Timing timing = linkTiming(kRing, 2);
  timing.links.megabytes_per_second = 1'000'000;  // 1,000 bytes a cycle
  LinkTraffic t(timing, 3);
  for (int i = 0; i < 10; ++i) t.send(0, 1, 234);
  t.runOut();
  const std::vector<Cycles> times = timesOf(t);
  ASSERT_EQ(times.size(), 10u);
  for (uint64_t i = 0; i < 10; ++i) EXPECT_EQ(times[i], 1 + up((i + 1) * 250, 1000) + 400) << i;
}

TEST(LinkFabric, ALargeMessageGoesInPacketsAndArrivesWithTheLast) {
  LinkTraffic t(linkTiming(kRing, 2), 3);
  t.send(0, 1, 1000);
  t.runOut();
  EXPECT_EQ(timesOf(t), std::vector<Cycles>{1 + up(1000 + 4 * 16, 50) + 400});
}

TEST(LinkFabric, PacketsFollowEachOtherOverSeveralLinks) {
  // Whole packets of 6 cycles each.
  isa::Timing timing = linkTiming(kRing, 2);
  timing.links.header_bytes = 44;
  LinkTraffic t(timing, 5);
  for (int i = 0; i < 3; ++i) t.send(0, 2, 256);
  t.runOut();
  const Cycles first = 1 + 6 + 400 + 60 + 6 + 400;
  EXPECT_EQ(timesOf(t), (std::vector<Cycles>{first, first + 6, first + 12}));
}

TEST(LinkFabric, TheLinkThatIsFreeFirstTakesTheNextPacket) {
  // Three links to each neighbour; a long packet and a short one, then two more as soon as links are free.
  LinkTraffic t(linkTiming(kRing, 6), 4);
  t.send(0, 1, 234);  // 250 bytes: 5 cycles
  t.send(0, 1, 34);   // 1 cycle
  t.send(0, 1, 84);   // 2 cycles
  t.send(0, 1, 234);  // behind the second
  t.send(0, 1, 134);  // behind the third, 3 cycles
  t.runOut();
  std::map<uint64_t, Cycles> times;
  for (const LinkDelivery& delivery : t.arrived())
    times[delivery.message.tag] = delivery.time - delivery.message.sent;
  EXPECT_EQ(times, (std::map<uint64_t, Cycles>{{0, 406}, {1, 402}, {2, 403}, {3, 407}, {4, 406}}));
}

TEST(LinkFabric, TwoDevicesHaveAllLinksBetweenThem) {
  LinkTraffic t(linkTiming(kRing, 4), 2);
  for (int i = 0; i < 5; ++i) t.send(0, 1, 256);
  t.runOut();
  EXPECT_EQ(timesOf(t), (std::vector<Cycles>{407, 407, 407, 407, 1 + up(2 * 272, 50) + 400}));
}

TEST(LinkFabric, OldestFirstThenTheLowerDevice) {
  // Packets of 300 bytes, 6 cycles, for device 0. Those of device 3 hold the switch's output while the others come.
  isa::Timing timing = linkTiming(kSwitch, 1);
  timing.links.header_bytes = 44;
  LinkFabric fabric(timing, linkLayout(timing.links, 4).value());
  const auto send = [&](uint16_t source, Cycles sent) {
    fabric.send({.sent = sent, .bytes = 256, .source = source, .destination = 0});
  };
  send(3, 1);
  send(3, 2);  // at the switch 5 cycles later: the up link takes one after the other
  send(2, 4);
  send(1, 4);
  send(1, 5);
  std::vector<LinkDelivery> arrived;
  while (fabric.nextTime() != kNever) fabric.advance(fabric.nextTime(), arrived);
  std::vector<std::pair<uint16_t, Cycles>> order;
  order.reserve(arrived.size());
  for (const LinkDelivery& d : arrived) order.emplace_back(d.message.source, d.message.sent);
  EXPECT_EQ(order,
            (std::vector<std::pair<uint16_t, Cycles>>{{3, 1}, {3, 2}, {1, 4}, {2, 4}, {1, 5}}));
}

TEST(LinkFabric, WhatPassesAndWhatWaitsIsCounted) {
  LinkTraffic t(linkTiming(kRing, 2), 5);
  for (int i = 0; i < 10; ++i) t.send(0, 2, 100);
  t.send(1, 2, 0);
  t.runOut();
  const LinkFabric& fabric = t.fabric();
  for (uint32_t output = 0; output < fabric.layout().outputs.size(); ++output) {
    const LinkLayout::Output& at = fabric.layout().outputs[output];
    const LinkFabric::LinkUse& use = fabric.use(output, 0);
    const bool first = at.from == 0 && at.to == 1, second = at.from == 1 && at.to == 2;
    EXPECT_EQ(use.packets, first ? 10u : second ? 11u : 0u);
    EXPECT_EQ(use.payload, first || second ? 1000u : 0u);
    EXPECT_EQ(use.headers, use.packets * 16);
    EXPECT_EQ(fabric.busyCycles(output, 0), up(use.payload + use.headers, 50));
    // All ten come at once to the first output; to the second one after the other, as they leave.
    EXPECT_EQ(fabric.mostQueued(output), first ? 1160u : second ? 116u : 0u);
  }
}

TEST(LinkFabric, PacketsOfAFlowTakeBothWaysWhereTheyAreAsLong) {
  LinkTraffic t(linkTiming(kRing, 2), 6);
  for (int i = 0; i < 10; ++i) t.send(1, 4, 256);
  t.runOut();
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> packets;
  for (uint32_t output = 0; output < t.fabric().layout().outputs.size(); ++output)
    if (const uint64_t n = t.fabric().use(output, 0).packets; n != 0)
      packets[{t.fabric().layout().outputs[output].from, t.fabric().layout().outputs[output].to}] =
          n;
  EXPECT_EQ(packets,
            (std::map<std::pair<uint32_t, uint32_t>, uint64_t>{
                {{1, 2}, 5}, {{2, 3}, 5}, {{3, 4}, 5}, {{1, 0}, 5}, {{0, 5}, 5}, {{5, 4}, 5}}));
}

struct Order {
  bool fabric_first = false, backwards = false;
};

/// Random messages: when each arrived, and the order in which they were handed over.
std::vector<std::tuple<uint64_t, Cycles>> randomRun(uint64_t topology, uint64_t devices,
                                                    Order order) {
  isa::Timing timing = linkTiming(topology, 4);
  timing.clock_mhz = 1300;
  timing.links.megabytes_per_second = 47'000;
  LinkTraffic t(timing, devices);
  t.fabric_first = order.fabric_first;
  t.backwards = order.backwards;
  std::vector<std::minstd_rand> rng;
  rng.reserve(devices);
  std::vector<uint64_t> sent(devices);
  for (uint64_t device = 0; device < devices; ++device) rng.emplace_back(device + 1);
  t.run(
      [&](uint16_t device, LinkMessage& message) {
        if (sent[device] == 200) return false;
        auto& random = rng[device];
        message.destination =
            static_cast<uint16_t>((device + 1 + random() % (devices - 1)) % devices);
        message.bytes = random() % 8 == 0 ? random() % 2000 : random() % 257;
        message.tag = device * 1000 + sent[device]++;
        return true;
      },
      50);
  std::vector<std::tuple<uint64_t, Cycles>> times;
  for (const LinkDelivery& d : t.arrived()) times.emplace_back(d.message.tag, d.time);
  return times;
}

class AnyLinks : public testing::TestWithParam<uint64_t> {};

TEST_P(AnyLinks, EveryMessageArrivesOnceInEveryOrderOfLookingTheSame) {
  for (const uint64_t devices : {2, 4, 6, 9, 16}) {
    if (GetParam() == kTorus && devices == 2) continue;
    const auto times = randomRun(GetParam(), devices, {});
    std::map<uint64_t, Cycles> once;
    for (const auto& [tag, time] : times) EXPECT_TRUE(once.emplace(tag, time).second) << tag;
    EXPECT_EQ(once.size(), devices * 200);
    EXPECT_EQ(times, randomRun(GetParam(), devices, {})) << devices;
    EXPECT_EQ(times, randomRun(GetParam(), devices, {.fabric_first = true})) << devices;
    EXPECT_EQ(times, randomRun(GetParam(), devices, {.backwards = true})) << devices;
    EXPECT_EQ(times, randomRun(GetParam(), devices, {.fabric_first = true, .backwards = true}))
        << devices;
  }
}

INSTANTIATE_TEST_SUITE_P(LinkFabric, AnyLinks, testing::Values(kRing, kTorus, kSwitch));

}  // namespace
}  // namespace etalon::sim
