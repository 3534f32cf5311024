// SPDX-License-Identifier: Apache-2.0
#include "sim/units/dispatch_window.h"

#include <gtest/gtest.h>

namespace etalon::sim {
namespace {

constexpr isa::DispatchTiming kTiming{.window = 4, .queue = 2, .issue = 1, .resolve = 2};

class Window : public ::testing::Test {
 protected:
  /// Adds an instruction of a unit that reads and writes one 64-byte row each; -1: neither.
  unsigned add(isa::Unit unit, int reads, int writes, Cycles now) {
    Token& token = window_.next();
    token.tile_count = 0;
    token.sequence = ++sequence_;
    token.unit = unit;
    if (reads >= 0) use(token, reads, false);
    if (writes >= 0) use(token, writes, true);
    return window_.add(now).place;
  }
  static void use(Token& token, int row, bool writes) {
    TileUse& use = token.tile_uses[token.tile_count++];
    use = {};
    use.tile.base = static_cast<uint32_t>(row) * 64;
    use.tile.outer = use.tile.inner = 1;
    use.tile.cols = 64;
    use.tile.type = static_cast<uint8_t>(ElementType::u8);
    use.span = {use.tile.base, use.tile.base + 64};
    use.reads = !writes;
    use.writes = writes;
  }
  const DispatchWindow::Entry& head(Queue queue) { return *window_.head(queue); }

  DispatchWindow window_{kTiming};
  uint64_t sequence_ = 0;
};

TEST_F(Window, AnEntryIsResolvedSoManyCyclesAfterIssue) {
  add(isa::Unit::matrix, 0, 1, 10);
  EXPECT_TRUE(head(Queue::matrix).known());
  EXPECT_EQ(head(Queue::matrix).ready, 12u);
}

TEST_F(Window, AReaderOfAnotherQueueWaitsForDoneAndNotForReadDone) {
  const unsigned producer = add(isa::Unit::load, -1, 0, 0);
  add(isa::Unit::matrix, 0, 1, 1);
  window_.take(Queue::load);
  window_.readDone(producer, 5);
  EXPECT_FALSE(head(Queue::matrix).known());
  window_.done(producer, 9);
  EXPECT_TRUE(head(Queue::matrix).known());
  EXPECT_EQ(head(Queue::matrix).ready, 9u);
  EXPECT_EQ(head(Queue::matrix).waited_for, 1u);
}

TEST_F(Window, AWriterBehindAReaderGoesOnAtReadDone) {
  const unsigned reader = add(isa::Unit::matrix, 0, 1, 0);
  add(isa::Unit::load, -1, 0, 1);
  EXPECT_FALSE(head(Queue::load).known());
  window_.take(Queue::matrix);
  window_.readDone(reader, 7);
  EXPECT_TRUE(head(Queue::load).known());
  EXPECT_EQ(head(Queue::load).ready, 7u);
}

TEST_F(Window, TimesThatAreKnownAheadHoldWithoutAWord) {
  const unsigned producer = add(isa::Unit::matrix, 0, 1, 0);
  add(isa::Unit::vector, 1, 2, 1);
  window_.take(Queue::matrix);
  window_.readDone(producer, 30);
  window_.done(producer, 40);
  EXPECT_FALSE(head(Queue::vector).clear(39));
  EXPECT_TRUE(head(Queue::vector).clear(40));
  EXPECT_EQ(head(Queue::vector).waited_for, 1u);
  // One that comes later is held as well, a writer of what is read up to then.
  add(isa::Unit::load, -1, 0, 5);
  EXPECT_FALSE(head(Queue::load).clear(29));
  EXPECT_TRUE(head(Queue::load).clear(30));
  EXPECT_EQ(window_.nextKnown(0, true), 30u);
  EXPECT_EQ(window_.nextKnown(0, false), 40u);
  EXPECT_EQ(window_.nextKnown(40, true), kNever);
}

TEST_F(Window, OfHazardsThatEndTogetherTheFirstUnitIsNamed) {
  const unsigned vector = add(isa::Unit::vector, -1, 0, 0);
  const unsigned matrix = add(isa::Unit::matrix, -1, 1, 0);
  Token& token = window_.next();
  token.tile_count = 0;
  token.sequence = ++sequence_;
  token.unit = isa::Unit::store;
  use(token, 0, false);
  use(token, 1, false);
  window_.add(1);
  for (const Queue queue : {Queue::vector, Queue::matrix}) window_.take(queue);
  window_.done(vector, 50);
  window_.done(matrix, 50);
  EXPECT_EQ(head(Queue::store).ready, 50u);
  EXPECT_EQ(head(Queue::store).waited_for, 2u);
}

TEST_F(Window, AReaderThatHasReadHoldsNobodyUpWhoComesLater) {
  const unsigned reader = add(isa::Unit::matrix, 0, 1, 0);
  window_.take(Queue::matrix);
  window_.readDone(reader, 3);
  add(isa::Unit::load, -1, 0, 4);
  EXPECT_TRUE(head(Queue::load).known());
}

TEST_F(Window, WithinAQueueTheUnitLooksAfterHazards) {
  add(isa::Unit::matrix, 0, 1, 0);
  add(isa::Unit::matrix, 1, 2, 1);
  window_.take(Queue::matrix);
  EXPECT_TRUE(head(Queue::matrix).known());
}

TEST_F(Window, AQueueIsFullBeforeTheWindowIs) {
  add(isa::Unit::matrix, 0, 1, 0);
  EXPECT_FALSE(window_.full(Queue::matrix));
  add(isa::Unit::matrix, 2, 3, 1);
  EXPECT_TRUE(window_.full(Queue::matrix));
  EXPECT_FALSE(window_.full());
  window_.take(Queue::matrix);
  EXPECT_FALSE(window_.full(Queue::matrix));
}

TEST_F(Window, APlaceIsFreeAgainOnceItsInstructionIsDone) {
  for (int i = 0; i < 2; ++i) add(isa::Unit::matrix, -1, i, 0);
  for (int i = 2; i < 4; ++i) add(isa::Unit::vector, -1, i, 0);
  EXPECT_TRUE(window_.full());
  const unsigned first = head(Queue::matrix).place;
  window_.take(Queue::matrix);
  EXPECT_TRUE(window_.full()) << "taken is not done";
  window_.done(first, 20);
  EXPECT_TRUE(window_.full()) << "known to be done is not gone";
  window_.leave(first);
  EXPECT_FALSE(window_.full());
  EXPECT_EQ(add(isa::Unit::load, -1, 9, 21), first);
}

TEST_F(Window, ASignalWaitsForEverythingOlderOfItsOwnQueueToo) {
  const unsigned store = add(isa::Unit::store, 0, -1, 0);
  const unsigned product = add(isa::Unit::matrix, 1, 2, 0);
  add(isa::Unit::sync, -1, -1, 1);
  window_.take(Queue::store);
  ASSERT_EQ(head(Queue::store).token.unit, isa::Unit::sync);
  window_.take(Queue::matrix);
  window_.done(product, 5);
  EXPECT_FALSE(head(Queue::store).known());
  window_.done(store, 8);
  EXPECT_TRUE(head(Queue::store).known());
}

TEST_F(Window, TheOldestInstructionNeverWaits) {
  for (int i = 0; i < 3; ++i) add(static_cast<isa::Unit>(2 + i), 0, 0, static_cast<Cycles>(i));
  EXPECT_TRUE(head(Queue::matrix).known());
}

}  // namespace
}  // namespace etalon::sim
