// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/race_detector.h"

#include <algorithm>
#include <utility>

namespace etalon::sim {

namespace {

Cluster clusterOf(const RaceDetectorConfig& config) {
  return {config.devices, (config.cores + config.idle_cores) / config.devices};
}

}  // namespace

Result<RaceDetector> RaceDetector::create(const RaceDetectorConfig& config) {
  const Cluster cluster = clusterOf(config);
  std::vector<uint64_t> sizes(MemoryRegion::count(cluster), config.local_bytes);
  for (unsigned device = 0; device < cluster.devices; ++device)
    sizes[MemoryRegion::global(cluster, device).index] = config.global_bytes;
  auto shadow = ShadowMemory::create(sizes);
  if (!shadow.ok()) return shadow.error();
  auto log = StoreLog::create(config.global_bytes);
  if (!log.ok()) return log.error();
  return RaceDetector(config, std::move(shadow).value(), std::move(log).value());
}

RaceDetector::RaceDetector(const RaceDetectorConfig& config, ShadowMemory shadow, StoreLog log)
    : cluster_(clusterOf(config)),
      order_(config.cores),
      shadow_(std::move(shadow)),
      log_(std::move(log)),
      memos_(kMemos),
      single_((config.cores == 1 && config.allow_single_core) || !config.detect),
      detects_(config.detect),
      max_reports_(config.max_reports) {
  for (uint32_t region = 0; region < MemoryRegion::count(cluster_); ++region)
    lines_.push_back(shadow_.lines(region));
}

void RaceDetector::tileSlow(AccessKind kind, MemoryRegion region, uint64_t offset,
                            uint64_t length) {
  sweepIfLarge();
  const uint16_t core = tile_site_.core;
  const bool own_local = region.isLocalOf(core);
  Access access;
  access.record = {.pc = tile_site_.pc,
                   .insn = tile_site_.insn,
                   .core = core,
                   .kind = kind,
                   .release = 0,
                   .time = order_.now(core),
                   .after = {}};
  access.view = &order_.tileView(core);
  access.own_local = own_local;
  accessBytes(access, region, offset, length, cursors_[static_cast<size_t>(kind) * 2 + own_local],
              true);
}

void RaceDetector::scalarSlow(AccessKind kind, const AccessSite& site, MemoryRegion region,
                              uint64_t offset, uint32_t size) {
  sweepIfLarge();
  Access access;
  access.own_local = region.isLocalOf(site.core);
  access.record = {.pc = site.pc,
                   .insn = site.insn,
                   .core = site.core,
                   .kind = kind,
                   .release = 0,
                   .time = order_.now(site.core),
                   .after = {}};
  Cursor cursor;
  if (kind == AccessKind::kStore) {
    access.view = &order_.storeView(site.core);
    access.record.release = order_.storeDone(site.core);
    accessBytes(access, region, offset, size, cursor, true);
    return;
  }
  VectorClock view = order_.loadView(site.core);
  const bool uniform = joinReleases(view, region, offset, size, &site);
  access.view = &view;
  order_.loadDone(site.core, view);
  // A load of bytes in several states stands after what all of them carry: not a transition of
  // one state alone.
  accessBytes(access, region, offset, size, cursor, uniform);
}

void RaceDetector::loadReserved(const AccessSite& site, MemoryRegion region, uint64_t offset,
                                uint32_t size, AtomicOrder order) {
  if (!detects_) return;
  settleStores();
  sweepIfLarge();
  VectorClock view = order.rl ? order_.atomicView(site.core, true) : order_.loadView(site.core);
  joinReleases(view, region, offset, size, &site);
  Access access;
  access.own_local = region.isLocalOf(site.core);
  access.view = &view;
  access.record = {.pc = site.pc,
                   .insn = site.insn,
                   .core = site.core,
                   .kind = order.aq ? AccessKind::kLoadAcquire : AccessKind::kLoadReserved,
                   .release = 0,
                   .time = order_.now(site.core),
                   .after = {}};
  Cursor cursor;
  accessBytes(access, region, offset, size, cursor, false);
  order_.loadDone(site.core, view);
  if (order.aq) order_.acquireDone(site.core, view);
}

void RaceDetector::atomic(const AccessSite& site, MemoryRegion region, uint64_t offset,
                          uint32_t size, AtomicOrder order) {
  if (!detects_) return;
  settleStores();
  sweepIfLarge();
  VectorClock view = order_.atomicView(site.core, order.rl);
  joinReleases(view, region, offset, size, nullptr);
  Access access;
  access.own_local = region.isLocalOf(site.core);
  access.view = &view;
  access.record = {.pc = site.pc,
                   .insn = site.insn,
                   .core = site.core,
                   .kind = order.aq ? AccessKind::kAtomicAcquire : AccessKind::kAtomic,
                   .release = 0,
                   .time = order_.now(site.core),
                   .after = {}};
  access.record.release = order_.atomicDone(site.core, view, order.aq);
  Cursor cursor;
  accessBytes(access, region, offset, size, cursor, false);
}

// Adds what the last scalar writes of the bytes carry; those of core `reader` itself only if it is
// null (a core's own store is forwarded to its loads before it is performed; an atomic waits).
// True if all bytes have one state.
bool RaceDetector::joinReleases(VectorClock& view, MemoryRegion region, uint64_t offset,
                                uint32_t size, const AccessSite* reader) {
  StateId first = kNoState;
  bool uniform = true;
  for (uint64_t at = offset; at < offset + size; ++at) {
    const uint32_t line = lines_[region.index][at / ShadowMemory::kLineBytes];
    const StateId state =
        ShadowMemory::isBlock(line) ? shadow_.block(line)[at % ShadowMemory::kLineBytes] : line;
    if (at == offset) first = state;
    uniform = uniform && state == first;
    const AccessRecord* last = lastWrite(pool_[state]);
    if (last == nullptr || last->release == 0) continue;
    if (reader != nullptr && last->core == reader->core) continue;
    view.join(order_.released(last->release));
  }
  return uniform;
}

void RaceDetector::accessBytes(const Access& access, MemoryRegion region, uint64_t offset,
                               uint64_t length, Cursor& cursor, bool memoise) {
  shadow_.touch(region.index, offset, length);
  const auto next = [&](StateId in, uint64_t at) {
    if (in != cursor.in) {
      cursor.out = transition(access, in, {region, at}, memoise);
      cursor.in = in;
    }
    return cursor.out;
  };
  const uint64_t end = offset + length;
  while (offset < end) {
    uint32_t& line = lines_[region.index][offset / ShadowMemory::kLineBytes];
    const uint64_t base = offset / ShadowMemory::kLineBytes * ShadowMemory::kLineBytes;
    const uint64_t to = std::min(end - base, ShadowMemory::kLineBytes);
    if (!ShadowMemory::isBlock(line)) {
      const StateId in = line;
      const StateId out = next(in, offset);
      if (offset == base && to == ShadowMemory::kLineBytes) {
        line = out;
      } else if (out != in) {
        StateId* bytes = shadow_.expand(line);
        std::fill(bytes + (offset - base), bytes + to, out);
      }
    } else {
      StateId* bytes = shadow_.block(line);
      const uint64_t from = offset - base;
      if (allEqual(bytes + from, to - from)) {
        const StateId out = next(bytes[from], offset);
        std::fill(bytes + from, bytes + to, out);
      } else {
        for (uint64_t i = from; i < to; ++i) bytes[i] = next(bytes[i], base + i);
      }
      // Runs come in ascending order, mostly: only one that reaches the end can complete a line.
      if (to == ShadowMemory::kLineBytes || length > 8) shadow_.collapse(line);
    }
    offset = base + to;
  }
}

StateId RaceDetector::transition(const Access& access, StateId in, Target target, bool memoise) {
  const AccessRecord& record = access.record;
  const uint64_t version = order_.version(record.core);
  const uint32_t kind = memoKind(record.kind, access.own_local);
  Memo& memo = memos_[memoIndex(in, record.pc, kind, version)];
  if (memoise && memo.version == version && memo.pc == record.pc && memo.in == in &&
      memo.kind == kind && memo.insn == record.insn) {
    return memo.out;
  }
  found_.clear();
  const StateId out = pool_.intern(accessAfter(pool_[in], access, found_));
  for (const AccessRecord& older : found_) report(older, record, target);
  if (memoise)
    memo = {.pc = record.pc,
            .version = version,
            .in = in,
            .out = out,
            .kind = kind,
            .insn = record.insn};
  return out;
}

void RaceDetector::report(const AccessRecord& first, const AccessRecord& second, Target target) {
  const bool order = orderDependent(first.kind, second.kind);
  Reports& to = order ? order_dependences_ : races_;
  if (!to.pairs.emplace(first.pc, second.pc).second || to.reports.size() >= max_reports_) return;
  RaceReport report;
  report.first = {{first.core, first.pc, first.insn}, first.kind};
  report.second = {{second.core, second.pc, second.insn}, second.kind};
  report.region = target.region;
  report.offset = target.offset;
  report.text = order ? orderText(report, cluster_) : raceText(report, cluster_);
  to.reports.push_back(std::move(report));
}

void RaceDetector::flushLog() {
  if (log_.empty()) return;
  if (!detects_) return log_.clear();
  Access access;
  access.record = {.pc = 0,
                   .insn = 0,
                   .core = 0,
                   .kind = AccessKind::kStore,
                   .release = order_.storeDone(0),
                   .time = order_.now(0),
                   .after = {}};
  access.view = &order_.storeView(0);
  for (const StoreLog::Entry& entry : log_.entries()) {
    access.record.pc = entry.pc;
    access.record.insn = entry.insn;
    Cursor cursor;
    accessBytes(access, MemoryRegion::global(), entry.offset, entry.length, cursor, true);
  }
  log_.clear();
  sweepIfLarge();
}

void RaceDetector::sweepIfLarge() {
  if (pool_.live() < sweep_limit_ && order_.liveReleases() < release_limit_) return;
  std::vector<bool> states(pool_.capacity());
  states[0] = true;
  shadow_.markStates(states);
  pool_.sweep(states);
  std::vector<bool> releases(order_.releaseCount());
  for (StateId id = 0; id < states.size(); ++id) {
    for (const AccessRecord& record : pool_[id]) releases[record.release] = true;
  }
  order_.sweepReleases(std::move(releases));
  std::fill(memos_.begin(), memos_.end(), Memo());
  cursors_ = {};
  setLimits();
}

void RaceDetector::setLimits() {
  sweep_limit_ = std::max(min_sweep_limit_, 2 * pool_.live());
  release_limit_ = std::max(kMinReleaseLimit, 2 * order_.liveReleases());
}

}  // namespace etalon::sim
