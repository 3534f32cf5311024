// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "sim/fabric/channel_port.h"
#include "sim/fabric/network.h"

namespace etalon::sim {

/// A memory channel for tests: every request takes `latency` cycles after its data have moved at `bytes_per_cycle`, one
/// after the other; at most `most` are inside.
class IdealChannel final : public MemoryChannel {
 public:
  struct Shape {
    Cycles latency = 50;
    Bytes bytes_per_cycle = 64;
    size_t most = 1'000'000;
  };
  explicit IdealChannel(const Shape& shape) : shape_(shape) {}

  bool accepts(bool, uint32_t) const override { return inside_.size() < shape_.most; }
  void submit(const ChannelRequest& request, Cycles now) override {
    free_ = std::max(free_, now) +
            (request.bytes + shape_.bytes_per_cycle - 1) / shape_.bytes_per_cycle;
    inside_.push_back({request.tag, free_ + shape_.latency});
    bytes_ += request.bytes;
  }
  Cycles nextTime() const override { return inside_.empty() ? kNever : inside_.front().time; }
  void advance(Cycles now, std::vector<ChannelCompletion>& completed) override {
    for (; !inside_.empty() && inside_.front().time <= now; inside_.pop_front())
      completed.push_back(inside_.front());
  }
  Bytes bytes() const { return bytes_; }

 private:
  Shape shape_;
  Cycles free_ = 0;
  Bytes bytes_ = 0;
  std::deque<ChannelCompletion> inside_;
};

/// For tests and benchmarks: a network with a channel behind every endpoint, each looked at only when something is due.
class FabricLoop {
 public:
  FabricLoop(const isa::Timing& timing, const FabricMap& map, const IdealChannel::Shape& shape)
      : network(timing, map) {
    for (uint32_t e = 0; e < map.endpoints(); ++e) {
      channels.push_back(std::make_unique<IdealChannel>(shape));
      ports.emplace_back(*channels.back());
    }
  }

  Cycles nextTime() const { return std::min(network.nextTime(), due_.nextTime()); }

  /// Network and endpoints at `now`, which is at most nextTime(); what comes back to cores goes to `answers`, with its
  /// times. The order within the cycle must not matter: the two flags change it.
  void advance(Cycles now, std::vector<Delivery>& answers, bool endpoints_first = false,
               bool backwards = false) {
    if (endpoints_first) advanceEndpoints(now, backwards);
    to_endpoints_.clear();
    network.advance(now, to_endpoints_, answers);
    for (const Delivery& delivery : to_endpoints_) {
      ChannelPort& port = ports[delivery.request.endpoint];
      if (delivery.time < port.nextTime()) due_.add(delivery.time, delivery.request.endpoint);
      port.deliver(delivery);
    }
    if (!endpoints_first) advanceEndpoints(now, backwards);
  }

  Network network;
  std::vector<std::unique_ptr<IdealChannel>> channels;
  std::vector<ChannelPort> ports;

 private:
  void advanceEndpoints(Cycles now, bool backwards) {
    if (due_.nextTime() > now) return due_.skip(now);
    at_ = due_.drain(now);
    if (backwards) std::ranges::reverse(at_);
    for (const uint32_t endpoint : at_) {
      ChannelPort& port = ports[endpoint];
      if (port.nextTime() > now) continue;
      out_.clear();
      port.advance(now, out_);
      for (const FabricRequest& request : out_.credits) network.credit(request, now);
      for (const FabricRequest& request : out_.answers) network.answer(request, now);
      if (port.nextTime() != kNever) due_.add(port.nextTime(), endpoint);
    }
  }

  EventWheel due_;
  std::vector<uint32_t> at_;
  std::vector<Delivery> to_endpoints_;
  ChannelPortOutput out_;
};

}  // namespace etalon::sim
