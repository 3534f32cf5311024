// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

#include "isa/base/bits.h"
#include "isa/base/status.h"
#include "sim/arch/access_order.h"
#include "sim/arch/race_report.h"
#include "sim/arch/shadow_memory.h"
#include "sim/arch/store_log.h"

namespace etalon::sim {

class SnapshotReader;

/// What the detector watches.
struct RaceDetectorConfig {
  uint32_t cores = 1;
  uint32_t idle_cores =
      0;                 ///< further cores, which do not run: their local memories can be accessed
  uint32_t devices = 1;  ///< all those cores are spread over them evenly
  uint64_t global_bytes = 0;  ///< of each device
  uint64_t local_bytes = 0;   ///< of each core
  size_t max_reports = 100;
  /// Skip what cannot matter when one core is the only agent. Off only to test that it is so.
  bool allow_single_core = true;
  /// Off: accesses are not looked at and nothing is ever reported.
  bool detect = true;
};

/// Bytes [offset, offset + length) of a region.
struct ByteRange {
  uint64_t offset = 0;
  uint64_t length = 0;
};

/// .aq and .rl of an LR, SC or AMO.
struct AtomicOrder {
  bool aq = false;
  bool rl = false;
};

/// Reports every pair of conflicting accesses, one by a tile instruction, that happens-before does
/// not order, for the order in which the model executed them, exact to the byte (isa.md section 4;
/// the decisions are listed in happens_before.h and access_order.h). Two atomics do not race; where
/// what they leave depends on their order, that is reported as a finding of its own.
///
/// Called by the functional model at each access, in executed order, offsets in bytes from the
/// start of the region, bounds already checked. Scalar accesses have 1 to 8 bytes. A pair of
/// instructions (first pc, second pc) is reported once. An access that races is remembered like any
/// other. When several older accesses race with one and one of them happens before another that
/// conflicts no less, only the later one is named.
class RaceDetector {
 public:
  static Result<RaceDetector> create(const RaceDetectorConfig& config);

  /// Opens a tile instruction; its runs follow, all reads before all writes.
  void beginTile(const AccessSite& site) {
    tile_site_ = site;
    cursors_ = {};
  }
  /// The open tile instruction reads, writes, or atomically updates one contiguous run; the last adds floats.
  void tileRead(MemoryRegion region, uint64_t offset, uint64_t length) {
    tileRun<AccessKind::kTileRead>(region, offset, length);
  }
  void tileWrite(MemoryRegion region, uint64_t offset, uint64_t length) {
    tileRun<AccessKind::kTileWrite>(region, offset, length);
  }
  void tileAtomic(MemoryRegion region, uint64_t offset, uint64_t length) {
    tileRun<AccessKind::kTileAtomic>(region, offset, length);
  }
  void tileFloatAdd(MemoryRegion region, uint64_t offset, uint64_t length) {
    tileRun<AccessKind::kTileFloatAdd>(region, offset, length);
  }

  void scalarLoad(const AccessSite& site, MemoryRegion region, uint64_t offset, uint32_t size) {
    if (single_ && !load_pending_ && (!region.isGlobal() || !log_.pageHasTiles(offset, size))) {
      return;
    }
    scalarAccess<AccessKind::kLoad>(site, region, offset, size);
    load_pending_ = false;
  }
  void scalarStore(const AccessSite& site, MemoryRegion region, uint64_t offset, uint32_t size) {
    if (single_) {
      if (!region.isGlobal()) return;
      if (!log_.pageHasTiles(offset, size)) {
        if (log_.add(site.pc, site.insn, offset, size)) flushLog();
        return;
      }
    }
    scalarAccess<AccessKind::kStore>(site, region, offset, size);
  }
  void loadReserved(const AccessSite& site, MemoryRegion region, uint64_t offset, uint32_t size,
                    AtomicOrder order);
  /// An AMO, or an SC that succeeded (one that failed accesses nothing).
  void atomic(const AccessSite& site, MemoryRegion region, uint64_t offset, uint32_t size,
              AtomicOrder order);

  /// et.fence, et.halt.
  void fence(uint16_t core);
  /// et.fence.t, et.fence.v: the bytes of the tile or view, in all its runs. Orders the accesses of
  /// these bytes by this core, tile and scalar, before all its younger accesses and releases.
  void fenceRange(uint16_t core, MemoryRegion region, std::span<const ByteRange> ranges);
  /// et.sig is issued: what its delivery carries.
  VectorClock issueSignal(uint16_t core);
  /// It is delivered to the semaphore that the caller numbers `semaphore`.
  void deliverSignal(uint64_t semaphore, const VectorClock& carried);
  /// Both at once.
  void signal(uint16_t core, uint64_t semaphore) { deliverSignal(semaphore, issueSignal(core)); }
  /// et.wait or et.waitsub that completes.
  void waitAcquire(uint16_t core, uint64_t semaphore);
  /// et.barrier completes for these cores; none of them has accessed memory since it arrived.
  void barrier(std::span<const uint16_t> cores);
  /// FENCE: `pred_succ` is imm[7:0], predecessor I O R W in bits 7:4, successor in bits 3:0; device
  /// bits order nothing here. `tso`: FENCE.TSO.
  void riscvFence(uint16_t core, uint8_t pred_succ, bool tso = false);

