// SPDX-License-Identifier: Apache-2.0
// Addresses that name devices: which bytes they are, which are none, and how reports write them.
#include "sim/functional/cluster_test_support.h"

namespace etalon::sim {
namespace {

using isa::Cause;
using isa::Rule;
using isa::Tile;
using isa::View;
using isa::X;
using testing::HasSubstr;

constexpr unsigned kDevices = 3;

isa::Machine clusterMachine(std::vector<std::string> overrides = {}) {
  overrides.insert(overrides.end(), kClusterMachine.begin(), kClusterMachine.end());
  return *isa::openMachine("functional64", overrides);
}

/// What an address is to core 1 of device 2, in words.
class Map : public testing::Test {
 protected:
  std::string whose(uint64_t address) {
    if (const auto word = memory_->findDeviceWord(kAgent, address))
      return "semaphore " + std::to_string(word->semaphore) + " of agent " +
             std::to_string(word->agent);
    if (memory_->inDevicePage(kAgent, address)) return "reserved";
    const auto place = memory_->find(kAgent, address, 8);
    if (!place) return "none";
    EXPECT_EQ(place->offset, 64u);
    for (unsigned device = 0; device < kDevices; ++device)
      if (place->region == &memory_->global(device)) return "global " + std::to_string(device);
    for (unsigned agent = 0; agent < 2 * kDevices; ++agent)
      if (place->region == &memory_->local(agent)) return "local " + std::to_string(agent);
    return "unknown";
  }

