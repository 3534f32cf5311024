// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tests and benchmarks: devices that send each other messages over links.

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "sim/fabric/link_fabric.h"

namespace etalon::sim::traffic {

/// Links of 50 bytes a cycle: 5.44 cycles a full packet.
inline isa::Timing linkTiming(uint64_t topology, uint64_t count) {
  isa::Timing timing;
  timing.clock_mhz = 1000;
  timing.links = {.topology = topology,
                  .count = count,
                  .megabytes_per_second = 50'000,
                  .latency_ns = 400,
                  .switch_ns = 60,
                  .packet_bytes = 256,
                  .header_bytes = 16,
                  .outstanding = 256};
  return timing;
}

/// Devices that send as long as each has fewer than `most` messages on their way, and what arrived.
class LinkTraffic {
 public:
  /// The next message of a device, without source and time; false: no more.
  using Source = std::function<bool(uint16_t device, LinkMessage& message)>;

  LinkTraffic(const isa::Timing& timing, uint64_t devices)
      : fabric_(timing, linkLayout(timing.links, devices).value()), devices_(devices) {}

  void send(uint16_t source, uint16_t destination, uint32_t bytes) {
    fabric_.send({.tag = tags_++,
                  .sent = now_,
                  .bytes = bytes,
                  .source = source,
                  .destination = destination});
  }

  /// Runs until all that `source` gives has arrived.
  void run(const Source& source, uint64_t most) {
    std::vector<uint64_t> on_way(devices_);
    std::vector<bool> dry(devices_);
    std::priority_queue<std::pair<Cycles, uint16_t>, std::vector<std::pair<Cycles, uint16_t>>,
                        std::greater<>>
        back;
    for (size_t noted = arrived_.size();; now_ = next(back.empty() ? kNever : back.top().first)) {
      for (; !back.empty() && back.top().first <= now_; back.pop()) --on_way[back.top().second];
      if (fabric_first) fabric_.advance(now_, arrived_);
      for (uint64_t i = 0; i < devices_; ++i) {
        const auto device = static_cast<uint16_t>(backwards ? devices_ - 1 - i : i);
        LinkMessage message;
        while (!dry[device] && on_way[device] < most) {
          dry[device] = !source(device, message);
          if (dry[device]) break;
          ++on_way[device];
          message.source = device;
          message.sent = now_;
          fabric_.send(message);
        }
      }
      if (!fabric_first) fabric_.advance(now_, arrived_);
      for (; noted < arrived_.size(); ++noted)
        back.emplace(arrived_[noted].time, arrived_[noted].message.source);
      if (back.empty() && fabric_.nextTime() == kNever) return;
    }
  }
  /// Until all that was sent has arrived.
  void runOut() {
    run([](uint16_t, LinkMessage&) { return false; }, 1);
  }

  const std::vector<LinkDelivery>& arrived() const { return arrived_; }
  /// When the last one arrived.
  Cycles end() const { return std::ranges::max(arrived_, {}, &LinkDelivery::time).time; }
  const LinkFabric& fabric() const { return fabric_; }
  Cycles now() const { return now_; }

  bool fabric_first = false, backwards = false;

 private:
  Cycles next(Cycles back) const { return std::min(back, std::max(fabric_.nextTime(), now_ + 1)); }

  LinkFabric fabric_;
  uint64_t devices_;
  std::vector<LinkDelivery> arrived_;
  Cycles now_ = 1;
  uint64_t tags_ = 0;
};

/// Sends `each` messages of `bytes` to each of a device's destinations, in turn, all devices at once.
/// Returns the cycle, counted from the first sending, in which all had arrived.
inline Cycles cyclesOf(LinkTraffic& t, const std::vector<std::vector<uint16_t>>& destinations,
                       uint64_t each, uint32_t bytes, uint64_t most = 2048) {
  std::vector<uint64_t> sent(destinations.size());
  const Cycles begin = t.now();
  t.run(
      [&](uint16_t device, LinkMessage& message) {
        const auto& to = destinations[device];
        const uint64_t n = sent[device]++;
        if (n == each * to.size()) return false;
        message.destination = to[n % to.size()];
        message.bytes = bytes;
        return true;
      },
      most);
  return t.end() - begin;
}

}  // namespace etalon::sim::traffic
