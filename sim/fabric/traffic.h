// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tests only: cores that send requests into a network with ideal channels.

#include <algorithm>
#include <functional>
#include <vector>

#include "sim/fabric/fabric_loop.h"

namespace etalon::sim::traffic {

constexpr uint64_t kBase = 0x80000000;

inline isa::Timing timingOf(uint64_t channels, uint64_t topology = isa::NetworkTiming::kCrossbar) {
  isa::Timing timing;
  timing.dma.burst_bytes = 64;
  timing.network = {.topology = topology, .ports = 4, .port_bytes = 64, .latency = 8, .queue = 8};
  timing.memory.channels = channels;
  timing.memory.interleave_bytes = 256;
  return timing;
}

/// Sends requests of cores and notes what comes back.
class Traffic {
 public:
  Traffic(const isa::Timing& timing, uint64_t cores, const IdealChannel::Shape& shape)
      : map_(timing, cores, kBase), loop_(timing, map_, shape) {}

  /// The next request of a core; false: no more.
  using Source = std::function<bool(uint16_t core, FabricRequest& request)>;

  FabricRequest request(uint16_t core, uint64_t address, uint32_t bytes, FabricAccess access) {
    FabricRequest r{.tag = tags_++, .sent = now_, .bytes = bytes, .core = core, .access = access};
    map_.place(r, address);
    return r;
  }

  void send(const FabricRequest& r) { loop_.network.send(r); }

  /// Runs until nothing is left, or until `end`. Every core sends whenever it has fewer than `most` on their way.
  void run(const Source& source, uint64_t most, Cycles end = kNever) {
    std::vector<uint64_t> on_way(map_.cores());
    std::vector<bool> dry(map_.cores());
    while (now_ < end) {
      bool all_dry = true;
      for (uint16_t i = 0; i < map_.cores(); ++i) {
        const auto core = static_cast<uint16_t>(backwards ? map_.cores() - 1 - i : i);
        FabricRequest r;
        while (!dry[core] && on_way[core] < most) {
          if (source(core, r)) {
            ++on_way[core];
            send(r);
          } else {
            dry[core] = true;
          }
        }
        all_dry = all_dry && dry[core];
      }
      step();
      for (; next_answer_ < answers_.size(); ++next_answer_)
        --on_way[answers_[next_answer_].request.core];
      const Cycles next = loop_.nextTime();
      if (all_dry && next == kNever) return;
      now_ = std::min(next, end);
    }
  }

  /// One cycle.
  void step() { loop_.advance(now_, answers_, endpoints_first, backwards); }
  void runOut() {
    run([](uint16_t, FabricRequest&) { return false; }, 1);
  }

  const std::vector<Delivery>& answers() const { return answers_; }
  Cycles now() const { return now_; }
  FabricLoop& loop() { return loop_; }
  FabricMap& map() { return map_; }

  bool endpoints_first = false, backwards = false;

 private:
  FabricMap map_;
  FabricLoop loop_;
  std::vector<Delivery> answers_;
  size_t next_answer_ = 0;
  Cycles now_ = 1;
  uint64_t tags_ = 0;
};

/// Bytes a cycle of `access` over requests of 256 bytes, each core in its own range; `next(core)` is the next address.
template <class Next>
double bandwidth(Traffic& t, FabricAccess access, uint64_t most, Next&& next) {
  constexpr Cycles kEnd = 8'000;
  t.run(
      [&](uint16_t core, FabricRequest& r) {
        r = t.request(core, next(core), 256, access);
        return true;
      },
      most, kEnd);
  return static_cast<double>(t.answers().size()) * 256 / static_cast<double>(kEnd);
}

}  // namespace etalon::sim::traffic
