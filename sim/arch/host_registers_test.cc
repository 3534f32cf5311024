// SPDX-License-Identifier: Apache-2.0
// The register page: accesses, commands, interrupt, windows, and any traffic.
#include <optional>
#include <random>

#include "isa/base/fuzz_scale.h"
#include "isa/state/rule_test.h"
#include "sim/arch/host_test_bench.h"

namespace etalon::sim {
namespace {

TEST(HostPage, SaysWhatTheDeviceIs) {
  SHOWS(host_registers, host_access);
  Bench bench;
  EXPECT_EQ(bench.read(kId), uint64_t{3} << 32 | 4 << 16 | 1);
  for (const uint64_t offset : {kState, kInterrupt, kRingBase, kRingSize, kRingHead, kDoorbell,
                                kCompletionBase, kCompletionCount, kCompletionRead})
    EXPECT_EQ(bench.read(offset), 0u) << std::hex << offset;
  EXPECT_TRUE(bench.takes(kInterrupt, ~uint64_t{1}));
  EXPECT_EQ(bench.read(kInterrupt), 0x100u) << "bits without a name read 0";
  EXPECT_TRUE(bench.requests.empty());
}

TEST(HostPage, GivesCoresTheirRegisters) {
  SHOWS(host_registers, host_access);
  Bench bench;
  EXPECT_TRUE(bench.takes(kMtime, 5));
  EXPECT_TRUE(bench.takes(kMtimecmp + 8 * 3, 6));
  EXPECT_EQ(bench.write(kMsip + 4 * 3, 1, 4), HostAnswer::ok);
  for (uint64_t i = 0; i < 4; ++i)
    EXPECT_TRUE(bench.takes(kWindows + 0x100 * 2 + 0x20 * 7 + 8 * i, 10 + i));
  using enum isa::HostRegister;
  EXPECT_EQ(bench.core_registers, (decltype(bench.core_registers){{{mtime, 0, 0}, 5},
                                                                  {{mtimecmp, 3, 0}, 6},
                                                                  {{msip, 3, 0}, 1},
                                                                  {{window_base, 2, 7}, 10},
                                                                  {{window_size, 2, 7}, 11},
                                                                  {{window_offset, 2, 7}, 12},
                                                                  {{window_rights, 2, 7}, 13}}));
  EXPECT_EQ(bench.read(kWindows + 0x2f8), 13u);
  EXPECT_EQ(bench.read(kMsip + 12, 4), 1u);
}

TEST(HostPage, RefusesAccessesThatAreNotOfAWholeRegister) {
  VIOLATES(host_access);
  Bench bench;
  uint64_t value = 77;
  // Nothing stands there: between registers, behind the last core's and the last window.
  for (const uint64_t offset :
       std::initializer_list<uint64_t>{0x20, 0x78, kMtimecmp + 8 * 4, kMsip + 4 * 4,
                                       kWindows + 0x400, 0x0fff'fff8, ~uint64_t{7}}) {
    EXPECT_EQ(bench.page.read(offset, 8, value), HostAnswer::no_register) << std::hex << offset;
    EXPECT_EQ(bench.write(offset, 0), HostAnswer::no_register) << std::hex << offset;
  }
  for (const unsigned bytes : {1u, 2u, 4u, 16u}) {
    EXPECT_EQ(bench.page.read(kRingBase, bytes, value), HostAnswer::wrong_width);
    EXPECT_EQ(bench.write(kRingBase, kRing, bytes), HostAnswer::wrong_width);
  }
  EXPECT_EQ(bench.write(kRingBase + 4, 0, 4), HostAnswer::wrong_width);
  EXPECT_EQ(bench.write(kRingBase + 1, 0), HostAnswer::wrong_width);
  EXPECT_EQ(bench.write(kMsip, 1, 8), HostAnswer::wrong_width);
  EXPECT_EQ(bench.write(kMtimecmp + 4, 1, 4), HostAnswer::wrong_width);
  EXPECT_EQ(bench.page.read(kControl, 8, value), HostAnswer::wrong_access);
  for (const uint64_t offset : {kId, kState, kRingHead, kCompletionCount})
    EXPECT_EQ(bench.write(offset, 0), HostAnswer::wrong_access) << std::hex << offset;
  EXPECT_EQ(value, 77u);
  EXPECT_EQ(bench.read(kRingBase), 0u);
  EXPECT_TRUE(bench.core_registers.empty());
}

TEST(HostControl, TakesOneCommandAtATime) {
  SHOWS(host_control);
  VIOLATES(host_control);
  Bench bench;
  bench.open(2);
  for (const uint64_t value : {uint64_t{0}, kStart | kStop, kReset | kAbort, uint64_t{16},
                               kReset | uint64_t{1} << 63, ~uint64_t{0}})
    EXPECT_EQ(bench.write(kControl, value), HostAnswer::wrong_value) << value;
  EXPECT_EQ(bench.read(kState), kRunning);
  EXPECT_TRUE(bench.takes(kControl, kStop));
  EXPECT_EQ(bench.read(kState), kStopped);
}

TEST(HostControl, StopsBehindTheLaunchAtWork) {
  SHOWS(host_stop);
  Bench bench;
  EXPECT_TRUE(bench.takes(kControl, kStop));
  EXPECT_TRUE(bench.takes(kControl, kAbort));
  EXPECT_EQ(bench.read(kState), kIdle) << "neither does anything";
  bench.open(1);
  bench.describe(0, 1);
  bench.describe(1, 2);
  EXPECT_TRUE(bench.takes(kDoorbell, 2));
  EXPECT_TRUE(bench.takes(kControl, kStop));
  EXPECT_EQ(bench.read(kState), kRunning);
  EXPECT_FALSE(bench.takes(kControl, kStart));
  bench.end({.value = 5});
  EXPECT_EQ(bench.read(kState), kStopped);
  EXPECT_EQ(bench.get<uint64_t>(kRecords + 16), 5u);
  EXPECT_EQ(bench.begun.size(), 1u);
  EXPECT_TRUE(bench.takes(kControl, kAbort));
  EXPECT_EQ(bench.read(kState), kStopped);
  EXPECT_TRUE(bench.takes(kControl, kStart));
  EXPECT_EQ(bench.begun.size(), 2u);
  EXPECT_EQ(bench.begun[1].tag, 2u);
  bench.end({});
  EXPECT_EQ(bench.read(kState), kRunning) << "it was stopped once";
}

TEST(HostControl, AbortsTheLaunchAtWork) {
  SHOWS(host_abort);
  Bench bench;
  bench.open(1);
  bench.describe(0, 1);
  bench.describe(1, 2);
  EXPECT_TRUE(bench.takes(kDoorbell, 2));
  EXPECT_TRUE(bench.takes(kControl, kAbort));
  EXPECT_TRUE(bench.takes(kControl, kAbort)) << "again: nothing more";
  EXPECT_EQ(bench.requests, (std::vector{Kind::fetch, Kind::begin, Kind::abort}));
  EXPECT_EQ(bench.read(kState), kRunning);
  bench.end({.end = 1, .core = 2, .value = 28, .mepc = 1, .mtval = 2});
  EXPECT_EQ(bench.read(kState), kStopped);
  EXPECT_EQ(bench.get<uint64_t>(kRecords), 1u);
  EXPECT_EQ(bench.get<uint32_t>(kRecords + 8), 2u);
  for (uint64_t byte = 12; byte < 64; byte += 4)
    EXPECT_EQ(bench.get<uint32_t>(kRecords + byte), 0u);
  EXPECT_TRUE(bench.takes(kControl, kStart));
  EXPECT_EQ(bench.begun.size(), 2u);
  bench.end({});
  EXPECT_EQ(bench.get<uint32_t>(kRecords + 64 + 8), 0u);
  EXPECT_TRUE(bench.takes(kControl, kAbort)) << "without a launch it is a stop";
  EXPECT_EQ(bench.read(kState), kStopped);
}

/// A device that has not answered yet when the next command comes.
TEST(HostControl, AbortsWhatHasNotBegun) {
  SHOWS(host_abort);
  Bench bench;
  bench.open(0);
  HostRegisters& page = bench.page;
  EXPECT_EQ(page.write(kDoorbell, 8, 1), HostAnswer::ok);
  EXPECT_EQ(page.next().kind, Kind::fetch);
  EXPECT_EQ(page.next().kind, Kind::none) << "each is said once";
  EXPECT_EQ(page.write(kControl, 8, kAbort), HostAnswer::ok);
  EXPECT_EQ(page.next().kind, Kind::none);
  page.fetched({.entry = kCode, .cores = 1, .tag = 9});
  const HostRequest record = page.next();
  EXPECT_EQ(record.kind, Kind::record);
  EXPECT_EQ(record.record, (isa::CompletionRecord{.tag = 9, .end = 2}));
  EXPECT_EQ(bench.read(kState), kRunning);
  page.recorded();
  EXPECT_EQ(bench.read(kState), kStopped);

  EXPECT_EQ(page.write(kCompletionRead, 8, 1), HostAnswer::ok);
  EXPECT_EQ(page.write(kControl, 8, kStart), HostAnswer::ok);
  EXPECT_EQ(page.write(kDoorbell, 8, 2), HostAnswer::ok);
  EXPECT_EQ(page.next().kind, Kind::fetch);
  page.fetched({.entry = kCode, .cores = 1, .tag = 10});
  EXPECT_EQ(page.write(kControl, 8, kAbort), HostAnswer::ok);
  EXPECT_EQ(page.next().record, (isa::CompletionRecord{.tag = 10, .end = 2}));
  EXPECT_EQ(page.write(kControl, 8, kAbort), HostAnswer::ok) << "its record is on its way";
  EXPECT_EQ(page.next().kind, Kind::none);
  page.recorded();
  EXPECT_EQ(bench.read(kCompletionCount), 2u);
}

TEST(HostControl, ResetsEverythingWhateverRuns) {
  SHOWS(host_reset);
  for (const int progress : {0, 1, 2}) {  // fetching, running, recording
    Bench bench;
    bench.open(1);
    EXPECT_TRUE(bench.takes(kInterrupt, 0x100));
    bench.describe(0, 1);
    HostRegisters& page = bench.page;
    EXPECT_EQ(page.write(kDoorbell, 8, 1), HostAnswer::ok);
    EXPECT_EQ(page.next().kind, Kind::fetch);
    if (progress > 0) page.fetched({.entry = kCode, .cores = 1});
    if (progress > 0) {
      EXPECT_EQ(page.next().kind, Kind::begin);
    }
    if (progress > 1) page.ended({});
    EXPECT_EQ(page.write(kControl, 8, kReset), HostAnswer::ok);
    EXPECT_EQ(page.next().kind, Kind::reset);
    EXPECT_EQ(page.next().kind, Kind::none);
    for (const uint64_t offset : {kState, kInterrupt, kRingBase, kRingSize, kRingHead, kDoorbell,
                                  kCompletionBase, kCompletionCount, kCompletionRead})
      EXPECT_EQ(bench.read(offset), 0u) << std::hex << offset;
    EXPECT_FALSE(page.interrupt());
    bench.open(0);
    bench.describe(0, 77);
    EXPECT_TRUE(bench.takes(kDoorbell, 1));
    bench.end({});
    EXPECT_EQ(bench.get<uint64_t>(kRecords), 77u);
  }
}

TEST(HostInterrupt, IsUpWhilePendingAndEnabled) {
  SHOWS(host_interrupt);
  Bench bench;
  bench.open(1);
  const auto complete = [&](uint64_t n) {
    bench.describe(n % 2, n);
    EXPECT_TRUE(bench.takes(kDoorbell, n + 1));
    EXPECT_TRUE(bench.takes(kCompletionRead, n));
    bench.end({});
  };
  complete(0);
  EXPECT_EQ(bench.read(kInterrupt), 1u);
  EXPECT_FALSE(bench.page.interrupt());
  EXPECT_TRUE(bench.takes(kInterrupt, 0x100));
  EXPECT_TRUE(bench.page.interrupt());
  EXPECT_TRUE(bench.takes(kInterrupt, 0x101));
  EXPECT_FALSE(bench.page.interrupt());
  EXPECT_EQ(bench.read(kInterrupt), 0x100u);
  complete(1);
  EXPECT_TRUE(bench.page.interrupt());
  EXPECT_TRUE(bench.takes(kInterrupt, 0));
  EXPECT_FALSE(bench.page.interrupt());
  EXPECT_EQ(bench.read(kInterrupt), 1u) << "disabled, and pending still";
}

TEST(HostWindows, AreTheHostsBetweenLaunches) {
  SHOWS(host_windows);
  VIOLATES(host_windows);
  Bench bench;
  bench.open(0);
  EXPECT_TRUE(bench.takes(kWindows, 1));
  bench.describe(0, 1);
  EXPECT_TRUE(bench.takes(kDoorbell, 1));
  for (uint64_t word = 0; word < 4; ++word)
    EXPECT_FALSE(bench.takes(kWindows + 8 * word, 2)) << word;
  EXPECT_EQ(bench.read(kWindows), 1u);
  EXPECT_TRUE(bench.takes(kMtime, 3)) << "time and software interrupts at any time";
  bench.end({});
  EXPECT_TRUE(bench.takes(kWindows, 2));
}

/// Any accesses, mostly near what makes sense, and a device that answers late.
class Traffic {
 public:
  explicit Traffic(uint64_t seed) : random_(seed) {
    if (below(2) == 0) bench.open(below(4));
  }

  void access() {
    const uint64_t offsets[] = {kControl,  kState,           kInterrupt,      kRingBase,
                                kRingSize, kRingHead,        kDoorbell,       kCompletionBase,
                                kDoorbell, kCompletionCount, kCompletionRead, kWindows};
    uint64_t offset = offsets[below(std::size(offsets))];
    if (below(16) == 0) offset = random_() >> below(60);
    const uint64_t values[] = {kRing, kRecords, kRing + below(256), below(20), random_()};
    uint64_t value = values[below(std::size(values))];
    if ((offset == kDoorbell || offset == kCompletionRead) && below(4) != 0)
      value = bench.read(offset) + below(3);
    if (offset == kControl) value = below(8) ? kStart << below(3) : below(32);
    const unsigned bytes = below(16) ? 8 : 1u << below(5);
    if (below(20) == 0)
      (void)bench.page.read(offset, bytes, value);
    else
      (void)bench.page.write(offset, bytes, value);
  }
  void listen() {
    for (HostRequest r = bench.page.next(); r.kind != Kind::none; r = bench.page.next()) {
      if (r.kind == Kind::reset) open_.reset();
      if (r.kind == Kind::fetch || r.kind == Kind::record) {
        ASSERT_GE(r.address, kMemory);
        ASSERT_LE(r.address, kMemory + kMemoryBytes - 64);
      }
      if (r.kind == Kind::abort) {
        ASSERT_TRUE(open_ && open_->kind == Kind::begin);
      } else if (r.kind != Kind::reset) {
        ASSERT_FALSE(open_) << "one at a time";
        open_ = r;
      }
    }
  }
  void answer() {
    if (!open_ || below(3) != 0) return;
    const Kind kind = open_->kind;
    open_.reset();
    if (kind == Kind::fetch)
      bench.page.fetched({.entry = kCode, .cores = static_cast<uint32_t>(below(6))});
    if (kind == Kind::begin) bench.page.ended({.end = static_cast<uint32_t>(below(6))});
    if (kind == Kind::record) bench.page.recorded();
    ended += kind == Kind::begin;
  }
  void check() {
    const uint64_t count = bench.read(kCompletionCount), head = bench.read(kRingHead);
    ASSERT_LE(head, bench.read(kDoorbell));
    ASSERT_LE(head - count, 1u);
    ASSERT_LE(bench.read(kCompletionRead), count);
  }

  Bench bench;
  uint64_t ended = 0;

 private:
  uint64_t below(uint64_t n) { return random_() % n; }

  std::mt19937_64 random_;
  std::optional<HostRequest> open_;  // what the device has not answered
};

TEST(HostPage, StandsRandomTraffic) {
  SHOWS(host_reset, host_order, host_room);
  const auto rounds = static_cast<uint64_t>(200 * fuzzScale());
  uint64_t ended = 0;
  for (uint64_t seed = 0; seed < rounds; ++seed) {
    Traffic traffic(seed);
    for (int step = 0; step < 400; ++step) {
      traffic.access();
      traffic.listen();
      traffic.answer();
      traffic.listen();
      traffic.check();
      if (HasFatalFailure()) return;
    }
    ended += traffic.ended;
    Bench& bench = traffic.bench;
    EXPECT_TRUE(bench.takes(kControl, kReset));
    bench.open(0);
    bench.describe(0, seed);
    EXPECT_TRUE(bench.takes(kDoorbell, 1));
    ASSERT_EQ(bench.begun.size(), 1u);
    bench.end({});
    EXPECT_EQ(bench.get<uint64_t>(kRecords), seed);
  }
  EXPECT_GT(ended, rounds) << "traffic that gets past the first check";
}

}  // namespace
}  // namespace etalon::sim
