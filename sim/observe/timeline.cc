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
  timeline_.piece_cycles *= 2;
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
  while ((span.end - 1) / timeline_.piece_cycles >= kMostPieces) widen();
  const Cycles width = timeline_.piece_cycles;
  Timeline::Lane& lane =
      timeline_.lanes[size_t{span.core} * kTracks + static_cast<size_t>(span.track)];
  lane.pieces.resize(std::max<size_t>(lane.pieces.size(), (span.end - 1) / width + 1));
  const auto c = static_cast<size_t>(activityClass(span.activity));
  for (Cycles at = span.begin; at < span.end;) {
    const Cycles next = std::min(span.end, (at / width + 1) * width);
    lane.pieces[at / width].cycles[c] += next - at;
    at = next;
  }
}

}  // namespace etalon::sim
