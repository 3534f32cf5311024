// SPDX-License-Identifier: Apache-2.0
// Reports, lines and long runs; the ordering rules are in race_order_test.cc.
#include "sim/arch/race_detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/state/rule_test.h"

namespace etalon::sim {
namespace {

constexpr MemoryRegion kGlobal = MemoryRegion::global();

RaceDetector makeDetector(uint32_t cores, size_t max_reports = 100) {
  auto detector = RaceDetector::create({.cores = cores,
                                        .global_bytes = uint64_t{1} << 30,
                                        .local_bytes = 1 << 20,
                                        .max_reports = max_reports});
  EXPECT_TRUE(detector.ok());
  return std::move(detector).value();
}

void tileWrite(RaceDetector& detector, AccessSite site, uint64_t offset, uint64_t length) {
  detector.beginTile(site);
  detector.tileWrite(kGlobal, offset, length);
}

TEST(RaceReport, NamesBothAccessesTheFirstByteAndAWayOut) {
  VIOLATES(sync_race);
  RaceDetector detector = makeDetector(2);
  detector.scalarStore({1, 0x8000'0010, 0x00A5'A023}, kGlobal, 0x1002, 4);
  tileWrite(detector, {0, 0x8000'0020, 0x0C51'002B}, 0x1004, 256);
  ASSERT_EQ(detector.reports().size(), 1u);
  const RaceReport& report = detector.reports()[0];
  EXPECT_EQ(report.first.site.core, 1);
  EXPECT_EQ(report.first.site.pc, 0x8000'0010u);
  EXPECT_EQ(report.first.site.insn, 0x00A5'A023u);
  EXPECT_EQ(report.first.kind, AccessKind::kStore);
  EXPECT_EQ(report.second.kind, AccessKind::kTileWrite);
  EXPECT_EQ(report.region, kGlobal);
  EXPECT_EQ(report.offset, 0x1004u);
  EXPECT_THAT(report.text,
              testing::AllOf(testing::HasSubstr("byte 0x1004 of global memory"),
                             testing::HasSubstr("scalar store by core 1 at pc 0x80000010"),
                             testing::HasSubstr("tile write by core 0 at pc 0x80000020"),
                             testing::HasSubstr("et.sig and et.wait")));
}

TEST(RaceReport, OfOneCoreAsksForAFence) {
  RaceDetector detector = makeDetector(1);
  tileWrite(detector, {0, 0x100, 0}, 0, 64);
  detector.scalarLoad({0, 0x104, 0}, kGlobal, 60, 4);
  ASSERT_EQ(detector.reports().size(), 1u);
  EXPECT_EQ(detector.reports()[0].offset, 60u);
  EXPECT_THAT(detector.reports()[0].text, testing::HasSubstr("place et.fence"));
}

TEST(RaceReport, OfLocalMemoryNamesItsCore) {
  RaceDetector detector = makeDetector(2);
  detector.beginTile({0, 0x100, 0});
  detector.tileRead(MemoryRegion::local(1), 8, 4);
  detector.beginTile({1, 0x200, 0});
  detector.tileWrite(MemoryRegion::local(1), 0, 64);
  ASSERT_EQ(detector.reports().size(), 1u);
  EXPECT_THAT(detector.reports()[0].text,
              testing::HasSubstr("byte 0x8 of the local memory of core 1"));
}

TEST(RaceReport, OfFloatingAddsSaysThatTheirOrderMatters) {
  RaceDetector detector = makeDetector(2, 1);
  for (const uint16_t core : {0, 1, 1}) {
    detector.beginTile({core, 0x8000'0100u + 0x10 * core, 0x0C51'002B});
    detector.tileFloatAdd(MemoryRegion::local(1), 64, 8);
    detector.signal(core, 0);
  }
  EXPECT_EQ(detector.raceCount(), 0u);
  EXPECT_EQ(detector.orderDependenceCount(), 1u);
  ASSERT_EQ(detector.orderDependences().size(), 1u);
  const RaceReport& report = detector.orderDependences()[0];
  EXPECT_EQ(report.first.site.core, 0);
  EXPECT_EQ(report.second.site.core, 1);
  EXPECT_EQ(report.second.kind, AccessKind::kTileFloatAdd);
  EXPECT_EQ(report.offset, 64u);
  EXPECT_THAT(
      report.text,
      testing::AllOf(testing::StartsWith("order-dependent result on byte 0x40 of the local "
                                         "memory of core 1: tile floating add by core 0"),
                     testing::HasSubstr("then tile floating add by core 1 at pc 0x80000110"),
                     testing::HasSubstr("et.sig and et.wait"), testing::HasSubstr("sum integers")));
}

TEST(RaceReport, OfAPairOfInstructionsComesOnce) {
  RaceDetector detector = makeDetector(2);
  for (uint64_t at = 0; at < 4096; at += 64) {
    tileWrite(detector, {0, 0x100, 0}, at, 64);
    detector.scalarLoad({1, 0x200, 0}, kGlobal, at, 8);
  }
  EXPECT_EQ(detector.raceCount(), 1u);
  EXPECT_EQ(detector.reports().size(), 1u);
}

TEST(RaceReport, BeyondTheLimitIsCountedOnly) {
  RaceDetector detector = makeDetector(2, 3);
  tileWrite(detector, {0, 0x100, 0}, 0, 64);
  for (uint64_t i = 0; i < 10; ++i) {
    detector.scalarLoad({1, 0x200 + 4 * i, 0}, kGlobal, 0, 4);
    detector.signal(1, 0);
  }
  EXPECT_EQ(detector.reports().size(), 3u);
  EXPECT_EQ(detector.raceCount(), 10u);
}

TEST(RaceDetector, IsExactToTheByteInSharedLines) {
  RaceDetector detector = makeDetector(2);
  tileWrite(detector, {0, 0x100, 0}, 64, 100);
  tileWrite(detector, {1, 0x104, 0}, 164, 28);
  detector.scalarStore({1, 0x108, 0}, kGlobal, 63, 1);
  EXPECT_EQ(detector.raceCount(), 0u);
  detector.scalarStore({1, 0x10C, 0}, kGlobal, 163, 1);
  EXPECT_EQ(detector.raceCount(), 1u);
}

TEST(RaceDetector, FindsARaceInARunThatMeetsManyStates) {
  RaceDetector detector = makeDetector(2);
  for (uint64_t at = 0; at < 65536; at += 64) tileWrite(detector, {0, 0x100 + at, 0}, at, 64);
  detector.signal(0, 1);
  tileWrite(detector, {0, 0x9'0000, 0}, 40'000, 1);
  detector.waitAcquire(1, 1);
  tileWrite(detector, {1, 0x9'0004, 0}, 0, 65536);
  ASSERT_EQ(detector.raceCount(), 1u);
  EXPECT_EQ(detector.reports()[0].offset, 40'000u);
}

// Without an order point between, the log of a single core holds more stores than it has room for.
TEST(RaceDetector, RemembersEveryStoreOfALongScalarProgram) {
  RaceDetector detector = makeDetector(1);
  for (uint64_t i = 0; i < 100'000; ++i) {
    detector.scalarStore({0, 0x100 + 4 * (i % 7), 0}, kGlobal, i * 24, 8);
  }
  detector.beginTile({0, 0x9000, 0});
  detector.tileRead(kGlobal, 5000 * 24, 1);
  EXPECT_EQ(detector.raceCount(), 1u);
  detector.beginTile({0, 0x9004, 0});
  detector.tileRead(kGlobal, 5000 * 24 + 8, 16);
  EXPECT_EQ(detector.raceCount(), 1u);
}

TEST(RaceDetector, KeepsItsStatesBoundedOverManyOrderPoints) {
  RaceDetector detector = makeDetector(4);
  detector.setSweepLimit(1000);
  for (uint64_t i = 0; i < 20'000; ++i) {
    const auto core = static_cast<uint16_t>(i % 4);
    detector.waitAcquire(core, 0);
    tileWrite(detector, {core, 0x100 + 4 * (i % 16), 0}, 64 * (i % 8), 64);
    detector.scalarStore({core, 0x200, 0}, MemoryRegion::local(core), 8 * (i % 32), 8);
    detector.signal(core, 0);
  }
  EXPECT_EQ(detector.raceCount(), 0u);
  EXPECT_LE(detector.liveStates(), 1010u);
}

TEST(RaceDetector, ReportsWhatTheHostCannotMap) {
  auto detector = RaceDetector::create({.cores = 2, .global_bytes = ~uint64_t{0}});
  ASSERT_FALSE(detector.ok());
  EXPECT_THAT(detector.error().message, testing::HasSubstr("race detector"));
}

}  // namespace
}  // namespace etalon::sim
