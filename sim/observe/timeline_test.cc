// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/timeline.h"

#include <gtest/gtest.h>

namespace etalon::sim {
namespace {

Cycles at(const Timeline& timeline, size_t lane, size_t piece, ActivityClass c) {
  return timeline.lanes[lane].pieces[piece].cycles[static_cast<size_t>(c)];
}

TEST(Timeline, KeepsCyclesApartWhileTheyAreFew) {
  TimelineBuilder builder(2);
  builder.add({1, Track::vector, Activity::busy, 0, 2, 0});
  builder.add({1, Track::vector, Activity::barrier, 2, 3, 0});
  const Timeline& timeline = builder.timeline();
  EXPECT_EQ(timeline.piece_cycles, 1u);
  ASSERT_EQ(timeline.lanes.size(), 2u * kTracks);
  ASSERT_EQ(timeline.lanes[kTracks + 2].pieces.size(), 3u);
  EXPECT_EQ(at(timeline, kTracks + 2, 1, ActivityClass::work), 1u);
  EXPECT_EQ(at(timeline, kTracks + 2, 2, ActivityClass::order), 1u);
  EXPECT_EQ(at(timeline, kTracks + 2, 2, ActivityClass::work), 0u);
}

TEST(Timeline, ThatIsFullKeepsItsPieces) {
  TimelineBuilder builder(1);
  builder.add({0, Track::scalar, Activity::busy, 0, TimelineBuilder::kMostPieces, 0});
  EXPECT_EQ(builder.timeline().piece_cycles, 1u);
}

TEST(Timeline, DoublesPiecesOneCycleLater) {
  TimelineBuilder builder(1);
  builder.add({0, Track::scalar, Activity::busy, 0, 3, 0});
  builder.add({0, Track::scalar, Activity::queue_full, 3, TimelineBuilder::kMostPieces + 1, 0});
  const Timeline& timeline = builder.timeline();
  EXPECT_EQ(timeline.piece_cycles, 2u);
  ASSERT_EQ(timeline.lanes[0].pieces.size(), TimelineBuilder::kMostPieces / 2 + 1);
  EXPECT_EQ(at(timeline, 0, 0, ActivityClass::work), 2u);
  EXPECT_EQ(at(timeline, 0, 1, ActivityClass::work), 1u);
  EXPECT_EQ(at(timeline, 0, 1, ActivityClass::wait), 1u);
  EXPECT_EQ(at(timeline, 0, TimelineBuilder::kMostPieces / 2, ActivityClass::wait), 1u);
}

TEST(Timeline, StaysSmallHoweverLongTheRun) {
  TimelineBuilder builder(1);
  builder.add({0, Track::load, Activity::busy, 0, 1, 0});
  builder.add({0, Track::load, Activity::empty, 1, 1'000'000'007, 0});
  EXPECT_LE(builder.timeline().lanes[3].pieces.size(), TimelineBuilder::kMostPieces);
  Cycles all = 0;
  for (const Timeline::Piece& piece : builder.timeline().lanes[3].pieces)
    for (const Cycles cycles : piece.cycles) all += cycles;
  EXPECT_EQ(all, 1'000'000'007u);
}

}  // namespace
}  // namespace etalon::sim
