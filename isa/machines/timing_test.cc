// SPDX-License-Identifier: Apache-2.0
// What machine files say of time: the pinned numbers, and how they are read.
#include "isa/machines/timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "isa/base/file.h"
#include "isa/machines/find_machine.h"
#include "isa/machines/machine_schema.h"

namespace etalon::isa {
namespace {

using ::testing::HasSubstr;

Timing timingOf(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return openMachine(name, overrides).value().timing.value();
}

// Written from the design of the reference machine, not from its file.
TEST(Timing, BaseHasItsPinnedNumbers) {
  const Machine base = openMachine("base", {}).value();
  EXPECT_EQ(base.cores, 4u);
  EXPECT_EQ(base.local_bytes, 8u * 1024 * 1024);
  const Timing& t = *base.timing;
  EXPECT_EQ(t.clock_mhz, 1000u);
  EXPECT_EQ(t.matrix.dataflow, MatrixTiming::kWeightStationary);
  EXPECT_EQ(t.matrix.rows, 128u);
  EXPECT_EQ(t.matrix.cols, 128u);
  EXPECT_EQ(t.matrix.latency, 4u);
  EXPECT_EQ(t.matrix.rate_16, 1000u);  // bf16 and f16
  EXPECT_EQ(t.matrix.rate_8, 2000u);   // i8, FP8
  EXPECT_EQ(t.matrix.rate_4, 2000u);   // i4, FP4
  EXPECT_EQ(t.matrix.rate_32, 500u);   // f32: half
  EXPECT_EQ(t.matrix.rows * 8 / t.matrix.weight_bits,
            64u);  // a slab of i8 loads in 128 * bits/16 cycles
  EXPECT_EQ(t.matrix.rows * 16 / t.matrix.weight_bits, 128u);
  EXPECT_EQ(t.matrix.port_bytes, 256u);
  EXPECT_EQ(t.matrix.accumulator_port_bytes, 512u);
  EXPECT_EQ(t.vector.lanes, 256u);
  EXPECT_EQ(t.vector.stages, 4u);
  EXPECT_EQ(t.vector.exp_slots, 2u);
  EXPECT_EQ(t.vector.function_slots, 4u);
  EXPECT_EQ(t.vector.fold, 6u);
  EXPECT_EQ(t.vector.read_ports, 2u);
  EXPECT_EQ(t.vector.write_ports, 1u);
  EXPECT_EQ(t.vector.port_bytes, 1024u);
  EXPECT_EQ(t.local.banks, 32u);
  EXPECT_EQ(t.local.bank_bytes, 128u);
  EXPECT_EQ(t.dma.load_channels, 4u);
  EXPECT_EQ(t.dma.store_channels, 2u);
  EXPECT_EQ(t.dma.outstanding, 64u);
  EXPECT_EQ(t.dma.runs, 4u);
  EXPECT_EQ(t.dma.burst_bytes, 64u);
  EXPECT_EQ(t.dma.port_bytes, 256u);
  EXPECT_EQ(t.dispatch.window, 32u);
  EXPECT_EQ(t.dispatch.queue, 8u);
  EXPECT_EQ(t.dispatch.issue, 1u);
  EXPECT_EQ(t.network.ports, 4u);
  EXPECT_EQ(t.network.port_bytes, 64u);
  EXPECT_EQ(t.network.latency, 8u);
  EXPECT_EQ(t.memory.preset, "hbm2-2400");
  EXPECT_EQ(t.memory.channels, 32u);
  EXPECT_EQ(t.links.count, 2u);
  EXPECT_EQ(t.links.megabytes_per_second, 50'000u);
  EXPECT_EQ(t.links.latency_ns, 500u);
}

TEST(Timing, AMachineWithoutItsSectionsHasNone) {
  EXPECT_FALSE(openMachine("functional64", {}).value().timing.has_value());
  EXPECT_EQ(openMachine("functional64", {"matrix.rows=64"}).error().message,
            "override matrix.rows: machine 'functional64' has no timing to change: it says what "
            "programs compute, not when");
}

TEST(Timing, EveryKindOfValueCanBeOverridden) {
  EXPECT_EQ(timingOf("base", {"matrix.rows=64"}).matrix.rows, 64u);
  EXPECT_EQ(timingOf("base", {"matrix.rate_32=1/4"}).matrix.rate_32, 250u);
  EXPECT_EQ(timingOf("base", {"matrix.rate_8=1.5"}).matrix.rate_8, 1500u);
  EXPECT_EQ(timingOf("base", {"matrix.dataflow=output_stationary"}).matrix.dataflow,
            MatrixTiming::kOutputStationary);
  EXPECT_EQ(timingOf("base", {"network.topology=ring"}).network.topology, NetworkTiming::kRing);
  EXPECT_EQ(timingOf("base", {"network.topology=mesh"}).network.topology, NetworkTiming::kMesh);
  EXPECT_EQ(timingOf("base", {"scalar.icache_bytes=64 KiB"}).scalar.icache_bytes, 65536u);
  EXPECT_EQ(timingOf("base", {"signal.latency=3"}).signal_latency, 3u);
  EXPECT_EQ(
      openMachine("base", {"matrix.rate_32=1/4", "network.topology=ring"}).value().displayName(),
      "base+matrix.rate_32=0.25+network.topology=ring");
}

TEST(Timing, TheSchemaIsTheOneOfTheTable) {
  EXPECT_EQ(readFile(ETALON_SOURCE_DIR "/isa/schema/machine.schema.json").value(), machineSchema())
      << "write it again: etalon machines schema > isa/schema/machine.schema.json";
}

}  // namespace
}  // namespace etalon::isa
