// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "isa/machines/dram_preset.h"
#include "sim/memory/completion_queue.h"
#include "sim/memory/memory_channel.h"

namespace etalon::sim {

/// A memory that knows a latency and a bandwidth: requests pass its one port in the order of their coming, reads and writes
/// alike, and each is complete a fixed time after its last byte has passed.
class FixedChannel : public MemoryChannel {
 public:
  /// Requests that wait for the port; a request is accepted while fewer do.
  static constexpr uint32_t kWaiting = 32;

  FixedChannel(const isa::DramPreset& preset, uint64_t clock_mhz);

  bool accepts(bool write, uint32_t bytes) const override;
  void submit(const ChannelRequest& request, Cycles now) override;
  Cycles nextTime() const override;
  void advance(Cycles now, std::vector<ChannelCompletion>& completed) override;

 private:
  void goTo(Cycles now);

  // The port's time in units of 1 / rate_ cycles, in which a byte takes per_byte_.
  uint64_t rate_ = 1, per_byte_ = 1;
  Cycles latency_ = 0;
  uint64_t port_free_ = 0;
  std::vector<Cycles>
      starts_;  // when the requests that wait get the port, by age; from first_start_ on
  size_t first_start_ = 0;
  CompletionQueue completions_;
  uint64_t age_ = 0;
  Cycles now_ = 0;
  mutable bool refused_ = false;  // since the last advance
};

}  // namespace etalon::sim
