// SPDX-License-Identifier: Apache-2.0
// Cycles of a cycle-level simulator for eleven patterns on two channels; docs/guide/accuracy.md says how they were measured.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "isa/base/sha256.h"
#include "sim/memory/dram_runs.h"

namespace etalon::sim {
namespace {

// SHA-256 of `R 0\nR 64\n...`, 100,000 lines, as the program wrote them that fed the simulator.
TEST(DramPatterns, AreThoseOfTheReferenceRun) {
  const std::vector<std::pair<const char*, const char*>> digests{
      {"sequential_read", "dd9902878cf9d2196a6ed69b833861a34f2a84955720446fa2974732bf175c44"},
      {"sequential_write", "35ea4579200c9c47528851fc7d4f3cf76d46820f2325d00bf278eee691db0e3a"},
      {"copy_256", "24b37ed16927d65ef55e6611c52914dab0b6896d683322c2897f645443841545"},
      {"copy_4k", "8ffe4c51bcefc46f753a7d8b1e0d0db3e0fb8f34acae0a5718dea3a197165631"},
      {"triad", "31978c08592f920ddd031b2739622d43d27dda61bf20387afdc781292fd42eed"},
      {"random_64", "b16e3311b2e7034183fe19d1a18f5bd704fb3a26fab36ebf0db1bdc1be21b024"},
      {"random_256", "c4191d648c8340d71af50b319f198f336e7b4a10ae9f169527eabe9132f5a937"},
      {"random_64_rw", "effadfe65e7cf836da29dfd3ab46372613bcd3163727d137922ba839e40212ea"},
      {"tile_64x128", "23eea9488bb7d03fdad93b7a33be994be4dea425fcaa614da3786744e16ac564"},
      {"tile_64x512", "7d3866c2f873dd4926d416c6c156a86c2a1135771fdabd68cd39df9b5b11c5c4"},
      {"streams_4x512", "170111a5b188ca2f741aa778fdcc9e558c0b58da4d2cc856ed2b8a0032bd25ed"},
  };
  for (const auto& [name, digest] : digests) {
    std::string text;
    for (const PatternAccess& access : dramPattern(name, 100000))
      text += (access.write ? "W " : "R ") + std::to_string(access.address) + '\n';
    std::string hex;
    for (uint8_t byte : sha256(text)) hex += fmt::format("{:02x}", byte);
    EXPECT_EQ(hex, digest) << name;
  }
  EXPECT_TRUE(dramPattern("none", 5).empty());
}

struct Reference {
  const char* pattern;
  double hbm2, ddr4;  // nCK for 100,000 requests
};
constexpr std::array<Reference, 11> kReference{{
    {"sequential_read", 217353, 600170},
    {"sequential_write", 217289, 601171},
    {"copy_256", 253838, 743375},
    {"copy_4k", 235192, 742623},
    {"triad", 241545, 731624},
    {"random_64", 814187, 900610},
    {"random_256", 218310, 433959},
    {"random_64_rw", 818352, 918058},
    {"tile_64x128", 633582, 434049},
    {"tile_64x512", 217103, 423623},
    {"streams_4x512", 216817, 453685},
}};

void compare(const char* preset, double Reference::* reference) {
  double sum = 0;
  int counted = 0;
  for (const Reference& row : kReference) {
    const std::string_view name = row.pattern;
    const DramRun run = runAccesses(shippedPreset(preset), dramPattern(name, 100000));
    const double error = 100 * (static_cast<double>(run.cycles) / row.*reference - 1);
    const bool random = name == "random_64" || name == "random_64_rw";
    EXPECT_LE(std::abs(error), random ? 13 : 4) << preset << ' ' << name << ' ' << run.cycles;
    ::testing::Test::RecordProperty(std::string(preset) + "_" + std::string(name),
                                    std::to_string(error));
    if (random) continue;
    sum += std::abs(error);
    ++counted;
  }
  EXPECT_EQ(counted, 9);
  EXPECT_LE(sum / counted, 2) << preset;
}

TEST(DramReference, Hbm2IsWithinTwoPercentInTheMeanAndFourAtWorst) {
  compare("hbm2-ref", &Reference::hbm2);
}

TEST(DramReference, Ddr4IsWithinTwoPercentInTheMeanAndFourAtWorst) {
  compare("ddr4-3200-ref", &Reference::ddr4);
}

}  // namespace
}  // namespace etalon::sim