  const std::vector<RaceReport>& reports() const { return races_.reports; }
  /// Distinct pairs of instructions that raced, those beyond max_reports included.
  size_t raceCount() const { return races_.pairs.size(); }
  /// The same of atomic updates whose result depends on the order of the two.
  const std::vector<RaceReport>& orderDependences() const { return order_dependences_.reports; }
  size_t orderDependenceCount() const { return order_dependences_.pairs.size(); }
  /// True if the run takes the reduced path of a single core.
  bool singleCore() const { return single_ && detects_; }
  bool detects() const { return detects_; }

  /// States kept now, and the number at which unused ones are collected (for tests).
  size_t liveStates() const { return pool_.live(); }
  void setSweepLimit(size_t states) { min_sweep_limit_ = sweep_limit_ = states; }

  /// Snapshots (race_snapshot.cc), between two instructions. Reads into a detector that has seen no access. Remembered
  /// transitions and when to sweep are not kept: nothing but time depends on them.
  template <class Archive, class Self>
  static void transfer(Archive& archive, Self& self);

 private:
  /// Result of putting one access on one state, remembered by all that decides it.
  struct Memo {
    uint64_t pc = 0;
    uint64_t version = 0;  // 0: empty; names the core, too
    StateId in = 0;
    StateId out = 0;
    uint32_t kind = 0;  // with own_local in bit 8
    uint32_t insn = 0;
  };
  static constexpr size_t kMemos = 1 << 14;
  static constexpr size_t kMinReleaseLimit = 1 << 14;
  /// The last transition of the open tile instruction.
  struct Cursor {
    StateId in = kNoState;
    StateId out = kNoState;
  };
  static constexpr StateId kNoState = ~StateId{0};
  struct Target {
    MemoryRegion region;
    uint64_t offset;
  };

  RaceDetector(const RaceDetectorConfig& config, ShadowMemory shadow, StoreLog log);

  static size_t memoIndex(StateId in, uint64_t pc, uint32_t kind, uint64_t version) {
    const uint64_t key = (uint64_t{in} << 4 ^ pc >> 1 ^ version << 20) + kind;
    return key * 0x9E3779B97F4A7C15u >> 50;
  }
  static uint32_t memoKind(AccessKind kind, bool own_local) {
    return static_cast<uint32_t>(kind) | (own_local ? 0x100u : 0u);
  }

  static bool allEqual(const StateId* states, uint64_t count) {
    StateId differ = 0;
    for (uint64_t i = 1; i < count; ++i) differ |= states[i] ^ states[0];
    return differ == 0;
  }
  /// The same for a scalar access, without a loop for the sizes that are natural.
  static bool scalarEqual(const StateId* states, uint32_t size) {
    const uint64_t both = uint64_t{states[0]} << 32 | states[0];
    const auto pair = [&](uint32_t i) { return loadBytes<uint64_t>(states + i) ^ both; };
    switch (size) {
      case 1: return true;
      case 2: return pair(0) == 0;
      case 4: return (pair(0) | pair(2)) == 0;
      case 8: return (pair(0) | pair(2) | pair(4) | pair(6)) == 0;
      default: return allEqual(states, size);
    }
  }
  /// The state after the access, if this transition is remembered; else kNoState.
  StateId remembered(AccessKind access, const AccessSite& site, MemoryRegion region,
                     StateId in) const {
    const uint64_t version = order_.version(site.core);
    const uint32_t kind = memoKind(access, region.isLocalOf(site.core));
    const Memo& memo = memos_[memoIndex(in, site.pc, kind, version)];
    const bool hit = memo.version == version && memo.pc == site.pc && memo.in == in &&
                     memo.kind == kind && memo.insn == site.insn;
    return hit ? memo.out : kNoState;
  }

  template <AccessKind kKind>
  void tileRun(MemoryRegion region, uint64_t offset, uint64_t length);
  template <AccessKind kKind>
  void scalarAccess(const AccessSite& site, MemoryRegion region, uint64_t offset, uint32_t size);

