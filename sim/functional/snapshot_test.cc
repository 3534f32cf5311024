// SPDX-License-Identifier: Apache-2.0
// A run that goes through a snapshot in a fresh device ends as the run that does not; what is no sound snapshot is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/functional/snapshot_test_support.h"
#include "sim/functional/test_support.h"

namespace etalon::sim {
namespace {

using isa::X;
using testing::HasSubstr;
using Bytes = SnapshotBytes;

constexpr int kPrograms = 50;
constexpr int kChainPrograms = 6;
constexpr size_t kChecksumBytes = 8;

TEST(Snapshot, OfARandomProgramGoesOnAsIfItWereNotThere) {
  std::mt19937_64 random(11);
  uint64_t snapshots = 0, races = 0, dependences = 0, reads = 0, traps = 0;
  std::map<RunStatus, int> ends;
  const auto programs = static_cast<uint64_t>(kPrograms * fuzzScale());
  for (uint64_t seed = 0; seed < programs; ++seed) {
    const auto straight = randomProgram(seed);
    const auto cores = static_cast<unsigned>(1 + seed % 2);
    const Comparison comparison = compareThroughSnapshots(*straight, randomProgram(seed), cores,
                                                          [&] { return 1 + random() % 300; });
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
    snapshots += static_cast<uint64_t>(comparison.snapshots);
    ++ends[comparison.result.status];
    races += straight->races().raceCount();
    dependences += straight->races().orderDependenceCount();
    reads += straight->findings().uninitialisedCount();
    traps += straight->findings().faultCount();
  }
  // The programs are worth something only if they do all of this.
  EXPECT_GT(snapshots, 10 * programs);
  EXPECT_GT(races, programs);
  EXPECT_GT(dependences, 0u);
  EXPECT_GT(reads, programs);
  EXPECT_GT(traps, programs);
  EXPECT_GT(ends[RunStatus::instruction_limit], 0);
  EXPECT_GT(ends[RunStatus::exited] + ends[RunStatus::deadlock], 0);
}

TEST(Snapshot, OfRandomChainsGoesOnAsIfItWereNotThere) {
  std::mt19937_64 random(12);
  const auto programs = static_cast<uint64_t>(std::max(2.0, kChainPrograms * fuzzScale()));
  for (uint64_t seed = 0; seed < programs; ++seed) {
    const auto straight = randomChainProgram(seed, 40);
    const auto cores = static_cast<unsigned>(1 + seed % 2);
    const Comparison comparison = compareThroughSnapshots(
        *straight, randomChainProgram(seed, 40), cores, [&] { return 1 + random() % 500; });
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
    EXPECT_GT(comparison.snapshots, 1);
    for (const isa::Fault& fault : straight->findings().faults()) ADD_FAILURE() << fault.detail;
    EXPECT_GT(straight->counterTotal(isa::Counter::retired_vector), 0u);
  }
}

TEST(Snapshot, KeepsDecodedCodeThatTheProgramOverwrote) {
  for (const bool through_snapshot : {false, true}) {
    TestBuilder p;
    auto again = p.label(), patched = p.label();
    p.la(X{5}, patched);
    p.li(X{6}, 0x00700513);  // addi x10, x0, 7
    p.bind(again);
    p.bind(patched);
    p.addi(X{10}, X{0}, 3);
    p.sw(X{6}, 0, X{5});
    p.addi(X{7}, X{7}, 1);
    p.li(X{8}, 2);
    p.bne(X{7}, X{8}, again);
    p.exitWithRegister(X{10});
    TestProgram program(p);
    LaunchOptions options;
    ASSERT_TRUE(program.device().start(options).ok());
    ASSERT_FALSE(program.device().advance(7).has_value());
    if (!through_snapshot) {
      EXPECT_EQ(program.device().advance(~uint64_t{0})->exit_code,
                3u);  // no fence.i, so the old word
      continue;
    }
    auto restored = restore(program.device().machine(), snapshotOf(program.device()), options);
    ASSERT_TRUE(restored.ok());
    EXPECT_EQ(restored->device->advance(~uint64_t{0})->exit_code, 3u);
  }
}

TEST(Snapshot, OfADeviceBetweenLaunchesKeepsBuffersAndWhatAnyoneWrote) {
  auto device = randomProgram(3);
  const uint64_t kept = *device->allocate(100), given_back = *device->allocate(100);
  ASSERT_TRUE(device->write(given_back, Bytes(100, std::byte{7})).ok());
  ASSERT_TRUE(device->release(given_back).ok());
  Launch launch(2);
  ASSERT_TRUE(device->launch(launch.options).ok());
  auto restored = restore(device->machine(), snapshotOf(*device), {});
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  EXPECT_FALSE(restored->device->started());
  EXPECT_EQ(describeDevice(*restored->device), describeDevice(*device));
  EXPECT_EQ(*restored->device->allocate(100), given_back);
  EXPECT_EQ(*device->allocate(100), given_back);
  Bytes bytes(1);
  ASSERT_TRUE(restored->device->read(given_back, bytes).ok());
  EXPECT_EQ(bytes[0], std::byte{7});
  EXPECT_TRUE(restored->device->release(kept).ok() && device->release(kept).ok());
  EXPECT_EQ(restored->device->allocate(1 << 20).error().message,  // what is left
            device->allocate(1 << 20).error().message);
  const auto again = device->launch(launch.options),
             there = restored->device->launch(launch.options);
  EXPECT_EQ(describeEnd(*restored->device, *there), describeEnd(*device, *again));
}

TEST(Snapshot, KeepsWhereTheHostAnswers) {
  constexpr uint64_t kFromhost = kTestTohost + 64, kCall = kTestTohost + 128;
  const auto make = [&] {
    TestBuilder p;
    p.li(X{5}, static_cast<int64_t>(kCall));
    for (const int64_t value : {64, 1, 0, 0}) {  // writes no bytes
      p.li(X{6}, value);
      p.sd(X{6}, 0, X{5});
      p.addi(X{5}, X{5}, 8);
    }
    p.li(X{5}, static_cast<int64_t>(kCall));
    p.li(X{6}, static_cast<int64_t>(kTestTohost));
    p.sd(X{5}, 0, X{6});
    p.exit(0);
    auto device = FunctionalDevice::create(garbageMachine());
    const auto image = ElfImage::parse(
        writeElf(kTestEntry, *p.finish(), {{"tohost", kTestTohost}, {"fromhost", kFromhost}}), "");
    EXPECT_TRUE((*device)->load(*image).ok());
    EXPECT_TRUE((*device)->write(kTestTohost, Bytes(256)).ok());
    return *std::move(device);
  };
  const auto straight = make();
  EXPECT_EQ(compareThroughSnapshots(*straight, make(), 1, [] { return 1; }).result.exit_code, 0u);
  Bytes answered(1);
  ASSERT_TRUE(straight->read(kFromhost, answered).ok());
  EXPECT_EQ(answered[0], std::byte{1});
}

TEST(Snapshot, HoldsOnlyTheMemoryThatWasTouched) {
  TestBuilder p;
  p.exit(0);
  TestProgram program(p);  // 64 cores of 64 MiB and 64 GiB
  ASSERT_TRUE(
      program.device().write(0x80000000 + (uint64_t{60} << 30), Bytes(1, std::byte{1})).ok());
  const Bytes bytes = snapshotOf(program.device());
  EXPECT_LT(bytes.size(), 1u << 20);
  auto restored = restore(program.device().machine(), bytes, {});
  ASSERT_TRUE(restored.ok());
  Bytes byte(1);
  ASSERT_TRUE(restored->device->read(0x80000000 + (uint64_t{60} << 30), byte).ok());
  EXPECT_EQ(byte[0], std::byte{1});
}

TEST(Snapshot, SaysWhyItDoesNotFit) {
  const auto device = randomProgram(1);
  Launch launch(2);
  ASSERT_TRUE(device->start(launch.options).ok());
  ASSERT_FALSE(device->advance(100).has_value());
  const Bytes sound = snapshotOf(*device);
  const auto refusal = [&](const Bytes& bytes, const LaunchOptions& options = {}) {
    const auto restored = restore(device->machine(), bytes, options);
    return restored.ok() ? "accepted" : restored.error().message;
  };
  EXPECT_EQ(refusal(sound), "accepted");
  const auto other = isa::openMachine("base", {});
  const auto foreign = restore(*other, sound, {});
  ASSERT_FALSE(foreign.ok());
  EXPECT_THAT(foreign.error().message, HasSubstr("local_bytes is '64 KiB' there and 8 MiB here"));

  numerics::Contract contract;
  contract.hash = 5;
  const auto contracted = FunctionalDevice::restore(device->machine(), contract, sound, {});
  ASSERT_FALSE(contracted.ok());
  EXPECT_THAT(contracted.error().message,
              HasSubstr("the contract's hash is '0x0' there and 0x5 here"));

  Bytes changed = sound;
  changed[8] = std::byte{99};
  EXPECT_THAT(refusal(changed), HasSubstr("version 99; this build reads version 6"));
  changed = sound;
  changed[0] = std::byte{0};
  EXPECT_THAT(refusal(changed), HasSubstr("no snapshot"));
  changed = sound;
  changed[sound.size() / 2] ^= std::byte{1};
  EXPECT_THAT(refusal(changed), HasSubstr("damaged or cut off"));
  LaunchOptions behind;
  behind.instruction_limit = 100;
  EXPECT_THAT(refusal(sound, behind),
              HasSubstr("after 100 instructions; the limit of 100 is behind"));
}

// A figure of timing may be corrected, or swept, and a snapshot of values stays what it was.
TEST(Snapshot, FitsAMachineThatDiffersInTimeAlone) {
  auto device = *FunctionalDevice::create(*isa::openMachine("base", {}));
  const Bytes bytes = snapshotOf(*device);
  const auto faster = isa::openMachine("base", {"matrix.rows=64", "clock_mhz=1200"});
  ASSERT_TRUE(faster.ok());
  EXPECT_TRUE(restore(*faster, bytes, {}).ok());
  const auto smaller = isa::openMachine("base", {"local_bytes=4 MiB"});
  ASSERT_TRUE(smaller.ok());
  EXPECT_FALSE(restore(*smaller, bytes, {}).ok());
}

void fixChecksum(Bytes& bytes) {
  const auto content = std::span(bytes).first(bytes.size() - kChecksumBytes);
  storeBytes(bytes.data() + content.size(), snapshotChecksum(content));
}

TEST(HostileSnapshot, IsRefusedWhereverItIsCutOff) {
  const auto device = randomProgram(1);
  Launch launch(2);
  ASSERT_TRUE(device->start(launch.options).ok());
  ASSERT_FALSE(device->advance(1000).has_value());
  const Bytes sound = snapshotOf(*device);
  std::mt19937_64 random(5);
  for (int i = 0; i < static_cast<int>(400 * fuzzScale()); ++i) {
    const size_t length = i < 64 ? static_cast<size_t>(i) : random() % sound.size();
    Bytes cut(sound.begin(), sound.begin() + static_cast<ptrdiff_t>(length));
    EXPECT_FALSE(restore(device->machine(), cut, {}).ok());
    if (length < 32) continue;
    fixChecksum(cut);
    EXPECT_FALSE(restore(device->machine(), cut, {}).ok());
  }
}

TEST(HostileSnapshot, IsRefusedOrRuns) {
  const int variants = static_cast<int>(1500 * fuzzScale());
  std::mt19937_64 random(6);
  int refused = 0, ran = 0;
  std::unique_ptr<FunctionalDevice> device;
  Bytes sound;
  for (int i = 0; i < variants; ++i) {
    if (i % 50 == 0) {
      LaunchOptions launch;
      launch.cores = static_cast<unsigned>(1 + i / 50 % 2);
      launch.seed = static_cast<uint64_t>(i / 100 % 2);
      do {
        device = randomProgram(random());
        ASSERT_TRUE(device->start(launch).ok());
      } while (device->advance(200 + random() % 2000).has_value());
      sound = snapshotOf(*device);
    }
    Bytes damaged = sound;
    for (uint64_t n = 1 + random() % 4; n > 0; --n) {
      // Pages of memory are anything anyway: most damage goes to what stands behind them.
      const size_t from = random() % 4 ? damaged.size() * 3 / 4 : 12;
      const size_t at = from + random() % (damaged.size() - from - 8);
      switch (random() % 4) {
        case 0: damaged[at] ^= static_cast<std::byte>(1u << random() % 8); break;
        case 1: storeBytes(damaged.data() + at, static_cast<uint32_t>(random() % 16)); break;
        case 2: storeBytes(damaged.data() + at, ~uint64_t{0} >> random() % 64); break;
        default: damaged[at] = static_cast<std::byte>(random()); break;
      }
    }
    fixChecksum(damaged);
    LaunchOptions options;
    options.instruction_limit = ~uint64_t{0};
    auto restored = restore(device->machine(), damaged, options);
    if (!restored.ok()) {
      ++refused;
      EXPECT_FALSE(restored.error().message.empty());
      continue;
    }
    ++ran;
    if (restored->device->started()) {
      restored->device->advance(2000);
      snapshotOf(*restored->device);
    }
  }
  EXPECT_GT(refused, variants / 20);
  EXPECT_GT(ran, variants / 20);
}

}  // namespace
}  // namespace etalon::sim
