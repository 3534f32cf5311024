// SPDX-License-Identifier: Apache-2.0
// Small programs, each of which needs something that no register and no byte of memory shows, through a snapshot after
// every single instruction.
#include <utility>

#include "isa/csr.h"
#include "sim/functional/snapshot_step_program.h"

namespace etalon::sim {
namespace {

using isa::Tile;
using isa::View;
using isa::X;

TEST(SnapshotAtEveryStep, KeepsReservations) {
  StepProgram p;
  p.address(X{5}, kGlobal + 8);
  p.address(X{6}, isa::kLocalWindowBase + kLocal);
  p.lr_w(X{10}, X{5});
  p.idle(2);
  p.sc_w(X{11}, X{10}, X{5});
  p.lr_d(X{10}, X{6});
  p.idle(2);
  p.sc_d(X{12}, X{10}, X{6});
  const StepRun run = runThroughSnapshots(p, 1);
  EXPECT_EQ(run.device->core(0).x(11), 0u);
  EXPECT_EQ(run.device->core(0).x(12), 0u);
}

TEST(SnapshotAtEveryStep, KeepsWhoHasArrivedAtABarrierAndWhoMayPass) {
  StepProgram p;
  for (int i = 0; i < 2; ++i) {
    p.split([&] { p.meet(); },
            [&] {
              p.idle(20);
              p.meet();
            });
    p.split(
        [&] {
          p.idle(20);
          p.meet();
        },
        [&] { p.meet(); });
  }
  EXPECT_EQ(runThroughSnapshots(p, 2).result.status, RunStatus::exited);
}

TEST(SnapshotAtEveryStep, KeepsSemaphoresAndWhatTheirSignalsOrder) {
  StepProgram p;
  p.split(
      [&] {
        p.et_st(Tile{0}, View{0}, 0);
        p.signal(1, 3);
        p.idle(5);
        p.signal(1, 3);
      },
      [&] {
        p.li(X{10}, 2);
        p.et_waitsub(X{11}, 3, X{10});
        p.et_ld(Tile{1}, View{0}, 0);
      });
  const StepRun run = runThroughSnapshots(p, 2);
  EXPECT_EQ(run.result.status, RunStatus::exited);
  EXPECT_EQ(run.device->races().raceCount(), 0u);
}

TEST(SnapshotAtEveryStep, KeepsTheOrderOfTurnsAndSignalsThatHaveNotArrived) {
  for (const uint64_t seed : {1, 2, 3}) {
    StepProgram p;
    p.split(
        [&] {
          for (unsigned s = 0; s < 6; ++s) {
            p.et_st(Tile{0}, View{0}, 0);
            p.signal(1, s);
            p.idle(30);
          }
        },
        [&] {
          p.li(X{10}, 1);
          for (int s = 0; s < 6; ++s) {
            p.et_waitsub(X{11}, s, X{10});
            p.idle(20);
          }
          p.et_ld(Tile{1}, View{0}, 0);
        });
    const StepRun run = runThroughSnapshots(p, 2, seed);
    EXPECT_EQ(run.result.status, RunStatus::exited);
    EXPECT_EQ(run.device->races().raceCount(), 0u);
  }
}

TEST(SnapshotAtEveryStep, KnowsThatACoreHasMovedWhileTheOtherWaits) {
  StepProgram p;
  p.split(
      [&] {
        p.idle(600);  // more than two turns
        p.signal(1, 0);
      },
      [&] {
        p.li(X{10}, 1);
        p.et_wait(X{11}, 0, X{10});
      });
  EXPECT_EQ(runThroughSnapshots(p, 2).result.status, RunStatus::exited);
}

TEST(SnapshotAtEveryStep, KeepsWhereAnIndexWasOutside) {
  StepProgram p;
  p.setTile(8, denseTile(ElementType::i32, StepProgram::kElements, 1, kLocal + 0x800));
  p.store(kLocal + 0x800, {0, 99, 1, 2});
  p.et_gather(Tile{2}, View{0}, Tile{8}, 0, 0);
  p.et_scatter(Tile{2}, View{0}, Tile{8}, 0, 0);
  p.setTile(9, denseTile(ElementType::i32, 1, StepProgram::kElements, kLocal + 0x800));
  p.setTile(10, denseTile(ElementType::f32, 1, StepProgram::kElements, kLocal + 0x900));
  p.setTile(11, denseTile(ElementType::f32, 1, StepProgram::kElements, kLocal));
  p.et_lgather(Tile{10}, Tile{11}, Tile{9});
  const StepRun run = runThroughSnapshots(p, 1);
  for (const uint32_t csr : {isa::csr::kEtindexld, isa::csr::kEtindexst, isa::csr::kEtindexv})
    EXPECT_NE(run.device->core(0).readCsr(csr), 0u);
}

TEST(SnapshotAtEveryStep, KeepsSeedAndStreamOfRandomNumbers) {
  StepProgram p;
  p.address(X{5}, 0x123456789abcdef0);
  p.csrrw(X{0}, isa::csr::kEtseed, X{5});
  p.csrrw(X{0}, isa::csr::kEtstream, X{5});
  p.setTile(8, denseTile(ElementType::u32, StepProgram::kElements, 1, kLocal + 0x800));
  p.et_rand_bits(Tile{8}, X{0}, X{5});
  runThroughSnapshots(p, 1);
}

TEST(SnapshotAtEveryStep, KeepsTheStoresOfASingleCoreThatNoTileInstructionHasMet) {
  StepProgram p;
  p.address(X{5}, kGlobal);
  p.sw(X{9}, 0, X{5});
  p.idle(2);
  p.sw(X{9}, 0, X{5});  // says nothing new
  p.et_ld(Tile{2}, View{0}, 0);
  p.sw(X{9}, 512, X{5});
  p.et_fence();
  p.sw(X{9}, 512, X{5});
  p.et_ld(Tile{2}, View{2}, 0);
  const StepRun run = runThroughSnapshots(p, 1);
  EXPECT_TRUE(run.device->races().singleCore());
  EXPECT_EQ(run.device->races().raceCount(), 2u);
}

// One snapshot a run: what counts fences is wrong by the same amount everywhere if each snapshot loses it.
TEST(SnapshotAtEveryStep, KeepsThePagesThatTileInstructionsOfASingleCoreMet) {
  StepProgram p;
  p.address(X{5}, kGlobal);
  p.et_fence();
  p.et_st(Tile{0}, View{0}, 0);
  p.idle(2);
  p.sw(X{9}, 0, X{5});
  p.et_fence();
  p.et_halt();
  for (uint64_t at = 1, snapshots = 1; snapshots == 1; ++at) {
    const auto straight = deviceOf(p);
    uint64_t next = at;
    snapshots = static_cast<uint64_t>(compareThroughSnapshots(*straight, deviceOf(p), 1, [&] {
                                        return std::exchange(next, ~uint64_t{0});
                                      }).snapshots);
    EXPECT_EQ(straight->races().raceCount(), 1u);
  }
}

TEST(SnapshotAtEveryStep, KeepsThatALoadCarriesAFenceToTileInstructionsOfASingleCore) {
  StepProgram p;
  p.address(X{5}, kGlobal);
  p.sw(X{9}, 0, X{5});
  p.fence(0b0001, 0b0010, X{0}, X{0});
  p.lw(X{6}, 0, X{5});
  p.et_ld(Tile{2}, View{0}, 0);
  EXPECT_EQ(runThroughSnapshots(p, 1).device->races().raceCount(), 0u);
}

TEST(SnapshotAtEveryStep, CountsARaceAndAnUnwrittenReadOfALoopOnce) {
  StepProgram p;
  p.li(X{20}, 3);
  const isa::ProgramBuilder::Label again = p.label();
  p.bind(again);
  p.et_add(Tile{0}, Tile{1}, Tile{3});  // of which nobody wrote tile 3
  p.et_st(Tile{0}, View{0}, 0);
  p.et_st_add(Tile{1}, View{1});
  p.addi(X{20}, X{20}, -1);
  p.bne(X{20}, X{0}, again);
  const StepRun run = runThroughSnapshots(p, 2);
  EXPECT_EQ(run.device->races().raceCount(), 1u);
  EXPECT_EQ(run.device->races().orderDependenceCount(), 1u);
  EXPECT_EQ(run.device->findings().uninitialisedCount(), 2u);
}

TEST(SnapshotAtEveryStep, KeepsWhichAccessAnOlderOneIsOrderedBy) {
  StepProgram p;
  p.address(X{5}, kGlobal);
  p.split(
      [&] {
        p.li(X{6}, 1);
        p.address(X{10}, isa::kLocalWindowBase + kLocal);
        p.et_add(Tile{0}, Tile{0}, Tile{1});
        p.sw(X{6}, 0, X{10});  // after the tile's write, in own local memory
        p.fence(0b0001, 0b0001, X{0}, X{0});
        p.sw(X{6}, 0, X{5});
      },
      [&] {
        const isa::ProgramBuilder::Label again = p.label();
        p.address(X{10}, isa::kCoreWindowBase + kLocal);
        p.bind(again);
        p.lw(X{6}, 0, X{5});
        p.beq(X{6}, X{0}, again);
        p.fence(0b0010, 0b0010, X{0}, X{0});
        p.lw(X{7}, 0, X{10});
      });
  EXPECT_EQ(runThroughSnapshots(p, 2).device->races().raceCount(), 0u);
}

TEST(SnapshotAtEveryStep, KeepsInWhichMemoryARaceWas) {
  StepProgram p;
  p.split([&] { p.et_add(Tile{0}, Tile{0}, Tile{1}); },
          [&] {
            p.address(X{10}, isa::kCoreWindowBase + kLocal);
            p.sw(X{9}, 0, X{10});
            p.idle(5);
          });
  const StepRun run = runThroughSnapshots(p, 2);
  ASSERT_EQ(run.device->races().raceCount(), 1u);
  EXPECT_EQ(run.device->races().reports()[0].region, MemoryRegion::local(0));
}

TEST(SnapshotAtEveryStep, KeepsEveryControlRegister) {
  StepProgram p;
  p.li(X{5}, 0x7f0);
  for (const uint32_t csr :
       {isa::csr::kMtvec, isa::csr::kMscratch, isa::csr::kMepc, isa::csr::kMcause, isa::csr::kMtval,
        isa::csr::kMie, isa::csr::kMstatus, isa::csr::kFcsr, isa::csr::kEtbar, isa::csr::kEterrst,
        isa::csr::kMcycle, isa::csr::kMinstret})
    p.csrrw(X{0}, csr, X{5});
  const StepRun run = runThroughSnapshots(p, 1);
  EXPECT_NE(run.device->core(0).readCsr(isa::csr::kMie), 0u);
}

/// A seed that passes both of two cores over in some round, so that the next round is everyone's, in which the second core
/// would be passed over otherwise.
uint64_t seedWithARoundOfEveryone() {
  for (uint64_t seed = 1;; ++seed) {
    Schedule schedule(seed, 2);
    for (int round = 0; round < 8; ++round) {
      const bool none = schedule.length(0) == 0 && schedule.length(1) == 0;
      schedule.startRound(false);
      if (none && schedule.length(0) != 0 && schedule.length(1) == 0) return seed;
    }
  }
}

TEST(SnapshotAtEveryStep, KeepsThatARoundPassesNobodyOver) {
  StepProgram p;
  p.li(X{20}, 300);
  const isa::ProgramBuilder::Label again = p.label();
  p.bind(again);
  p.addi(X{20}, X{20}, -1);
  p.bne(X{20}, X{0}, again);
  runThroughSnapshots(p, 2, seedWithARoundOfEveryone());
}

TEST(SnapshotAtEveryStep, KeepsWhatScalarFencesAndReleasesOrder) {
  StepProgram p;
  constexpr int64_t kOtherFlag = 256, kOwn = 512;
  p.address(X{5}, kGlobal + 0x800);
  p.address(X{10}, kGlobal);
  p.split(
      [&] {
        p.et_st(Tile{0}, View{0}, 0);
        p.et_fence();
        p.li(X{6}, 1);
        p.amoswap_w(X{0}, X{6}, X{5}, false, true);
        p.et_st(Tile{0}, View{1}, 0);
        p.et_fence();
        p.sw(X{6}, kOwn + 8, X{5});
        p.idle(1);
        p.sw(X{6}, kOtherFlag, X{5});  // carries what the store before did
      },
      [&] {
        const isa::ProgramBuilder::Label first = p.label(), second = p.label();
        p.bind(first);
        p.lr_w(X{6}, X{5}, true);
        p.beq(X{6}, X{0}, first);
        p.et_ld(Tile{1}, View{0}, 0);
        // What the load stands after goes by a fence to a store, from there by another to a load.
        p.bind(second);
        p.lw(X{6}, kOtherFlag, X{5});
        p.beq(X{6}, X{0}, second);
        p.fence(0b0010, 0b0001, X{0}, X{0});
        p.sw(X{6}, kOwn, X{5});
        p.fence(0b0001, 0b0010, X{0}, X{0});
        p.lw(X{7}, 256, X{10});  // what core 0's tile wrote
      });
  const StepRun run = runThroughSnapshots(p, 2);
  EXPECT_EQ(run.result.status, RunStatus::exited);
  EXPECT_EQ(run.device->races().raceCount(), 0u);
}

}  // namespace
}  // namespace etalon::sim
