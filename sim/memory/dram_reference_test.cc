// SPDX-License-Identifier: Apache-2.0
// Cycles of a cycle-level simulator for eleven patterns on two channels; docs/guide/accuracy.md says how they were measured.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "sim/memory/dram_runs.h"

namespace etalon::sim {
namespace {

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
