// SPDX-License-Identifier: Apache-2.0
#include "sim/units/vector_unit.h"

#include <algorithm>
#include <utility>

#include "isa/base/check.h"
#include "sim/units/hazards.h"

namespace etalon::sim {
namespace {

/// True if row r of both begins at the same byte for every r, and no row of `b` reaches into the next one: so a row of `b`
/// holds bytes of that row of `a` alone.
bool sameRows(const isa::TileRegister& a, const isa::TileRegister& b) {
  const isa::CanonicalTile x = isa::canonical(a), y = isa::canonical(b);
  if (x.base != y.base || x.outer != y.outer || x.inner != y.inner || x.ostride != y.ostride ||
      x.istride != y.istride)
    return false;
  return (x.inner == 1 || y.width <= x.istride) && (x.outer == 1 || y.span <= x.ostride);
}

}  // namespace

/// First cycle in which an instruction may begin to read `source`, which `old` writes as `result`.
Cycles VectorUnit::afterResult(const InFlight& old, const TileUse& result, const TileUse& source,
                               const VectorPasses& passes) const {
  const bool follows = old.follows && passes.ordered && !source.displaced &&
                       old.rows == passes.rows && sameRows(result.tile, source.tile);
  if (!follows) return old.done;
  return std::min(old.done, old.writes + followDistance(old.pace, passes.pace, passes.rows));
}

Cycles VectorUnit::startOf(const Token& token, const VectorPasses& passes, Cycles now) const {
  Cycles start = now;
  for (const InFlight& old : in_flight_) {
    if (old.done <= start) continue;
    for (const TileUse& use : token.tiles())
      for (size_t i = 0; i < old.count; ++i) {
        if (!mayOverlap(old.results[i], use)) continue;
        if (use.reads) start = std::max(start, afterResult(old, old.results[i], use, passes));
        // What is written twice is written in order: nothing before the older one's last byte.
        if (use.writes && old.done > start + passes.depth) start = old.done - passes.depth;
      }
  }
  return start;
}

/// Ports and banks: the walk takes as long as the slowest of them, and as others leave room.
void VectorUnit::book(const Token& token, UnitTimes& times, const VectorPasses& passes) {
  const auto tiles = token.tiles();
  // Of no result, nothing is read.
  const bool works = std::ranges::any_of(tiles, [](const TileUse& use) { return use.writes; });
  // A source at several displacements is read once for each: as often as the others leave of all.
  uint64_t displaced = token.vector.sources;
  for (const TileUse& use : tiles)
    if (use.reads && !use.writes && !use.displaced && displaced > 1) --displaced;
  uint64_t words = 0;
  Cycles cycles = passes.total;
  for (const TileUse& use : tiles) {
    if (!works) break;
    const uint64_t reads = use.displaced ? std::exchange(displaced, 1) : use.reads ? 1 : 0;
    words += local_.words(use.tile) * (reads + (use.writes ? 1 : 0));
    cycles = std::max(cycles, local_.cycles(use.tile));
  }
  times.read_done = local_.book(times.start, cycles, words * local_.wordBytes());
  times.busy = passes.compute;
  times.ports = times.read_done - times.start - times.busy;
}

UnitTimes VectorUnit::take(const Token& token, Cycles now) {
  ETALON_CHECK(now >= accepts_, "an instruction given to the vector unit before it accepts one");
  const VectorPasses passes = vectorPasses(timing_, local_.wordBytes(), token.vector);
  UnitTimes times;
  times.taken = now;
  times.start = startOf(token, passes, now);
  times.chain = times.start - now;
  book(token, times, passes);
  times.next = accepts_ = times.read_done;

  // Where ports or banks slow it down, results count as late from the first row on.
  const Cycles late = times.read_done - times.start - passes.total;
  InFlight own{.rows = passes.rows,
               .pace = passes.pace,
               .follows = passes.ordered && !passes.at_end,
               .writes = times.start + late + passes.depth,
               .done = times.read_done + passes.depth};
  for (const TileUse& use : token.tiles()) {
    if (!use.writes) continue;
    ETALON_CHECK(own.count < kMostResults, "a vector instruction with more results than known");
    own.results[own.count++] = use;
  }
  times.done = own.done;
  times.first_result = own.follows ? std::min(own.done, own.writes + own.pace.cycles) : own.done;
  if (own.count > 0) in_flight_.push_back(own);
  return times;
}

void VectorUnit::retire(Cycles now) {
  std::erase_if(in_flight_, [now](const InFlight& old) { return old.done <= now; });
}

}  // namespace etalon::sim
