// SPDX-License-Identifier: Apache-2.0
// Several chips in time, on `base` with small memories that answer after 40 cycles.
#include <random>

#include "sim/functional/cluster_test_support.h"
#include "sim/system/timed_test_support.h"

namespace etalon::sim {
namespace {

using isa::Tile;
using isa::View;
using isa::X;

std::vector<std::string> clusterMachine(std::vector<std::string> more = {}) {
  more.insert(more.end(), kClusterMachine.begin(), kClusterMachine.end());
  return more;
}

/// A row of `columns` i32 at an offset of local memory, filled with one value.
void setRow(ClusterBuilder& p, Tile tile, uint32_t base, uint32_t columns, int64_t value) {
  isa::TileRegister reg;
  reg.base = base;
  reg.outer = reg.inner = 1;
  reg.cols = columns;
  reg.type = static_cast<uint8_t>(ElementType::i32);
  const isa::TileWords words = isa::packTile(reg);
  for (int i = 0; i < 3; ++i) p.li(X{static_cast<uint8_t>(20 + i)}, static_cast<int64_t>(words[i]));
  p.et_tset(tile, X{20}, X{21}, X{22});
  p.li(X{20}, value);
  p.et_iota(tile, X{20}, X{0}, X{0});
}

TileRecord only(const TimedTestResult& result, uint16_t core, Track track) {
  TileRecord found;
  for (const TileRecord& record : result.tiles) {
    if (record.core != core || record.track != track) continue;
    EXPECT_EQ(found.sequence, 0u) << "more than one";
    found = record;
  }
  EXPECT_NE(found.sequence, 0u);
  return found;
}

/// Cycles of a message of so many bytes to a neighbour on idle links.
Cycles linkCycles(const isa::Timing& timing, uint64_t bytes) {
  const isa::LinkTiming& links = timing.links;
  const uint64_t megahertz = timing.clock_mhz;
  const uint64_t all = bytes + links.header_bytes;
  return 1 + (all * megahertz + links.megabytes_per_second - 1) / links.megabytes_per_second +
         (links.latency_ns * megahertz + 999) / 1000;
}

TEST(ClusterTime, ASignalGoesToAnotherChipAndBack) {
  ClusterBuilder p;
  p.on(1, [&] { p.signal(ofDevice(2, semaphoreOf(0, 3))); });
  p.on(2, [&] { p.wait(3, 1); });
  p.et_halt();
  TimedProgram program(p, clusterMachine(), 2);
  const TimedTestResult result = program.run();
  ASSERT_EQ(result.end.status, RunStatus::exited);
  const isa::Timing& timing = *program.device().machine().timing;
  const TileRecord signal = only(result, 0, Track::store);
  // Through the network to the gateway, the links, and the network to the core; then the word that it came.
  EXPECT_EQ(signal.done - signal.taken,
            3 * timing.network.latency + linkCycles(timing, 16) + linkCycles(timing, 0));
}

TEST(ClusterTime, AStoreIsDoneWhenItsLastAcknowledgementIsBack) {
  constexpr uint32_t kColumns = 4096;
  ClusterBuilder p;
  p.on(1, [&] {
    setRow(p, Tile{1}, 0, kColumns, 7);
    p.setView(1, ofDevice(2, kTestData), kColumns);
    p.et_st(Tile{1}, View{1}, 0);
    p.et_fence();
  });
  p.et_halt();
  TimedProgram program(p, clusterMachine(), 2);
  const TimedTestResult result = program.run();
  ASSERT_EQ(result.end.status, RunStatus::exited);
  const isa::Timing& timing = *program.device().machine().timing;
  const TileRecord store = only(result, 0, Track::store);
  // Two devices are joined by both links; what one moves is in packets of 256 bytes with a header each.
  const double packets = kColumns * 4 / 256.0;
  const double a_packet = 272.0 * 1000 / (2 * 50'000);
  const double way = static_cast<double>(linkCycles(timing, 256) + linkCycles(timing, 0)) +
                     TimedProgram::kMemoryLatency + 4 * static_cast<double>(timing.network.latency);
  const auto took = static_cast<double>(store.done - store.taken);
  EXPECT_GE(took, way + (packets - 1) * a_packet);
  EXPECT_LE(took, way + packets * a_packet + 60) << "descriptor, ports";
  std::vector<std::byte> bytes(4);
  ASSERT_TRUE(program.device().read(ofDevice(2, kTestData + 4 * (kColumns - 1)), bytes).ok());
  EXPECT_EQ(loadBytes<int32_t>(bytes.data()), 7);
  const auto links = std::ranges::find_if(
      result.report.paths, [](const PathBytes& path) { return path.path.name == "device 1"; });
  ASSERT_NE(links, result.report.paths.end());
  EXPECT_EQ(links->useful, kColumns * 4);
  EXPECT_EQ(links->moved, kColumns * 4 + 64 * 16);
}

TEST(ClusterTime, OutstandingBytesOverTheWayAndBackBoundWhatAChannelMoves) {
  constexpr uint32_t kColumns = 8192;
  const auto cycles = [](uint64_t outstanding) {
    ClusterBuilder p;
    p.on(1, [&] {
      setRow(p, Tile{1}, 0, kColumns, 1);
      p.setView(1, ofDevice(2, kTestData), kColumns);
      p.et_st(Tile{1}, View{1}, 0);
    });
    p.et_halt();
    TimedProgram program(p, clusterMachine({"links.outstanding=" + std::to_string(outstanding)}),
                         2);
    const TileRecord store = only(program.run(), 0, Track::store);
    return static_cast<double>(store.done - store.taken);
  };
  // 32 KiB in rounds of so many bursts of 64 bytes, each a way of more than 1,000 cycles and back.
  EXPECT_GE(cycles(16), 32 * 1000.0);
  EXPECT_LE(cycles(16), 32 * 1200.0);
  EXPECT_GE(cycles(64), 8 * 1000.0);
  EXPECT_LE(cycles(512), 1 * 1200.0 + 32768 / 80.0);
}

/// Chips in a ring: each passes a counter on, adds to its neighbour's memory by an atomic, and reads a peer's word.
ClusterBuilder ringProgram(unsigned devices) {
  ClusterBuilder p;
  for (unsigned id = 1; id <= devices; ++id)
    p.on(id, [&] {
      const uint64_t next = id % devices + 1;
      if (id != 1) p.wait(1, 1);
      p.address(20, ofDevice(next, kTestData));
      p.address(21, ofDevice(id, kTestData));
      p.lw(X{22}, 0, X{21});
      p.addi(X{22}, X{22}, 1);
      p.amoadd_w(X{0}, X{22}, X{20});
      p.lw(X{23}, 0, X{20});
      p.sw(X{23}, 64, X{21});
      p.et_fence();
      p.signal(ofDevice(next, semaphoreOf(0, 1)));
      if (id == 1) p.wait(1, 1);
    });
  p.et_halt();
  return p;
}

struct RingRun {
  Cycles cycles;
  std::vector<int32_t> values;
};

RingRun runRing(unsigned devices, const TimedProgram::Shuffle& shuffle = {}, uint64_t seed = 0,
                const std::vector<std::string>& machine = {}) {
  ClusterBuilder p = ringProgram(devices);
  TimedProgram program(p, clusterMachine(machine), devices);
  const TimedTestResult result = program.run(1, shuffle, 1'000'000, Jitter(seed));
  EXPECT_EQ(result.end.status, RunStatus::exited);
  RingRun run{result.end.time, {}};
  for (uint64_t id = 1; id <= devices; ++id) {
    std::vector<std::byte> bytes(4);
    EXPECT_TRUE(program.device().read(ofDevice(id, kTestData + 64), bytes).ok());
    run.values.push_back(loadBytes<int32_t>(bytes.data()));
  }
  return run;
}

TEST(ClusterTime, OrderWithinACycleChangesNothing) {
  const RingRun run = runRing(5);
  EXPECT_EQ(run.values, (std::vector<int32_t>{1, 2, 3, 4, 5}));
  for (unsigned seed = 1; seed <= 3; ++seed) {
    std::mt19937 random(seed);
    const RingRun shuffled =
        runRing(5, [&](std::vector<unsigned>& due) { std::ranges::shuffle(due, random); });
    EXPECT_EQ(shuffled.cycles, run.cycles);
    EXPECT_EQ(shuffled.values, run.values);
  }
}

TEST(ClusterTime, DelaysChangeCyclesAndNoValue) {
  const RingRun run = runRing(4);
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const RingRun delayed = runRing(4, {}, seed);
    EXPECT_NE(delayed.cycles, run.cycles);
    EXPECT_EQ(delayed.values, run.values);
  }
}

TEST(ClusterTime, EveryTopologyTakesItsHops) {
  const auto cycles = [](const std::vector<std::string>& machine) {
    return static_cast<double>(runRing(4, {}, 0, machine).cycles);
  };
  const double ring = cycles({});
  // Neighbours of the ring are neighbours of the torus but for two of them; the switch is two links away.
  const double torus = cycles({"links.topology=torus", "links.count=4"});
  const double by_switch = cycles({"links.topology=switch"});
  EXPECT_NEAR(torus, ring * 1.5, ring * 0.1);
  EXPECT_NEAR(by_switch, ring * 2.1, ring * 0.15);
}

TEST(ClusterTime, AChipWhoseCoresHaltedGoesOnServing) {
  ClusterBuilder p;
  p.on(1, [&] {
    p.li(X{20}, 3000);
    const auto loop = p.label();
    p.bind(loop);
    p.addi(X{20}, X{20}, -1);
    p.bne(X{20}, X{0}, loop);
    p.address(20, ofDevice(2, kTestData));
    p.li(X{21}, 5);
    p.amoadd_w(X{22}, X{21}, X{20});
  });
  p.et_halt();
  TimedProgram program(p, clusterMachine(), 2);
  EXPECT_EQ(program.run().end.status, RunStatus::exited);
  std::vector<std::byte> bytes(4);
  ASSERT_TRUE(program.device().read(ofDevice(2, kTestData), bytes).ok());
  EXPECT_EQ(loadBytes<int32_t>(bytes.data()), 5);
}

TEST(ClusterTime, CoresThatWaitForEachOtherAcrossChipsAreADeadlock) {
  ClusterBuilder p;
  p.wait(0, 1);
  p.et_halt();
  TimedProgram program(p, clusterMachine(), 3);
  EXPECT_EQ(program.run(2).end.status, RunStatus::deadlock);
  EXPECT_EQ(program.result().stopped.size(), 6u);
}

}  // namespace
}  // namespace etalon::sim
