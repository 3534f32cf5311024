// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "sim/memory/memory_channel.h"
#include "sim/units/local_port.h"

namespace etalon::sim {

/// A core's local memory as other cores reach it, through its window: one access after the other, over a port that shares
/// the banks.
class WindowChannel final : public MemoryChannel {
 public:
  /// The banks outlive it. An access takes `latency` beside the port.
  WindowChannel(LocalMemory& local, Bytes port_bytes, Bytes burst_bytes, Cycles latency)
      : port_(local, port_bytes, burst_bytes), latency_(latency) {}

  bool accepts(bool, uint32_t) const override { return true; }
  void submit(const ChannelRequest& request, Cycles now) override {
    pending_.push_back({request.tag, port_.access(request.address, request.bytes, now) + latency_});
  }
  Cycles nextTime() const override { return pending_.empty() ? kNever : pending_.front().time; }
  void advance(Cycles now, std::vector<ChannelCompletion>& completed) override {
    while (!pending_.empty() && pending_.front().time <= now) {
      completed.push_back(pending_.front());
      pending_.pop_front();
    }
  }

 private:
  BankedPort port_;
  Cycles latency_;
  std::deque<ChannelCompletion>
      pending_;  // in order of time, since the port serves one after the other
};

}  // namespace etalon::sim
