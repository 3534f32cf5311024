// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "sim/arch/race_detector.h"

namespace etalon::sim {

inline constexpr MemoryRegion kGlobal = MemoryRegion::global();
inline constexpr uint64_t kData = 0x100;
inline constexpr uint64_t kFlag = 0x400;
inline constexpr uint8_t kRwRw = 0x33, kRwW = 0x31, kRRw = 0x23, kWW = 0x11, kRR = 0x22;

/// A detector whose steps read like a program; every step has its own pc.
class Litmus {
 public:
  explicit Litmus(uint32_t cores, bool reduced = true)
      : detector_(std::move(RaceDetector::create({.cores = cores,
                                                  .global_bytes = 1 << 16,
                                                  .local_bytes = 1 << 16,
                                                  .allow_single_core = reduced}))
                      .value()) {}

  Litmus& load(uint16_t c, uint64_t at, MemoryRegion r = kGlobal) {
    detector_.scalarLoad(site(c), r, at, 4);
    return *this;
  }
  Litmus& store(uint16_t c, uint64_t at, MemoryRegion r = kGlobal) {
    detector_.scalarStore(site(c), r, at, 4);
    return *this;
  }
  Litmus& amo(uint16_t c, uint64_t at, AtomicOrder order = {}) {
    detector_.atomic(site(c), kGlobal, at, 4, order);
    return *this;
  }
  Litmus& lr(uint16_t c, uint64_t at, AtomicOrder order = {}) {
    detector_.loadReserved(site(c), kGlobal, at, 4, order);
    return *this;
  }
  Litmus& tileRead(uint16_t c, uint64_t at, MemoryRegion r = kGlobal, uint64_t bytes = 64) {
    detector_.beginTile(site(c));
    detector_.tileRead(r, at, bytes);
    return *this;
  }
  Litmus& tileWrite(uint16_t c, uint64_t at, MemoryRegion r = kGlobal, uint64_t bytes = 64) {
    detector_.beginTile(site(c));
    detector_.tileWrite(r, at, bytes);
    return *this;
  }
  Litmus& tileAtomic(uint16_t c, uint64_t at) {
    detector_.beginTile(site(c));
    detector_.tileAtomic(kGlobal, at, 4);
    return *this;
  }
  Litmus& tileFloatAdd(uint16_t c, uint64_t at, uint64_t bytes = 4) {
    detector_.beginTile(site(c));
    detector_.tileFloatAdd(kGlobal, at, bytes);
    return *this;
  }
  Litmus& etFence(uint16_t c) { return detector_.fence(c), *this; }
  Litmus& etFence(uint16_t c, uint64_t at, uint64_t bytes) {
    const ByteRange range{at, bytes};
    return detector_.fenceRange(c, kGlobal, {&range, 1}), *this;
  }
  Litmus& sig(uint16_t c, uint64_t s) { return detector_.signal(c, s), *this; }
  Litmus& wait(uint16_t c, uint64_t s) { return detector_.waitAcquire(c, s), *this; }
  Litmus& barrier(std::vector<uint16_t> cores) { return detector_.barrier(cores), *this; }
  Litmus& fence(uint16_t c, uint8_t bits) { return detector_.riscvFence(c, bits), *this; }
  Litmus& fenceTso(uint16_t c) { return detector_.riscvFence(c, 0x33, true), *this; }

  size_t races() const { return detector_.raceCount(); }
  size_t orderDependences() const { return detector_.orderDependenceCount(); }

 private:
  AccessSite site(uint16_t core) { return {core, 0x1000 + 4 * next_++, 0x0B}; }

  RaceDetector detector_;
  uint64_t next_ = 0;
};

}  // namespace etalon::sim
