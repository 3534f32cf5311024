// SPDX-License-Identifier: Apache-2.0
// Litmus tests: for each ordering rule one program that it orders and one that lacks it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/arch/race_detector.h"

namespace etalon::sim {
namespace {

constexpr MemoryRegion kGlobal = MemoryRegion::global();
constexpr uint64_t kData = 0x100;
constexpr uint64_t kFlag = 0x400;
constexpr uint8_t kRwRw = 0x33, kRwW = 0x31, kRRw = 0x23, kWW = 0x11, kRR = 0x22;

// A detector whose steps read like a program; every step has its own pc.
class Litmus {
 public:
  explicit Litmus(uint32_t cores, bool reduced = true)
      : detector_(std::move(RaceDetector::create({.cores = cores,
                                                  .global_bytes = 1 << 16,
                                                  .local_bytes = 1 << 16,
                                                  .allow_single_core = reduced}))
                      .value()) {}

  Litmus& load(uint16_t c, uint64_t at, MemoryRegion r = kGlobal) {
    detector_.scalarLoad(site(c), r, at, 4);
    return *this;
  }
  Litmus& store(uint16_t c, uint64_t at, MemoryRegion r = kGlobal) {
    detector_.scalarStore(site(c), r, at, 4);
    return *this;
  }
  Litmus& amo(uint16_t c, uint64_t at, AtomicOrder order = {}) {
    detector_.atomic(site(c), kGlobal, at, 4, order);
    return *this;
  }
  Litmus& lr(uint16_t c, uint64_t at, AtomicOrder order = {}) {
    detector_.loadReserved(site(c), kGlobal, at, 4, order);
    return *this;
  }
  Litmus& tileRead(uint16_t c, uint64_t at, MemoryRegion r = kGlobal, uint64_t bytes = 64) {
    detector_.beginTile(site(c));
    detector_.tileRead(r, at, bytes);
    return *this;
  }
  Litmus& tileWrite(uint16_t c, uint64_t at, MemoryRegion r = kGlobal, uint64_t bytes = 64) {
    detector_.beginTile(site(c));
    detector_.tileWrite(r, at, bytes);
    return *this;
  }
  Litmus& tileAtomic(uint16_t c, uint64_t at) {
    detector_.beginTile(site(c));
    detector_.tileAtomic(kGlobal, at, 4);
    return *this;
  }
  Litmus& etFence(uint16_t c) { return detector_.fence(c), *this; }
  Litmus& etFence(uint16_t c, uint64_t at, uint64_t bytes) {
    const ByteRange range{at, bytes};
    return detector_.fenceRange(c, kGlobal, {&range, 1}), *this;
  }
  Litmus& sig(uint16_t c, uint64_t s) { return detector_.signal(c, s), *this; }
  Litmus& wait(uint16_t c, uint64_t s) { return detector_.waitAcquire(c, s), *this; }
  Litmus& barrier(std::vector<uint16_t> cores) { return detector_.barrier(cores), *this; }
  Litmus& fence(uint16_t c, uint8_t bits) { return detector_.riscvFence(c, bits), *this; }
  Litmus& fenceTso(uint16_t c) { return detector_.riscvFence(c, 0x33, true), *this; }

  size_t races() const { return detector_.raceCount(); }

 private:
  AccessSite site(uint16_t core) { return {core, 0x1000 + 4 * next_++, 0x0B}; }

