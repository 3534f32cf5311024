// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/critical_path.h"

#include <gtest/gtest.h>

#include <numeric>

#include "isa/base/fuzz_scale.h"
#include "sim/observe/ledger.h"
#include "sim/observe/synthetic_run.h"

namespace etalon::sim {
namespace {

class CriticalPathTest : public testing::Test {
 protected:
  void scalar(Activity activity, Cycles cycles) {
    path_.span({0, Track::scalar, activity, end_, end_ + cycles, 0x10});
    end_ += cycles;
  }
  struct Times {
    Cycles issue, ready, taken, read_done, done;
  };
  void tile(uint64_t sequence, Track track, const Times& times, uint64_t waited_for = 0) {
    TileRecord record;
    record.sequence = sequence;
    record.track = track;
    record.pc = 0x100 * sequence;
    record.issue = times.issue;
    record.ready = times.ready;
    record.taken = record.start = times.taken;
    record.read_done = times.read_done;
    record.done = times.done;
    record.waited_for = waited_for;
    path_.tile(record);
  }
  Cycles part(PathPart p) const { return path_.parts()[static_cast<size_t>(p)]; }

  CriticalPath path_{RunShape{.cores = 1, .clock_mhz = 1000, .paths = {}}};
  Cycles end_ = 0;
};

TEST_F(CriticalPathTest, FollowsOperandsFromUnitToUnit) {
  // Issued in cycles 1, 2, 3: a load of 47 cycles, a product that waits for it, a store that waits for that.
  scalar(Activity::busy, 4);
  scalar(Activity::fence, 197);
  scalar(Activity::halted, 1);
  tile(1, Track::load, {1, 3, 3, 50, 50});
  tile(2, Track::matrix, {2, 50, 51, 100, 120}, 1);
  tile(3, Track::store, {3, 120, 121, 150, 200}, 2);
  path_.finish(202);
  EXPECT_EQ(part(PathPart::scalar), 1u + 1);  // to the first issue; the halt
  EXPECT_EQ(part(PathPart::load), 47u);       // 3 to 50
  EXPECT_EQ(part(PathPart::matrix), 69u);     // 51 to 120
  EXPECT_EQ(part(PathPart::store), 79u);      // 121 to 200
  EXPECT_EQ(part(PathPart::dispatch),
            2u + 1 + 1 + 1);  // issue to 3, 50 to 51, 120 to 121, 200 to 201
}

TEST_F(CriticalPathTest, OfTwoEventsOfAProducerTakesTheOneThatWasWaitedFor) {
  // The load overwrites what the product reads: it waits for read done, 100, not for done.
  scalar(Activity::busy, 2);
  scalar(Activity::halted, 148);
  tile(1, Track::matrix, {0, 2, 2, 100, 140});
  tile(2, Track::load, {1, 100, 101, 150, 150}, 1);
  path_.finish(150);
  EXPECT_EQ(part(PathPart::matrix), 98u);
  EXPECT_EQ(part(PathPart::load), 49u);
  EXPECT_EQ(part(PathPart::dispatch), 2u + 1);
}

TEST_F(CriticalPathTest, StaysInAUnitThatIsBusyWithOlderInstructions) {
  scalar(Activity::busy, 3);
  scalar(Activity::halted, 97);
  tile(1, Track::vector, {0, 2, 2, 39, 40});
  tile(2, Track::vector, {1, 3, 40, 69, 70});
  tile(3, Track::vector, {2, 4, 70, 99, 100});
  path_.finish(100);
  EXPECT_EQ(part(PathPart::vector), 98u);
  EXPECT_EQ(part(PathPart::dispatch), 2u);
}

TEST_F(CriticalPathTest, LeavesAUnitThatHadBeenIdle) {
  scalar(Activity::busy, 50);
  scalar(Activity::halted, 20);
  tile(1, Track::vector, {0, 2, 2, 9, 10});
  tile(2, Track::vector, {49, 51, 53, 69, 70});
  path_.finish(70);
  EXPECT_EQ(part(PathPart::vector), 17u);
  EXPECT_EQ(part(PathPart::dispatch), 4u);
  EXPECT_EQ(part(PathPart::scalar), 49u);
}

TEST_F(CriticalPathTest, AFullQueueLeadsToTheInstructionThatLeftIt) {
  // The third instruction cannot be issued before the second is taken, at 40.
  scalar(Activity::busy, 2);
  scalar(Activity::queue_full, 39);
  scalar(Activity::busy, 1);
  scalar(Activity::halted, 58);
  tile(1, Track::load, {0, 2, 2, 39, 39});
  tile(2, Track::load, {1, 3, 40, 60, 60});
  tile(3, Track::load, {41, 43, 60, 100, 100});
  tile(4, Track::store, {42, 44, 44, 50, 50});
  path_.finish(100);
  EXPECT_EQ(part(PathPart::load), 98u);
  EXPECT_EQ(part(PathPart::dispatch), 2u);

  // From the scalar core, had the run ended with it.
  CriticalPath other(RunShape{.cores = 1, .clock_mhz = 1000, .paths = {}});
  other.span({0, Track::scalar, Activity::busy, 0, 2, 0});
  other.span({0, Track::scalar, Activity::queue_full, 2, 41, 0});
  other.span({0, Track::scalar, Activity::busy, 41, 80, 0});
  for (TileRecord record :
       {TileRecord{.sequence = 1, .issue = 0, .ready = 2, .taken = 2, .done = 39},
        TileRecord{.sequence = 2, .issue = 1, .ready = 3, .taken = 40, .done = 60},
        TileRecord{.sequence = 3, .issue = 41, .ready = 43, .taken = 60, .done = 70}})
    other.tile(record);
  other.finish(80);
  EXPECT_EQ(other.parts()[static_cast<size_t>(PathPart::scalar)], 39u);
  EXPECT_EQ(other.parts()[static_cast<size_t>(PathPart::matrix)], 38u);
  EXPECT_EQ(other.parts()[static_cast<size_t>(PathPart::dispatch)], 2u + 1);
}

TEST_F(CriticalPathTest, AFullWindowLeadsToTheInstructionThatLeftIt) {
  scalar(Activity::busy, 1);
  scalar(Activity::window_full, 30);
  scalar(Activity::busy, 9);
  tile(1, Track::store, {0, 2, 2, 20, 30});
  path_.finish(40);
  EXPECT_EQ(part(PathPart::scalar), 9u);
  EXPECT_EQ(part(PathPart::store), 28u);
  EXPECT_EQ(part(PathPart::dispatch), 1u + 2);
}

TEST_F(CriticalPathTest, ScalarWaitsAreItsOwnCauses) {
  scalar(Activity::busy, 10);
  scalar(Activity::cache_miss, 20);
  scalar(Activity::latency, 5);
  scalar(Activity::semaphore, 30);
  scalar(Activity::barrier, 16);
  scalar(Activity::halted, 1);
  path_.finish(82);
  EXPECT_EQ(part(PathPart::scalar), 16u);
  EXPECT_EQ(part(PathPart::cache_miss), 20u);
  EXPECT_EQ(part(PathPart::semaphore), 30u);
  EXPECT_EQ(part(PathPart::barrier), 16u);
}

TEST(CriticalPathOfCores, BeginsAtTheCoreThatIsDoneLast) {
  CriticalPath path(RunShape{.cores = 2, .clock_mhz = 1000, .paths = {}});
  path.span({0, Track::scalar, Activity::cache_miss, 0, 60, 0});
  path.span({0, Track::scalar, Activity::halted, 60, 100, 0});
  path.span({1, Track::scalar, Activity::busy, 0, 99, 0});
  path.span({1, Track::scalar, Activity::halted, 99, 100, 0});
  path.finish(100);
  EXPECT_EQ(path.parts()[static_cast<size_t>(PathPart::scalar)], 100u);
}

TEST(CriticalPathOfCores, SaysNothingOfARunOfOneRecordTooMany) {
  for (const uint64_t most : {3, 2}) {
    CriticalPath path(RunShape{.cores = 1, .clock_mhz = 1000, .paths = {}}, most);
    path.span({0, Track::scalar, Activity::busy, 0, 9, 0});
    path.span({0, Track::scalar, Activity::halted, 9, 10, 0});
    TileRecord record;
    record.sequence = 1;
    record.done = 8;
    path.tile(record);
    path.finish(10);
    TimedReport report;
    path.addTo(report);
    EXPECT_EQ(report.critical.has_value(), most == 3);
  }
}

TEST(CriticalPathOfMadeUpRuns, SumsUpToTheRunInPartsAndInTheCode) {
  const int runs = std::max(1, static_cast<int>(20 * fuzzScale()));
  for (int seed = 0; seed < runs; ++seed) {
    const RunShape shape = syntheticShape(1 + seed % 3);
    Ledger ledger(shape);
    CriticalPath path(shape);
    ObserverList both;
    both.add(ledger);
    both.add(path);
    syntheticRun(shape, seed, 300, both);
    TimedReport report = ledger.report();
    path.addTo(report);
    EXPECT_EQ(std::accumulate(report.critical->begin(), report.critical->end(), Cycles{0}),
              report.cycles);
    Cycles of_code = 0;
    for (const PcCost& code : report.code) of_code += code.cost.critical;
    EXPECT_EQ(of_code, report.cycles);
    // Nothing is charged to a unit for longer than its instructions were in it.
    EXPECT_GT(path.parts()[static_cast<size_t>(PathPart::scalar)], 0u);
  }
}

}  // namespace
}  // namespace etalon::sim
