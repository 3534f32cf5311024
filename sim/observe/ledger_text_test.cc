// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/ledger_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace etalon::sim {
namespace {

using testing::HasSubstr;
using testing::Not;

/// 2 cores, 1000 cycles each.
TimedReport report() {
  TimedReport r;
  r.cycles = 1000;
  r.clock_mhz = 1000;
  r.cores = 2;
  for (uint16_t core = 0; core < 2; ++core)
    for (int track = 0; track < kTracks; ++track) {
      UnitCycles unit{core, static_cast<Track>(track), {}};
      unit.cycles[static_cast<size_t>(Activity::busy)] = core == 0 ? 750 : 250;
      unit.cycles[static_cast<size_t>(Activity::memory)] = core == 0 ? 250 : 0;
      unit.cycles[static_cast<size_t>(Activity::operand)] = core == 0 ? 0 : 750;
      r.units.push_back(unit);
    }
  return r;
}

TEST(LedgerText, SaysTheHeadlineInCyclesAndTime) {
  EXPECT_THAT(ledgerText(report()), HasSubstr("1 000 cycles, 1.00 us at 1000 MHz, 2 cores\n"));
}

TEST(LedgerText, DrawsABarForEachUnitAndNamesTheLargestCausesFirst) {
  EXPECT_THAT(
      ledgerText(report()),
      HasSubstr("  matrix  ############............  50.0 %  operand 37.5 %, memory 12.5 %\n"));
}

TEST(LedgerText, MarksTheTightestBound) {
  TimedReport r = report();
  EXPECT_THAT(ledgerText(r), Not(HasSubstr("bounds")));
  r.bounds = {{"matrix", "MAC", 400'000, 1'000'000, ""}, {"memory", "byte", 90'000, 100'000, ""}};
  const std::string text = ledgerText(r);
  EXPECT_THAT(text, HasSubstr("400 cycles for 400 000 MACs at 1000 a cycle: 40.0 % reached\n"));
  EXPECT_THAT(
      text,
      HasSubstr("900 cycles for 90 000 bytes at 100 a cycle: 90.0 % reached  <- the tightest\n"));
}

TEST(LedgerText, ShowsBytesByLevelWithTheirShareOfThePeak) {
  TimedReport r = report();
  r.paths = {{{"memory read", "channel 0", 64'000}, 1, 32'000, 24'000, 500},
             {{"memory read", "channel 1", 64'000}, 1, 0, 0, 0}};
  EXPECT_THAT(ledgerText(r),
              HasSubstr("  memory read        32.0 kB, 75.0 % useful, 25.0 % of 128 B a cycle\n"));
}

TEST(LedgerText, ListsTheDearestLinesWithoutThoseAboutNothing) {
  TimedReport r = report();
  CodeCost cost;
  cost.cycles[1][static_cast<size_t>(Activity::busy)] = 750;
  cost.cycles[1][static_cast<size_t>(Activity::chain)] = 250;
  r.lines = {{{}, {}}, {{"gemm.c", 31, "gemm"}, cost}};
  EXPECT_THAT(ledgerText(r),
              HasSubstr("   10.0 % gemm.c:31                    busy  75.0 %  chain 25.0 %\n"));
  EXPECT_THAT(ledgerText(r), Not(HasSubstr("(no line)")));
}

TEST(LedgerText, StopsAfterTenLines) {
  TimedReport r = report();
  for (int line = 1; line <= 10; ++line) r.lines.push_back({{"a.c", line, "f"}, {}});
  EXPECT_THAT(ledgerText(r), Not(HasSubstr("...\n")));
  r.lines.push_back({{"a.c", 11, "f"}, {}});
  EXPECT_THAT(ledgerText(r), HasSubstr("  ...\n"));
  EXPECT_THAT(ledgerText(r), Not(HasSubstr("a.c:11")));
}

TEST(LedgerText, SaysTheCriticalPathByItsLargestParts) {
  TimedReport r = report();
  EXPECT_THAT(ledgerText(r), Not(HasSubstr("critical path")));
  r.critical.emplace();
  (*r.critical)[static_cast<size_t>(PathPart::scalar)] = 100;
  (*r.critical)[static_cast<size_t>(PathPart::load)] = 900;
  EXPECT_THAT(ledgerText(r),
              HasSubstr("critical path, what a free one would gain at most: load 90.0 "
                        "%, scalar 10.0 %\n"));
}

TEST(LedgerText, SpeaksOfEnergyOnlyWhereATableHasFigures) {
  TimedReport r = report();
  r.energy = {{"dma.burst", 5, "", 0, 0, 0}};
  EXPECT_THAT(ledgerText(r), Not(HasSubstr("energy")));
  r.energy.push_back({"matrix.mac", 1'000'000, "a paper", 100, 200, 400});
  EXPECT_THAT(ledgerText(r),
              HasSubstr("energy 200 nJ (100 nJ to 400 nJ), 1 of 2 actions have a figure\n"));
}

}  // namespace
}  // namespace etalon::sim
