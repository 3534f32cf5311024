// SPDX-License-Identifier: Apache-2.0
#include "sim/memory/dram_mapping.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>

#include "sim/memory/dram_runs.h"

namespace etalon::sim {
namespace {

using Kind = isa::MappingField::Kind;

/// 2 groups of 2 banks, 4 bursts of 64 bytes a page.
isa::DramPreset small(std::vector<isa::MappingField> order, bool hash) {
  isa::DramPreset preset;
  preset.groups = preset.banks = 2;
  preset.page_bytes = 256;
  preset.burst_bytes = 64;
  preset.mapping = std::move(order);
  preset.hash = hash;
  return preset;
}

TEST(DramMapping, FieldsStandInTheOrderOfThePreset) {
  const DramMapping columns_low(
      small({{Kind::Row, 0}, {Kind::Bank, 1}, {Kind::Group, 1}, {Kind::Column, 2}}, false));
  EXPECT_EQ(columns_low.decode(0), (DramAddress{0, 0, 0}));
  EXPECT_EQ(columns_low.decode(63), (DramAddress{0, 0, 0}));
  EXPECT_EQ(columns_low.decode(64), (DramAddress{0, 0, 1}));
  EXPECT_EQ(columns_low.decode(256), (DramAddress{2, 0, 0}));   // the group: banks 2 and 3
  EXPECT_EQ(columns_low.decode(512), (DramAddress{1, 0, 0}));   // the bank
  EXPECT_EQ(columns_low.decode(1024), (DramAddress{0, 1, 0}));  // the row
  const DramMapping group_low(
      small({{Kind::Row, 0}, {Kind::Bank, 1}, {Kind::Column, 2}, {Kind::Group, 1}}, false));
  EXPECT_EQ(group_low.decode(64), (DramAddress{2, 0, 0}));
  EXPECT_EQ(group_low.decode(128), (DramAddress{0, 0, 1}));
}

TEST(DramMapping, APartOfAFieldTakesItsLowBitsFirst) {
  const DramMapping split(small(
      {{Kind::Row, 0}, {Kind::Column, 1}, {Kind::Bank, 1}, {Kind::Group, 1}, {Kind::Column, 1}},
      false));
  EXPECT_EQ(split.decode(64), (DramAddress{0, 0, 1}));
  EXPECT_EQ(split.decode(512), (DramAddress{0, 0, 2}));
}

TEST(DramMapping, TheHashMovesRowsThatAPowerOfTwoKeepsApart) {
  const std::vector<isa::MappingField> order{
      {Kind::Row, 0}, {Kind::Bank, 1}, {Kind::Group, 1}, {Kind::Column, 2}};
  const DramMapping plain(small(order, false)), hashed(small(order, true));
  std::set<uint32_t> plain_banks, hashed_banks;
  for (uint64_t row = 0; row < 4; ++row) {
    plain_banks.insert(plain.decode(row * 1024).bank);
    hashed_banks.insert(hashed.decode(row * 1024).bank);
  }
  EXPECT_EQ(plain_banks.size(), 1U);
  EXPECT_EQ(hashed_banks.size(), 4U);
}

TEST(DramMapping, NoTwoBurstsShareAPlaceOnAnyPreset) {
  for (const std::string& name : shippedDramNames()) {
    const isa::DramPreset preset = shippedPreset(name);
    const DramMapping mapping(preset);
    std::set<std::tuple<uint32_t, uint32_t, uint32_t>> seen;
    const uint64_t rows = 3 * preset.allBanks() * preset.page_bytes;
    for (uint64_t at = 0; at < rows; at += preset.burst_bytes) {
      const DramAddress place = mapping.decode(at);
      EXPECT_LT(place.bank, preset.allBanks());
      EXPECT_LT(place.column, preset.page_bytes / preset.burst_bytes);
      EXPECT_LT(place.row, 3U);
      seen.insert({place.bank, place.row, place.column});
    }
    EXPECT_EQ(seen.size(), rows / preset.burst_bytes) << name;
  }
}

}  // namespace
}  // namespace etalon::sim
