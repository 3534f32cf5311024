// SPDX-License-Identifier: Apache-2.0
// The checker refuses each kind of violation one nCK early and accepts the same commands on time.
#include "sim/memory/dram_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace etalon::sim {
namespace {

using isa::DramPreset;
using isa::DramTiming;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Kind = DramCommand::Kind;

/// Two groups of two banks in which everything takes a nCK but what a test sets. Data of a read begin 2 nCK after it, of a
/// write 1.
DramPreset quick() {
  DramPreset preset;
  preset.groups = preset.banks = 2;
  preset.page_bytes = 256;
  preset.burst_bytes = 64;
  DramTiming& t = preset.timing;
  t.tck_ps = 1000;
  t.cl = 2;
  for (uint64_t DramTiming::* time :
       {&DramTiming::burst, &DramTiming::cwl,    &DramTiming::rcd_rd,   &DramTiming::rcd_wr,
        &DramTiming::rp,    &DramTiming::rp_all, &DramTiming::ras,      &DramTiming::rc,
        &DramTiming::ccd_s, &DramTiming::ccd_l,  &DramTiming::ccd_l_wr, &DramTiming::rrd_s,
        &DramTiming::rrd_l, &DramTiming::faw,    &DramTiming::wtr_s,    &DramTiming::wtr_l,
        &DramTiming::wr,    &DramTiming::rtp,    &DramTiming::rfc,      &DramTiming::rfc_bank,
        &DramTiming::rrefd})
    t.*time = 1;
  t.refi = 100000;
  return preset;
}

DramCommand at(Nck time, Kind kind, uint8_t bank = 0, uint32_t row = 5) {
  return {time, row, bank, kind};
}

struct Pair {
  const char* rule;
  uint64_t DramTiming::* time;        // is 200 here
  std::vector<DramCommand> commands;  // the last is on time
};

constexpr Kind kAct = Kind::Activate, kPre = Kind::Precharge, kAll = Kind::PrechargeAll,
               kRd = Kind::Read, kWr = Kind::Write, kRef = Kind::RefreshAll,
               kRefBank = Kind::RefreshBank;

// Banks 0 and 1 are of one group, 2 and 3 of the other.
const std::vector<Pair>& pairs() {
  static const auto& kPairs = *new std::vector<Pair>{
      {"tRC", &DramTiming::rc, {at(0, kAct), at(50, kPre), at(200, kAct)}},
      {"tRCD_RD", &DramTiming::rcd_rd, {at(0, kAct), at(200, kRd)}},
      {"tRCD_WR", &DramTiming::rcd_wr, {at(0, kAct), at(200, kWr)}},
      {"tRAS", &DramTiming::ras, {at(0, kAct), at(200, kPre)}},
      {"tRAS all", &DramTiming::ras, {at(0, kAct), at(200, kAll)}},
      {"tRP", &DramTiming::rp, {at(0, kAct), at(50, kPre), at(250, kAct)}},
      {"tRP all", &DramTiming::rp_all, {at(0, kAct), at(50, kAll), at(250, kAct)}},
      {"tRTP", &DramTiming::rtp, {at(0, kAct), at(50, kRd), at(250, kPre)}},
      {"tRTP all", &DramTiming::rtp, {at(0, kAct), at(50, kRd), at(250, kAll)}},
      {"tWR", &DramTiming::wr, {at(0, kAct), at(50, kWr), at(252, kPre)}},
      {"tWR all", &DramTiming::wr, {at(0, kAct), at(50, kWr), at(252, kAll)}},
      {"tRRD_L", &DramTiming::rrd_l, {at(0, kAct), at(200, kAct, 1)}},
      {"tRRD_S", &DramTiming::rrd_s, {at(0, kAct), at(200, kAct, 2)}},
      {"tCCD_L", &DramTiming::ccd_l, {at(0, kAct), at(9, kAct, 1), at(50, kRd), at(250, kRd, 1)}},
      {"tCCD_S", &DramTiming::ccd_s, {at(0, kAct), at(9, kAct, 2), at(50, kRd), at(250, kRd, 2)}},
      {"tCCD_L_WR",
       &DramTiming::ccd_l_wr,
       {at(0, kAct), at(9, kAct, 1), at(50, kWr), at(250, kWr, 1)}},
      {"tCCD_S_WR",
       &DramTiming::ccd_s,
       {at(0, kAct), at(9, kAct, 2), at(50, kWr), at(250, kWr, 2)}},
      {"tWTR_L", &DramTiming::wtr_l, {at(0, kAct), at(9, kAct, 1), at(50, kWr), at(252, kRd, 1)}},
      {"tWTR_S", &DramTiming::wtr_s, {at(0, kAct), at(9, kAct, 2), at(50, kWr), at(252, kRd, 2)}},
      {"tFAW",
       &DramTiming::faw,
       {at(0, kAct), at(9, kAct, 1), at(20, kAct, 2), at(30, kAct, 3), at(40, kPre),
        at(200, kAct)}},
      {"tRFC", &DramTiming::rfc, {at(10, kRef), at(210, kAct)}},
      {"tRFC refresh", &DramTiming::rfc, {at(10, kRef), at(210, kRef)}},
      {"tRP refresh", &DramTiming::rp, {at(0, kAct), at(50, kPre), at(250, kRef)}},
      {"tRP all refresh", &DramTiming::rp_all, {at(0, kAct), at(50, kAll), at(250, kRef)}},
      {"tRC refresh", &DramTiming::rc, {at(0, kAct), at(50, kPre), at(200, kRef)}},
      {"tRFC bank", &DramTiming::rfc_bank, {at(10, kRefBank), at(210, kAct)}},
      {"tRFC bank refresh", &DramTiming::rfc_bank, {at(10, kRefBank), at(210, kRefBank)}},
      {"tRP bank refresh", &DramTiming::rp, {at(0, kAct), at(50, kPre), at(250, kRefBank)}},
      {"tRC bank refresh", &DramTiming::rc, {at(0, kAct), at(50, kPre), at(200, kRefBank)}},
      {"tRREFD", &DramTiming::rrefd, {at(10, kRefBank), at(210, kRefBank, 2)}},
      {"tRREFD activate", &DramTiming::rrefd, {at(10, kRefBank), at(210, kAct, 2)}},
      {"tRRD_S refresh", &DramTiming::rrd_s, {at(0, kAct), at(200, kRefBank, 2)}},
      // Data of the read end at 53 and the gap at 253; those of the write begin a nCK after it.
      {"data bus",
       &DramTiming::rtw_gap,
       {at(0, kAct), at(9, kAct, 2), at(50, kRd), at(252, kWr, 2)}},
      {"data bus", &DramTiming::burst, {at(0, kAct), at(9, kAct, 2), at(50, kRd), at(250, kRd, 2)}},
      {"data bus", &DramTiming::burst, {at(0, kAct), at(9, kAct, 2), at(50, kWr), at(250, kWr, 2)}},
      {"data bus", &DramTiming::cl, {at(0, kAct), at(9, kAct, 2), at(50, kRd), at(250, kWr, 2)}},
  };
  return kPairs;
}

std::string refusal(const DramPreset& preset, const std::vector<DramCommand>& commands) {
  return illegalCommand(preset, commands).value_or("accepted");
}

TEST(DramChecker, EveryDistanceIsRefusedOneEarlyAndAcceptedOnTime) {
  for (const Pair& pair : pairs()) {
    DramPreset preset = quick();
    preset.timing.*pair.time = 200;
    std::vector<DramCommand> commands = pair.commands;
    EXPECT_EQ(refusal(preset, commands), "accepted") << pair.rule;
    --commands.back().time;
    EXPECT_THAT(refusal(preset, commands), HasSubstr(std::string("): ") + pair.rule + ":"));
    EXPECT_THAT(refusal(preset, commands),
                StartsWith("command " + std::to_string(commands.size() - 1) + " ("));
  }
}

TEST(DramChecker, RowsAreOpenedOnceAndMet) {
  const DramPreset preset = quick();
  const auto expect = [&](const std::vector<DramCommand>& commands, const char* what) {
    EXPECT_THAT(refusal(preset, commands), HasSubstr(what));
  };
  EXPECT_EQ(refusal(preset, {at(0, kAct), at(9, kRd), at(20, kPre), at(30, kRef)}), "accepted");
  expect({at(0, kRd)}, "command 0 (Read of bank 0 at 0): row: -1 is open, not 5");
  expect({at(0, kAct), at(9, kRd, 0, 6)}, "row: 5 is open, not 6");
  expect({at(0, kAct), at(9, kWr, 1)}, "row: -1 is open, not 5");
  expect({at(0, kAct), at(9, kAct, 0, 6)}, "row: 5 is open");
  expect({at(0, kAct), at(9, kPre, 1)}, "row: nothing is open");
  expect({at(0, kAct), at(9, kRef)}, "row: a bank is open");
  expect({at(0, kAct), at(9, kRefBank)}, "row: 5 is open");
  EXPECT_EQ(refusal(preset, {at(0, kAct), at(9, kRefBank, 1)}), "accepted");
  expect({at(0, kAct), at(9, kAct, 4)}, "row: there is no such bank");
  expect({at(9, kAct), at(0, kAct, 1)}, "row: the log goes back in time");
}

TEST(DramChecker, ABusCarriesOneCommandANck) {
  DramPreset preset = quick();
  const std::vector<DramCommand> both{at(0, kAct), at(9, kRd), at(9, kAct, 2)};
  EXPECT_THAT(refusal(preset, both), HasSubstr("command bus: Read goes in the same cycle"));
  preset.commands = DramPreset::Commands::Split;
  EXPECT_EQ(refusal(preset, both), "accepted");
  EXPECT_THAT(refusal(preset, {at(0, kAct), at(9, kPre), at(9, kRefBank, 2)}),
              HasSubstr("command bus: Precharge goes in the same cycle"));
  EXPECT_EQ(refusal(preset, {at(0, kAct), at(9, kPre), at(10, kRefBank, 2)}), "accepted");
}

TEST(DramChecker, ARefreshMayWaitUntilTheBanksAreClosedAndNoLonger) {
  DramPreset preset = quick();
  preset.timing.refi = 1000;
  // rcd_rd + ras + cwl + burst + wr + rp_all = 6
  EXPECT_EQ(refusal(preset, {at(1006, kRef), at(2006, kAct)}), "accepted");
  EXPECT_THAT(refusal(preset, {at(1007, kRef)}), HasSubstr("refresh: number 1 of bank 0 is late"));
  EXPECT_THAT(refusal(preset, {at(1006, kRef), at(2007, kAct)}),
              HasSubstr("refresh: number 2 of bank 0 is late"));
  preset.refresh = DramPreset::Refresh::PerBank;
  std::vector<DramCommand> commands{at(1000, kRefBank, 0), at(1002, kRefBank, 1),
                                    at(1004, kRefBank, 2), at(1006, kRefBank, 3)};
  EXPECT_EQ(refusal(preset, commands), "accepted");
  ++commands.back().time;
  EXPECT_THAT(refusal(preset, commands), HasSubstr("refresh: number 1 of bank 3 is late"));
}

}  // namespace
}  // namespace etalon::sim
