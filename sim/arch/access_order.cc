// SPDX-License-Identifier: Apache-2.0
#include "sim/arch/access_order.h"

#include <algorithm>
#include <utility>

namespace etalon::sim {
namespace {

bool clockOrdered(const OrderPoint& point, const Access& access) {
  if (point.range_fence) {
    return access.view->at(point.core, Component::kFenced) >= point.time;
  }
  const Component component = componentOf(point.kind);
  if (point.core == access.record.core) {
    // Tile instructions stand after older tile instructions, loads and atomics of their core, and
    // everything stands after an access with .aq.
    if (isTile(access.record.kind) && point.kind != AccessKind::kStore) return true;
    if (component == Component::kAcquires) return true;
  }
  return access.view->at(point.core, component) >= point.time;
}

bool byteOrdered(const OrderPoint& point, const Access& access, const AccessRecord* last) {
  if (point.range_fence) return false;
  const AccessRecord& younger = access.record;
  const bool scalars = !isTile(point.kind) && !isTile(younger.kind);
  if (point.core == younger.core) {
    if (scalars) return isWrite(younger.kind);
    return access.own_local && isTile(point.kind) != isTile(younger.kind) &&
           (isWrite(point.kind) || isWrite(younger.kind));
  }
  // The point is the write that the access reads, or an older one of that core and kind.
  return scalars && younger.kind != AccessKind::kStore && last != nullptr &&
         point.core == last->core && point.kind == last->kind && point.time <= last->time;
}

bool ordered(const AccessRecord& older, const Access& access, const AccessRecord* last) {
  const auto pointOrdered = [&](const OrderPoint& point) {
    return clockOrdered(point, access) || byteOrdered(point, access, last);
  };
  return pointOrdered(older.point()) ||
         std::any_of(older.after.begin(), older.after.end(), pointOrdered);
}

bool races(const AccessRecord& older, const AccessRecord& younger) {
  return (isWrite(older.kind) || isWrite(younger.kind)) &&
         (isTile(older.kind) || isTile(younger.kind)) &&
         !(isAtomic(older.kind) && isAtomic(younger.kind));
}

bool sameSlot(const AccessRecord& a, const AccessRecord& b) {
  return a.core == b.core && a.kind == b.kind;
}

// True if every later access that would be reported against `older` as a race would be against
// `younger`, `older` happening before `younger`.
bool standsForInRaces(const AccessRecord& younger, const AccessRecord& older) {
  return (isWrite(younger.kind) || isRead(older.kind)) &&
         (isTile(younger.kind) || !isTile(older.kind)) &&
         (!isAtomic(younger.kind) || isAtomic(older.kind));
}

// The same of reports as order-dependent: a floating add meets every atomic write, another atomic
// write only floating adds.
bool standsForInOrder(const AccessRecord& younger, const AccessRecord& older) {
  if (!isAtomic(older.kind) || isRead(older.kind)) return true;
  if (older.kind == AccessKind::kTileFloatAdd) return younger.kind == AccessKind::kTileFloatAdd;
  return isAtomic(younger.kind) && isWrite(younger.kind);
}

bool standsFor(const AccessRecord& younger, const AccessRecord& older) {
  return standsForInRaces(younger, older) && standsForInOrder(younger, older);
}

// A scalar access of the kind, time and order of one remembered says nothing new. Then the older
// one stays named, so that loops over a stack slot do not make states without end.
bool saysNothingNew(const AccessRecord& old, const AccessRecord& access, const AccessState& state) {
  if (isTile(access.kind) || old.time != access.time || old.release != access.release ||
      !old.after.empty()) {
    return false;
  }
  return isRead(access.kind) || &old == lastWrite(state);
}

}  // namespace

AccessState accessAfter(const AccessState& state, const Access& access,
                        std::vector<AccessRecord>& found) {
  AccessRecord added = access.record;
  const AccessRecord* last = lastWrite(state);
  AccessState next;
  next.reserve(state.size() + 1);
  bool same = false;
  bool others_change = false;
  for (const AccessRecord& older : state) {
    const bool before = ordered(older, access, last);
    if (!before && (races(older, added) || orderDependent(older.kind, added.kind)))
      found.push_back(older);
    if (sameSlot(older, added)) {
      same = saysNothingNew(older, added, state);
      if (same) added = older;
      continue;
    }
    if (before && standsFor(added, older)) {
      others_change = true;
      continue;
    }
    next.push_back(older);
    if (before && next.back().addPoint(added.point())) others_change = true;
  }
  if (same && !others_change) return state;
  next.push_back(std::move(added));
  return next;
}

AccessState rangeFenced(const AccessState& state, uint16_t core, Time fence) {
  AccessState next = state;
  for (AccessRecord& r : next) {
    const bool covered =
        r.core == core || std::any_of(r.after.begin(), r.after.end(), [&](const OrderPoint& p) {
          return p.core == core && !p.range_fence;
        });
    if (covered) r.addPoint({core, AccessKind::kLoad, true, fence});
  }
  return next;
}

}  // namespace etalon::sim