  RaceDetector detector_;
  uint64_t next_ = 0;
};

// Own core. Each holds on the general and on the reduced path.
class OneCore : public testing::TestWithParam<bool> {
 protected:
  Litmus run() const { return Litmus(1, GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Paths, OneCore, testing::Bool());

TEST_P(OneCore, TileInstructionsAreInOrder) {
  EXPECT_EQ(run().tileWrite(0, kData).tileRead(0, kData).tileWrite(0, kData).races(), 0u);
}
TEST_P(OneCore, LoadIsBeforeAYoungerTileWriteButAStoreIsNot) {
  EXPECT_EQ(run().load(0, kData).tileWrite(0, kData).races(), 0u);
  EXPECT_EQ(run().amo(0, kData).tileWrite(0, kData).races(), 0u);
  EXPECT_EQ(run().store(0, kData).tileWrite(0, kData).races(), 1u);
  EXPECT_EQ(run().store(0, kData).tileRead(0, kData).races(), 1u);
}
TEST_P(OneCore, StoreToTileNeedsEtFence) {
  EXPECT_EQ(run().store(0, kData).etFence(0).tileRead(0, kData).races(), 0u);
  EXPECT_EQ(run().store(0, kData).fence(0, kRwRw).tileRead(0, kData).races(), 1u);
}
TEST_P(OneCore, StoreReachesATileThroughAFencedLoadOrAtomic) {
  EXPECT_EQ(run().store(0, kData).fence(0, kRwRw).load(0, kFlag).tileRead(0, kData).races(), 0u);
  EXPECT_EQ(run().store(0, kData).fence(0, kRwW).load(0, kFlag).tileRead(0, kData).races(), 1u);
  EXPECT_EQ(run().store(0, kData).amo(0, kFlag, {.rl = true}).tileRead(0, kData).races(), 0u);
  EXPECT_EQ(run().store(0, kData).amo(0, kFlag).tileRead(0, kData).races(), 1u);
}
TEST_P(OneCore, TileToScalarNeedsEtFence) {
  EXPECT_EQ(run().tileWrite(0, kData).load(0, kData).races(), 1u);
  EXPECT_EQ(run().tileWrite(0, kData).fence(0, kRwRw).load(0, kData).races(), 1u);
  EXPECT_EQ(run().tileWrite(0, kData).etFence(0).load(0, kData).races(), 0u);
  EXPECT_EQ(run().tileRead(0, kData).store(0, kData).races(), 1u);
  EXPECT_EQ(run().tileRead(0, kData).etFence(0).store(0, kData).races(), 0u);
  EXPECT_EQ(run().tileRead(0, kData).load(0, kData).races(), 0u);
}
TEST_P(OneCore, RangeFenceOrdersTheBytesItCoversOnly) {
  EXPECT_EQ(run().tileWrite(0, kData).etFence(0, kData, 64).load(0, kData + 60).races(), 0u);
  EXPECT_EQ(run().tileWrite(0, kData).etFence(0, kData, 60).load(0, kData + 60).races(), 1u);
  EXPECT_EQ(run().store(0, kData).etFence(0, kData, 4).tileRead(0, kData).races(), 0u);
  EXPECT_EQ(run().store(0, kData).etFence(0, kData, 3).tileRead(0, kData).races(), 1u);
}
TEST_P(OneCore, RangeFenceDoesNotCoverYoungerAccesses) {
  EXPECT_EQ(run().etFence(0, kData, 64).tileWrite(0, kData).load(0, kData).races(), 1u);
}
TEST_P(OneCore, BarrierAloneOrdersOwnTileAccesses) {
  EXPECT_EQ(run().tileWrite(0, kData).barrier({0}).load(0, kData).races(), 0u);
}
TEST_P(OneCore, OwnSignalOrdersOnlyOnceWaitedFor) {
  EXPECT_EQ(run().tileWrite(0, kData).sig(0, 5).load(0, kData).races(), 1u);
  EXPECT_EQ(run().tileWrite(0, kData).wait(0, 5).load(0, kData).races(), 1u);
  EXPECT_EQ(run().tileWrite(0, kData).sig(0, 5).wait(0, 5).load(0, kData).races(), 0u);
  EXPECT_EQ(run().sig(0, 5).tileWrite(0, kData).wait(0, 5).load(0, kData).races(), 1u);
}
TEST_P(OneCore, OwnLocalMemoryIsInterlocked) {
  const MemoryRegion own = MemoryRegion::local(0);
  EXPECT_EQ(run().store(0, 0, own).tileRead(0, 0, own).load(0, 0, own).races(), 0u);
  EXPECT_EQ(run().tileWrite(0, 0, own).load(0, 0, own).store(0, 4, own).races(), 0u);
}

// Two and more cores.
TEST(CrossCore, ScalarAccessesNeverRace) {
  EXPECT_EQ(Litmus(2).store(0, kData).store(1, kData).load(0, kData).races(), 0u);
}
TEST(CrossCore, TileAccessesRaceUnlessBothRead) {
  EXPECT_EQ(Litmus(2).tileRead(0, kData).tileRead(1, kData).races(), 0u);
  EXPECT_EQ(Litmus(2).tileWrite(0, kData).tileRead(1, kData).races(), 1u);
  EXPECT_EQ(Litmus(2).tileRead(0, kData).tileWrite(1, kData).races(), 1u);
  EXPECT_EQ(Litmus(2).tileRead(0, kData).store(1, kData).races(), 1u);
  EXPECT_EQ(Litmus(2).load(0, kData).tileWrite(1, kData).races(), 1u);
}
TEST(CrossCore, SignalReleasesTileAndScalarAccessesToTheWaiter) {
  EXPECT_EQ(Litmus(2).tileWrite(0, kData).sig(0, 1).wait(1, 1).tileRead(1, kData).races(), 0u);
  EXPECT_EQ(Litmus(2).tileWrite(0, kData).sig(0, 1).wait(1, 1).load(1, kData).races(), 0u);
  EXPECT_EQ(Litmus(2).store(0, kData).sig(0, 1).wait(1, 1).tileRead(1, kData).races(), 0u);
  EXPECT_EQ(Litmus(2).tileWrite(0, kData).sig(0, 1).tileRead(1, kData).races(), 1u);
  EXPECT_EQ(Litmus(2).tileWrite(0, kData).sig(0, 1).wait(1, 2).tileRead(1, kData).races(), 1u);
  EXPECT_EQ(Litmus(2).sig(0, 1).tileWrite(0, kData).wait(1, 1).tileRead(1, kData).races(), 1u);
}
TEST(CrossCore, SignalsAreCumulative) {
  EXPECT_EQ(Litmus(3)
                .tileWrite(0, kData)
                .sig(0, 1)
                .wait(1, 1)
                .sig(1, 2)
                .wait(2, 2)
                .load(2, kData)
                .races(),
            0u);
  EXPECT_EQ(Litmus(3).tileWrite(0, kData).sig(0, 1).sig(1, 2).wait(2, 2).load(2, kData).races(),
            1u);
}
TEST(CrossCore, BarrierOrdersItsMembersOnly) {
  EXPECT_EQ(Litmus(3).tileWrite(0, kData).barrier({0, 1}).tileRead(1, kData).races(), 0u);
  EXPECT_EQ(Litmus(3).tileWrite(0, kData).barrier({0, 1}).tileRead(2, kData).races(), 1u);
}
TEST(CrossCore, ScalarReleaseCarriesStoresToTheAcquirer) {
  EXPECT_EQ(Litmus(2)
                .store(0, kData)
                .fence(0, kRwW)
                .store(0, kFlag)
                .load(1, kFlag)
                .fence(1, kRRw)
                .tileRead(1, kData)
                .races(),
            0u);
  EXPECT_EQ(Litmus(2)
                .store(0, kData)
                .store(0, kFlag)
                .load(1, kFlag)
                .fence(1, kRRw)
                .tileRead(1, kData)
                .races(),
            1u);
  EXPECT_EQ(Litmus(2)
                .store(0, kData)
                .fence(0, kRwW)
                .store(0, kFlag)
                .fence(1, kRRw)
                .tileRead(1, kData)
                .races(),
            1u);
}
TEST(CrossCore, TileEntersAScalarReleaseThroughEtFenceOnly) {
  EXPECT_EQ(Litmus(2)
                .tileWrite(0, kData)
                .etFence(0)
                .store(0, kFlag)
                .load(1, kFlag)
                .fence(1, kRRw)
                .load(1, kData)
                .races(),
            0u);
  EXPECT_EQ(Litmus(2)
                .tileWrite(0, kData)
                .fence(0, kRwRw)
                .store(0, kFlag)
                .load(1, kFlag)
                .fence(1, kRRw)
                .load(1, kData)
                .races(),
            1u);
  EXPECT_EQ(Litmus(2)
                .tileWrite(0, kData)
                .etFence(0, kData, 64)
                .store(0, kFlag)
                .load(1, kFlag)
                .fence(1, kRRw)
                .load(1, kData)
                .races(),
            0u);
  EXPECT_EQ(Litmus(2)
                .tileWrite(0, kData)
                .etFence(0, kData + 4, 60)
                .store(0, kFlag)
                .load(1, kFlag)
                .fence(1, kRRw)
                .load(1, kData)
                .races(),
            1u);
}
TEST(CrossCore, ScalarsNeedTheAcquireTileInstructionsWaitForTheLoadAnyway) {
  EXPECT_EQ(Litmus(2)
                .tileWrite(0, kData)
                .etFence(0)
                .store(0, kFlag)
                .load(1, kFlag)
                .load(1, kData)
                .races(),
            1u);
  EXPECT_EQ(Litmus(2)
                .tileWrite(0, kData)
                .etFence(0)
                .store(0, kFlag)
                .load(1, kFlag)
                .tileRead(1, kData)
                .races(),
            0u);
}
TEST(CrossCore, FencesOrderTheKindsTheyName) {
  EXPECT_EQ(Litmus(2)
                .load(0, kData)
                .fence(0, kRwW)
                .store(0, kFlag)
                .load(1, kFlag)
                .tileWrite(1, kData)
                .races(),
            0u);
  EXPECT_EQ(Litmus(2)
                .load(0, kData)
                .fence(0, kWW)
                .store(0, kFlag)
                .load(1, kFlag)
                .tileWrite(1, kData)
                .races(),
            1u);
  EXPECT_EQ(Litmus(2)
                .load(0, kData)
                .fence(0, kRR)
                .store(0, kFlag)
                .load(1, kFlag)
                .tileWrite(1, kData)
                .races(),
            1u);
  EXPECT_EQ(Litmus(2)
                .load(0, kData)
                .fenceTso(0)
                .store(0, kFlag)
                .load(1, kFlag)
                .tileWrite(1, kData)
                .races(),
            0u);
  EXPECT_EQ(Litmus(1).store(0, kData).fenceTso(0).load(0, kFlag).tileRead(0, kData).races(), 1u);
}
TEST(CrossCore, AtomicsReleaseAndAcquireByTheirBits) {
  EXPECT_EQ(Litmus(2)
                .store(0, kData)
                .amo(0, kFlag, {.rl = true})
                .amo(1, kFlag, {.aq = true})
                .tileRead(1, kData)
                .races(),
            0u);
  EXPECT_EQ(Litmus(2)
                .store(0, kData)
                .amo(0, kFlag)
                .amo(1, kFlag, {.aq = true})
                .tileRead(1, kData)
                .races(),
            1u);
  EXPECT_EQ(Litmus(2)
                .tileWrite(0, kData)
                .etFence(0)
                .amo(0, kFlag)
                .amo(1, kFlag, {.aq = true})
                .load(1, kData)
                .races(),
            0u);
  EXPECT_EQ(
      Litmus(2).tileWrite(0, kData).etFence(0).amo(0, kFlag).amo(1, kFlag).load(1, kData).races(),
      1u);
  EXPECT_EQ(Litmus(2)
                .tileWrite(0, kData)
                .etFence(0)
                .amo(0, kFlag)
                .lr(1, kFlag, {.aq = true})
                .load(1, kData)
                .races(),
            0u);
}
TEST(CrossCore, AnAtomicOfAThirdCoreContinuesTheRelease) {
  EXPECT_EQ(Litmus(3)
                .tileWrite(0, kData)
                .etFence(0)
                .store(0, kFlag)
                .amo(1, kFlag)
                .amo(2, kFlag, {.aq = true})
                .load(2, kData)
                .races(),
            0u);
  EXPECT_EQ(Litmus(3)
                .tileWrite(0, kData)
                .etFence(0)
                .store(0, kFlag)
                .store(1, kFlag)
                .amo(2, kFlag, {.aq = true})
                .load(2, kData)
                .races(),
            1u);
}
TEST(CrossCore, ATileInstructionMayFollowTheLoadOfTheVeryBytes) {
  EXPECT_EQ(Litmus(2).store(0, kData).load(1, kData).tileRead(1, kData, kGlobal, 4).races(), 0u);
  EXPECT_EQ(Litmus(2).store(0, kData).tileRead(1, kData, kGlobal, 4).races(), 1u);
}
TEST(CrossCore, ConcurrentAtomicsDoNotRace) {
  EXPECT_EQ(Litmus(2).tileAtomic(0, kData).tileAtomic(1, kData).amo(0, kData).races(), 0u);
  EXPECT_EQ(Litmus(2).tileAtomic(0, kData).lr(1, kData).races(), 0u);
  EXPECT_EQ(Litmus(2).tileAtomic(0, kData).tileRead(1, kData).races(), 1u);
  EXPECT_EQ(Litmus(2).tileAtomic(0, kData).load(1, kData).races(), 1u);
}
TEST(CrossCore, LocalMemoryIsWatchedAgainstOtherCores) {
  const MemoryRegion of_0 = MemoryRegion::local(0);
  EXPECT_EQ(Litmus(2).tileWrite(0, 0, of_0).load(1, 0, of_0).races(), 1u);
  EXPECT_EQ(Litmus(2).tileWrite(0, 0, of_0).sig(0, 1).wait(1, 1).load(1, 0, of_0).races(), 0u);
  EXPECT_EQ(Litmus(2).store(1, 0, of_0).tileRead(0, 0, of_0).races(), 1u);
}
TEST(CrossCore, AnOlderUnorderedWriteIsNotForgottenForALaterOne) {
  EXPECT_EQ(
      Litmus(3).store(0, kData).store(1, kData).sig(1, 1).wait(2, 1).tileRead(2, kData).races(),
      1u);
  EXPECT_EQ(Litmus(3)
                .store(0, kData)
                .sig(0, 1)
                .store(1, kData)
                .sig(1, 1)
                .wait(2, 1)
                .tileRead(2, kData)
                .races(),
            0u);
}

}  // namespace
}  // namespace etalon::sim
