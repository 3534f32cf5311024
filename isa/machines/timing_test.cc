// SPDX-License-Identifier: Apache-2.0
// What machine files say of time: the pinned numbers, and how they are read.
#include "isa/machines/timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "isa/base/file.h"
#include "isa/base/number.h"
#include "isa/machines/find_machine.h"
#include "isa/machines/machine_fields.h"
#include "isa/machines/machine_schema.h"
#include "isa/machines/peaks.h"

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
  EXPECT_EQ(t.links.topology, LinkTiming::kRing);
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

// Rules between values hold for the machine that all overrides together make.
TEST(Timing, OverridesMustGoTogether) {
  const auto message = [](const std::vector<std::string>& overrides) {
    const Result<Machine> machine = openMachine("base", overrides);
    return machine.ok() ? "accepted" : machine.error().message;
  };
  EXPECT_EQ(message({"local_bytes=8196 KiB", "local.banks=64"}),
            "local_bytes: 8196 KiB is not a multiple of local.banks * local.bank_bytes = 8192");
  EXPECT_EQ(message({"local_bytes=8196 KiB", "local.banks=64", "local.bank_bytes=64"}), "accepted");
  EXPECT_EQ(message({"dma.burst_bytes=512"}),
            "memory.interleave_bytes: 256 is not a multiple of dma.burst_bytes = 512: a burst "
            "would lie in two channels");
  EXPECT_EQ(message({"dma.burst_bytes=512", "memory.interleave_bytes=512"}), "accepted");
  EXPECT_EQ(message({"scalar.ways=3"}),
            "scalar.icache_bytes: 32 KiB is no power of two times scalar.line_bytes * scalar.ways "
            "= 192; 24 KiB would be");
  EXPECT_EQ(message({"network.latency=1"}),
            "network.latency: 1 cycle is too short for a crossbar: into it and out of it takes 2");
  EXPECT_EQ(message({"network.latency=1", "network.topology=ring"}), "accepted");
  const std::vector<std::string> no_links{"links.count=0",        "links.megabytes_per_second=0",
                                          "links.latency_ns=0",   "links.switch_ns=0",
                                          "links.packet_bytes=0", "links.header_bytes=0",
                                          "links.outstanding=0"};
  EXPECT_EQ(message(no_links), "profiles: Et-net without links: links.count is 0");
  for (size_t left_out = 1; left_out < no_links.size(); ++left_out) {
    std::vector<std::string> some = no_links;
    some.erase(some.begin() + static_cast<long>(left_out));
    EXPECT_THAT(message(some), HasSubstr("of no links: with links.count 0 it is 0"));
  }
  std::vector<std::string> alone = no_links;
  alone.emplace_back("profiles=Et-base");
  EXPECT_EQ(message(alone), "accepted");
  EXPECT_EQ(message({"links.topology=torus", "links.count=8"}), "accepted");
  EXPECT_EQ(message({"links.topology=switch", "links.count=3"}), "accepted");
  EXPECT_EQ(message({"links.switch_ns=0", "links.header_bytes=0"}), "accepted");
  EXPECT_THAT(message({"memory.preset=none"}),
              HasSubstr("memory.preset: there is no parts/memory/none.yaml; known: "));
  EXPECT_THAT(message({"energy.table=none"}),
              HasSubstr("energy.table: there is no parts/energy/none"));
}

TEST(Timing, OverridesRefuseWhatFilesRefuse) {
  const auto message = [](const std::string& assignment) {
    return openMachine("base", {assignment}).error().message;
  };
  EXPECT_EQ(message("matrix.rows=0"), "override matrix.rows: 0 is outside 1 to 1024");
  EXPECT_EQ(message("vector.lanes=200"), "override vector.lanes: 200 is not a power of two");
  EXPECT_EQ(message("matrix.rate_8=100"), "override matrix.rate_8: 100 is outside 0.001 to 64");
  EXPECT_THAT(message("matrix.rate_8=1/3"),
              HasSubstr("override matrix.rate_8: '1/3' is not a ratio"));
  EXPECT_EQ(message("network.topology=torus"),
            "override network.topology: 'torus' is none of crossbar, mesh, ring");
  EXPECT_EQ(message("rows=64"), "a machine has no 'rows'; known: matrix.rows");
  EXPECT_EQ(message("signal.delay=2"), "a machine has no 'signal.delay'; known: signal.latency");
}

TEST(Timing, TheSchemaIsTheOneOfTheTable) {
  const bool same =
      readFile(ETALON_SOURCE_DIR "/isa/schema/machine.schema.json").value() == machineSchema();
  EXPECT_TRUE(same) << "write it again: etalon machines schema > isa/schema/machine.schema.json";
}

