// SPDX-License-Identifier: Apache-2.0
#include "sim/units/hazards.h"

#include "isa/state/overlap.h"

namespace etalon::sim {
namespace {

isa::ByteInterval interval(const ByteSpan& span) {
  return {static_cast<isa::Int128>(span.lo), static_cast<isa::Int128>(span.hi)};
}

bool overlap(const TileUse& a, const TileUse& b) { return mayOverlap(a, b); }
bool overlap(const TileUse& a, const ViewUse& b) {
  if (!b.local || !a.span.meets(b.span)) return false;
  return a.displaced || isa::mayOverlap(a.tile, interval(b.span));
}
bool overlap(const ViewUse& a, const TileUse& b) { return overlap(b, a); }
bool overlap(const ViewUse& a, const ViewUse& b) {
  if (a.local != b.local || !a.span.meets(b.span)) return false;
  // Views that name one memory in two ways count by their spans.
  return a.local || a.moved != b.moved ||
         isa::mayOverlap(a.view, b.view, a.named_axis, b.named_axis);
}

/// Raises what is known to the hazard of one more operand behind another.
template <class A, class B>
void raise(Hazard& known, const A& older, const B& younger) {
  const Hazard hazard = older.writes     ? Hazard::after_write
                        : younger.writes ? Hazard::write_after_read
                                         : Hazard::none;
  if (hazard > known && overlap(older, younger)) known = hazard;
}

}  // namespace

// Spans first: most pairs end there, and mayOverlap says yes of nothing whose spans are apart.
bool mayOverlap(const TileUse& a, const TileUse& b) {
  if (!a.span.meets(b.span)) return false;
  if (a.displaced && b.displaced) return true;
  if (a.displaced) return isa::mayOverlap(b.tile, interval(a.span));
  if (b.displaced) return isa::mayOverlap(a.tile, interval(b.span));
  if (a.tile == b.tile) return true;  // the usual case, and neither is empty
  return isa::mayOverlap(a.tile, b.tile);
}

Hazard hazardBetween(const Token& older, const Token& younger) {
  Hazard hazard = Hazard::none;
  const auto against = [&](const auto& a) {
    for (const TileUse& b : younger.tiles())
      if (a.writes || b.writes) raise(hazard, a, b);
    if (younger.view) raise(hazard, a, *younger.view);
  };
  for (const TileUse& a : older.tiles()) {
    against(a);
    if (hazard == Hazard::after_write) return hazard;
  }
  if (older.view) against(*older.view);
  return hazard;
}

Hazard hazardOfLocalAccess(const Token& older, const ByteSpan& bytes, bool writes) {
  const ViewUse access{.span = bytes, .local = true, .reads = !writes, .writes = writes};
  Hazard hazard = Hazard::none;
  for (const TileUse& a : older.tiles()) raise(hazard, a, access);
  if (older.view) raise(hazard, *older.view, access);
  return hazard;
}

bool mayTouch(const Token& older, const TileUse& tile) {
  for (const TileUse& a : older.tiles())
    if (overlap(a, tile)) return true;
  return older.view && overlap(tile, *older.view);
}

bool mayTouch(const Token& older, const ViewUse& view) {
  for (const TileUse& a : older.tiles())
    if (overlap(a, view)) return true;
  return older.view && overlap(*older.view, view);
}

}  // namespace etalon::sim
