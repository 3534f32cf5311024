// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "isa/base/fuzz_scale.h"
#include "sim/observe/synthetic_run.h"

namespace etalon::sim {
namespace {

/// One core, 10 cycles: each unit has one cause but the matrix unit.
void shortRun(RunObserver& observer) {
  observer.span({0, Track::scalar, Activity::busy, 0, 4, 0x100});
  observer.span({0, Track::scalar, Activity::queue_full, 4, 6, 0x104});
  observer.span({0, Track::scalar, Activity::halted, 6, 10, 0});
  observer.span({0, Track::matrix, Activity::empty, 0, 2, 0});
  observer.span({0, Track::matrix, Activity::weights, 2, 3, 0x100});
  observer.span({0, Track::matrix, Activity::busy, 3, 10, 0x100});
  for (const Track track : {Track::vector, Track::load, Track::store})
    observer.span({0, track, Activity::empty, 0, 10, 0});
  TileRecord record;
  record.sequence = 1;
  record.pc = 0x100;
  record.issue = 0;
  record.ready = record.taken = 2;
  record.start = 3;
  record.done = 10;
  record.macs = 7000;
  observer.tile(record);
  observer.transfer({0, 3, 5, 128, 100});
  observer.transfer({1, 4, 5, 64, 64});
  observer.finish(10);
}

RunShape shortShape() {
  return {.cores = 1,
          .clock_mhz = 500,
          .paths = {{"memory read", "channel 0", 64'000}, {"memory read", "channel 1", 32'000}}};
}

TimedReport shortReport() {
  Ledger ledger(shortShape());
  shortRun(ledger);
  return ledger.report();
}

TEST(Ledger, AccountsForEveryCycleOfEveryUnit) {
  const TimedReport report = shortReport();
  EXPECT_EQ(report.cycles, 10u);
  ASSERT_EQ(report.units.size(), 5u);
  for (const UnitCycles& unit : report.units) EXPECT_EQ(sum(unit.cycles), 10u);
  const ActivityCycles scalar = report.unitCycles(Track::scalar);
  EXPECT_EQ(cyclesOf(scalar, Activity::busy), 4u);
  EXPECT_EQ(cyclesOf(scalar, Activity::queue_full), 2u);
  EXPECT_EQ(cyclesOf(scalar, Activity::halted), 4u);
  EXPECT_EQ(cyclesOf(report.unitCycles(Track::matrix), Activity::weights), 1u);
  EXPECT_EQ(report.picoseconds(), 20'000u);  // 10 cycles of 2 ns
}

TEST(Ledger, AscribesCyclesAndWorkToInstructions) {
  const TimedReport report = shortReport();
  ASSERT_EQ(report.code.size(), 3u);
  EXPECT_EQ(report.code[0].pc, 0u);
  EXPECT_EQ(report.code[0].cost.total(), 4u + 2 + 30);
  EXPECT_EQ(report.code[1].pc, 0x100u);
  EXPECT_EQ(report.code[1].cost.total(), 4u + 1 + 7);
  EXPECT_EQ(report.code[1].cost.lost(), 1u);
  EXPECT_EQ(report.code[1].cost.tiles, 1u);
  EXPECT_EQ(report.code[1].cost.macs, 7000u);
  EXPECT_EQ(report.code[2].pc, 0x104u);
  EXPECT_EQ(report.code[2].cost.lost(), 2u);
}

TEST(Ledger, AddsBytesUpByPathAndLevel) {
  const TimedReport report = shortReport();
  ASSERT_EQ(report.paths.size(), 2u);
  EXPECT_EQ(report.paths[0].moved, 128u);
  EXPECT_EQ(report.paths[0].useful, 100u);
  EXPECT_EQ(report.paths[1].transfers, 1u);
  const std::vector<PathBytes> levels = report.levels();
  ASSERT_EQ(levels.size(), 1u);
  EXPECT_EQ(levels[0].path.level, "memory read");
  EXPECT_EQ(levels[0].paths, 2u);
  EXPECT_EQ(levels[0].moved, 192u);
  EXPECT_EQ(levels[0].useful, 164u);
  EXPECT_EQ(levels[0].path.peak, 96'000u);
}

TEST(Ledger, LinesAndFunctionsAddUpToAllCycles) {
  TimedReport report = shortReport();
  locateCode(report, [](uint64_t pc) {
    return pc == 0x100 ? CodePlace{"gemm.c", 7, "gemm"} : CodePlace{"gemm.c", 9, "gemm"};
  });
  ASSERT_EQ(report.lines.size(), 3u);
  EXPECT_EQ(report.lines[0].place.file, "");  // about no instruction
  EXPECT_EQ(report.lines[1].place.line, 7);
  EXPECT_EQ(report.lines[2].place.line, 9);
  ASSERT_EQ(report.functions.size(), 2u);
  EXPECT_EQ(report.functions[1].place.function, "gemm");
  EXPECT_EQ(report.functions[1].cost.total(), 14u);
  EXPECT_EQ(report.functions[0].cost.total() + report.functions[1].cost.total(), 50u);
}

TEST(Ledger, MadeUpRunsAddUpOnEveryUnitAndInTheirCode) {
  const int runs = std::max(1, static_cast<int>(20 * fuzzScale()));
  for (int seed = 0; seed < runs; ++seed) {
    const RunShape shape = syntheticShape(1 + seed % 4);
    Ledger ledger(shape);
    syntheticRun(shape, seed, 200, ledger);
    const TimedReport report = ledger.report();
    Cycles of_units = 0, of_code = 0, of_timeline = 0;
    for (const UnitCycles& unit : report.units) {
      EXPECT_EQ(sum(unit.cycles), report.cycles);
      of_units += sum(unit.cycles);
    }
    uint64_t macs = 0;
    for (const PcCost& code : report.code) {
      of_code += code.cost.total();
      macs += code.cost.macs;
    }
    for (const Timeline::Lane& lane : report.timeline.lanes)
      for (const Timeline::Piece& piece : lane.pieces)
        for (const Cycles cycles : piece.cycles) of_timeline += cycles;
    EXPECT_EQ(of_units, report.cycles * report.cores * kTracks);
    EXPECT_EQ(of_code, of_units);
    EXPECT_EQ(of_timeline, of_units);
    EXPECT_EQ(macs, report.macs);
    EXPECT_EQ(report.tiles, 200u * report.cores);
  }
}

TEST(ObserverList, PassesEverythingOnToEach) {
  Ledger first(shortShape()), second(shortShape());
  ObserverList list;
  list.add(first);
  list.add(second);
  shortRun(list);
  EXPECT_EQ(first.report().macs, 7000u);
  EXPECT_EQ(second.report().paths[0].moved, 128u);
  EXPECT_EQ(second.report().units[1].cycles, first.report().units[1].cycles);
}

// In pairs: what is accepted above, one cycle off.
class LedgerDeathTest : public testing::Test {
 protected:
  Ledger ledger_{shortShape()};
};

TEST_F(LedgerDeathTest, GapOfACycle) {
  ledger_.span({0, Track::load, Activity::busy, 0, 4, 0});
  EXPECT_DEATH(ledger_.span({0, Track::load, Activity::busy, 5, 6, 0}), "gap or overlap");
}

TEST_F(LedgerDeathTest, OverlapOfACycle) {
  ledger_.span({0, Track::load, Activity::busy, 0, 4, 0});
  EXPECT_DEATH(ledger_.span({0, Track::load, Activity::busy, 3, 6, 0}), "gap or overlap");
}

TEST_F(LedgerDeathTest, EmptySpan) {
  EXPECT_DEATH(ledger_.span({0, Track::load, Activity::busy, 0, 0, 0}), "without a cycle");
}

TEST_F(LedgerDeathTest, UnitThatEndsACycleEarly) {
  for (int track = 0; track < kTracks; ++track)
    ledger_.span({0, static_cast<Track>(track), Activity::empty, 0, track == 2 ? 9u : 10u, 0});
  EXPECT_DEATH(ledger_.finish(10), "end with the run");
}

TEST_F(LedgerDeathTest, ActivityOutsideOfTheList) {
  EXPECT_DEATH(ledger_.span({0, Track::load, static_cast<Activity>(kActivities), 0, 1, 0}),
               "closed list");
}

TEST_F(LedgerDeathTest, MoreUsefulBytesThanMoved) {
  ledger_.transfer({0, 0, 1, 64, 64});
  EXPECT_DEATH(ledger_.transfer({0, 0, 1, 64, 65}), "useful");
}

TEST_F(LedgerDeathTest, TransferWithoutACycle) {
  EXPECT_DEATH(ledger_.transfer({0, 1, 1, 64, 64}), "without a cycle");
}

TEST_F(LedgerDeathTest, StartBeforeTaken) {
  TileRecord record;
  record.taken = 3;
  record.start = 2;
  record.done = 9;
  EXPECT_DEATH(ledger_.tile(record), "follow each other");
}

TEST(Shares, AreRoundedToTheNearest) {
  EXPECT_EQ(percent(1, 3), "33.3 %");
  EXPECT_EQ(percent(2, 3), "66.7 %");
  EXPECT_EQ(percent(0, 0), "0.0 %");
  EXPECT_EQ(partOf(~uint64_t{0}, ~uint64_t{0}, 1000), 1000u);
}

TEST(Numbers, ReadAsPeopleWriteThem) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1234567), "1 234 567");
  EXPECT_EQ(bytesText(999), "999 B");
  EXPECT_EQ(bytesText(1000), "1.00 kB");
  EXPECT_EQ(bytesText(1'234'567), "1.23 MB");
  EXPECT_EQ(bytesText(45'678'000), "45.7 MB");
  EXPECT_EQ(timeText(20'000), "20.0 ns");
  EXPECT_EQ(timeText(345'600'000), "346 us");
  EXPECT_EQ(energyText(1'500'000), "1.50 nJ");
  EXPECT_EQ(thousandths(614'400), "614.4");
  EXPECT_EQ(thousandths(16'384'000), "16384");
}

TEST(Bounds, TakeAsManyCyclesAsTheWorkNeedsAtThePeak) {
  // 2048^3 MACs at 4 cores x 16384; 96 MiB at 614.4 B a cycle.
  const Bound matrix{"matrix", "MAC", 8'589'934'592, 65'536'000, ""};
  const Bound memory{"memory", "byte", 100'663'296, 614'400, ""};
  EXPECT_EQ(matrix.cycles(), 131'072u);
  EXPECT_EQ(memory.cycles(), 163'840u);
  TimedReport report;
  EXPECT_EQ(report.tightest(), nullptr);
  report.bounds = {matrix, memory};
  EXPECT_EQ(report.tightest()->name, "memory");
  EXPECT_EQ(report.boundNamed("matrix")->work, 8'589'934'592u);
}

TEST(Energy, CountsOnlyActionsThatHaveFigures) {
  const std::vector<EnergyRow> rows = {{"matrix.mac", 1000, "a paper", 100, 200, 400},
                                       {"dma.burst", 5, "", 0, 0, 0}};
  const EnergyTotal total = energyTotal(rows);
  EXPECT_EQ(total.low_fj, 100'000u);
  EXPECT_EQ(total.nominal_fj, 200'000u);
  EXPECT_EQ(total.high_fj, 400'000u);
  EXPECT_EQ(total.counted, 1u);
}

}  // namespace
}  // namespace etalon::sim
