// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "sim/functional/random_program.h"

namespace etalon::sim {

using SnapshotBytes = std::vector<std::byte>;

inline SnapshotBytes snapshotOf(const FunctionalDevice& device, const std::string& label = "") {
  SnapshotBytes bytes;
  const auto keep = [&](std::span<const std::byte> piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
    return Status();
  };
  EXPECT_TRUE(device.snapshot(keep, label).ok());
  return bytes;
}

inline Result<RestoredDevice> restore(const isa::Machine& machine,
                                      std::span<const std::byte> snapshot,
                                      const LaunchOptions& options) {
  return FunctionalDevice::restore(machine, {}, snapshot, options);
}

/// Options of a launch, and the instructions that it retires, as (core, pc, word).
struct Launch {
  explicit Launch(unsigned cores, uint64_t seed = 0) {
    options.cores = cores;
    options.seed = seed;
    options.instruction_limit = 6000;
    options.commits = &sink;
  }
  Launch(const Launch&) = delete;

  std::vector<std::tuple<unsigned, uint64_t, uint32_t>> commits;
  CommitSink sink = [this](const Core&, const Commit& c) {
    commits.emplace_back(c.core, c.pc, c.instruction.raw);
  };
  LaunchOptions options;
};

/// All that a launch can be told from, at its end.
inline std::string describeEnd(FunctionalDevice& device, const RunResult& result) {
  return describeResult(result) + describeDevice(device);
}

struct Comparison {
  RunResult result;
  int snapshots = 0;
};
/// Runs one of two equal devices to its end; the other as well, but each time after next() instructions it is thrown away
/// and made again from its snapshot. Nobody may see that: not in values, counters, findings, and the instructions retired.
inline Comparison compareThroughSnapshots(FunctionalDevice& straight,
                                          std::unique_ptr<FunctionalDevice> stopped, unsigned cores,
                                          const std::function<uint64_t()>& next,
                                          uint64_t seed = 0) {
  Launch whole(cores, seed), parts(cores, seed);
  const auto result = straight.launch(whole.options);
  EXPECT_TRUE(result.ok() && stopped->start(parts.options).ok());
  Comparison comparison{*result};
  std::optional<RunResult> end;
  while (!(end = stopped->advance(next()))) {
    const SnapshotBytes snapshot = snapshotOf(*stopped, "label");
    auto restored = restore(stopped->machine(), snapshot, parts.options);
    EXPECT_TRUE(restored.ok()) << (restored.ok() ? "" : restored.error().message);
    if (!restored.ok()) return comparison;
    EXPECT_EQ(restored->label, "label");
    stopped = std::move(restored->device);
    if (++comparison.snapshots % 8 == 0) {
      EXPECT_TRUE(snapshotOf(*stopped, "label") == snapshot);
    }
  }
  EXPECT_EQ(describeEnd(*stopped, *end), describeEnd(straight, *result));
  EXPECT_TRUE(parts.commits == whole.commits);
  return comparison;
}

}  // namespace etalon::sim
