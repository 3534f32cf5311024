// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/access_state.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "isa/base/bits.h"

namespace etalon::sim {
namespace {

uint64_t hashOf(const AccessState& state) {
  uint64_t hash = state.size();
  for (const AccessRecord& r : state) {
    hash = mixed(hash, r.pc);
    hash =
        mixed(hash, uint64_t{r.insn} << 32 | uint64_t{r.core} << 8 | static_cast<uint64_t>(r.kind));
    hash = mixed(hash, r.time);
    hash = mixed(hash, r.release);
    for (const OrderPoint& p : r.after) {
      hash =
          mixed(hash, uint64_t{p.core} << 8 | static_cast<uint64_t>(p.kind) << 1 | p.range_fence);
      hash = mixed(hash, p.time);
    }
  }
  return hash;
}

}  // namespace

bool AccessRecord::addPoint(OrderPoint point) {
  const auto sameKind = [&](const OrderPoint& p) {
    return p.core == point.core && p.kind == point.kind && p.range_fence == point.range_fence;
  };
  if (std::find_if(after.begin(), after.end(), sameKind) != after.end()) return false;
  after.insert(std::lower_bound(after.begin(), after.end(), point), point);
  return true;
}

const AccessRecord* lastWrite(const AccessState& state) {
  for (auto r = state.rbegin(); r != state.rend(); ++r) {
    if (isWrite(r->kind)) return &*r;
  }
  return nullptr;
}

StatePool::StatePool() : states_(1) { addToHash(0); }

void StatePool::addToHash(StateId id) { by_hash_.emplace(hashOf(states_[id]), id); }

StateId StatePool::intern(AccessState state) {
  const uint64_t hash = hashOf(state);
  const auto [begin, end] = by_hash_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (states_[it->second] == state) return it->second;
  }
  StateId id;
  if (free_.empty()) {
    id = static_cast<StateId>(states_.size());
    states_.push_back(std::move(state));
  } else {
    id = free_.back();
    free_.pop_back();
    states_[id] = std::move(state);
  }
  by_hash_.emplace(hash, id);
  return id;
}

void StatePool::sweep(const std::vector<bool>& marked) {
  free_.clear();
  for (StateId id = static_cast<StateId>(states_.size()); id-- > 1;) {
    if (marked[id]) continue;
    states_[id] = AccessState();
    free_.push_back(id);
  }
  for (auto it = by_hash_.begin(); it != by_hash_.end();) {
    const StateId id = it->second;
    it = id == 0 || marked[id] ? std::next(it) : by_hash_.erase(it);
  }
}

}  // namespace etalon::sim
