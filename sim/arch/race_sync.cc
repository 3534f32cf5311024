// SPDX-License-Identifier: Apache-2.0
// The detector's order points: each settles the stores that a single core has only noted so far.
#include <algorithm>

#include "sim/arch/race_detector.h"

namespace etalon::sim {

void RaceDetector::settleStores() {
  flushLog();
  log_.newEpoch();
}

void RaceDetector::fence(uint16_t core) {
  if (single_) log_.fullFence();
  if (!detects_) return;
  order_.fullFence(core);
}

void RaceDetector::fenceRange(uint16_t core, MemoryRegion region,
                              std::span<const ByteRange> ranges) {
  if (!detects_) return;
  settleStores();
  const Time number = order_.rangeFence(core);
  if (single_ && !region.isGlobal()) return;
  StateId in = kNoState;
  StateId out = kNoState;
  const auto fenced = [&](StateId state) {
    if (state != in) {
      out = pool_.intern(rangeFenced(pool_[state], core, number));
      in = state;
    }
    return out;
  };
  for (const ByteRange& range : ranges) {
    const uint64_t end = range.offset + range.length;
    for (uint64_t at = range.offset; at < end;) {
      uint32_t& line = lines_[region.index][at / ShadowMemory::kLineBytes];
      const uint64_t base = at / ShadowMemory::kLineBytes * ShadowMemory::kLineBytes;
      const uint64_t to = std::min(end - base, ShadowMemory::kLineBytes);
      if (!ShadowMemory::isBlock(line) && fenced(line) == line) {
        at = base + to;
        continue;
      }
      if (!ShadowMemory::isBlock(line) && to - (at - base) == ShadowMemory::kLineBytes) {
        line = fenced(line);
      } else {
        StateId* bytes = shadow_.expand(line);
        for (uint64_t i = at - base; i < to; ++i) bytes[i] = fenced(bytes[i]);
      }
      at = base + to;
    }
  }
}

VectorClock RaceDetector::issueSignal(uint16_t core) {
  if (!detects_) return VectorClock(0);
  settleStores();
  return order_.issueSignal(core);
}

void RaceDetector::deliverSignal(uint64_t semaphore, const VectorClock& carried) {
  if (detects_) order_.deliverSignal(semaphore, carried);
}

void RaceDetector::waitAcquire(uint16_t core, uint64_t semaphore) {
  if (!detects_) return;
  settleStores();
  order_.acquire(core, semaphore);
}

void RaceDetector::barrier(std::span<const uint16_t> cores) {
  if (!detects_) return;
  if (single_ && !cores.empty()) log_.fullFence();
  order_.barrier(cores);
}

void RaceDetector::riscvFence(uint16_t core, uint8_t pred_succ, bool tso) {
  if (!detects_) return;
  settleStores();
  const bool pred_read = (pred_succ & 0x20) != 0;
  const bool pred_write = (pred_succ & 0x10) != 0;
  const bool succ_read = (pred_succ & 0x02) != 0;
  const bool succ_write = (pred_succ & 0x01) != 0;
  if (tso) {
    // Everything but older stores before younger loads.
    order_.scalarFence(core, true, false, true, true);
    order_.scalarFence(core, false, true, false, true);
  } else {
    order_.scalarFence(core, pred_read, pred_write, succ_read, succ_write);
  }
  load_pending_ = true;
}

}  // namespace etalon::sim
