// SPDX-License-Identifier: Apache-2.0
// Litmus tests: for each ordering rule one program that it orders and one that lacks it.
#include <gtest/gtest.h>

#include "isa/state/rule_test.h"
#include "sim/arch/race_litmus.h"

namespace etalon::sim {
namespace {

// Own core. Each holds on the general and on the reduced path.
class OneCore : public testing::TestWithParam<bool> {
 protected:
  Litmus run() const { return Litmus(1, GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Paths, OneCore, testing::Bool());

TEST_P(OneCore, TileInstructionsAreInOrder) {
  SHOWS(order_program);
  EXPECT_EQ(run().tileWrite(0, kData).tileRead(0, kData).tileWrite(0, kData).races(), 0u);
}
TEST_P(OneCore, LoadIsBeforeAYoungerTileWriteButAStoreIsNot) {
  SHOWS(order_scalar_store);
  EXPECT_EQ(run().load(0, kData).tileWrite(0, kData).races(), 0u);
  EXPECT_EQ(run().amo(0, kData).tileWrite(0, kData).races(), 0u);
  EXPECT_EQ(run().store(0, kData).tileWrite(0, kData).races(), 1u);
  EXPECT_EQ(run().store(0, kData).tileRead(0, kData).races(), 1u);
}
TEST_P(OneCore, StoreToTileNeedsEtFence) {
  SHOWS(order_scalar_store);
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
  SHOWS(order_scalar_store);
  EXPECT_EQ(run().tileWrite(0, kData).load(0, kData).races(), 1u);
  EXPECT_EQ(run().tileWrite(0, kData).fence(0, kRwRw).load(0, kData).races(), 1u);
  EXPECT_EQ(run().tileWrite(0, kData).etFence(0).load(0, kData).races(), 0u);
  EXPECT_EQ(run().tileRead(0, kData).store(0, kData).races(), 1u);
  EXPECT_EQ(run().tileRead(0, kData).etFence(0).store(0, kData).races(), 0u);
  EXPECT_EQ(run().tileRead(0, kData).load(0, kData).races(), 0u);
}
TEST_P(OneCore, RangeFenceOrdersTheBytesItCoversOnly) {
  SHOWS(order_scalar_store);
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
  SHOWS(order_local);
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
  SHOWS(sync_signal, sync_wait);
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
  SHOWS(sync_barrier);
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
