// SPDX-License-Identifier: Apache-2.0
// Where memory stands, and what an access anywhere else meets.
#include <fmt/format.h>

#include "isa/state/rule_test.h"
#include "sim/functional/test_support.h"

namespace etalon::sim {
namespace {

using isa::Cause;
using isa::Rule;
using isa::X;

constexpr uint64_t kLocalBytes = 64 << 10;
constexpr uint64_t kGlobalBytes = 16 << 20;
constexpr uint64_t kPage = isa::kLocalWindowBase + kLocalBytes;
constexpr uint64_t kCore1 = isa::kCoreWindowBase + isa::kCoreWindowStride;

/// Two cores of 64 KiB, 16 MiB of global memory.
const std::vector<std::string> kMachine = {"cores=2", "local_bytes=64 KiB",
                                           "address_map.global_bytes=16 MiB"};

TEST(MemoryMap, HasBothEndsOfEveryMemory) {
  SHOWS(map_global, map_local, map_unmapped, map_core_window, mem_scalar_bounds);
  TestBuilder p;
  p.li(X{6}, 0x77);
  for (const uint64_t address : {isa::kLocalWindowBase, kPage - 8, kCore1, kCore1 + kLocalBytes - 8,
                                 isa::kGlobalRegionBase + kGlobalBytes - 8}) {
    p.li(X{5}, static_cast<int64_t>(address));
    p.sd(X{6}, 0, X{5});
  }
  // The own window and window 0 are the same bytes.
  p.li(X{5}, static_cast<int64_t>(isa::kCoreWindowBase));
  p.ld(X{7}, 0, X{5});
  p.exitWithRegister(X{7});
  TestProgram program(p, kMachine);
  EXPECT_EQ(program.run().exit_code, 0x77u);
  for (const unsigned core : {0u, 1u})
    for (const uint64_t offset : {uint64_t{0}, kLocalBytes - 8})
      EXPECT_EQ(static_cast<int>(program.device().memory().local(core).data()[offset]), 0x77);
}

TEST(MemoryMap, HasSemaphoresInDevicePages) {
  SHOWS(map_device_page, map_device_access, state_data);
  TestBuilder p;
  p.li(X{5}, static_cast<int64_t>(kPage));
  p.li(X{6}, 300);
  p.sw(X{6}, 4 * 63, X{5});
  p.et_semr(X{7}, 63);
  p.li(X{5}, static_cast<int64_t>(isa::kCoreWindowBase + kLocalBytes));
  p.lw(X{8}, 4 * 63, X{5});
  p.add(X{7}, X{7}, X{8});
  p.exitWithRegister(X{7});
  TestProgram program(p, kMachine);
  EXPECT_EQ(program.run().exit_code, 600u);
}

/// One scalar access of a program that takes no traps.
struct Outside {
  const char* name;
  uint64_t address;
  unsigned bytes;
  bool store;
  Cause cause;
};

class OutsideMemory : public testing::TestWithParam<Outside> {};

TEST_P(OutsideMemory, TrapsBeforeAnyEffect) {
  SHOWS(map_device_field, map_device_registers, host_registers);
  VIOLATES(map_unmapped, map_device_access, map_device_registers, host_registers);
  const Outside& c = GetParam();
  TestBuilder p;
  p.li(X{5}, static_cast<int64_t>(c.address));
  p.li(X{6}, 5);
  switch (c.bytes) {
    case 1: c.store ? p.sb(X{6}, 0, X{5}) : p.lb(X{6}, 0, X{5}); break;
    case 4: c.store ? p.sw(X{6}, 0, X{5}) : p.lw(X{6}, 0, X{5}); break;
    default: c.store ? p.sd(X{6}, 0, X{5}) : p.ld(X{6}, 0, X{5}); break;
  }
  TestProgram program(p, kMachine);
  EXPECT_EQ(program.run().status, RunStatus::fault);
  ASSERT_EQ(program.device().findings().faults().size(), 1u);
  const isa::Fault& fault = program.device().findings().faults()[0];
  EXPECT_EQ(fault.cause, c.cause);
  EXPECT_EQ(fault.value, c.address);
  EXPECT_EQ(program.device().memory().semaphores(0)[0], 0u);
}

constexpr Cause kLoad = Cause::load_access, kStore = Cause::store_access;
const Outside kOutside[] = {
    {"first_device_register", 0, 8, false, kLoad},
    {"last_device_register", 0x0fff'fffc, 4, true, kStore},
    {"the_hosts_control", 8, 8, true, kStore},
    {"the_hosts_doorbell", 0x58, 8, true, kStore},
    {"mtime_written", 0x1000, 8, true, kStore},
    {"half_of_mtime", 0x1000, 4, false, kLoad},
    {"mtime_misaligned", 0x1004, 8, false, kLoad},
    {"another_cores_timer", 0x1010, 8, false, kLoad},
    {"another_cores_timer_written", 0x1010, 8, true, kStore},
    {"half_of_the_own_timer", 0x1008, 4, true, kStore},
    {"two_software_interrupts", 0x2000, 8, false, kLoad},
    {"a_byte_of_a_software_interrupt", 0x2000, 1, true, kStore},
    {"a_software_interrupt_of_no_core", 0x2008, 4, true, kStore},
    {"a_host_window", 0x10118, 8, false, kLoad},
    {"behind_the_device_page", kPage + 4096, 4, false, kLoad},
    {"across_the_end_of_local_memory", kPage - 4, 8, true, kStore},
    {"before_global_memory", isa::kGlobalRegionBase - 8, 8, false, kLoad},
    {"behind_global_memory", isa::kGlobalRegionBase + kGlobalBytes, 1, true, kStore},
    {"across_the_end_of_global_memory", isa::kGlobalRegionBase + kGlobalBytes - 4, 8, false, kLoad},
    {"a_core_that_is_not_there", kCore1 + isa::kCoreWindowStride, 4, true, kStore},
    {"a_device_that_is_not_there", isa::kGlobalRegionBase | uint64_t{2} << isa::kDeviceShift, 4,
     false, kLoad},
    {"bits_above_the_device", isa::kGlobalRegionBase | uint64_t{1} << 56, 4, true, kStore},
    {"a_byte_of_a_semaphore", kPage, 1, true, kStore},
    {"two_semaphores", kPage, 8, false, kLoad},
    {"a_reserved_word_of_the_page", kPage + 4 * 64, 4, false, kLoad},
    {"a_reserved_word_of_the_page_written", kPage + 4092, 4, true, kStore},
};
INSTANTIATE_TEST_SUITE_P(MemoryMap, OutsideMemory, testing::ValuesIn(kOutside),
                         [](const auto& info) { return info.param.name; });

TEST(MemoryMap, HasCodeInGlobalMemoryAlone) {
  SHOWS(mem_fetch_bounds);
  VIOLATES(mem_fetch_bounds);
  for (const uint64_t target : {isa::kLocalWindowBase, uint64_t{0}, kTestData}) {
    TestBuilder p;
    p.li(X{5}, static_cast<int64_t>(target));
    p.jalr(X{0}, 0, X{5});
    TestProgram program(p, kMachine);
    // jalr x0, 8(x0) at kTestData: it runs, and goes to an address without memory.
    EXPECT_TRUE(
        program.device().write(kTestData, std::as_bytes(std::span("\x67\0\x80\0", 4))).ok());
    EXPECT_EQ(program.run().status, RunStatus::fault);
    const isa::Fault& fault = program.device().findings().faults()[0];
    EXPECT_EQ(fault.cause, Cause::fetch_access);
    EXPECT_EQ(fault.rule, Rule::mem_fetch_bounds);
    EXPECT_EQ(fault.pc, target == kTestData ? 8 : target);
  }
}

}  // namespace
}  // namespace etalon::sim