  static constexpr unsigned kAgent = 3;
  std::unique_ptr<Memory> memory_ = *Memory::create(clusterMachine(), Values::computed, kDevices);
};

TEST_F(Map, NamesTheMemoriesOfEveryDevice) {
  SHOWS(map_device_field, map_core_window, map_global, map_local, map_device_page, map_unmapped);
  constexpr uint64_t kGlobal = isa::kGlobalRegionBase + 64, kOwn = isa::kLocalWindowBase + 64;
  EXPECT_EQ(whose(kGlobal), "global 1");
  EXPECT_EQ(whose(ofDevice(1, kGlobal)), "global 0");
  EXPECT_EQ(whose(ofDevice(2, kGlobal)), "global 1");
  EXPECT_EQ(whose(ofDevice(3, kGlobal)), "global 2");
  EXPECT_EQ(whose(ofDevice(4, kGlobal)), "none");
  EXPECT_EQ(whose(ofDevice(255, kGlobal)), "none");
  EXPECT_EQ(whose(ofDevice(0x101, kGlobal)), "none") << "bits 63:56 are 0";

  EXPECT_EQ(whose(kOwn), "local 3");
  EXPECT_EQ(whose(ofDevice(2, kOwn)), "local 3");
  EXPECT_EQ(whose(ofDevice(1, kOwn)), "none") << "no core of another device is the own one";
  EXPECT_EQ(whose(coreWindow(0, 64)), "local 2");
  EXPECT_EQ(whose(ofDevice(2, coreWindow(1, 64))), "local 3");
  EXPECT_EQ(whose(ofDevice(1, coreWindow(1, 64))), "local 1");
  EXPECT_EQ(whose(ofDevice(3, coreWindow(0, 64))), "local 4");
  EXPECT_EQ(whose(ofDevice(3, coreWindow(2, 64))), "none");

  EXPECT_EQ(whose(semaphoreOf(0, 5)), "semaphore 5 of agent 2");
  EXPECT_EQ(whose(isa::kLocalWindowBase + kClusterLocalBytes), "semaphore 0 of agent 3");
  EXPECT_EQ(whose(ofDevice(3, semaphoreOf(1, 63))), "semaphore 63 of agent 5");
  EXPECT_EQ(whose(ofDevice(3, semaphoreOf(1, 64))), "reserved");
  EXPECT_EQ(whose(ofDevice(1, isa::kLocalWindowBase + kClusterLocalBytes)), "none");
  EXPECT_EQ(whose(ofDevice(1, 64)), "none") << "a device register";
}

TEST_F(Map, HasOneCanonicalAddressOfEachByteForEveryone) {
  SHOWS(map_same_bytes);
  std::set<uint64_t> addresses;
  const auto check = [&](Region& region) {
    const uint64_t address = memory_->canonicalAddress(region.id, 64);
    addresses.insert(address);
    for (unsigned agent = 0; agent < 2 * kDevices; ++agent) {
      const auto place = memory_->find(agent, address, 1);
      ASSERT_TRUE(place && place->region == &region && place->offset == 64);
    }
  };
  for (unsigned device = 0; device < kDevices; ++device) check(memory_->global(device));
  for (unsigned agent = 0; agent < 2 * kDevices; ++agent) check(memory_->local(agent));
  EXPECT_EQ(addresses.size(), 3 * kDevices);
}

TEST(Cluster, IsOfOneToSixteenDevicesThatAreJoined) {
  SHOWS(map_device_field);
  const auto refusal = [](const isa::Machine& machine, unsigned devices) {
    const auto made = FunctionalDevice::create(machine, {}, Values::computed, devices);
    return made.ok() ? "accepted" : made.error().message;
  };
  EXPECT_EQ(refusal(clusterMachine(), 16), "accepted");
  EXPECT_EQ(refusal(clusterMachine(), 17), "17 devices asked for; a cluster has 1 to 16");
  EXPECT_EQ(refusal(clusterMachine(), 0), "0 devices asked for; a cluster has 1 to 16");
  EXPECT_EQ(refusal(clusterMachine({"profiles=Et-base"}), 1), "accepted");
  EXPECT_THAT(refusal(clusterMachine({"profiles=Et-base"}), 2),
              HasSubstr("has no links to others (profile Et-net): choose one that has"));
}

/// Fault of a load from an address by device 1 of two.
isa::Fault faultOfLoad(uint64_t address) {
  ClusterBuilder p;
  p.on(1, [&] {
    p.address(5, address);
    p.ld(X{6}, 0, X{5});
  });
  p.et_halt();
  return ClusterRun(p).fault();
}

TEST(UnmappedDevices, TrapInScalarAccesses) {
  SHOWS(map_device_field);
  VIOLATES(map_unmapped, mem_scalar_bounds);
  const uint64_t address = ofDevice(3, kTestData);
  const isa::Fault fault = faultOfLoad(address);
  EXPECT_EQ(fault.cause, Cause::load_access);
  EXPECT_EQ(fault.value, address);
  EXPECT_THAT(fault.detail, HasSubstr("bits 63:48 are 3: there are devices 1 to 2, and 0 is"));
  EXPECT_EQ(faultOfLoad(ofDevice(256, kTestData)).cause, Cause::load_access);
  EXPECT_EQ(faultOfLoad(ofDevice(2, isa::kLocalWindowBase)).cause, Cause::load_access);
}

TEST(UnmappedDevices, TrapInViewsAndSignals) {
  VIOLATES(view_bounds, sync_signal);
  ClusterBuilder view, signal;
  view.setTile(1, denseTile(ElementType::i32, 1, 2, 0));
  view.setView(1, ofDevice(3, kTestData), 2);
  view.et_ld(Tile{1}, View{1}, 0);
  const isa::Fault of_view = ClusterRun(view).fault();
  EXPECT_EQ(of_view.cause, Cause::global_access);
  EXPECT_EQ(of_view.rule, Rule::view_bounds);
  EXPECT_THAT(of_view.detail, HasSubstr("there are devices 1 to 2"));
  signal.signal(ofDevice(3, semaphoreOf(0, 1)));
  const isa::Fault of_signal = ClusterRun(signal).fault();
  EXPECT_EQ(of_signal.cause, Cause::global_access);
  EXPECT_EQ(of_signal.rule, Rule::sync_signal);
}

TEST(UnmappedDevices, AreAllThatAMachineWithoutLinksCanName) {
  SHOWS(map_device_field);
  TestBuilder p;
  p.li(X{5}, static_cast<int64_t>(ofDevice(1, kTestData)));
  p.ld(X{6}, 0, X{5});
  TestProgram program(p, {"cores=1", "profiles=Et-base"});
  EXPECT_EQ(program.run().status, RunStatus::fault);
  EXPECT_THAT(
      program.device().findings().faults()[0].detail,
      HasSubstr("bits 63:48 are 1: they name a device only on a machine with profile Et-net"));
}

TEST(OwnDevice, IsNamedByItsIdAndByNone) {
  SHOWS(map_device_field, map_same_bytes, launch_registers);
  TestBuilder p;
  p.slli(X{5}, X{13}, isa::kDeviceShift);
  p.li(X{6}, static_cast<int64_t>(kTestData));
  p.add(X{5}, X{5}, X{6});
  p.li(X{7}, 21);
  p.sd(X{7}, 0, X{5});
  p.ld(X{8}, 0, X{6});
  p.exitWithRegister(X{8});
  TestProgram lone(p);
  EXPECT_EQ(lone.run().exit_code, 21u);
}

TEST(Code, IsFetchedByPlainAddressesAlone) {
  SHOWS(mem_fetch_bounds);
  VIOLATES(mem_fetch_bounds);
  for (const uint64_t id : {1, 2}) {
    ClusterBuilder p;
    p.on(1, [&] {
      p.address(5, ofDevice(id, kTestEntry));
      p.jalr(X{0}, 0, X{5});
    });
    p.et_halt();
    const isa::Fault fault = ClusterRun(p).fault();
    EXPECT_EQ(fault.cause, Cause::fetch_access);
    EXPECT_EQ(fault.rule, Rule::mem_fetch_bounds);
    EXPECT_EQ(fault.value, ofDevice(id, kTestEntry));
  }
}

TEST(Buffers, StandAtOneAddressOnEveryDevice) {
  TestBuilder p;
  p.et_halt();
  ClusterRun run(p);
  const uint64_t address = *run.device().allocate(8);
  EXPECT_EQ(address >> isa::kDeviceShift, 0u);
  for (const uint64_t id : {1, 2})
    ASSERT_TRUE(run.device().write(ofDevice(id, address), std::as_bytes(std::span(&id, 1))).ok());
  EXPECT_EQ(run.at<uint64_t>(ofDevice(1, address)), 1u);
  EXPECT_EQ(run.at<uint64_t>(ofDevice(2, address)), 2u);
  EXPECT_EQ(run.at<uint64_t>(address), 1u) << "without an id the first device's";
  const auto halt = run.at<uint32_t>(ofDevice(1, kTestEntry));
  EXPECT_NE(halt, 0u);
  EXPECT_EQ(run.at<uint32_t>(ofDevice(2, kTestEntry)), halt) << "the image is on each";
  ASSERT_TRUE(run.device().release(address).ok());
  for (const unsigned device : {0u, 1u}) {
    Region& global = run.device().memory().global(device);
    EXPECT_FALSE(global.init.allSet(address - isa::kGlobalRegionBase, 8));
  }
}

}  // namespace
}  // namespace etalon::sim