// Written from what the machines are for, not from their files.
// The page that explains the model names keys of machine files, and what they are on `base`.
TEST(Timing, TheMicroarchitecturePageKnowsTheKeysAndTheirValues) {
  const std::string page = readFile(ETALON_SOURCE_DIR "/docs/spec/microarchitecture.md").value();
  const Machine base = openMachine("base", {}).value();
  const std::regex named(R"(`([a-z]+\.[a-z_0-9]+)`( = ([0-9/]+( KiB| MiB)?))?)");
  int with_value = 0;
  for (std::sregex_iterator it(page.begin(), page.end(), named), end; it != end; ++it) {
    const std::string key = (*it)[1], value = (*it)[3];
    const auto fields = machineFields();
    const auto field = std::ranges::find(fields, key, &MachineField::dottedKey);
    ASSERT_NE(field, fields.end()) << key << " is no key of a machine file";
    if (value.empty()) continue;
    ++with_value;
    const FieldValue of_base = field->get(base);
    EXPECT_EQ(std::get<uint64_t>(of_base), field->kind == FieldKind::Ratio
                                               ? parseThousandths(value).value()
                                               : parseBytes(value).value())
        << key;
  }
  EXPECT_GT(with_value, 40);
}

TEST(Timing, EveryShippedMachineIsWhatItSays) {
  const Machine edge = openMachine("edge", {}).value(), server = openMachine("server", {}).value(),
                rtl8 = openMachine("rtl8", {}).value(), rtl16 = openMachine("rtl16", {}).value();
  EXPECT_EQ(edge.cores, 1u);
  EXPECT_EQ(edge.timing->matrix.rows, 32u);
  EXPECT_EQ(edge.timing->matrix.cols, 32u);
  EXPECT_EQ(edge.timing->memory.preset, "lpddr5-6400");
  EXPECT_EQ(server.cores, 8u);
  EXPECT_EQ(server.timing->memory.preset, "hbm3-6400");
  EXPECT_EQ(rtl8.cores, 1u);
  EXPECT_EQ(rtl8.timing->matrix.rows, 8u);
  EXPECT_EQ(rtl8.timing->matrix.cols, 8u);
  EXPECT_EQ(rtl16.cores, 2u);
  EXPECT_EQ(rtl16.timing->matrix.rows, 16u);
  EXPECT_EQ(rtl16.timing->matrix.cols, 16u);
  for (const Machine& rtl : {rtl8, rtl16}) {
    EXPECT_THAT(rtl.timing->memory.preset, ::testing::StartsWith("fixed-"));
    EXPECT_THAT(rtl.profiles, ::testing::ElementsAre("Et-base", "Et-f16", "Et-fp8"));
  }
}

TEST(Timing, TpuV4LikeIsAsPublicSimulatorsHaveIt) {
  const Machine tpu = openMachine("tpuv4-like", {}).value(), base = openMachine("base", {}).value();
  const Timing& t = *tpu.timing;
  EXPECT_EQ(tpu.cores, 4u);
  EXPECT_EQ(tpu.local_bytes, 36u << 20);
  EXPECT_EQ(t.clock_mhz, 1000u);
  EXPECT_EQ(t.matrix.dataflow, MatrixTiming::kWeightStationary);
  EXPECT_EQ(t.matrix.rows, 128u);
  EXPECT_EQ(t.matrix.cols, 128u);
  EXPECT_EQ(t.vector.lanes, 2048u);
  EXPECT_EQ(t.vector.stages, base.timing->vector.stages);
  EXPECT_EQ(t.vector.exp_slots, base.timing->vector.exp_slots);
  EXPECT_EQ(t.vector.function_slots, base.timing->vector.function_slots);
  EXPECT_EQ(t.memory.channels, 16u);
  EXPECT_EQ(t.network.ports, 16u);
  EXPECT_EQ(t.network.port_bytes, 32u);
}

uint64_t peakOf(const std::string& machine, const std::string& key) {
  const auto peaks = machinePeaks(openMachine(machine, {}).value()).value();
  const auto found = std::ranges::find(peaks, key, &MachinePeak::key);
  return found == peaks.end() ? 0 : found->per_second;
}

TEST(Timing, PeaksAreComputed) {
  EXPECT_EQ(peakOf("base", "matrix.16_bit"), 4u * 128 * 128 * 2 * 1'000'000'000ull);
  EXPECT_EQ(peakOf("base", "matrix.8_bit"), 2 * peakOf("base", "matrix.16_bit"));
  EXPECT_EQ(peakOf("base", "matrix.32_bit"), peakOf("base", "matrix.16_bit") / 2);
  EXPECT_EQ(peakOf("base", "matrix.4_bit"), 0u);  // without Et-i4 and Et-mx
  EXPECT_EQ(peakOf("base", "local"), 4u * 32 * 128 * 1'000'000'000ull);
  EXPECT_NEAR(static_cast<double>(peakOf("base", "memory")), 614.4e9, 1e9);
  EXPECT_NEAR(static_cast<double>(peakOf("tpuv4-like", "memory")), 614.4e9, 1e9);
  EXPECT_NEAR(static_cast<double>(peakOf("server", "memory")), 1638.4e9, 1e9);
  EXPECT_NEAR(static_cast<double>(peakOf("edge", "memory")), 51.2e9, 1e8);
  EXPECT_EQ(peakOf("rtl8", "memory"), 16'000'000'000u);  // 16 B a cycle at 1 GHz
  EXPECT_EQ(peakOf("base", "links"), 100'000'000'000u);
  EXPECT_TRUE(machinePeaks(openMachine("functional64", {}).value())->empty());
}

}  // namespace
}  // namespace etalon::isa
