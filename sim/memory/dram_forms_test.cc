// SPDX-License-Identifier: Apache-2.0
// What a channel must give by arithmetic alone, within 3 %.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/memory/dram_runs.h"

namespace etalon::sim {
namespace {

using isa::DramPreset;

constexpr uint64_t kAccesses = 100000;

/// Share of the time that an all-bank refresh takes from a busy channel: last read, close, refresh, open again.
double refreshShare(const DramPreset& preset) {
  const isa::DramTiming& t = preset.timing;
  return static_cast<double>(t.rtp + t.rp + t.rfc + t.rcd_rd) / static_cast<double>(t.refi);
}

/// The forms are of refresh of all banks at once.
DramPreset withAllBankRefresh(const std::string& name) {
  DramPreset preset = shippedPreset(name);
  preset.refresh = DramPreset::Refresh::AllBank;
  return preset;
}

double ratio(Nck cycles, double bound) { return static_cast<double>(cycles) / bound; }

TEST(DramForms, RefreshTakesItsShareOfAStream) {
  const auto share = [](const char* name) { return 100 * refreshShare(withAllBankRefresh(name)); };
  EXPECT_NEAR(share("hbm2-2000"), 7.5, 0.05);
  EXPECT_NEAR(share("ddr4-3200"), 4.9, 0.05);
  EXPECT_NEAR(share("hbm3-6400"), 10.0, 0.1);
  // Reads of one open row a bank, again and again: nothing but refresh interrupts them.
  std::vector<PatternAccess> hits;
  hits.reserve(kAccesses);
  for (uint64_t i = 0; i < kAccesses; ++i) hits.push_back({i % 128 * 64});
  for (const std::string& name : shippedDramNames()) {
    const DramPreset preset = withAllBankRefresh(name);
    DramPreset never = preset;
    never.timing.refi = 1000000000;
    const double busy = static_cast<double>(runAccesses(never, hits).cycles);
    EXPECT_NEAR(ratio(runAccesses(preset, hits).cycles, busy / (1 - refreshShare(preset))), 1,
                0.005)
        << name;
  }
}

TEST(DramForms, ARowMissOnAnIdleChannelTakesPrechargeActivateReadAndBurst) {
  for (const std::string& name : shippedDramNames()) {
    const DramPreset preset = shippedPreset(name);
    const isa::DramTiming& t = preset.timing;
    DramController controller(preset);
    const Nck begin = t.rc;  // long after the first row was opened, long before a refresh
    EXPECT_FALSE(controller.submit(addressOf(preset, 1, 3), 8, false, 0, 0));
    EXPECT_FALSE(controller.submit(addressOf(preset, 1, 4), 8, false, 1, begin));
    controller.runUntil(begin + t.rp + t.rcd_rd + 1);
    ASSERT_EQ(controller.done().size(), 2U) << name;
    EXPECT_EQ(controller.done()[1].time - begin, t.rp + t.rcd_rd + t.cl + t.burst) << name;
  }
  const auto ns = [](const char* name) {
    const isa::DramTiming t = shippedPreset(name).timing;
    return static_cast<double>((t.rp + t.rcd_rd + t.cl + t.burst) * t.tck_ps) / 1000;
  };
  EXPECT_NEAR(ns("hbm2-2000"), 44, 0.05);
  EXPECT_NEAR(ns("hbm3-6400"), 49.4, 0.05);
}

TEST(DramForms, AStreamRunsAtThePeakLessRefresh) {
  for (const std::string& name : shippedDramNames()) {
    const DramPreset preset = withAllBankRefresh(name);
    if (!preset.hash) continue;  // the mappings of the reference run do not alternate groups
    const isa::DramTiming& t = preset.timing;
    const double busy =
        kAccesses * 64.0 / static_cast<double>(preset.burst_bytes) * static_cast<double>(t.burst);
    const double read = busy / (1 - refreshShare(preset));
    EXPECT_NEAR(ratio(runAccesses(preset, dramPattern("sequential_read", kAccesses)).cycles, read),
                1, 0.03)
        << name;
    const uint64_t write = runAccesses(preset, dramPattern("sequential_write", kAccesses)).cycles;
    // Waived: HBM3 under all-bank refresh, which is not its default. Before a refresh a write must have been restored, which
    // is long there, and the form does not know it. Until the form has write recovery; then this fails.
    const bool waived = name == "hbm3-6400";
    EXPECT_EQ(std::abs(ratio(write, read) - 1) > 0.03, waived) << name;
    // With write recovery in the share, and a drain having an end.
    const double share = static_cast<double>(t.cwl + t.burst + t.wr + t.rp + t.rfc + t.rcd_wr) /
                         static_cast<double>(t.refi);
    EXPECT_NEAR(ratio(write, busy / (1 - share)), 1, 0.04) << name;
  }
}

TEST(DramForms, RandomReadsRunAtTheRateOfActivates) {
  for (const std::string& name : shippedDramNames()) {
    const DramPreset preset = withAllBankRefresh(name);
    const isa::DramTiming& t = preset.timing;
    const double each = std::max(static_cast<double>(t.rrd_s), static_cast<double>(t.faw) / 4);
    const double bound = kAccesses * each / (1 - refreshShare(preset));
    EXPECT_NEAR(ratio(runAccesses(preset, dramPattern("random_64", kAccesses)).cycles, bound), 1,
                0.03)
        << name;
  }
}

TEST(DramForms, RowsOfFewBanksRunAtTheRowCycle) {
  for (const std::string& name : shippedDramNames()) {
    const DramPreset preset = withAllBankRefresh(name);
    const isa::DramTiming& t = preset.timing;
    for (uint32_t banks : {1U, 2U, 4U}) {
      constexpr uint32_t kRows = kAccesses / 5;
      std::vector<PatternAccess> accesses;
      accesses.reserve(kRows);
      for (uint32_t i = 0; i < kRows; ++i)
        accesses.push_back({addressOf(preset, i % banks * static_cast<uint32_t>(preset.banks), i)});
      const double bound = kRows * static_cast<double>(t.rc) / banks / (1 - refreshShare(preset));
      EXPECT_NEAR(ratio(runAccesses(preset, accesses).cycles, bound), 1, 0.03)
          << name << ' ' << banks;
    }
  }
}

TEST(DramForms, RefreshBankByBankTakesLessThanAllAtOnce) {
  DramPreset preset = shippedPreset("hbm3-6400");
  ASSERT_EQ(preset.refresh, DramPreset::Refresh::PerBank);
  const double bound = 2.0 * kAccesses * static_cast<double>(preset.timing.burst);
  const auto stream = dramPattern("sequential_read", kAccesses);
  EXPECT_LE(ratio(runAccesses(preset, stream).cycles, bound), 1.03);
  preset.refresh = DramPreset::Refresh::AllBank;
  EXPECT_GE(ratio(runAccesses(preset, stream).cycles, bound), 1.09);
}

}  // namespace
}  // namespace etalon::sim
