// SPDX-License-Identifier: Apache-2.0
#include "isa/machines/dram_preset.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "isa/base/file.h"

namespace etalon::isa {
namespace {

using ::testing::HasSubstr;

const std::string kFolder = std::string(ETALON_SOURCE_DIR) + "/isa/machines/parts/memory/";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string shipped(const std::string& name) { return readFile(kFolder + name + ".yaml").value(); }

/// The whole entry of a key, `{value: ...}` included.
std::string without(const std::string& text, const std::string& key) {
  const size_t at = text.find("  " + key + ": ");
  EXPECT_NE(at, std::string::npos) << key;
  return std::string(text).erase(at, text.find('\n', at) - at + 1);
}

/// Message of loading this text as NAME.yaml.
std::string refusal(const std::string& text, const std::string& name = "hbm2-2000") {
  const std::string directory = ::testing::TempDir() + "etalon_dram_" + std::to_string(::getpid());
  std::filesystem::create_directory(directory);
  const std::string path = directory + "/" + name + ".yaml";
  EXPECT_TRUE(writeFile(path, text).ok());
  const auto preset = loadDramPreset(path);
  return preset.ok() ? "accepted" : preset.error().message;
}

TEST(DramPreset, ShippedOnesHaveTheirNamesPeaksAndSources) {
  const std::map<std::string, uint64_t> peaks{
      {"hbm2-2000", 16000},     {"hbm2-2400", 19207},   {"hbm2-2400-wide", 38415},
      {"hbm3-6400", 25600},     {"lpddr5-6400", 12800}, {"ddr5-4800", 19230},
      {"ddr5-6400", 25641},     {"gddr6-14000", 28070}, {"ddr4-3200", 25396},
      {"ddr4-3200-ref", 25396}, {"hbm2-ref", 32000}};
  size_t drams = 0;
  for (const DramPreset& preset : listDramPresets(kFolder).value()) {
    for (const MachineValue& value : dramValues(preset)) EXPECT_NE(value.source, "") << value.key;
    if (preset.kind == DramPreset::Kind::Fixed) {
      EXPECT_EQ(preset.latency_ns, preset.name == "free" ? 0U : 100U);
      EXPECT_EQ(dramValues(preset).size(), 2U);
      continue;
    }
    ++drams;
    ASSERT_TRUE(peaks.count(preset.name)) << preset.name;
    EXPECT_EQ(preset.peakMegabytesPerSecond(), peaks.at(preset.name)) << preset.name;
    EXPECT_GE(dramValues(preset).size(), 4U + 1U + 22U);
  }
  EXPECT_EQ(drams, peaks.size());
}

TEST(DramPreset, NanosecondsBecomeWholeCyclesUpwards) {
  const DramPreset preset = openDramPreset("hbm2-2400").value();
  EXPECT_EQ(preset.timing.rfc, 313U);    // 260 / 0.833 = 312.1
  EXPECT_EQ(preset.timing.refi, 4682U);  // 3900 / 0.833 = 4681.9
  EXPECT_EQ(openDramPreset("ddr4-3200-ref").value().timing.rfc, 560U);
}

TEST(DramPreset, AMappingTakesWhatIsLeft) {
  using Kind = MappingField::Kind;
  EXPECT_THAT(openDramPreset("hbm2-2400").value().mapping,
              ::testing::ElementsAre(MappingField{Kind::Row, 0}, MappingField{Kind::Bank, 2},
                                     MappingField{Kind::Column, 4}, MappingField{Kind::Group, 2},
                                     MappingField{Kind::Column, 1}));
}

TEST(DramPreset, AnUnknownNameListsTheKnownOnes) {
  EXPECT_THAT(openDramPreset("hbm9").error().message,
              HasSubstr("there is no parts/memory/hbm9.yaml; known: ddr4-3200, ddr4-3200-ref, "));
  EXPECT_THAT(loadDramPreset("./none.yaml").error().message,
              HasSubstr("cannot read './none.yaml'"));
}

TEST(DramPreset, KeysAreReadStrictly) {
  const std::string good = shipped("hbm2-2000");
  EXPECT_EQ(refusal(good), "accepted");
  const auto expect = [&](const std::string& from, const std::string& to, const char* what) {
    EXPECT_THAT(refusal(replaced(good, from, to)), HasSubstr(what)) << from << " -> " << to;
  };
  expect("name: hbm2-2000", "name: other", "yaml:3: name: 'other' is not the name of the file");
  expect("kind: dram", "kind: sram", "kind: 'sram' is not one of dram, fixed");
  expect("  cl: {value: 14,", "  cl: {value: many,", "timing.cl.value: 'many' is not a whole");
  expect("  cl: {value: 14,", "  cl: {value: 1001,", "timing.cl.value: 1001 is outside 0 to 1000");
  expect("  cl: {value: 14, source", "  cl: {value: 14, from", "timing.cl: unknown key 'from'");
  expect("  cl: {", "  cx: {", "timing.cx: unknown key; known: tck_ps, burst, cl, cwl");
  expect("  cwl: {", "  cl: {", "duplicate key 'cl'");
  expect("  rfc_ns: {value: 260,", "  rfc_ns: {value: 999999,",
         "timing.rfc_ns: 999999 nCK is more than 10000");
  expect("  groups: {value: 4,", "  groups: {value: 3,", "groups.value: 3 is no power of two");
  expect("  banks: {value: 4,", "  banks: {value: 32,", "banks.value: 32 is outside 1 to 16");
  expect("refresh: all_bank", "refresh: never",
         "refresh: 'never' is not one of all_bank, per_bank");
  expect("commands: split", "commands: two", "commands: 'two' is not one of shared, split");
  expect("hash: true", "hash: yes", "mapping.hash: is 'yes'; expected true or false");
  EXPECT_THAT(refusal(good + "extra: 1\n"), HasSubstr("unknown key 'extra' (line"));
  EXPECT_THAT(refusal(without(good, "rtp")), HasSubstr("timing: the key 'rtp' (in nCK) or "
                                                       "'rtp_ns' is missing"));
  EXPECT_THAT(refusal(without(good, "tck_ps")), HasSubstr("timing: the key 'tck_ps' is missing"));
  EXPECT_THAT(refusal(without(good, "page_bytes")),
              HasSubstr("organisation: the key 'page_bytes' is missing"));
  EXPECT_THAT(refusal(replaced(good, "  cl: {", "  cl_ns: {value: 14, source: x}\n  cl: {")),
              HasSubstr("timing.cl_ns: cl is given too, in nCK; write one of the two"));
  const size_t at = good.find("  cl: {");
  EXPECT_THAT(refusal(std::string(good).replace(at, good.find('\n', at) - at, "  cl: 14")),
              HasSubstr("timing.cl: write the number as {value: ..., source:"));
}

TEST(DramPreset, TimesThatContradictEachOtherAreRefused) {
  const std::string good = shipped("hbm2-2000");
  const auto expect = [&](const std::string& from, const std::string& to, const char* what) {
    EXPECT_THAT(refusal(replaced(good, from, to)), HasSubstr(what)) << from << " -> " << to;
  };
  // On the limit is accepted, one below is not.
  EXPECT_EQ(refusal(replaced(good, "  rc: {value: 48,", "  rc: {value: 48,")), "accepted");
  expect("  rc: {value: 48,", "  rc: {value: 47,",
         "timing: rc is 47 nCK, less than ras + rp (48): no part can be so");
  expect("  rp_all: {value: 14,", "  rp_all: {value: 13,", "rp_all is 13 nCK, less than rp (14)");
  expect("  ras: {value: 34,", "  ras: {value: 13,", "ras is 13 nCK, less than rcd_rd (14)");
  expect("  ccd_l: {value: 4,", "  ccd_l: {value: 1,", "ccd_l is 1 nCK, less than ccd_s (2)");
  expect("  ccd_l_wr: {value: 4,", "  ccd_l_wr: {value: 3,", "ccd_l_wr is 3 nCK, less than ccd_l");
  expect("  rrd_l: {value: 4,", "  rrd_l: {value: 3,", "rrd_l is 3 nCK, less than rrd_s (4)");
  expect("  faw: {value: 15,", "  faw: {value: 3,", "faw is 3 nCK, less than rrd_s (4)");
  expect("  wtr_l: {value: 8,", "  wtr_l: {value: 5,", "wtr_l is 5 nCK, less than wtr_s (6)");
  expect("  burst: {value: 2,", "  burst: {value: 0,", "burst is 0 nCK, less than 1");
  expect("  cwl: {value: 5,", "  cwl: {value: 18,", "cl + burst + rtw_gap is 18 nCK, less than");
  expect("  refi_ns: {value: 3900,", "  refi_ns: {value: 300,", "leave nothing of refi 300");
  EXPECT_THAT(refusal(without(replaced(good, "all_bank", "per_bank"), "rfc_bank_ns")),
              HasSubstr("refresh is per_bank, but rfc_bank is missing"));
  EXPECT_THAT(refusal(replaced(replaced(good, "all_bank", "per_bank"), "rfc_bank_ns: {value: 160,",
                               "rfc_bank_ns: {value: 230,")),
              HasSubstr("16 refreshes of rp 14 + rfc_bank 230 nCK do not fit into refi 3900"));
  expect("  page_bytes: {value: 1024,", "  page_bytes: {value: 16,", "16 is outside 64 to 65536");
}

TEST(DramPreset, AMappingThatLosesOrRepeatsBitsIsRefused) {
  const std::string good = shipped("hbm2-2000");
  const auto message = [&](const std::string& order) {
    return refusal(replaced(good, "[row, bank, column, group, column:1]", order));
  };
  EXPECT_EQ(message("[row, column, bank, group]"), "accepted");
  EXPECT_THAT(message("[bank, row, column, group]"), HasSubstr("mapping.order: the order begins"));
  EXPECT_THAT(message("[row:3, bank, column, group]"), HasSubstr("the order begins with row"));
  EXPECT_THAT(message("[row, bank, column]"),
              HasSubstr("0 bits of group stand in the order, the part has 2"));
  EXPECT_THAT(message("[row, bank, column:3, group]"), HasSubstr("3 bits of column stand in the"));
  EXPECT_THAT(message("[row, bank, bank, column, group]"), HasSubstr("bank stands twice"));
  EXPECT_THAT(message("[row, bank:3, column, group]"), HasSubstr("3 bits of bank stand in the"));
  EXPECT_THAT(message("[row, bonk, column, group]"),
              HasSubstr("mapping.order[1]: 'bonk' is no field: write row, bank, group or column"));
  EXPECT_THAT(message("[row, \"bank:\", column, group]"), HasSubstr("'bank:' is no field"));
}

TEST(DramPreset, AFixedMemoryHasALatencyAndOneBandwidth) {
  const std::string good = shipped("fixed-100ns-64b");
  const std::string name = "fixed-100ns-64b";
  EXPECT_EQ(refusal(good, name), "accepted");
  EXPECT_THAT(refusal(good + "megabytes_per_second: {value: 1, source: x}\n", name),
              HasSubstr("give one of 'bytes_per_cycle' and 'megabytes_per_second'"));
  EXPECT_THAT(refusal(replaced(good, "bytes_per_cycle", "bytes"), name),
              HasSubstr("unknown key 'bytes'"));
  EXPECT_THAT(refusal(replaced(good, "latency_ns", "latency"), name),
              HasSubstr("unknown key 'latency'"));
  EXPECT_THAT(refusal(replaced(good, "{value: 64,", "{value: 0,"), name),
              HasSubstr("bytes_per_cycle.value: 0 is outside 1 to 65536"));
}

}  // namespace
}  // namespace etalon::isa
