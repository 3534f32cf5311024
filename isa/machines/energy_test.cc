// SPDX-License-Identifier: Apache-2.0
#include "isa/machines/energy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "isa/base/file.h"
#include "isa/machines/find_machine.h"

namespace etalon::isa {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A table named `own` with one action, or the message that refuses it.
Result<EnergyTable> load(const std::string& text) {
  const std::string folder = ::testing::TempDir() + "energy_" + std::to_string(::getpid());
  std::filesystem::create_directory(folder);
  EXPECT_TRUE(writeFile(folder + "/own.yaml", text).ok());
  return loadEnergyTable(folder + "/own.yaml");
}
const std::string kHead = "name: own\ntitle: Own\n";
const std::string kFigures =
    "  low: {value: 0.5, source: a}\n  nominal: {value: 2, source: b}\n  high: {value: 2.125, "
    "source: c}\n";

TEST(Energy, FiguresAreReadInFemtojoulesWithTheirSources) {
  const EnergyTable table = load(kHead + "mac_16:\n" + kFigures).value();
  EXPECT_EQ(table.title, "Own");
  const EnergyRange mac = table.of(EnergyAction::mac_16).value();
  EXPECT_EQ(mac.low, 500u);
  EXPECT_EQ(mac.nominal, 2000u);
  EXPECT_EQ(mac.high, 2125u);
  EXPECT_EQ(table.sources.at("mac_16.high"), "c");
  EXPECT_FALSE(table.of(EnergyAction::mac_8).has_value());
  const std::vector<MachineValue> values = energyValues(table);
  ASSERT_EQ(values.size(), 3u);
  EXPECT_EQ(values[2].key, "mac_16.high");
  EXPECT_EQ(values[2].value, "2.125");
  EXPECT_EQ(values[2].unit, "pJ");
  EXPECT_EQ(values[2].source, "c");
}

TEST(Energy, TablesAreReadStrictly) {
  struct Wrong {
    std::string text;
    std::vector<std::string> says;
  };
  const std::string mac = kHead + "mac_16:\n";
  for (const Wrong& wrong : {
           Wrong{kHead, {"own.yaml:1: has no action; expected one or more of mac_32, mac_16"}},
           {kHead + "mac_64:\n" + kFigures,
            {"unknown key 'mac_64' (line 4)", "known: name, title, mac_32"}},
           {"name: other\ntitle: x\nmac_16:\n" + kFigures,
            {"own.yaml:1: name: 'other' is not the name of the file; expected 'own'"}},
           {"name: own\nmac_16:\n" + kFigures, {"the key 'title' is missing"}},
           {kHead + "mac_16: 2\n", {"own.yaml:3: mac_16:", "is '2'"}},
           {mac + "  low: {value: 1, source: a}\n  high: {value: 1, source: a}\n",
            {"mac_16: the key 'nominal' is missing"}},
           {mac + kFigures + "  typical: {value: 1, source: a}\n",
            {"mac_16: unknown key 'typical' (line 7); known: low, nominal, high"}},
           {mac + "  low: 1\n", {"mac_16.low: write the figure as {value: ..., source: "}},
           {mac + "  low: {value: 1}\n", {"own.yaml:4: mac_16.low: the key 'source' is missing"}},
           {mac + "  low: {value: 1, source: \"\"}\n", {"mac_16.low.source: is empty"}},
           {mac + "  low: {value: -1, source: a}\n", {"mac_16.low.value: '-1' is not a ratio"}},
           {mac + "  low: {value: 0.0001, source: a}\n",
            {"'0.0001' is not a ratio", "thousandths"}},
           {mac + "  low: {value: 1000001, source: a}\n", {"1000001 is outside 0 to 1000000"}},
           {mac + "  low: {value: 1, unit: nJ, source: a}\n", {"mac_16.low: unknown key 'unit'"}},
           {mac + "  low: {value: 3, source: a}\n" + kFigures.substr(kFigures.find('\n') + 1),
            {"own.yaml:4: mac_16: the figures do not ascend: low <= nominal <= high"}},
       }) {
    const Result<EnergyTable> table = load(wrong.text);
    ASSERT_FALSE(table.ok()) << wrong.text;
    for (const std::string& part : wrong.says) EXPECT_THAT(table.error().message, HasSubstr(part));
  }
}

TEST(Energy, EveryShippedTableLoadsAndTheSchemaKnowsEveryAction) {
  const auto files = listFiles(ETALON_SOURCE_DIR "/isa/machines/parts/energy", ".yaml").value();
  EXPECT_FALSE(files.empty());
  for (const std::string& file : files) {
    const Result<EnergyTable> table = loadEnergyTable(file);
    EXPECT_TRUE(table.ok()) << (table.ok() ? "" : table.error().message);
  }
  const std::string schema = readFile(ETALON_SOURCE_DIR "/isa/schema/energy.schema.json").value();
  for (size_t i = 0; i < kEnergyActions; ++i)
    EXPECT_THAT(schema,
                HasSubstr("\"" + std::string(energyActionName(static_cast<EnergyAction>(i))) +
                          "\": {\"$ref\": \"#/$defs/action\"}"));
}

// Published figures, written here from the papers.
TEST(Energy, TheShippedTableHasThePublishedFigures) {
  const EnergyTable table = loadEnergyTable(findPart("energy", "cmos45-hbm2").value()).value();
  EXPECT_EQ(table.of(EnergyAction::mac_32)->nominal, 3700u + 900u);
  EXPECT_EQ(table.of(EnergyAction::mac_16)->nominal, 1100u + 900u);
  EXPECT_EQ(table.of(EnergyAction::mac_8)->low, 200u + 100u);
  EXPECT_EQ(table.of(EnergyAction::local_byte)->low, 20'000u / 8);
  EXPECT_EQ(table.of(EnergyAction::local_byte)->high, 100'000u / 8);
  EXPECT_EQ(table.of(EnergyAction::dram_byte)->nominal, 3920u * 8);
  EXPECT_NEAR(static_cast<double>(table.of(EnergyAction::network_byte)->nominal), 310e3 / 32, 5);
  EXPECT_EQ(table.of(EnergyAction::scalar_instruction)->nominal, 70'000u);
}

}  // namespace
}  // namespace etalon::isa
