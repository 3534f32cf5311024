// SPDX-License-Identifier: Apache-2.0
#include "sim/units/dma_engine.h"

#include <gtest/gtest.h>

#include "sim/units/dma_test_support.h"

namespace etalon::sim {
namespace {

using namespace dma_test;

// Of a request of 256 bytes on an idle chip: 8 cycles there, 4 at a channel of 64 bytes a cycle, its latency of 50, 8 and 3
// more back, 1 into local memory.
constexpr Cycles kRoundTrip = 8 + 4 + 50 + 8 + 3 + 1;

TEST(DmaEngine, TheFirstRequestIsSentWhenTheDescriptorIsRead) {
  DmaBench bench;
  bench.run({load(1, 0, kGlobal, 1, 256, 0)});
  ASSERT_EQ(bench.sent.size(), 1u);
  EXPECT_EQ(bench.sent[0].sent, 1u + 12);
  EXPECT_EQ(bench.stamps[0].start, 1u + 12);
  EXPECT_EQ(bench.stamps[0].done, 1u + 12 + kRoundTrip);
  EXPECT_EQ(bench.stamps[0].read_done, 1u + 12 + kRoundTrip - 1);
  EXPECT_EQ(bench.stamps[0].first_result, bench.stamps[0].done);
}

TEST(DmaEngine, AnInstructionIsAcceptedWhenAChannelIsFreeAndNotACycleBefore) {
  DmaBench bench;
  std::vector<Token> tokens;
  for (uint64_t i = 0; i < 5; ++i)
    tokens.push_back(load(i + 1, static_cast<uint32_t>(i) * 4096, kGlobal + i * 4096, 1, 256, 0));
  bench.run(tokens);
  // The fifth is taken when the first of four channels is done.
  EXPECT_EQ(bench.sent.back().sent, bench.stamps[0].done + 12);
}

TEST(DmaEngine, FourRunsAreFormedACycle) {
  DmaBench bench;
  // Elements of 4 bytes 256 apart: a request each.
  Token t = load(1, 0, kGlobal, 16, 1, 256, ElementType::f32);
  bench.run({t});
  ASSERT_EQ(bench.sent.size(), 16u);
  EXPECT_EQ(bench.sent[0].useful, 4u);
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(bench.sent[i].sent, 13 + i / 4) << i;
}

TEST(DmaEngine, ARequestIsSentInTheCycleOfItsLastRun) {
  DmaBench bench;
  // 32 rows of 8 bytes, each followed by the next: one request of 32 runs.
  bench.run({load(1, 0, kGlobal, 32, 8, 8)});
  ASSERT_EQ(bench.sent.size(), 1u);
  EXPECT_EQ(bench.sent[0].sent, 13u + 32 / 4 - 1);
}

struct Stream {
  uint64_t outstanding;
  Cycles latency;
  int loads;
};
class Streams : public testing::TestWithParam<Stream> {};

TEST_P(Streams, ReachTheLesserOfPortAndOutstandingBurstsOverLatency) {
  const auto& [outstanding, latency, loads] = GetParam();
  for (const bool stores : {false, true}) {
    if (stores && loads > 2) continue;
    isa::Timing timing = baseTiming();
    timing.dma.outstanding = outstanding;
    DmaBench bench(timing, {.latency = latency, .bytes_per_cycle = 64});
    std::vector<Token> tokens;
    constexpr uint32_t kRows = 2000;
    for (int i = 0; i < loads; ++i) {
      const uint64_t at = static_cast<uint64_t>(i) * 0x80000;
      tokens.push_back((stores ? store : load)(static_cast<uint64_t>(i) + 1,
                                               static_cast<uint32_t>(at), kGlobal + at, kRows, 256,
                                               256, ElementType::u8));
    }
    bench.run(tokens);
    Cycles end = 0;
    for (const auto& [place, stamps] : bench.stamps) end = std::max(end, stamps.done);
    const double rate =
        static_cast<double>(loads) * kRows * 256 / static_cast<double>(end - bench.sent[0].sent);
    const double round_trip = static_cast<double>(kRoundTrip - 50 + latency);
    const double bound =
        std::min(256.0, static_cast<double>(outstanding * 64) * loads / round_trip);
    EXPECT_LE(rate, bound) << (stores ? "stores" : "loads");
    EXPECT_GE(rate, 0.95 * bound) << (stores ? "stores" : "loads");
  }
}

INSTANTIATE_TEST_SUITE_P(DmaEngine, Streams,
                         testing::Values(Stream{64, 500, 1}, Stream{64, 50, 1}, Stream{16, 100, 1},
                                         Stream{64, 50, 4}, Stream{64, 200, 4}, Stream{16, 200, 2},
                                         Stream{256, 200, 2}));

TEST(DmaEngine, NoMoreThanItsBurstsAreOnTheirWay) {
  isa::Timing timing = baseTiming();
  timing.dma.outstanding = 6;  // one request of four bursts, not two
  DmaBench bench(timing);
  bench.run({load(1, 0, kGlobal, 4, 256, 256)});
  ASSERT_EQ(bench.sent.size(), 4u);
  for (size_t i = 1; i < 4; ++i)
    EXPECT_EQ(bench.sent[i].sent, bench.sent[i - 1].sent + kRoundTrip) << i;
}

TEST(DmaEngine, ALoadOfTheSameTileStartsWhenTheOlderIsDone) {
  DmaBench bench;
  bench.run({load(1, 0, kGlobal, 1, 256, 0), load(2, 128, kGlobal + 4096, 1, 256, 0)});
  EXPECT_EQ(bench.sent[1].sent, bench.stamps[0].done);
}

TEST(DmaEngine, ALoadOfAnotherTileDoesNotWait) {
  DmaBench bench;
  bench.run({load(1, 0, kGlobal, 1, 256, 0), load(2, 256, kGlobal + 4096, 1, 256, 0)});
  EXPECT_EQ(bench.sent[1].sent, bench.sent[0].sent + 1);
}

TEST(DmaEngine, AStoreToTheSameBytesStartsWhenTheOlderIsAtHome) {
  DmaBench bench;
  bench.run({store(1, 0, kGlobal, 1, 256, 0), store(2, 4096, kGlobal + 128, 1, 256, 0)});
  EXPECT_EQ(bench.stamps[1].start, bench.stamps[0].done);
  EXPECT_GT(bench.stamps[0].done, bench.stamps[0].read_done);
}

TEST(DmaEngine, AStoreHasReadItsSourceWhenTheLastByteLeftLocalMemory) {
  DmaBench bench;
  bench.run({store(1, 0, kGlobal, 8, 256, 256)});
  // 256 bytes a cycle, the first when the descriptor is read.
  EXPECT_EQ(bench.read_done[0], 13u + 8);
  // The last request: sent then, 8 and 3 there, 4 and 50 at the channel, 8 back.
  EXPECT_EQ(bench.stamps[0].done, 13u + 8 + 8 + 3 + 4 + 50 + 8);
}

/// A view into own local memory.
ViewUse localView(uint32_t offset, uint32_t rows, uint32_t cols, bool writes) {
  ViewUse use = viewAt(isa::kLocalWindowBase + offset, rows, cols, cols, ElementType::u8, writes);
  use.local = true;
  use.moved = 0 - isa::kLocalWindowBase;
  use.span = {offset, offset + uint64_t{rows} * cols};
  return use;
}

TEST(DmaEngine, LocalToLocalMoves256BytesACycleWithoutTheNetwork) {
  DmaBench bench;
  bench.run(
      {token(1, tileAt(0, 100, 256, ElementType::u8, true), localView(0x10000, 100, 256, false)),
       token(2, tileAt(0x20000, 100, 256, ElementType::u8, false),
             localView(0x30000, 100, 256, true))});
  EXPECT_TRUE(bench.sent.empty());
  // Both engines share both ports: 200 accesses, and a cycle from one port to the other.
  EXPECT_LE(bench.stamps[1].done, 13u + 200 + 2);
  EXPECT_GE(bench.stamps[1].done, 13u + 200);
}

TEST(DmaEngine, AStoreOverTheSourceOfAnOlderOneWaitsForItsReads) {
  DmaBench bench;
  bench.run(
      {store(1, 0, kGlobal, 64, 256, 256),
       token(2, tileAt(0x20000, 1, 256, ElementType::u8, false), localView(0, 1, 256, true))});
  EXPECT_EQ(bench.stamps[1].start, bench.stamps[0].read_done);
  EXPECT_LT(bench.stamps[1].start, bench.stamps[0].done);
}

TEST(DmaEngine, ElementsOutsideAreFilledWithoutARequest) {
  DmaBench bench;
  Token t = load(1, 0, kGlobal, 16, 256, 256);
  t.view->view.axes[0].dim = 4;
  bench.run({t});
  EXPECT_EQ(bench.sent.size(), 4u);
  EXPECT_EQ(bench.loads.counts().useful, 4u * 256);
  Token nothing = load(1, 0, kGlobal, 16, 256, 256);
  nothing.view->view.axes[0].dim = 0;
  DmaBench empty;
  empty.run({nothing});
  EXPECT_TRUE(empty.sent.empty());
  EXPECT_EQ(empty.stamps[0].done, 13u + 16) << "the fill takes the port of local memory";
}

TEST(DmaEngine, AStoreDropsElementsOutside) {
  DmaBench bench;
  Token t = store(1, 0, kGlobal, 16, 256, 256);
  t.view->view.axes[0].dim = 4;
  bench.run({t});
  EXPECT_EQ(bench.sent.size(), 4u);
  EXPECT_EQ(bench.stores.counts().useful, 4u * 256);
}

TEST(DmaEngine, AHintIsOverWhenItsDescriptorIsRead) {
  DmaBench bench;
  Token t = load(1, 0, kGlobal, 16, 256, 256);
  t.tile_count = 0;
  bench.run({t});
  EXPECT_TRUE(bench.sent.empty());
  EXPECT_EQ(bench.stamps[0].done, 13u);
}

TEST(DmaEngine, ConversionChangesTheBytesOfOneSideOnly) {
  DmaBench bench;
  // 128 bf16 in memory, 128 f32 in the tile.
  bench.run({token(1, tileAt(0, 8, 128, ElementType::f32, true),
                   viewAt(kGlobal, 8, 128, 256, ElementType::bf16, false))});
  EXPECT_EQ(bench.sent.size(), 8u);
  for (const FabricRequest& r : bench.sent) {
    EXPECT_EQ(r.bytes, 256u);
    EXPECT_EQ(r.useful, 256u);
  }
  EXPECT_EQ(bench.loads.counts().bursts, 32u);
  // From the first answer on 512 bytes each: two cycles.
  EXPECT_EQ(bench.stamps[0].done, 13u + kRoundTrip - 1 + 8 * 2);
}

Token gather(uint64_t sequence, uint32_t count, std::vector<int64_t> indices) {
  Token t = load(sequence, 0, kGlobal, count, 64, 64);
  t.view->view.axes[0].dim = 1 << 20;
  t.view->named_axis = 0;
  t.view->indices = std::make_shared<const std::vector<int64_t>>(std::move(indices));
  t.view->span = {kGlobal, kGlobal + (64u << 20)};
  t.tile_uses[1] = tileAt(0x40000, 1, count, ElementType::i32, false);
  t.tile_count = 2;
  return t;
}

TEST(DmaEngine, AGatherTakesEightIndicesACycle) {
  std::vector<int64_t> indices(64);
  for (size_t i = 0; i < indices.size(); ++i) indices[i] = static_cast<int64_t>(i * 1000 % 977 * 7);
  isa::Timing timing = baseTiming();
  timing.dma.runs = 64;
  DmaBench bench(timing);
  bench.run({gather(1, 64, indices)});
  ASSERT_EQ(bench.sent.size(), 64u);
  // A cycle to read 256 bytes of indices, then eight rows a cycle.
  for (size_t i = 0; i < 64; ++i) {
    EXPECT_EQ(bench.sent[i].sent, 13u + 1 + i / 8) << i;
    FabricRequest wanted;
    bench.map.place(wanted, kGlobal + static_cast<uint64_t>(indices[i]) * 64);
    EXPECT_EQ(bench.sent[i].endpoint, wanted.endpoint);
    EXPECT_EQ(bench.sent[i].address, wanted.address);
  }
}

TEST(DmaEngine, AGatherWaitsForTheLoadOfItsIndices) {
  DmaBench bench;
  bench.run({load(1, 0x40000, kGlobal + 0x100000, 1, 256, 0),
             gather(2, 64, std::vector<int64_t>(64, 5))});
  EXPECT_GT(bench.stamps[1].start, bench.stamps[0].done);
}

TEST(DmaEngine, AnUpdateTakesACycleAnElementAtHome) {
  const auto done = [](uint32_t elements) {
    DmaBench bench;
    Token t = store(1, 0, kGlobal, 1, elements, 0, ElementType::i32);
    t.view->reads = true;
    bench.run({t});
    EXPECT_EQ(bench.sent.size(), 1u);
    return bench.stamps[0].done;
  };
  // Of one burst and of one flit: only the elements differ.
  EXPECT_EQ(done(16), done(1) + 15);
  // 14 until it is sent, 8 there, read 1 and 50, one element, written 1 and 50, 8 back.
  EXPECT_EQ(done(1), 14u + 8 + 51 + 1 + 51 + 8);
}

TEST(DmaEngine, WaitsWhereOthersHaveTheBanks) {
  DmaBench bench;
  // All banks but the 256 bytes of an access, until cycle 100: nothing is late. With all of them, it is.
  bench.local.book(1, 99, 99 * (bench.local.bytesPerCycle() - 256));
  bench.run({load(1, 0, kGlobal, 1, 256, 0)});
  EXPECT_EQ(bench.stamps[0].done, 13u + kRoundTrip);
  DmaBench taken;
  taken.local.book(1, 99, 99 * taken.local.bytesPerCycle());
  taken.run({load(1, 0, kGlobal, 1, 256, 0)});
  EXPECT_EQ(taken.stamps[0].done, 101u);
}

TEST(DmaEngine, APortNarrowerThanABurstTakesItsTime) {
  isa::Timing timing = baseTiming();
  timing.dma.port_bytes = 16;
  DmaBench bench(timing);
  bench.run({load(1, 0, kGlobal, 1, 256, 0)});
  EXPECT_EQ(bench.stamps[0].done, 13u + kRoundTrip - 1 + 16);
}

TEST(DmaEngine, SaysWhatItDoes) {
  isa::Timing timing = baseTiming();
  timing.dma.outstanding = 4;
  DmaBench bench(timing);
  EXPECT_EQ(bench.loads.activity(), Activity::empty);
  const Token older = load(1, 0, kGlobal, 2, 256, 256), younger = load(2, 0, kGlobal, 1, 256, 0);
  bench.loads.take(older, 0, 1);
  EXPECT_EQ(bench.loads.activity(), Activity::busy) << "its descriptor is read";
  bench.loads.advance(13, bench);
  EXPECT_EQ(bench.loads.activity(), Activity::memory) << "its four bursts are on their way";
  bench.loads.take(younger, 1, 14);
  EXPECT_EQ(bench.loads.activity(), Activity::memory);
}

TEST(DmaEngine, AViewOfAnotherCoresWindowGoesThroughTheNetwork) {
  DmaBench bench;
  bench.run({load(1, 0, isa::kCoreWindowBase + isa::kCoreWindowStride + 512, 1, 256, 0)});
  ASSERT_EQ(bench.sent.size(), 1u);
  EXPECT_EQ(bench.sent[0].endpoint, bench.map.window(1));
  EXPECT_EQ(bench.sent[0].address, 512u);
}

}  // namespace
}  // namespace etalon::sim
