// SPDX-License-Identifier: Apache-2.0
// The rings behind the register page: order, room, doorbell, malformed descriptors.
#include <functional>

#include "isa/state/rule_test.h"
#include "sim/arch/host_test_bench.h"

namespace etalon::sim {
namespace {

TEST(HostRing, RunsDescriptorsInOrderAndRecordsEach) {
  SHOWS(host_rings, host_order, host_record, host_descriptor, host_end);
  Bench bench;
  bench.open(1);
  bench.describe(0, 100);
  bench.put(kRing + 8, kMemory + 0x9000);  // argument block
  bench.put(kRing + 16, uint32_t{1});      // first core
  bench.put(kRing + 20, uint32_t{3});      // cores
  bench.put(kRing + 32, kCode + 8);        // tohost
  bench.put(kRing + 40, kCode + 16);       // fromhost
  bench.describe(1, 101);
  ASSERT_TRUE(bench.takes(kDoorbell, 2));
  ASSERT_EQ(bench.begun.size(), 1u) << "one at a time";
  EXPECT_EQ(bench.read(kRingHead), 1u);
  EXPECT_EQ(bench.begun[0], (isa::LaunchDescriptor{.entry = kCode,
                                                   .arguments = kMemory + 0x9000,
                                                   .first_core = 1,
                                                   .cores = 3,
                                                   .tag = 100,
                                                   .tohost = kCode + 8,
                                                   .fromhost = kCode + 16}));
  bench.describe(0, 102);  // the entry is the host's again
  EXPECT_TRUE(bench.takes(kDoorbell, 3));
  bench.end({.end = 1, .core = 2, .value = 28, .mepc = 0x1234, .mtval = 0x5678});
  EXPECT_EQ(bench.read(kCompletionCount), 1u);
  EXPECT_EQ(bench.get<uint64_t>(kRecords), 100u);
  EXPECT_EQ(bench.get<uint32_t>(kRecords + 8), 1u);
  EXPECT_EQ(bench.get<uint32_t>(kRecords + 12), 2u);
  EXPECT_EQ(bench.get<uint64_t>(kRecords + 16), 28u);
  EXPECT_EQ(bench.get<uint64_t>(kRecords + 24), 0x1234u);
  EXPECT_EQ(bench.get<uint64_t>(kRecords + 32), 0x5678u);
  bench.end({.value = 7});
  EXPECT_EQ(bench.get<uint64_t>(kRecords + 64), 101u);
  EXPECT_EQ(bench.get<uint64_t>(kRecords + 64 + 16), 7u);
  EXPECT_EQ(bench.begun.size(), 2u) << "both records are unread";
  EXPECT_TRUE(bench.takes(kCompletionRead, 1));
  ASSERT_EQ(bench.begun.size(), 3u);
  bench.end({});
  EXPECT_EQ(bench.get<uint64_t>(kRecords), 102u);
}

TEST(HostRing, WrapsAroundAsOftenAsItLikes) {
  SHOWS(host_order, host_record, host_room, host_doorbell);
  for (const uint64_t log2 : {0, 1, 3}) {
    Bench bench;
    bench.open(log2);
    const uint64_t entries = uint64_t{1} << log2;
    for (uint64_t n = 0; n < 5 * entries + 1; ++n) {
      bench.describe(n % entries, n);
      ASSERT_TRUE(bench.takes(kDoorbell, n + 1));
      ASSERT_EQ(bench.begun.size(), n + 1);
      bench.end({.value = ~n});
      EXPECT_EQ(bench.get<uint64_t>(kRecords + 64 * (n % entries)), n);
      EXPECT_EQ(bench.get<uint64_t>(kRecords + 64 * (n % entries) + 16), ~n);
      ASSERT_TRUE(bench.takes(kCompletionRead, n + 1));
    }
  }
}

TEST(HostRing, LeavesRecordsThatNobodyHasRead) {
  SHOWS(host_room);
  VIOLATES(host_room);
  Bench bench;
  bench.open(1);
  bench.describe(0, 1);
  bench.describe(1, 2);
  EXPECT_TRUE(bench.takes(kDoorbell, 2));
  EXPECT_FALSE(bench.takes(kCompletionRead, 1)) << "ahead of completion count";
  bench.end({});
  bench.end({});
  EXPECT_TRUE(bench.takes(kDoorbell, 4));
  EXPECT_EQ(bench.read(kRingHead), 2u);
  EXPECT_FALSE(bench.takes(kCompletionRead, 3));
  EXPECT_TRUE(bench.takes(kCompletionRead, 1));
  EXPECT_EQ(bench.read(kRingHead), 3u);
  EXPECT_FALSE(bench.takes(kCompletionRead, 0)) << "going back";
  EXPECT_EQ(bench.read(kCompletionRead), 1u);
}

TEST(HostRing, RefusesADoorbellThatGoesBackOrTooFar) {
  VIOLATES(host_doorbell);
  Bench bench;
  bench.open(2);
  EXPECT_FALSE(bench.takes(kDoorbell, 5));
  EXPECT_FALSE(bench.takes(kDoorbell, ~uint64_t{0}));
  for (uint64_t entry = 0; entry < 4; ++entry) bench.describe(entry, entry);
  EXPECT_TRUE(bench.takes(kDoorbell, 3));
  EXPECT_FALSE(bench.takes(kDoorbell, 2));
  EXPECT_FALSE(bench.takes(kDoorbell, 6)) << "one was taken: up to 5";
  EXPECT_TRUE(bench.takes(kDoorbell, 3)) << "saying it again";
  EXPECT_TRUE(bench.takes(kDoorbell, 5));
  EXPECT_EQ(bench.read(kDoorbell), 5u);
}

TEST(HostRing, IsRefusedWhereItCannotBe) {
  SHOWS(host_start);
  VIOLATES(host_rings, host_start);
  Bench bench;
  EXPECT_FALSE(bench.takes(kRingBase, kRing + 32));
  EXPECT_FALSE(bench.takes(kCompletionBase, kRecords + 8));
  EXPECT_FALSE(bench.takes(kRingSize, 17));
  EXPECT_FALSE(bench.takes(kControl, kStart)) << "both rings are at 0";
  EXPECT_TRUE(bench.takes(kRingBase, kMemory + kMemoryBytes - 64));
  EXPECT_TRUE(bench.takes(kCompletionBase, kRecords));
  EXPECT_TRUE(bench.takes(kRingSize, 1));
  EXPECT_FALSE(bench.takes(kControl, kStart)) << "its second entry is behind memory";
  EXPECT_TRUE(bench.takes(kRingSize, 16));
  EXPECT_TRUE(bench.takes(kRingBase, kMemory));
  EXPECT_FALSE(bench.takes(kControl, kStart)) << "4 MiB in memory of 1 MiB";
  EXPECT_TRUE(bench.takes(kRingSize, 1));
  EXPECT_TRUE(bench.takes(kCompletionBase, kMemory - 64));
  EXPECT_FALSE(bench.takes(kControl, kStart));
  EXPECT_EQ(bench.read(kState), kIdle);
  EXPECT_TRUE(bench.takes(kCompletionBase, kMemory + kMemoryBytes - 128));
  EXPECT_TRUE(bench.takes(kControl, kStart));
  EXPECT_FALSE(bench.takes(kControl, kStart)) << "it is started";
}

TEST(HostRing, StaysWhereItIsWhileItIsInUse) {
  SHOWS(host_rings, host_stop);
  VIOLATES(host_rings);
  Bench bench;
  const auto changes = [&] {
    return bench.takes(kRingBase, kRing) + bench.takes(kRingSize, 2) +
           bench.takes(kCompletionBase, kRecords);
  };
  bench.open(2);
  EXPECT_EQ(changes(), 0) << "running";
  for (uint64_t entry = 0; entry < 2; ++entry) bench.describe(entry, entry);
  EXPECT_TRUE(bench.takes(kDoorbell, 2));
  EXPECT_TRUE(bench.takes(kControl, kStop));
  EXPECT_EQ(changes(), 0) << "a launch is at work";
  bench.end({});
  EXPECT_EQ(bench.read(kState), kStopped);
  EXPECT_EQ(changes(), 0) << "a descriptor waits";
  EXPECT_TRUE(bench.takes(kControl, kStart));
  bench.end({});
  EXPECT_TRUE(bench.takes(kControl, kStop));
  EXPECT_EQ(changes(), 3);
}

struct Defect {
  const char* what;
  uint64_t number;
  std::function<void(Bench&)> change;
};
const std::vector<Defect> kDefects{
    {"first byte behind the fields", 1, [](Bench& b) { b.put(kRing + 48, uint8_t{1}); }},
    {"last byte", 1, [](Bench& b) { b.put(kRing + 63, uint8_t{128}); }},
    {"no core", 2, [](Bench& b) { b.put(kRing + 20, uint32_t{0}); }},
    {"more cores than there are", 2, [](Bench& b) { b.put(kRing + 20, uint32_t{5}); }},
    {"cores that end behind the last", 2, [](Bench& b) { b.put(kRing + 16, uint32_t{4}); }},
    {"cores whose sum wraps", 2, [](Bench& b) { b.put(kRing + 16, ~uint32_t{0}); }},
    {"an odd entry", 3, [](Bench& b) { b.put(kRing, kCode + 2); }},
    {"an entry before memory", 3, [](Bench& b) { b.put(kRing, kMemory - 4); }},
    {"an entry behind memory", 3, [](Bench& b) { b.put(kRing, kMemory + kMemoryBytes); }},
    {"tohost at no multiple of 8", 4, [](Bench& b) { b.put(kRing + 32, kCode + 4); }},
    {"tohost outside", 4, [](Bench& b) { b.put(kRing + 32, uint64_t{0x1000'0000}); }},
    {"fromhost outside", 4, [](Bench& b) { b.put(kRing + 40, kMemory + kMemoryBytes); }},
};

TEST(HostDescriptor, WithADefectRunsNothing) {
  VIOLATES(host_defect);
  for (const Defect& defect : kDefects) {
    Bench bench;
    bench.open(1);
    bench.describe(0, 55);
    bench.describe(1, 56);
    defect.change(bench);
    EXPECT_TRUE(bench.takes(kDoorbell, 2));
    EXPECT_EQ(bench.get<uint64_t>(kRecords), 55u) << defect.what;
    EXPECT_EQ(bench.get<uint32_t>(kRecords + 8), 4u) << defect.what;
    EXPECT_EQ(bench.get<uint64_t>(kRecords + 16), defect.number) << defect.what;
    ASSERT_EQ(bench.begun.size(), 1u) << defect.what;
    EXPECT_EQ(bench.begun[0].tag, 56u) << "the next one runs";
  }
}

TEST(HostDescriptor, AtTheEdgesIsWhole) {
  SHOWS(host_defect);
  Bench bench;
  bench.open(0);
  bench.describe(0, 1);
  bench.put(kRing, kMemory + kMemoryBytes - 4);
  bench.put(kRing + 16, uint32_t{3});
  bench.put(kRing + 32, kMemory + kMemoryBytes - 8);
  bench.put(kRing + 40, kMemory);
  EXPECT_TRUE(bench.takes(kDoorbell, 1));
  EXPECT_EQ(bench.begun.size(), 1u);
}

TEST(HostDescriptor, ALongRowOfDefectsNeedsNoDepth) {
  SHOWS(host_defect, host_end);
  Bench bench;
  EXPECT_TRUE(bench.takes(kRingBase, kMemory) &&
              bench.takes(kCompletionBase, kMemory + (1 << 19)) && bench.takes(kRingSize, 13) &&
              bench.takes(kControl, kStart));
  EXPECT_TRUE(bench.takes(kDoorbell, 1 << 13));  // all zeros: no core
  EXPECT_EQ(bench.read(kCompletionCount), uint64_t{1} << 13);
}

}  // namespace
}  // namespace etalon::sim
