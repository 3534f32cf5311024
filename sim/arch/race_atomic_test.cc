// SPDX-License-Identifier: Apache-2.0
// Litmus tests of atomics that meet: no race, but a floating sum depends on the order.
#include <gtest/gtest.h>

#include "isa/state/rule_test.h"
#include "sim/arch/race_litmus.h"

namespace etalon::sim {
namespace {

TEST(Atomics, ConcurrentOnesDoNotRace) {
  SHOWS(sync_atomic);
  EXPECT_EQ(Litmus(2).tileAtomic(0, kData).tileAtomic(1, kData).amo(0, kData).races(), 0u);
  EXPECT_EQ(Litmus(2).tileAtomic(0, kData).lr(1, kData).races(), 0u);
  EXPECT_EQ(Litmus(2).tileAtomic(0, kData).tileRead(1, kData).races(), 1u);
  EXPECT_EQ(Litmus(2).tileAtomic(0, kData).load(1, kData).races(), 1u);
}

TEST(Atomics, ConcurrentFloatingAddsDependOnTheirOrderAndDoNotRace) {
  VIOLATES(sync_order_dependent);
  Litmus both(2);
  both.tileFloatAdd(0, kData).tileFloatAdd(1, kData);
  EXPECT_EQ(both.orderDependences(), 1u);
  EXPECT_EQ(both.races(), 0u);
  EXPECT_EQ(Litmus(2).tileFloatAdd(0, kData).tileFloatAdd(1, kData + 4).orderDependences(), 0u);
  EXPECT_EQ(Litmus(2).tileFloatAdd(0, kData, 64).tileFloatAdd(1, kData + 60).orderDependences(),
            1u);
  EXPECT_EQ(Litmus(2).tileFloatAdd(0, kData).tileFloatAdd(0, kData).orderDependences(), 0u);
  EXPECT_EQ(Litmus(2).tileFloatAdd(0, kData).tileWrite(1, kData).races(), 1u);
}

TEST(Atomics, AFloatingAddDependsOnItsOrderWithEveryAtomicUpdate) {
  EXPECT_EQ(Litmus(2).tileFloatAdd(0, kData).tileAtomic(1, kData).orderDependences(), 1u);
  EXPECT_EQ(Litmus(2).amo(0, kData).tileFloatAdd(1, kData).orderDependences(), 1u);
  EXPECT_EQ(Litmus(2).lr(0, kData).tileFloatAdd(1, kData).orderDependences(), 0u);
  EXPECT_EQ(Litmus(2).tileAtomic(0, kData).tileAtomic(1, kData).amo(0, kData).orderDependences(),
            0u);
}

TEST(Atomics, OrderedFloatingAddsDependOnNothing) {
  SHOWS(sync_order_dependent);
  EXPECT_EQ(Litmus(2)
                .tileFloatAdd(0, kData)
                .sig(0, 1)
                .wait(1, 1)
                .tileFloatAdd(1, kData)
                .barrier({0, 1})
                .tileFloatAdd(0, kData)
                .orderDependences(),
            0u);
  // A signal that the other core does not wait for orders nothing.
  EXPECT_EQ(Litmus(2)
                .tileFloatAdd(0, kData)
                .sig(0, 1)
                .wait(1, 2)
                .tileFloatAdd(1, kData)
                .orderDependences(),
            1u);
}

TEST(Atomics, AnOrderedWriteBetweenHidesNoFloatingAdd) {
  Litmus litmus(3);
  litmus.tileFloatAdd(0, kData).sig(0, 1).wait(1, 1).tileWrite(1, kData).tileFloatAdd(2, kData);
  EXPECT_EQ(litmus.orderDependences(), 1u);
  EXPECT_EQ(litmus.races(), 1u);
}

}  // namespace
}  // namespace etalon::sim
