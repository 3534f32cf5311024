// SPDX-License-Identifier: Apache-2.0
// Programs of several devices: how they start and end, every kind of access to another device, and what the model finds.
#include "sim/functional/cluster_test_support.h"
#include "sim/functional/snapshot_test_support.h"

namespace etalon::sim {
namespace {

using isa::Tile;
using isa::View;
using isa::X;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr auto kI32 = ElementType::i32;

TEST(ClusterLaunch, TellsEveryCoreWhereItIs) {
  SHOWS(launch_registers, launch_memory, csr_table);
  ClusterBuilder p;
  p.address(5, kTestData);
  p.slli(X{6}, X{8}, 6);
  p.add(X{5}, X{5}, X{6});
  for (uint8_t i = 0; i < 4; ++i) p.sd(X{static_cast<uint8_t>(11 + i)}, 8 * i, X{5});
  p.csrrs(X{7}, 0xfc4, X{0});  // etself
  p.sd(X{7}, 32, X{5});
  p.et_halt();
  ClusterRun run(p, 3);
  EXPECT_EQ(run.run(2).status, RunStatus::exited);
  for (uint64_t id = 1; id <= 3; ++id)
    for (uint64_t core = 0; core < 2; ++core)
      EXPECT_THAT((run.at<std::array<uint64_t, 5>>(ofDevice(id, kTestData + 64 * core))),
                  ElementsAre(2, 3, id, 0, id << 16 | core));
}

TEST(ClusterLaunch, EndsWhenOneDeviceExitsAndPrintsWhatAllSay) {
  SHOWS(launch_end, host_exit, host_console, host_answer);
  ClusterBuilder p;
  const auto print = [&](char character) {
    p.li(X{5}, int64_t{0x0101} << 48 | character);
    p.address(6, kTestTohost);
    p.sd(X{5}, 0, X{6});
  };
  p.on(1, [&] {
    print('a');
    p.signal(ofDevice(2, semaphoreOf(0, 0)));
    p.wait(7, 1);  // for ever
  });
  p.wait(0, 1);
  print('b');
  p.exit(7);
  ClusterRun run(p);
  const RunResult result = run.run();
  EXPECT_EQ(result.status, RunStatus::exited);
  EXPECT_EQ(result.exit_code, 7u);
  EXPECT_EQ(run.console, "ab");
  EXPECT_EQ(run.at<uint64_t>(ofDevice(1, kTestTohost)), 0u);
}

TEST(ClusterLaunch, ServesWhatADeviceStoresToTheTohostOfAnother) {
  SHOWS(host_exit);
  ClusterBuilder p;
  p.on(1, [&] {
    p.address(5, ofDevice(2, kTestTohost));
    p.li(X{6}, 9 << 1 | 1);
    p.sd(X{6}, 0, X{5});
  });
  p.wait(7, 1);
  ClusterRun run(p);
  EXPECT_EQ(run.run().exit_code, 9u);
  EXPECT_EQ(run.at<uint64_t>(ofDevice(2, kTestTohost)), 0u);
}

TEST(ClusterLaunch, RunsTheCodeThatEachDeviceHas) {
  TestBuilder p;
  p.addi(X{1}, X{0}, 3);
  p.exitWithRegister(X{1});
  ClusterRun run(p);
  const uint32_t wait = 0x0000'006f;  // j .
  ASSERT_TRUE(run.device().write(ofDevice(1, kTestEntry), std::as_bytes(std::span(&wait, 1))).ok());
  const RunResult result = run.run();
  EXPECT_EQ(result.exit_code, 3u);
}

TEST(RemoteAccess, ReachesEveryMemoryOfAnotherDeviceInEveryWay) {
  SHOWS(map_device_field, map_core_window, map_device_page, mem_amo_region, view_bounds,
        sync_signal, order_home);
  constexpr uint64_t kThere = ofDevice(2, kTestData), kRow = 0x100;
  constexpr uint64_t kLocalThere = ofDevice(2, coreWindow(1, 64));
  ClusterBuilder p;
  p.on(1, 0, [&] {
    p.address(5, kThere);
    p.li(X{6}, 40);
    p.sd(X{6}, 0, X{5});
    p.ld(X{7}, 0, X{5});
    p.amoadd_d(X{0}, X{7}, X{5});  // 80
    p.lr_d(X{7}, X{5});
    p.addi(X{7}, X{7}, 1);
    p.sc_d(X{10}, X{7}, X{5});  // 81
    p.sd(X{10}, 8, X{5});
    p.address(5, kLocalThere);
    p.sw(X{6}, 0, X{5});
    p.amoadd_w(X{0}, X{6}, X{5});
    p.address(5, ofDevice(2, semaphoreOf(1, 9)));
    p.sw(X{6}, 0, X{5});
    p.lw(X{11}, 0, X{5});

    p.store(0x100, {1, 2, 3, 4});
    p.setTile(1, denseTile(kI32, 1, 4, 0x100));
    p.setTile(2, denseTile(kI32, 1, 4, 0x300));
    p.setView(1, kThere + kRow, 4);
    p.et_st(Tile{1}, View{1}, 0);
    p.et_ld(Tile{2}, View{1}, 0);
    p.et_st_add(Tile{2}, View{1});  // twice 1 2 3 4
    p.setView(3, kLocalThere + kRow, 4);
    p.et_st(Tile{2}, View{3}, 0);
    p.et_fence();
    p.signal(ofDevice(2, semaphoreOf(0, 3)), 2);
  });
  p.on(2, 0, [&] { p.wait(3, 2); });
  p.et_halt();
  ClusterRun run(p);
  EXPECT_EQ(run.run(2).status, RunStatus::exited);
  run.expectNoFinding();
  EXPECT_EQ(run.at<uint64_t>(kThere), 81u);
  EXPECT_EQ(run.at<uint64_t>(kThere + 8), 0u) << "the store-conditional stored";
  EXPECT_EQ(run.at<uint32_t>(kLocalThere), 80u);
  EXPECT_EQ(run.device().memory().semaphores(3)[9], 40u);
  EXPECT_EQ(run.device().core(0).x(11), 40u);
  EXPECT_THAT((run.at<std::array<int32_t, 4>>(kThere + kRow)), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT((run.at<std::array<int32_t, 4>>(kLocalThere + kRow)), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(run.at<uint64_t>(kTestData), 0u) << "nothing of it at home";
}

TEST(RemoteAccess, GathersAndScattersByIndicesOfTheOwnDevice) {
  SHOWS(map_device_field, view_bounds);
  constexpr uint64_t kThere = ofDevice(2, kTestData);
  ClusterBuilder p;
  p.on(1, [&] {
    p.address(5, kThere);
    for (int i = 0; i < 4; ++i) {
      p.li(X{6}, 10 + i);
      p.sw(X{6}, 4 * i, X{5});
    }
    p.et_fence();
    p.store(0x200, {3, 1});
    p.setTile(2, denseTile(kI32, 1, 2, 0x300));
    p.setTile(3, denseTile(kI32, 1, 2, 0x200));
    p.setView(1, kThere, 4);
    p.li(X{5}, 2);
    p.et_vext(View{1}, X{5}, 0);
    p.et_gather(Tile{2}, View{1}, Tile{3}, 0, 0);  // 13 11
    p.store(0x200, {0, 2});
    p.et_scatter(Tile{2}, View{1}, Tile{3}, 0, 0);
    p.et_scatter_add(Tile{2}, View{1}, Tile{3}, 0);
  });
  p.et_halt();
  ClusterRun run(p);
  EXPECT_EQ(run.run().status, RunStatus::exited);
  run.expectNoFinding();
  EXPECT_THAT((run.at<std::array<int32_t, 4>>(kThere)), ElementsAre(26, 11, 22, 13));
}

TEST(RemoteAccess, BreaksReservationsOfOtherDevices) {
  SHOWS(map_same_bytes);
  for (const bool interferes : {false, true}) {
    ClusterBuilder p;
    p.on(1, [&] {
      p.address(5, ofDevice(2, kTestData));
      p.lr_d(X{6}, X{5});
      p.signal(ofDevice(2, semaphoreOf(0, 0)));
      p.wait(0, 1);
      p.sc_d(X{7}, X{6}, X{5});
    });
    p.on(2, [&] {
      p.wait(0, 1);
      p.address(5, kTestData + (interferes ? 4 : 8));
      p.sw(X{0}, 0, X{5});
      p.signal(ofDevice(1, semaphoreOf(0, 0)));
    });
    p.et_halt();
    ClusterRun run(p);
    EXPECT_EQ(run.run().status, RunStatus::exited);
    EXPECT_EQ(run.device().core(0).x(7), interferes ? 1u : 0u);
  }
}

TEST(Barriers, AreOfTheCoresOfOneDevice) {
  SHOWS(sync_barrier);
  ClusterBuilder p;
  p.on(2, 1, [&] { p.wait(0, 1); });  // until device 1 is through
  p.li(X{5}, -1);
  p.et_barrier(X{5}, X{5});
  p.on(1, 0, [&] { p.signal(ofDevice(2, semaphoreOf(1, 0))); });
  p.et_halt();
  ClusterRun run(p);
  EXPECT_EQ(run.run(2).status, RunStatus::exited);
}

TEST(Deadlocks, NameDevices) {
  ClusterBuilder p;
  p.on(2, 1, [&] { p.wait(5, 1); });
  p.li(X{5}, -1);
  p.et_barrier(X{5}, X{5});
  p.et_halt();
  ClusterRun run(p);
  const RunResult result = run.run(2);
  EXPECT_EQ(result.status, RunStatus::deadlock);
  ASSERT_EQ(result.stopped.size(), 2u);
  EXPECT_EQ(result.stopped[0].core, 2u);
  EXPECT_EQ(result.stopped[0].waiting, "waits at a barrier of cores 0x3 of device 2 for core 1");
  EXPECT_EQ(result.stopped[1].core, 3u);
  EXPECT_EQ(result.stopped[1].waiting,
            "waits for semaphore 5 of core 1 of device 2 to reach 1; it is 0");
}

/// Device 1 writes into device 2, which reads that, after a signal or not.
ClusterBuilder writeAndRead(bool signals) {
  ClusterBuilder p;
  p.on(1, [&] {
    p.store(0x100, {1, 2});
    p.setTile(1, denseTile(kI32, 1, 2, 0x100));
    p.setView(1, ofDevice(2, kTestData), 2);
    p.et_st(Tile{1}, View{1}, 0);
    if (signals) p.signal(ofDevice(2, semaphoreOf(0, 3)));
  });
  p.on(2, [&] {
    p.setTile(1, denseTile(kI32, 1, 2, 0x100));
    p.setView(1, kTestData, 2);
    if (signals) p.wait(3, 1);
    p.et_ld(Tile{1}, View{1}, 0);
  });
  p.et_halt();
  return p;
}

TEST(ClusterFindings, NameRacesBetweenDevices) {
  SHOWS(sync_signal, sync_wait);
  VIOLATES(sync_race);
  ClusterBuilder ordered = writeAndRead(true), racing = writeAndRead(false);
  ClusterRun good(ordered), bad(racing);
  EXPECT_EQ(good.run().status, RunStatus::exited);
  good.expectNoFinding();
  EXPECT_EQ(good.at<int32_t>(ofDevice(2, coreWindow(0, 0x104))), 2);
  EXPECT_EQ(bad.run().status, RunStatus::exited);
  ASSERT_EQ(bad.device().races().raceCount(), 1u);
  const RaceReport& race = bad.device().races().reports()[0];
  EXPECT_EQ(race.first.site.core, 0u);
  EXPECT_EQ(race.second.site.core, 2u);
  EXPECT_EQ(
      bad.device().memory().canonicalAddress(static_cast<uint16_t>(race.region.index), race.offset),
      ofDevice(2, kTestData));
  EXPECT_THAT(race.text, HasSubstr("byte 0x100000 of global memory of device 2: tile write by "
                                   "core 0 of device 1 at pc"));
  EXPECT_THAT(race.text, HasSubstr("then tile read by core 0 of device 2 at pc"));
  EXPECT_THAT(race.text, HasSubstr("order them by et.sig and et.wait, or by et.fence before"));
}

TEST(ClusterFindings, NameUnwrittenBytesOfOtherDevices) {
  ClusterBuilder p;
  p.on(2, [&] {
    p.address(5, ofDevice(1, coreWindow(1, 0x80)));
    p.ld(X{6}, 0, X{5});
  });
  p.et_halt();
  ClusterRun run(p);
  run.run();
  ASSERT_EQ(run.device().findings().uninitialisedCount(), 1u);
  const UninitialisedRead& read = run.device().findings().uninitialised()[0];
  EXPECT_EQ(read.core, 2u);
  EXPECT_EQ(read.address, ofDevice(1, coreWindow(1, 0x80)));
}

TEST(ClusterStops, SeeAccessesByAndToOtherDevices) {
  const auto stopOf = [](uint64_t watched) -> std::optional<Stop> {
    ClusterBuilder p = writeAndRead(true);
    ClusterRun run(p);
    LaunchOptions options;
    EXPECT_TRUE(run.device().start(options).ok());
    StopConditions stops;
    stops.watchpoints.push_back({.address = watched, .size = 4, .reads = false, .writes = true});
    run.device().setStops(stops);
    run.device().advance(~uint64_t{0});
    return run.device().stop();
  };
  const auto stop = stopOf(ofDevice(2, kTestData));
  ASSERT_TRUE(stop);
  EXPECT_EQ(stop->core, 0u);
  EXPECT_EQ(stop->watch.address, ofDevice(2, kTestData));
  EXPECT_FALSE(stopOf(ofDevice(1, kTestData)));
  EXPECT_FALSE(stopOf(kTestData)) << "without an id the own device of whoever accesses it";
}

TEST(ClusterSnapshots, GoOnAsIfTheyWereNotThere) {
  for (const uint64_t seed : {0, 3, 4}) {
    ClusterBuilder p = writeAndRead(seed != 4);
    ClusterRun straight(p), stopped(p);
    const Comparison comparison =
        compareThroughSnapshots(straight.device(), stopped.takeDevice(), 1, [] { return 7; }, seed);
    EXPECT_GT(comparison.snapshots, 10);
    EXPECT_EQ(comparison.result.status, RunStatus::exited);
  }
}

}  // namespace
}  // namespace etalon::sim
