// SPDX-License-Identifier: Apache-2.0
#include "sim/observe/energy.h"

#include <gtest/gtest.h>

namespace etalon::sim {
namespace {

EnergyCounts counts() {
  EnergyCounts counts{};
  counts[static_cast<size_t>(isa::EnergyAction::mac_16)] = 1000;
  counts[static_cast<size_t>(isa::EnergyAction::dram_byte)] = 64;
  return counts;
}

TEST(EnergyRows, HaveTheFiguresOfTheTableAndCountsAloneWhereItHasNone) {
  isa::EnergyTable table;
  table.name = "made-up";
  table.actions[static_cast<size_t>(isa::EnergyAction::mac_16)] = {500, 1000, 2500};
  table.sources["mac_16.nominal"] = "a paper";
  const std::vector<EnergyRow> rows = energyRows(counts(), &table);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].action, "mac_16");
  EXPECT_EQ(rows[0].count, 1000u);
  EXPECT_EQ(rows[0].source, "made-up: a paper");
  EXPECT_EQ(rows[0].high_fj, 2500u);
  EXPECT_EQ(rows[1].action, "dram_byte");
  EXPECT_EQ(rows[1].source, "");
  const EnergyTotal total = energyTotal(rows);
  EXPECT_EQ(total.nominal_fj, 1'000'000u);
  EXPECT_EQ(total.counted, 1u);
}

TEST(EnergyRows, WithoutATableAreCounts) {
  const std::vector<EnergyRow> rows = energyRows(counts(), nullptr);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].count, 64u);
  EXPECT_EQ(energyTotal(rows).counted, 0u);
}

}  // namespace
}  // namespace etalon::sim
