// SPDX-License-Identifier: Apache-2.0
// What links carry, held to bounds counted by hand: bytes over the links that a pattern needs most. Each pattern is run until
// all of it has arrived, so no run can be shorter than its bound.
#include <gtest/gtest.h>

#include <random>

#include "sim/fabric/link_traffic.h"

namespace etalon::sim {
namespace {

using traffic::cyclesOf;
using traffic::linkTiming;
using traffic::LinkTraffic;
using Pattern = std::vector<std::vector<uint16_t>>;  // destinations of each device

constexpr uint64_t kRing = isa::LinkTiming::kRing, kTorus = isa::LinkTiming::kTorus,
                   kSwitch = isa::LinkTiming::kSwitch;
constexpr double kPacketCycles = (256 + 16) / 50.0;  // full packets on links of 50 bytes a cycle

/// Short links, so that filling and emptying them is little of the time.
isa::Timing shortLinks(uint64_t topology, uint64_t count) {
  isa::Timing timing = linkTiming(topology, count);
  timing.links.latency_ns = 100;
  return timing;
}

/// `to(device, i)` for the i-th of `count` destinations of each device.
template <class To>
Pattern pattern(uint64_t devices, uint64_t count, To&& to) {
  Pattern made(devices);
  for (uint64_t device = 0; device < devices; ++device)
    for (uint64_t i = 0; i < count; ++i)
      made[device].push_back(static_cast<uint16_t>(to(device, i) % devices));
  return made;
}
Pattern shifted(uint64_t devices, uint64_t by) {
  return pattern(devices, 1, [&](uint64_t device, uint64_t) { return device + by; });
}
Pattern allToAll(uint64_t devices) {
  return pattern(devices, devices - 1, [](uint64_t device, uint64_t i) { return device + 1 + i; });
}

/// Runs `messages` of each device over the pattern. `load`: how many packets a link of those that bind has to carry if a
/// device sends one message to each of its destinations.
void expectAtBound(uint64_t topology, uint64_t count, const Pattern& pattern, double load,
                   const char* what) {
  constexpr uint64_t kMessages = 6'000;
  const uint64_t each = kMessages / pattern[0].size();
  LinkTraffic t(shortLinks(topology, count), pattern.size());
  const auto cycles = static_cast<double>(cyclesOf(t, pattern, each, 256));
  const double bound = load * static_cast<double>(each) * kPacketCycles;
  EXPECT_GE(cycles, bound) << what << ", " << pattern.size() << " devices";
  EXPECT_LE(cycles, bound / 0.95) << what << ", " << pattern.size() << " devices";
}

TEST(LinkBandwidth, NeighboursOfARingHaveTheirLinksForThemselves) {
  for (const uint64_t devices : {3, 8, 16}) {
    expectAtBound(kRing, 2, shifted(devices, 1), 1, "upwards");
    expectAtBound(kRing, 4, shifted(devices, devices - 1), 1 / 2.0, "downwards, two links");
  }
  expectAtBound(kRing, 4, shifted(2, 1), 1 / 4.0, "all four links");
}

TEST(LinkBandwidth, BothNeighboursOfARingAtOnce) {
  for (const uint64_t devices : {3, 5, 16})
    expectAtBound(
        kRing, 2,
        pattern(devices, 2,
                [&](uint64_t device, uint64_t i) { return device + (i == 0 ? 1 : devices - 1); }),
        1, "both");
}

TEST(LinkBandwidth, AllNeighboursOfATorusAtOnce) {
  constexpr uint64_t kSide = 4;
  const auto neighbour = [](uint64_t device, uint64_t i) {
    const uint64_t row = device / kSide, column = device % kSide;
    if (i < 2) return row * kSide + (column + (i == 0 ? 1 : kSide - 1)) % kSide;
    return (row + (i == 2 ? 1 : kSide - 1)) % kSide * kSide + column;
  };
  expectAtBound(kTorus, 4, pattern(16, 4, neighbour), 1, "four neighbours");
  expectAtBound(kTorus, 8, pattern(16, 1, neighbour), 1 / 2.0, "one neighbour, two links");
}

TEST(LinkBandwidth, AllToAllOnARingIsBoundByItsLinks) {
  for (const uint64_t devices : {2, 3, 5, 6, 8, 16}) {
    // Links that a device's messages take together, over the two that there are a device.
    double links = 0;
    for (uint64_t distance = 1; distance < devices; ++distance)
      links += static_cast<double>(std::min(distance, devices - distance));
    expectAtBound(kRing, 2, allToAll(devices), links / 2, "all to all");
  }
}

TEST(LinkBandwidth, AllToAllOnATorusIsBoundByItsLongerDimension) {
  // 4 x 4: in a row 0 + 1 + 2 + 1 links, from each of four rows, over two.
  expectAtBound(kTorus, 4, allToAll(16), 4 * 4 / 2.0, "all to all");
  // 3 x 4: the row of four binds.
  expectAtBound(kTorus, 4, allToAll(12), 3 * 4 / 2.0, "all to all");
}

TEST(LinkBandwidth, PermutationsThroughASwitchHaveAllLinks) {
  for (const uint64_t devices : {2, 7, 16})
    for (const uint64_t count : {1, 4})
      expectAtBound(kSwitch, count, shifted(devices, devices / 2), 1.0 / static_cast<double>(count),
                    "permutation");
}

TEST(LinkBandwidth, AllToAllThroughASwitchIsBoundByInjection) {
  for (const uint64_t devices : {2, 5, 16})
    expectAtBound(kSwitch, 2, allToAll(devices), static_cast<double>(devices - 1) / 2,
                  "all to all");
}

TEST(LinkBandwidth, OneDestinationIsBoundByItsLinks) {
  // 15 devices to device 0, which sends to one of them.
  const auto to_first = [](uint64_t device, uint64_t) { return device == 0 ? 1 : 0; };
  expectAtBound(kSwitch, 4, pattern(16, 1, to_first), 15 / 4.0, "to one");
  // On a ring half of them come by each side, of the one opposite every other packet.
  expectAtBound(kRing, 2, pattern(16, 1, to_first), 15 / 2.0, "to one");
}

TEST(LinkBandwidth, TheOtherHalfIsBoundByTheBisection) {
  // Every device to its opposite: on a ring n / 2 links each, evenly over two a device.
  for (const uint64_t devices : {4, 6, 16})
    expectAtBound(kRing, 2, shifted(devices, devices / 2), static_cast<double>(devices) / 4,
                  "opposite");
  // From half to half of a ring of 8: 16 of 64 flows cross each link of the cut one way.
  expectAtBound(kRing, 2,
                pattern(8, 4, [](uint64_t device, uint64_t i) { return (device < 4 ? 4 : 0) + i; }),
                16 / 2.0, "half to half");
  // On a torus of 4 x 4 two links in the row and two in the column, over two in each dimension.
  expectAtBound(kTorus, 4,
                pattern(16, 1,
                        [](uint64_t device, uint64_t) {
                          return (device / 4 + 2) % 4 * 4 + (device % 4 + 2) % 4;
                        }),
                1, "opposite");
}

uint64_t onRing(uint64_t from, uint64_t to, uint64_t size) {
  const uint64_t distance = from > to ? from - to : to - from;
  return std::min(distance, size - distance);
}

// Counted from what is sent: links taken over links there are, in a ring and in each dimension of a torus; through a switch
// what the busiest device sends or gets. What chance heaps on one link of the others costs less than a tenth.
TEST(LinkBandwidth, UniformRandomTrafficStaysUnderItsBound) {
  constexpr uint64_t kDevices = 16, kEach = 4000, kCount = 4;
  for (const uint64_t topology : {kRing, kTorus, kSwitch}) {
    Pattern to(kDevices);
    std::vector<uint64_t> received(kDevices);
    uint64_t ring = 0, rows = 0, columns = 0;
    std::minstd_rand random(7);
    for (uint64_t device = 0; device < kDevices; ++device)
      for (uint64_t i = 0; i < kEach; ++i) {
        const uint64_t other = (device + 1 + random() % (kDevices - 1)) % kDevices;
        to[device].push_back(static_cast<uint16_t>(other));
        ++received[other];
        ring += onRing(device, other, kDevices);
        rows += onRing(device % 4, other % 4, 4);
        columns += onRing(device / 4, other / 4, 4);
      }
    const uint64_t packets = topology == kRing ? ring / (kDevices * kCount)
                             : topology == kTorus
                                 ? std::max(rows, columns) / (kDevices * kCount / 2)
                                 : std::max(kEach, std::ranges::max(received)) / kCount;
    LinkTraffic t(shortLinks(topology, kCount), kDevices);
    const auto cycles = static_cast<double>(cyclesOf(t, to, 1, 256));
    const double bound = static_cast<double>(packets) * kPacketCycles;
    EXPECT_GE(cycles, bound) << topology;
    EXPECT_LE(cycles, bound / 0.9) << topology;
  }
}

TEST(LinkBandwidth, EveryDeviceGetsItsShareOfWhatAllWant) {
  for (const uint64_t topology : {kRing, kSwitch}) {
    LinkTraffic t(linkTiming(topology, 4), 16);
    const Pattern to_first =
        pattern(16, 1, [](uint64_t device, uint64_t) { return device == 0 ? 1 : 0; });
    const Cycles end = cyclesOf(t, to_first, 4000, 256, 512);
    std::vector<uint64_t> got(16);
    for (const LinkDelivery& d : t.arrived())
      if (d.time < end / 2) ++got[d.message.source];
    const auto [least, most] = std::ranges::minmax_element(got.begin() + 1, got.end());
    EXPECT_GE(*least * 100, *most * 90) << topology;
  }
}

}  // namespace
}  // namespace etalon::sim
