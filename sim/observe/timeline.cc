// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/timeline.h"

#include <algorithm>

namespace etalon::sim {

TimelineBuilder::TimelineBuilder(unsigned cores) {
  for (unsigned core = 0; core < cores; ++core)
    for (int track = 0; track < kTracks; ++track)
      timeline_.lanes.push_back({static_cast<uint16_t>(core), static_cast<Track>(track), {}});
}

void TimelineBuilder::widen() {
  timeline_.piece_cycles = Cycles{1} << ++piece_log2_;
  for (Timeline::Lane& lane : timeline_.lanes) {
    const size_t pieces = (lane.pieces.size() + 1) / 2;
    for (size_t i = 0; i < pieces; ++i) {
      Timeline::Piece piece = lane.pieces[2 * i];
      if (2 * i + 1 < lane.pieces.size())
        for (size_t c = 0; c < piece.cycles.size(); ++c)
          piece.cycles[c] += lane.pieces[2 * i + 1].cycles[c];
      lane.pieces[i] = piece;
    }
    lane.pieces.resize(pieces);
  }
}

void TimelineBuilder::add(const TrackSpan& span) {
  while ((span.end - 1) >> piece_log2_ >= kMostPieces) widen();
  Timeline::Lane& lane =
      timeline_.lanes[size_t{span.core} * kTracks + static_cast<size_t>(span.track)];
  const Cycles last = (span.end - 1) >> piece_log2_;
  if (lane.pieces.size() <= last) lane.pieces.resize(last + 1);
  const auto c = static_cast<size_t>(activityClass(span.activity));
  for (Cycles at = span.begin; at < span.end;) {
    const Cycles piece = at >> piece_log2_;
    const Cycles next = std::min(span.end, (piece + 1) << piece_log2_);
    lane.pieces[piece].cycles[c] += next - at;
    at = next;
  }
}

}  // namespace etalon::sim
