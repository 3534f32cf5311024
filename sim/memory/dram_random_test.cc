// SPDX-License-Identifier: Apache-2.0
// Random bursts on every preset: no illegal command, nothing lost. ETALON_FUZZ_SCALE=50 makes it a million a preset.
#include <gtest/gtest.h>

#include <random>

#include "isa/base/fuzz_scale.h"
#include "sim/memory/dram_checker.h"
#include "sim/memory/dram_runs.h"

namespace etalon::sim {
namespace {

/// Phases of different kinds of traffic: how far addresses spread, how many writes, how often nothing comes.
std::vector<PatternAccess> randomAccesses(uint64_t seed, size_t count) {
  std::mt19937_64 random(seed);
  std::vector<PatternAccess> accesses;
  while (accesses.size() < count) {
    const uint64_t spread = uint64_t{1} << (10 + random() % 21);
    const uint64_t base = random() % (uint64_t{1} << 30);
    const uint64_t writes = random() % 5, run = 1 + random() % 32;
    for (size_t i = 0; i < 500; ++i) {
      const uint64_t address = base + random() % spread;
      for (uint64_t k = 0; k < run && i < 500; ++k, ++i)
        accesses.push_back({(address + 64 * k) / 64 * 64, random() % 4 < writes});
    }
  }
  accesses.resize(count);
  return accesses;
}

TEST(DramRandom, NoCommandIsIllegalAndNoBurstIsLost) {
  for (const std::string& name : shippedDramNames()) {
    const isa::DramPreset preset = shippedPreset(name);
    const uint64_t bursts = static_cast<uint64_t>(20000 * fuzzScale());
    const uint64_t per_access = 64 / preset.burst_bytes;
    // In pieces, so that the log stays small.
    uint64_t seen = 0;
    for (uint64_t seed = 0; seen < bursts; ++seed) {
      const auto accesses = randomAccesses(seed, 10000);
      std::vector<DramCommand> log;
      const DramRun run = runAccesses(preset, accesses, &log);
      const auto problem = illegalCommand(preset, log);
      ASSERT_FALSE(problem.has_value()) << name << " seed " << seed << ": " << *problem;
      uint64_t asked = 0;
      for (const PatternAccess& access : accesses) asked += access.write ? 0 : per_access;
      EXPECT_EQ(run.counters.reads + run.counters.forwarded, asked) << name;
      EXPECT_EQ(run.counters.writes + run.counters.merged, accesses.size() * per_access - asked)
          << name;
      EXPECT_GT(run.counters.refreshes, 0U) << name;
      seen += run.counters.reads + run.counters.writes;
    }
  }
}

TEST(DramRandom, BothKindsOfRefreshAreLegalOnEveryPartThatHasThem) {
  for (const std::string& name : shippedDramNames()) {
    isa::DramPreset preset = shippedPreset(name);
    if (preset.timing.rfc_bank == 0) continue;
    preset.refresh = preset.refresh == isa::DramPreset::Refresh::AllBank
                         ? isa::DramPreset::Refresh::PerBank
                         : isa::DramPreset::Refresh::AllBank;
    std::vector<DramCommand> log;
    runAccesses(preset, randomAccesses(99, 10000), &log);
    const auto problem = illegalCommand(preset, log);
    EXPECT_FALSE(problem.has_value()) << name << ": " << *problem;
  }
}

}  // namespace
}  // namespace etalon::sim