  void tileSlow(AccessKind kind, MemoryRegion region, uint64_t offset, uint64_t length);
  void scalarSlow(AccessKind kind, const AccessSite& site, MemoryRegion region, uint64_t offset,
                  uint32_t size);
  bool joinReleases(VectorClock& view, MemoryRegion region, uint64_t offset, uint32_t size,
                    const AccessSite* reader);
  void accessBytes(const Access& access, MemoryRegion region, uint64_t offset, uint64_t length,
                   Cursor& cursor, bool memoise);
  StateId transition(const Access& access, StateId in, Target target, bool memoise);
  void report(const AccessRecord& first, const AccessRecord& second, Target target);
  void flushLog();
  void settleStores();
  void sweepIfLarge();
  /// When the next sweep is due.
  void setLimits();
  /// Fails a snapshot whose tables do not fit each other.
  void checkRead(SnapshotReader& in);

  Cluster cluster_;
  HappensBefore order_;
  ShadowMemory shadow_;
  StatePool pool_;
  StoreLog log_;
  std::vector<Memo> memos_;
  std::vector<uint32_t*> lines_;  // of each region
  AccessSite tile_site_;
  std::array<Cursor, 2 * kAccessKinds> cursors_;  // by kind, and whether in own local memory
  std::vector<AccessRecord> found_;               // scratch of transition()
  /// One agent alone. Also set where nothing is detected, for that path is the one that has a way out of every access.
  bool single_;
  bool detects_;
  /// A RISC-V fence ordered something before the next load, which carries it to tile instructions.
  bool load_pending_ = false;

  size_t max_reports_;
  size_t min_sweep_limit_ = size_t{1} << 16;
  size_t sweep_limit_ = min_sweep_limit_;
  size_t release_limit_ = kMinReleaseLimit;
  struct PairHash {
    size_t operator()(const std::pair<uint64_t, uint64_t>& p) const {
      return p.first * 0x9E3779B97F4A7C15u ^ p.second;
    }
  };
  /// Findings of one kind: every pair of instructions, the first max_reports_ of them described.
  struct Reports {
    std::unordered_set<std::pair<uint64_t, uint64_t>, PairHash> pairs;
    std::vector<RaceReport> reports;

    template <class Archive, class Self>
    static void transfer(Archive& archive, Self& self);
  };
  Reports races_;
  Reports order_dependences_;
};

template <AccessKind kKind>
inline void RaceDetector::tileRun(MemoryRegion region, uint64_t offset, uint64_t length) {
  if (length == 0 || (single_ && !region.isGlobal())) return;
  const bool own_local = region.isLocalOf(tile_site_.core);
  Cursor& cursor = cursors_[static_cast<size_t>(kKind) * 2 + own_local];
  if (single_) {
    if (!detects_) return;
    if (!log_.empty()) flushLog();
    log_.noteTile(offset, length);
  }
  // Whole lines in the state that the instruction met last: one compare and one store.
  if ((offset | length) % ShadowMemory::kLineBytes == 0) {
    uint32_t* line = lines_[region.index] + offset / ShadowMemory::kLineBytes;
    uint32_t* const end = line + length / ShadowMemory::kLineBytes;
    const uint32_t in = cursor.in;
    const uint32_t out = cursor.out;
    // A line that has a state was touched when it got it.
    if (in == 0) shadow_.touch(region.index, offset, length);
    for (; line != end && *line == in; ++line) *line = out;
    const auto left = static_cast<uint64_t>(end - line) * ShadowMemory::kLineBytes;
    if (left == 0) return;
    offset += length - left;
    length = left;
  }
  tileSlow(kKind, region, offset, length);
}

template <AccessKind kKind>
inline void RaceDetector::scalarAccess(const AccessSite& site, MemoryRegion region, uint64_t offset,
                                       uint32_t size) {
  uint32_t& line = lines_[region.index][offset / ShadowMemory::kLineBytes];
  const uint64_t at = offset % ShadowMemory::kLineBytes;
  if (at + size <= ShadowMemory::kLineBytes) [[likely]] {
    const bool split = ShadowMemory::isBlock(line);
    StateId* bytes = split ? shadow_.block(line) + at : nullptr;
    const StateId in = split ? bytes[0] : line;
    const StateId out =
        split && !scalarEqual(bytes, size) ? kNoState : remembered(kKind, site, region, in);
    if (out == in) return;
    if (split && out != kNoState) [[likely]] {
      for (uint32_t i = 0; i < size; ++i) bytes[i] = out;
      if (at + size == ShadowMemory::kLineBytes) shadow_.collapse(line);
      return;
    }
  }
  scalarSlow(kKind, site, region, offset, size);
}

}  // namespace etalon::sim
