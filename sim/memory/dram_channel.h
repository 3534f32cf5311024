// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "isa/machines/dram_preset.h"
#include "sim/memory/completion_queue.h"
#include "sim/memory/dram_controller.h"
#include "sim/memory/memory_channel.h"
#include "sim/memory/memory_clock.h"

namespace etalon::sim {

/// A DRAM controller behind the core's clock. A request is cut at blocks of DramController::blockBytes(); a read is complete
/// with its last block, a write one nCK after it was taken.
class DramChannel : public MemoryChannel {
 public:
  DramChannel(const isa::DramPreset& preset, uint64_t clock_mhz);

  bool accepts(bool write, uint32_t bytes) const override;
  void submit(const ChannelRequest& request, Cycles now) override;
  Cycles nextTime() const override;
  void advance(Cycles now, std::vector<ChannelCompletion>& completed) override;

  const DramCounters& counters() const { return controller_.counters(); }
  DramController& controller() { return controller_; }

 private:
  struct Read {
    uint64_t tag = 0, age = 0;
    uint32_t blocks_left = 0;
  };
  void collect();

  MemoryClock clock_;
  DramController controller_;
  std::vector<Read> reads_;  // by the controller's tag
  std::vector<uint32_t> free_reads_;
  CompletionQueue completions_;
  uint64_t age_ = 0;
  mutable bool refused_ = false;  // since the last advance
};

/// The channel of a preset, for a core of so many MHz (at least 1).
std::unique_ptr<MemoryChannel> makeChannel(const isa::DramPreset& preset, uint64_t clock_mhz);

}  // namespace etalon::sim
