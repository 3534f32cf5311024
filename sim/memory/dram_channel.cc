// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/dram_channel.h"

#include <algorithm>

#include "isa/base/check.h"
#include "sim/memory/fixed_channel.h"

namespace etalon::sim {

DramChannel::DramChannel(const isa::DramPreset& preset, uint64_t clock_mhz)
    : clock_(clock_mhz, preset.timing.tck_ps), controller_(preset) {}

bool DramChannel::accepts(bool write, uint32_t bytes) const {
  const uint32_t block = controller_.blockBytes();
  const bool yes = controller_.room(write) >= (bytes + block - 1) / block;
  refused_ |= !yes;
  return yes;
}

void DramChannel::submit(const ChannelRequest& request, Cycles now) {
  ETALON_CHECK(request.bytes > 0, "a request of nothing");
  const Nck time = clock_.toMemory(now);
  controller_.runUntil(time);
  collect();
  uint32_t slot = 0;
  if (!request.write) {
    if (free_reads_.empty()) {
      free_reads_.push_back(static_cast<uint32_t>(reads_.size()));
      reads_.emplace_back();
    }
    slot = free_reads_.back();
    free_reads_.pop_back();
    reads_[slot] = {request.tag, age_, 0};
  }
  const uint64_t block = controller_.blockBytes();
  const uint64_t end = request.address + request.bytes;
  for (uint64_t at = request.address; at < end;) {
    const uint64_t next = std::min(end, (at / block + 1) * block);
    if (!controller_.submit(at, static_cast<uint32_t>(next - at), request.write, slot, time))
      ++reads_[slot].blocks_left;
    at = next;
  }
  if (request.write || reads_[slot].blocks_left == 0) {
    completions_.add(request.tag, age_, clock_.toCore(time + 1));
    if (!request.write) free_reads_.push_back(slot);
  }
  ++age_;
}

/// Completions of what the controller has decided.
void DramChannel::collect() {
  for (const DramDone& done : controller_.done()) {
    Read& read = reads_[done.tag];
    if (--read.blocks_left > 0) continue;
    completions_.add(read.tag, read.age, clock_.toCore(done.time));
    free_reads_.push_back(done.tag);
  }
  controller_.done().clear();
}

Cycles DramChannel::nextTime() const {
  const Cycles done = std::min(completions_.nextTime(), clock_.toCore(controller_.earliestDone()));
  if (!refused_) return done;
  return std::min(done, clock_.afterMemory(controller_.earliestLeave()));
}

void DramChannel::advance(Cycles now, std::vector<ChannelCompletion>& completed) {
  controller_.runUntil(clock_.toMemory(now));
  collect();
  refused_ = false;
  completions_.take(now, completed);
}

std::unique_ptr<MemoryChannel> makeChannel(const isa::DramPreset& preset, uint64_t clock_mhz) {
  if (preset.kind == isa::DramPreset::Kind::Fixed)
    return std::make_unique<FixedChannel>(preset, clock_mhz);
  return std::make_unique<DramChannel>(preset, clock_mhz);
}

}  // namespace etalon::sim
