// SPDX-License-Identifier: Apache-2.0
// Links held against a model that looks at every packet in every cycle and knows no events: the rules of the
// microarchitecture page, section 8.2, as they stand there.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

#include "sim/fabric/link_traffic.h"

namespace etalon::sim {
namespace {

using traffic::linkTiming;

uint64_t up(uint64_t number, uint64_t divisor) { return (number + divisor - 1) / divisor; }

/// Times are cycles * megabytes_per_second; a byte takes clock_mhz of that.
class EveryCycle {
 public:
  EveryCycle(const isa::Timing& timing, uint64_t devices)
      : timing_(timing), layout_(linkLayout(timing.links, devices).value()) {
    for (const LinkLayout::Output& output : layout_.outputs) free_.emplace_back(output.links);
  }

  void send(const LinkMessage& message) {
    uint32_t left = message.bytes;
    do {
      const auto payload =
          static_cast<uint32_t>(std::min<uint64_t>(left, timing_.links.packet_bytes));
      const uint32_t turn = turns_[{message.source, message.destination}]++ % 4;
      packets_.push_back(
          {message, sent_[message.source]++, payload, turn, message.source, message.sent + 1});
      ++left_[message.tag];
      left -= payload;
    } while (left != 0);
  }

  /// When each message had arrived.
  std::map<uint64_t, Cycles> run() {
    for (Cycles now = 0; !packets_.empty(); ++now)
      for (uint32_t output = 0; output < free_.size(); ++output)
        while (grant(output, now)) {
        }
    return arrived_;
  }

 private:
  struct Packet {
    LinkMessage message;
    uint64_t number;
    uint32_t payload, turn, node;
    Cycles visible;
  };

  bool grant(uint32_t output, Cycles now) {
    const isa::LinkTiming& links = timing_.links;
    uint64_t& free = *std::ranges::min_element(free_[output]);
    if (free >= (now + 1) * links.megabytes_per_second) return false;
    size_t best = packets_.size();
    const auto age = [&](size_t i) {
      const Packet& p = packets_[i];
      return std::tuple(p.message.sent, p.number, p.message.source);
    };
    for (size_t i = 0; i < packets_.size(); ++i) {
      const Packet& p = packets_[i];
      if (p.visible > now || layout_.output(p.node, p.message.destination, p.turn) != output)
        continue;
      if (best == packets_.size() || age(i) < age(best)) best = i;
    }
    if (best == packets_.size()) return false;
    Packet& packet = packets_[best];
    free = std::max(free, now * links.megabytes_per_second) +
           (packet.payload + links.header_bytes) * timing_.clock_mhz;
    const Cycles there =
        up(free, links.megabytes_per_second) + up(links.latency_ns * timing_.clock_mhz, 1000);
    packet.node = layout_.outputs[output].to;
    packet.visible = there + up(links.switch_ns * timing_.clock_mhz, 1000);
    if (packet.node != packet.message.destination) return true;
    const uint64_t tag = packet.message.tag;
    last_[tag] = std::max(last_[tag], there);
    if (--left_[tag] == 0) arrived_[tag] = last_[tag];
    packets_.erase(packets_.begin() + static_cast<std::ptrdiff_t>(best));
    return true;
  }

  isa::Timing timing_;
  LinkLayout layout_;
  std::vector<std::vector<uint64_t>> free_;
  std::vector<Packet> packets_;
  std::map<std::pair<uint16_t, uint16_t>, uint32_t> turns_;
  std::map<uint16_t, uint64_t> sent_;
  std::map<uint64_t, uint64_t> left_;
  std::map<uint64_t, Cycles> last_, arrived_;
};

isa::Timing randomTiming(std::minstd_rand& random, uint64_t topology) {
  isa::Timing timing = linkTiming(topology, 4 << random() % 2);
  timing.clock_mhz = 500 + random() % 2000;
  timing.links.megabytes_per_second = 20'000 + random() % 200'000;
  timing.links.latency_ns = 1 + random() % 200;
  timing.links.switch_ns = random() % 3 * 35;
  timing.links.packet_bytes = 64 + random() % 300;
  timing.links.header_bytes = random() % 3 * 12;
  return timing;
}

class LinkReference : public testing::TestWithParam<uint64_t> {};

TEST_P(LinkReference, RandomMessagesArriveAsInAModelThatLooksAtEveryCycle) {
  std::minstd_rand random(11);
  for (int run = 0; run < 60; ++run) {
    const isa::Timing timing = randomTiming(random, GetParam());
    uint64_t devices = 2 + random() % 15;
    while (!linkLayout(timing.links, devices).ok()) ++devices;
    EveryCycle reference(timing, devices);
    LinkFabric fabric(timing, linkLayout(timing.links, devices).value());
    std::vector<LinkMessage> messages;
    for (uint64_t tag = 0; tag < 150; ++tag) {
      LinkMessage message{.tag = tag, .sent = random() % 300};
      message.source = static_cast<uint16_t>(random() % devices);
      // Half of them to one device, where they wait.
      message.destination = static_cast<uint16_t>(random() % 2 == 0 ? 0 : random() % devices);
      if (message.source == message.destination) continue;
      message.bytes = random() % 8 == 0 ? random() % 1500 : random() % 100;
      messages.push_back(message);
    }
    for (const LinkMessage& message : messages) {
      reference.send(message);
      fabric.send(message);
    }
    std::vector<LinkDelivery> arrived;
    while (fabric.nextTime() != kNever) fabric.advance(fabric.nextTime(), arrived);
    std::map<uint64_t, Cycles> times;
    for (const LinkDelivery& d : arrived) times[d.message.tag] = d.time;
    ASSERT_EQ(arrived.size(), messages.size());
    ASSERT_EQ(times, reference.run()) << "run " << run << ", " << devices << " devices";
  }
}

INSTANTIATE_TEST_SUITE_P(LinkFabric, LinkReference,
                         testing::Values(isa::LinkTiming::kRing, isa::LinkTiming::kTorus,
                                         isa::LinkTiming::kSwitch));

}  // namespace
}  // namespace etalon::sim
