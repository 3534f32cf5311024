// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/critical_path.h"

#include <algorithm>
#include <numeric>

#include "isa/base/check.h"

namespace etalon::sim {
namespace {

PathPart partOf(Track track) {
  switch (track) {
    case Track::scalar: return PathPart::scalar;
    case Track::matrix: return PathPart::matrix;
    case Track::vector: return PathPart::vector;
    case Track::load: return PathPart::load;
    case Track::store: return PathPart::store;
  }
  checkFailed(__FILE__, __LINE__, "partOf", "a unit that has no track");
}

PathPart partOf(Activity scalar) {
  switch (scalar) {
    case Activity::cache_miss: return PathPart::cache_miss;
    case Activity::semaphore: return PathPart::semaphore;
    case Activity::barrier: return PathPart::barrier;
    case Activity::interrupt: return PathPart::interrupt;
    case Activity::queue_full:
    case Activity::window_full:
    case Activity::local:
    case Activity::fence: return PathPart::dispatch;
    default: return PathPart::scalar;
  }
}

}  // namespace

std::string_view pathPartName(PathPart part) {
  constexpr std::array<std::string_view, kPathParts> names = {
      "scalar", "cache_miss", "dispatch",  "matrix",  "vector",
      "load",   "store",      "semaphore", "barrier", "interrupt"};
  const auto index = static_cast<size_t>(part);
  ETALON_CHECK(index < names.size(), "an unknown part of a critical path");
  return names[index];
}

void CriticalPath::span(const TrackSpan& span) {
  if (span.track != Track::scalar) return;
  std::vector<Stretch>& scalar = cores_.at(span.core).scalar;
  if (!scalar.empty() && scalar.back().activity == span.activity)
    scalar.back().end = span.end;
  else if (mayHold())
    scalar.push_back({span.activity, span.end});
}

bool CriticalPath::mayHold() {
  if (!known()) return false;
  if (++records_ <= most_records_) return true;
  for (Core& core : cores_) core = Core{};
  return false;
}

void CriticalPath::tile(const TileRecord& record) {
  if (!mayHold()) return;
  Core& core = cores_.at(record.core);
  std::deque<Tile>& tiles = core.tiles;
  if (tiles.size() < record.sequence) tiles.resize(record.sequence);
  tiles[record.sequence - 1] = {record.pc,    record.waited_for, record.issue,
                                record.ready, record.taken,      record.read_done,
                                record.done,  record.track,      0};
  // They come nearly in order.
  auto at = core.by_done.end();
  const auto later = [&](uint64_t other) {
    return std::pair(tiles[other - 1].done, other) > std::pair(record.done, record.sequence);
  };
  while (at != core.by_done.begin() && later(*(at - 1))) --at;
  core.by_done.insert(at, record.sequence);
}

void CriticalPath::prepare(Core& core) {
  std::array<uint64_t, kTracks> last{};
  for (size_t i = 0; i < core.tiles.size(); ++i) {
    Tile& tile = core.tiles[i];
    if (tile.track == Track::scalar) {
      tile.issue = i == 0 ? 0 : core.tiles[i - 1].issue;  // keeps them in order for searches
      continue;
    }
    uint64_t& of_unit = last[static_cast<size_t>(tile.track)];
    tile.previous = of_unit;
    of_unit = i + 1;
  }
}

void CriticalPath::finish(Cycles total) {
  if (!known()) return;
  // The run ends with the core that halts last, or with the tile instruction that is done last.
  const Core* ends = nullptr;
  Place place{0, 0};
  Cycles latest = 0;
  for (Core& core : cores_) {
    prepare(core);
    const std::vector<Stretch>& scalar = core.scalar;
    Cycles halt = scalar.empty() ? 0 : scalar.back().end;
    if (!scalar.empty() && scalar.back().activity == Activity::halted)
      halt = scalar.size() < 2 ? 0 : scalar[scalar.size() - 2].end;
    const uint64_t last_done = core.by_done.empty() ? 0 : core.by_done.back();
    const Cycles done = last_done == 0 ? 0 : core.tiles[last_done - 1].done;
    if (ends != nullptr && std::max(halt, done) <= latest) continue;
    ends = &core;
    latest = std::max(halt, done);
    place = {total, done > halt ? last_done : 0};
  }
  while (place.time > 0)
    place = place.sequence != 0 ? walkTile(*ends, place) : walkScalar(*ends, place);
  ETALON_CHECK(std::accumulate(parts_.begin(), parts_.end(), Cycles{0}) == total,
               "the parts of the critical path must sum up to the run");
}

void CriticalPath::charge(Place& place, Cycles from, PathPart part, uint64_t pc) {
  if (from >= place.time) return;
  parts_[static_cast<size_t>(part)] += place.time - from;
  by_pc_[pc] += place.time - from;
  place.time = from;
}

CriticalPath::Place CriticalPath::walkTile(const Core& core, Place place) {
  const Tile& tile = core.tiles[place.sequence - 1];
  charge(place, tile.taken, partOf(tile.track), tile.pc);
  const auto known = [&](uint64_t sequence) {
    return sequence != 0 && sequence < place.sequence && sequence <= core.tiles.size() &&
           core.tiles[sequence - 1].track != Track::scalar;
  };
  if (known(tile.waited_for) && tile.ready + 1 >= tile.taken) {
    const Tile& producer = core.tiles[tile.waited_for - 1];
    const Cycles event =
        producer.done <= tile.ready ? producer.done : std::min(producer.read_done, tile.ready);
    charge(place, event, PathPart::dispatch, tile.pc);
    return {place.time, tile.waited_for};
  }
  if (known(tile.previous) && tile.ready + 1 < tile.taken &&
      core.tiles[tile.previous - 1].done + 1 >= tile.taken)
    return {place.time, tile.previous};
  charge(place, tile.issue, PathPart::dispatch, tile.pc);
  return {place.time, 0};
}

// Of an instruction issued before the stretch, so that the walk goes back in time.
uint64_t CriticalPath::releaser(const Core& core, Activity activity, Cycles begin,
                                Cycles end) const {
  if (activity == Activity::queue_full) {
    // The next instruction to be issued waited for a place in its queue; the queue is in order.
    const auto next = std::ranges::lower_bound(core.tiles, end, {}, &Tile::issue);
    if (next == core.tiles.end()) return 0;
    for (uint64_t sequence = next->previous; sequence != 0;
         sequence = core.tiles[sequence - 1].previous)
      if (const Cycles taken = core.tiles[sequence - 1].taken; taken <= end)
        return taken > begin && core.tiles[sequence - 1].issue <= begin ? sequence : 0;
    return 0;
  }
  if (activity != Activity::window_full && activity != Activity::fence &&
      activity != Activity::local)
    return 0;
  const auto after = std::ranges::upper_bound(
      core.by_done, end, {}, [&](uint64_t sequence) { return core.tiles[sequence - 1].done; });
  if (after == core.by_done.begin()) return 0;
  const uint64_t sequence = *(after - 1);
  const Tile& tile = core.tiles[sequence - 1];
  return tile.done > begin && tile.issue <= begin ? sequence : 0;
}

CriticalPath::Place CriticalPath::walkScalar(const Core& core, Place place) {
  const std::vector<Stretch>& scalar = core.scalar;
  auto at = std::ranges::lower_bound(scalar, place.time, {}, &Stretch::end);
  ETALON_CHECK(at != scalar.end(), "spans of the scalar core end with the run");
  const Cycles begin = at == scalar.begin() ? 0 : (at - 1)->end;
  const uint64_t sequence = releaser(core, at->activity, begin, place.time);
  if (sequence == 0) {
    charge(place, begin, partOf(at->activity), 0);
    return place;
  }
  const Tile& tile = core.tiles[sequence - 1];
  charge(place, at->activity == Activity::queue_full ? tile.taken : tile.done, PathPart::dispatch,
         tile.pc);
  return {place.time, sequence};
}

void CriticalPath::addTo(TimedReport& report) const {
  if (!known()) return;
  report.critical = parts_;
  for (const auto& [pc, cycles] : by_pc_) {
    auto entry = std::ranges::lower_bound(report.code, pc, {}, &PcCost::pc);
    if (entry == report.code.end() || entry->pc != pc)
      entry = report.code.insert(entry, PcCost{pc, {}});
    entry->cost.critical += cycles;
  }
}

}  // namespace etalon::sim
