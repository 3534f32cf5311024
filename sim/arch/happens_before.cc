// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/happens_before.h"

namespace etalon::sim {

HappensBefore::Core::Core(uint32_t cores)
    : load_view(cores),
      store_view(cores),
      tile_view(cores),
      loads_after(cores),
      stores_after(cores) {}

HappensBefore::HappensBefore(uint32_t cores) {
  cores_.reserve(cores);
  for (uint32_t core = 0; core < cores; ++core) {
    cores_.emplace_back(cores);
    cores_.back().version = ++last_version_;
  }
  releases_.emplace_back(cores);
}

void HappensBefore::changed(uint16_t core) { cores_[core].version = ++last_version_; }

// The core's accesses so far became ordered before something: later ones must differ from them.
void HappensBefore::advance(uint16_t core) {
  ++cores_[core].now;
  changed(core);
}

VectorClock HappensBefore::everything(uint16_t core) const {
  const Core& c = cores_[core];
  VectorClock all = c.load_view;
  all.join(c.store_view);
  all.join(c.tile_view);
  all.join(c.loads_after);
  all.join(c.stores_after);
  for (Component component : {Component::kLoads, Component::kStores, Component::kAtomics,
                              Component::kAcquires, Component::kTiles}) {
    all.raise(core, component, c.now);
  }
  all.raise(core, Component::kFenced, c.range_fences);
  return all;
}

void HappensBefore::orderAllAfter(uint16_t core, const VectorClock& clock) {
  Core& c = cores_[core];
  c.load_view.join(clock);
  if (c.store_view.join(clock)) c.store_release_valid = false;
  c.tile_view.join(clock);
  changed(core);
}

void HappensBefore::fullFence(uint16_t core) {
  orderAllAfter(core, everything(core));
  advance(core);
}

Time HappensBefore::rangeFence(uint16_t core) {
  Core& c = cores_[core];
  const Time fence = ++c.range_fences;
  c.load_view.raise(core, Component::kFenced, fence);
  c.store_view.raise(core, Component::kFenced, fence);
  c.tile_view.raise(core, Component::kFenced, fence);
  c.store_release_valid = false;
  changed(core);
  return fence;
}

void HappensBefore::scalarFence(uint16_t core, bool pred_read, bool pred_write, bool succ_read,
                                bool succ_write) {
  Core& c = cores_[core];
  VectorClock before(cores());
  if (pred_read) {
    before.join(c.loads_after);
    before.raise(core, Component::kLoads, c.now);
  }
  if (pred_write) {
    before.join(c.stores_after);
    before.raise(core, Component::kStores, c.now);
  }
  if (pred_read || pred_write) {
    before.raise(core, Component::kAtomics, c.now);
  }
  if (succ_read) c.load_view.join(before);
  if (succ_write && c.store_view.join(before)) c.store_release_valid = false;
  advance(core);
}

VectorClock HappensBefore::issueSignal(uint16_t core) {
  VectorClock all = everything(core);
  advance(core);
  return all;
}

void HappensBefore::deliverSignal(uint64_t semaphore, const VectorClock& clock) {
  const auto [place, fresh] = semaphores_.try_emplace(semaphore, clock);
  if (!fresh) place->second.join(clock);
}

void HappensBefore::acquire(uint16_t core, uint64_t semaphore) {
  const auto place = semaphores_.find(semaphore);
  if (place != semaphores_.end()) orderAllAfter(core, place->second);
}

void HappensBefore::barrier(std::span<const uint16_t> cores) {
  VectorClock all(this->cores());
  for (uint16_t core : cores) all.join(everything(core));
  for (uint16_t core : cores) {
    orderAllAfter(core, all);
    advance(core);
  }
}

ReleaseId HappensBefore::addRelease(const VectorClock& clock) {
  if (clock == releases_[0]) return 0;
  if (!free_releases_.empty()) {
    const ReleaseId id = free_releases_.back();
    free_releases_.pop_back();
    releases_[id] = clock;
    return id;
  }
  releases_.push_back(clock);
  return static_cast<ReleaseId>(releases_.size() - 1);
}

ReleaseId HappensBefore::storeDone(uint16_t core) {
  Core& c = cores_[core];
  if (!c.store_release_valid) {
    c.store_release = addRelease(c.store_view);
    c.store_release_valid = true;
  }
  c.stores_after.join(c.store_view);
  return c.store_release;
}

void HappensBefore::loadDone(uint16_t core, const VectorClock& view) {
  Core& c = cores_[core];
  c.loads_after.join(view);
  if (c.tile_view.join(view)) changed(core);
}

VectorClock HappensBefore::atomicView(uint16_t core, bool release) {
  Core& c = cores_[core];
  VectorClock view = c.load_view;
  view.join(c.store_view);
  if (release) {
    view.join(c.loads_after);
    view.join(c.stores_after);
    view.raise(core, Component::kLoads, c.now);
    view.raise(core, Component::kStores, c.now);
    view.raise(core, Component::kAtomics, c.now);
    advance(core);
  }
  return view;
}

ReleaseId HappensBefore::atomicDone(uint16_t core, const VectorClock& view, bool acquire) {
  Core& c = cores_[core];
  loadDone(core, view);
  c.stores_after.join(view);
  // Taken before the acquire: what the atomic carries is what stands before it.
  const ReleaseId release = addRelease(view);
  if (acquire) acquireDone(core, view);
  return release;
}

void HappensBefore::acquireDone(uint16_t core, const VectorClock& view) {
  VectorClock after = view;
  after.raise(core, Component::kAcquires, cores_[core].now);
  orderAllAfter(core, after);
  advance(core);
}

void HappensBefore::sweepReleases(std::vector<bool> marked) {
  marked.resize(releases_.size());
  marked[0] = true;
  for (const Core& c : cores_) {
    if (c.store_release_valid) marked[c.store_release] = true;
  }
  free_releases_.clear();
  for (size_t id = 0; id < releases_.size(); ++id) {
    if (!marked[id]) free_releases_.push_back(static_cast<ReleaseId>(id));
  }
}

}  // namespace etalon::sim
