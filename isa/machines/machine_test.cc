// SPDX-License-Identifier: Apache-2.0
#include "isa/machines/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "isa/base/file.h"
#include "isa/base/fuzz_scale.h"
#include "isa/machines/find_machine.h"
#include "isa/state/rule_test.h"

namespace etalon::isa {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;

const std::vector<Profile>& profiles() {
  static const auto& kProfiles = *new std::vector<Profile>(shippedProfiles().value());
  return kProfiles;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string baseText() {
  return readFile(std::string(ETALON_SOURCE_DIR) + "/isa/machines/base.yaml").value();
}

/// Message of loading this text as base.yaml.
std::string refusal(const std::string& text) {
  const std::string directory =
      ::testing::TempDir() + "etalon_machines_" + std::to_string(::getpid());
  std::filesystem::create_directory(directory);
  const std::string path = directory + "/base.yaml";
  EXPECT_TRUE(writeFile(path, text).ok());
  auto machine = loadMachine(path, profiles());
  return machine.ok() ? "accepted" : machine.error().message;
}

TEST(Machine, BaseIsThePublishedOne) {
  SHOWS(profile_caps, profile_list);
  const Machine machine = openMachine("base", {}).value();
  EXPECT_EQ(machine.displayName(), "base");
  EXPECT_FALSE(machine.derived());
  EXPECT_EQ(machine.cores, 4u);
  EXPECT_EQ(machine.local_bytes, 8u << 20);
  EXPECT_EQ(machine.global_base, 0x80000000u);
  EXPECT_EQ(machine.global_bytes, uint64_t{16} << 30);
  EXPECT_EQ(machine.macs_log2, 30u);
  EXPECT_EQ(machine.elements_log2, 24u);
  EXPECT_EQ(machine.bytes_log2, 26u);
  EXPECT_THAT(machine.profiles, ElementsAre("Et-base", "Et-f16", "Et-f32mm", "Et-fp8", "Et-net"));
  EXPECT_EQ(machine.profile_bits, 0x80fu);
}

TEST(Machine, EveryShippedNumberHasASource) {
  const auto machines =
      listMachines(std::string(ETALON_SOURCE_DIR) + "/isa/machines", profiles()).value();
  std::vector<std::string> names;
  for (const Machine& machine : machines) names.push_back(machine.name);
  EXPECT_THAT(names,
              ElementsAre("base", "edge", "functional64", "rtl16", "rtl8", "server", "tpuv4-like"));
  for (const Machine& machine : machines)
    for (const MachineValue& value : machineValues(machine))
      EXPECT_NE(value.source, "") << machine.name << value.key;
}

TEST(Machine, OverridesMarkItDerivedAndShowInItsName) {
  const Machine machine =
      openMachine("base", {"local_bytes=4MiB", "cores=3", "cores=2", "work_cap.macs_log2=40"})
          .value();
  EXPECT_EQ(machine.cores, 2u);
  EXPECT_EQ(machine.local_bytes, 4u << 20);
  EXPECT_EQ(machine.displayName(), "base+cores=2+local_bytes=4 MiB+work_cap.macs_log2=40");
  EXPECT_EQ(machineValues(machine)[0].source, "override");
  EXPECT_EQ(machine.timing->matrix.rows, 128u);
  EXPECT_EQ(openMachine("base", {"profiles=Et-base,Et-fp8,Et-net"}).value().profile_bits, 0x809u);
}

TEST(Machine, OverridesRefuseWhatIsOutOfRange) {
  VIOLATES(profile_list, profile_caps);
  const auto message = [](const std::string& assignment) {
    return openMachine("base", {assignment}).error().message;
  };
  EXPECT_THAT(message("core=2"),
              HasSubstr("a machine has no 'core'; known: profiles, cores, local_bytes, clock_mhz, "
                        "work_cap...., address_map...."));
  EXPECT_EQ(message("macs_log2=40"), "a machine has no 'macs_log2'; known: work_cap.macs_log2");
  EXPECT_EQ(message("work_cap.macs=40"),
            "a machine has no 'work_cap.macs'; known: work_cap.macs_log2, work_cap.elements_log2, "
            "work_cap.bytes_log2");
  EXPECT_EQ(message("cores=65"), "override cores: 65 is outside 1 to 64");
  EXPECT_EQ(message("cores=0"), "override cores: 0 is outside 1 to 64");
  EXPECT_THAT(message("cores=two"), HasSubstr("override cores: 'two' is not a whole number"));
  EXPECT_THAT(message("cores="), HasSubstr("'' is not a whole number"));
  EXPECT_EQ(message("local_bytes=65537"), "override local_bytes: 65537 is not a multiple of 4 KiB");
  EXPECT_EQ(message("local_bytes=128 MiB"),
            "override local_bytes: 128 MiB is outside 64 KiB to 64 MiB");
  EXPECT_THAT(message("cores"), HasSubstr("'cores' is no override: write key=value"));
  EXPECT_THAT(message("=2"), HasSubstr("write key=value"));
  EXPECT_THAT(message("profiles=Et-f16"), HasSubstr("Et-base is missing"));
  EXPECT_THAT(message("address_map.global_base=0x3fc0000000"),
              HasSubstr("passes the end of its region, 0x4000000000"));
  EXPECT_EQ(message("address_map.global_base=0x10000000"),
            "override address_map.global_base: 0x10000000 is outside 0x80000000 to 0x3ffffff000");
}

TEST(Machine, AFailedOverrideLeavesTheMachineAlone) {
  Machine machine = openMachine("base", {}).value();
  EXPECT_FALSE(applyOverride(machine, "cores=99", profiles()).ok());
  EXPECT_FALSE(applyOverride(machine, "profiles=Et-base,Et-x", profiles()).ok());
  EXPECT_EQ(machine.cores, 4u);
  EXPECT_EQ(machine.profile_bits, 0x80fu);
  EXPECT_FALSE(machine.derived());
}

TEST(Machine, FilesAreReadStrictly) {
  const std::string good = baseText();
  EXPECT_EQ(refusal(good), "accepted");
  EXPECT_THAT(refusal(replaced(good, "{value: 4,", "{value: 65,")),
              HasSubstr("base.yaml:5: cores.value: 65 is outside 1 to 64"));
  EXPECT_THAT(refusal(replaced(good, "{value: 4,", "{value: 010,")),
              HasSubstr("cores.value: '010' has a leading zero"));
  EXPECT_THAT(refusal(replaced(good, "{value: 4,", "{")),
              HasSubstr("cores: the key 'value' is missing"));
  EXPECT_THAT(refusal(replaced(good, "{value: 4, source: ", "{value: 4, from: ")),
              HasSubstr("cores: unknown key 'from'"));
  EXPECT_THAT(refusal(replaced(good, "name: base", "name: other")),
              HasSubstr("name: 'other' is not the name of the file"));
  EXPECT_THAT(refusal(replaced(good, "Et-fp8", "Et-fp9")),
              HasSubstr("profiles: unknown profile 'Et-fp9'; known: Et-base"));
  EXPECT_THAT(refusal(replaced(good, "Et-fp8", "Et-f16")),
              HasSubstr("profile Et-f16 stands twice"));
  EXPECT_THAT(refusal(replaced(good, "Et-base, ", "")), HasSubstr("Et-base is missing"));
  EXPECT_THAT(refusal(replaced(good, "  macs_log2", "  mac_log2")),
              HasSubstr("work_cap: unknown key 'mac_log2' (line 9); known: macs_log2, "));
  EXPECT_THAT(refusal("extra: 1\n" + good),
              HasSubstr("unknown key 'extra' (line 1); known: name, title"));
  EXPECT_THAT(refusal(good + "cores: {value: 2, source: x}\n"), HasSubstr("duplicate key 'cores'"));
  EXPECT_THAT(refusal(replaced(good, "  global_base", "  extra: 1\n  global_base")),
              HasSubstr("address_map: unknown key 'extra'"));
  EXPECT_THAT(refusal(replaced(good, "0x80000000", "0x3fc0000000")),
              HasSubstr("address_map.global_bytes: global memory of 16 GiB at 0x3fc0000000"));
}

TEST(Machine, ABareNumberIsRefusedBecauseItHasNoSource) {
  EXPECT_THAT(refusal(replaced(baseText(), "name: base", "name: base\ncores: 4\nx: 1")),
              HasSubstr("duplicate key"));
  std::string text = baseText();
  const size_t at = text.find("cores: {");
  text.replace(at, text.find('\n', at) - at, "cores: 4");
  EXPECT_THAT(
      refusal(text),
      HasSubstr(
          "base.yaml:5: cores: write the value as {value: ..., source: \"where it comes from\"}"));
  text.replace(text.find("cores: 4"), 8, "cores: {value: 4, source: \"\"}");
  EXPECT_THAT(refusal(text), HasSubstr("cores.source: is empty"));
}

TEST(Machine, AnUnknownNameListsTheKnownOnes) {
  EXPECT_EQ(
      findMachine("bse").error().message,
      "unknown machine 'bse'; known: base, edge, functional64, rtl16, rtl8, server, tpuv4-like "
      "(or give the path of a .yaml file)");
  EXPECT_THAT(openMachine("./none.yaml", {}).error().message,
              HasSubstr("cannot read './none.yaml'"));
}

TEST(Machine, TheEnvironmentsDirectoriesComeFirst) {
  const std::string directory = ::testing::TempDir() + "etalon_own_" + std::to_string(::getpid());
  std::filesystem::create_directory(directory);
  ASSERT_TRUE(
      writeFile(directory + "/own.yaml", replaced(baseText(), "name: base", "name: own")).ok());
  ::setenv("ETALON_MACHINES", (":" + directory).c_str(), 1);
  EXPECT_EQ(findMachine("own").value(), directory + "/own.yaml");
  EXPECT_THAT(findMachine("base").value(), EndsWith("isa/machines/base.yaml"));
  EXPECT_THAT(machineDirectories(), AllOf(Contains(directory), ::testing::SizeIs(2)));
  ::unsetenv("ETALON_MACHINES");
}

TEST(Machine, PartsStandBesideMachines) {
  const std::string root = ::testing::TempDir() + "etalon_parts_" + std::to_string(::getpid());
  for (const char* folder : {"/listed", "/beside"}) {
    std::filesystem::create_directories(root + folder + "/parts/memory");
    ASSERT_TRUE(writeFile(root + folder + "/parts/memory/both.yaml", "").ok());
  }
  ASSERT_TRUE(writeFile(root + "/beside/parts/memory/own.yaml", "").ok());
  ::setenv("ETALON_MACHINES", (root + "/listed").c_str(), 1);
  EXPECT_EQ(findPart("memory", "both").value(), root + "/listed/parts/memory/both.yaml");
  EXPECT_EQ(findPart("memory", "both", root + "/beside").value(),
            root + "/beside/parts/memory/both.yaml");
  EXPECT_EQ(findPart("memory", "own", root + "/beside").value(),
            root + "/beside/parts/memory/own.yaml");
  EXPECT_THAT(findPart("memory", "own").error().message,
              HasSubstr("there is no parts/memory/own.yaml; known: both"));
  EXPECT_THAT(findPart("memory", "../x\n").error().message, HasSubstr("'../x\\x0a'"));
  EXPECT_FALSE(findPart("energy", "both").ok());
  ::unsetenv("ETALON_MACHINES");
}

// Any outcome is right but a crash, and an error names the file: truncations, then changed bytes, flipped bits,
// absurd numbers and files of random bytes.
TEST(Machine, SurvivesHostileFiles) {
  const std::string good = baseText();
  const std::string path =
      ::testing::TempDir() + "hostile_" + std::to_string(::getpid()) + "/base.yaml";
  std::filesystem::create_directory(std::filesystem::path(path).parent_path());
  const std::vector<std::string> absurd{"18446744073709551615",
                                        "18446744073709551616",
                                        "-1",
                                        "9999999999999999 GiB",
                                        "1e308",
                                        "0x",
                                        ".inf",
                                        "[]",
                                        "{}"};
  const auto mutations = static_cast<size_t>(1200 * fuzzScale());
  constexpr size_t kStep = 13;
  const size_t truncations = good.size() / kStep;
  std::mt19937 random(3);
  size_t refused = 0;
  for (size_t i = 0; i < truncations + mutations; ++i) {
    std::string text = good;
    if (i < truncations) {
      text.resize(i * kStep);
    } else if (i % 4 == 0) {
      for (int n = 0; n < 3; ++n) text[random() % text.size()] = static_cast<char>(random());
    } else if (i % 4 == 1) {
      const size_t bit = random() % (8 * text.size());
      text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
    } else if (i % 4 == 2) {
      const size_t key = text.find("value: ", random() % text.rfind("value: ")) + 7;
      text.replace(key, text.find_first_of(",}\n", key) - key, absurd[random() % absurd.size()]);
    } else {
      text.resize(random() % 300);
      for (char& c : text) c = static_cast<char>(i % 8 < 4 ? random() : 32 + random() % 95);
    }
    ASSERT_TRUE(writeFile(path, text).ok());
    const auto machine = loadMachine(path, profiles());
    refused += !machine.ok();
    if (!machine.ok()) {
      ASSERT_THAT(machine.error().message, HasSubstr("base.yaml")) << text;
    }
  }
  EXPECT_GT(refused, truncations / 2 + mutations / 2);
}

}  // namespace
}  // namespace etalon::isa
