// SPDX-License-Identifier: Apache-2.0
// Launches that begin at another core than 0, of a program that was not the last one loaded.
#include "isa/state/rule_test.h"
#include "sim/functional/vector_test_support.h"

namespace etalon::sim {
namespace {

using isa::Tile;
using isa::View;
using isa::X;

constexpr X kHart{27};
constexpr uint64_t kViewImage = kTestData + 0x8000;

LaunchOptions onCores(unsigned first, unsigned cores) {
  LaunchOptions options;
  options.first_core = first;
  options.cores = cores;
  options.instruction_limit = 100'000;
  return options;
}

uint64_t wordAt(FunctionalDevice& device, uint64_t address) {
  uint64_t word = 0;
  EXPECT_TRUE(device.read(address, std::as_writable_bytes(std::span(&word, 1))).ok());
  return word;
}

TEST(LaunchOnSomeCores, TellsThemWhoTheyAre) {
  SHOWS(launch_registers, host_descriptor);
  TestBuilder p;
  p.csrrs(kHart, 0xf14, X{0});
  p.slli(X{6}, kHart, 5);
  p.li(X{7}, static_cast<int64_t>(kTestData));
  p.add(X{6}, X{6}, X{7});
  p.sd(X{11}, 0, X{6});
  p.sd(X{14}, 8, X{6});
  p.sd(kHart, 16, X{6});
  p.et_halt();
  TestProgram program(p);
  EXPECT_EQ(program.launch(onCores(2, 3)).status, RunStatus::exited);
  for (uint64_t core = 0; core < 6; ++core) {
    const bool launched = core >= 2 && core < 5;
    const uint64_t at = kTestData + 32 * core;
    EXPECT_EQ(wordAt(program.device(), at), launched ? 3u : 0u);
    EXPECT_EQ(wordAt(program.device(), at + 8), launched ? 2u : 0u);
    EXPECT_EQ(wordAt(program.device(), at + 16), launched ? core : 0u);
    EXPECT_EQ(program.device().core(static_cast<unsigned>(core)).retired() != 0, launched);
  }
}

TEST(LaunchOnSomeCores, IsRefusedBeyondTheMachine) {
  TestBuilder p;
  p.et_halt();
  TestProgram program(p);
  EXPECT_TRUE(program.device().launch(onCores(60, 4)).ok());
  for (const auto& [first, cores] : {std::pair{61u, 4u}, {64u, 1u}, {~0u, 2u}, {0u, 65u}, {3u, 0u}})
    EXPECT_FALSE(program.device().launch(onCores(first, cores)).ok()) << first << " " << cores;
}

struct Meeting {
  int64_t mask, group;
  RunStatus status;
};

TEST(LaunchOnSomeCores, MeetsByCoreNumbers) {
  SHOWS(sync_barrier, sync_barrier_self);
  VIOLATES(sync_barrier_self);
  for (const Meeting& m :
       {Meeting{-1, -1, RunStatus::exited}, Meeting{0b1100, 0, RunStatus::exited},
        Meeting{0b0011, 0, RunStatus::fault}, Meeting{0b1101, 0, RunStatus::fault},
        Meeting{0b11100, 0, RunStatus::fault}}) {
    // The first core stores before the barrier, the second one loads behind it.
    TestBuilder p;
    const auto second = p.label(), end = p.label();
    p.csrrs(kHart, 0xf14, X{0});
    p.li(X{5}, static_cast<int64_t>(kTestData));
    p.li(X{6}, m.mask);
    p.li(X{7}, m.group);
    p.bne(kHart, X{14}, second);
    p.li(X{8}, 77);
    p.sd(X{8}, 0, X{5});
    p.et_barrier(X{6}, X{7});
    p.jal(X{0}, end);
    p.bind(second);
    p.et_barrier(X{6}, X{7});
    p.ld(X{9}, 0, X{5});
    p.sd(X{9}, 8, X{5});
    p.bind(end);
    p.et_halt();
    TestProgram program(p);
    EXPECT_EQ(program.launch(onCores(2, 2)).status, m.status) << m.mask;
    if (m.status == RunStatus::exited) {
      EXPECT_EQ(wordAt(program.device(), kTestData + 8), 77u);
    } else {
      EXPECT_EQ(program.device().findings().faults()[0].cause, isa::Cause::shape);
    }
  }
}

TEST(LaunchOnSomeCores, HasItsRacesReportedByCoreNumbers) {
  SHOWS(sync_race);
  VIOLATES(sync_race);
  VectorBuilder p;
  isa::ViewDescriptor view;
  view.base = kTestData;
  view.type = static_cast<uint8_t>(ElementType::i32);
  std::array<std::byte, isa::kViewImageBytes> image;
  isa::storeViewImage(view, image);
  p.li(X{31}, static_cast<int64_t>(kViewImage));
  p.et_vld(View{1}, X{31});
  p.setTile(1, denseTile(ElementType::i32, 1, 1, 0x1000));
  p.store(0x1000, {7});
  p.et_st(Tile{1}, View{1}, 0);
  p.et_halt();
  TestProgram program(p);
  ASSERT_TRUE(program.device().write(kViewImage, image).ok());
  program.launch(onCores(5, 2));
  ASSERT_EQ(program.device().races().raceCount(), 1u);
  const RaceReport& race = program.device().races().reports()[0];
  EXPECT_EQ(race.first.site.core, 5u);
  EXPECT_EQ(race.second.site.core, 6u);
}

TEST(LaunchOnSomeCores, SignalsByCoreNumbers) {
  SHOWS(sync_signal);
  // The second core waits for a signal of the first to semaphore 3 of core 7.
  TestBuilder p;
  const auto second = p.label();
  p.csrrs(kHart, 0xf14, X{0});
  p.li(X{6}, 1);
  p.bne(kHart, X{14}, second);
  const auto machine = isa::openMachine("functional64", {});
  p.li(X{5}, static_cast<int64_t>(isa::kCoreWindowBase + 7 * isa::kCoreWindowStride +
                                  machine->local_bytes + 4 * 3));
  p.et_sig(X{5}, X{6});
  p.et_halt();
  p.bind(second);
  p.et_wait(X{0}, 3, X{6});
  p.et_halt();
  for (const uint64_t seed : {0, 5}) {
    TestBuilder q = p;
    TestProgram program(q);
    LaunchOptions options = onCores(6, 2);
    options.seed = seed;
    EXPECT_EQ(program.launch(options).status, RunStatus::exited);
  }
}

TEST(LaunchOnSomeCores, GoesOnFromASnapshot) {
  // Each core counts down, then they meet; the second one tells the sum of what both stored.
  const auto build = [](TestBuilder& p) {
    const auto loop = p.label(), second = p.label();
    p.csrrs(kHart, 0xf14, X{0});
    p.li(X{6}, 900);
    p.bind(loop);
    p.addi(X{6}, X{6}, -1);
    p.bne(X{6}, X{0}, loop);
    p.li(X{5}, static_cast<int64_t>(kTestData));
    p.li(X{7}, -1);
    p.amoadd_d(X{6}, kHart, X{5});
    p.et_barrier(X{7}, X{7});
    p.bne(kHart, X{14}, second);
    p.et_halt();
    p.bind(second);
    p.ld(X{6}, 0, X{5});
    p.exitWithRegister(X{6});
  };
  for (const uint64_t seed : {0, 3}) {
    TestBuilder p;
    build(p);
    TestProgram program(p);
    LaunchOptions options = onCores(62, 2);
    options.seed = seed;
    ASSERT_TRUE(program.device().start(options).ok());
    ASSERT_FALSE(program.device().advance(1000).has_value());
    std::vector<std::byte> bytes;
    const auto keep = [&](std::span<const std::byte> piece) {
      bytes.insert(bytes.end(), piece.begin(), piece.end());
      return Status();
    };
    ASSERT_TRUE(program.device().snapshot(keep, "").ok());
    auto restored = FunctionalDevice::restore(program.device().machine(), {}, bytes, {});
    ASSERT_TRUE(restored.ok()) << restored.error().message;
    for (FunctionalDevice* device : {&program.device(), restored->device.get()}) {
      const auto result = device->advance(1'000'000);
      ASSERT_TRUE(result.has_value());
      EXPECT_EQ(result->status, RunStatus::exited);
      EXPECT_EQ(result->exit_code, 62u + 63u);
      EXPECT_EQ(device->races().raceCount(), 0u);
    }
  }
}

TEST(LaunchOfAProgram, RunsItWithItsOwnWords) {
  SHOWS(host_exit, host_console, host_descriptor);
  // An image that halts is loaded last; the program stands elsewhere, with another tohost.
  constexpr uint64_t kOther = 0x8020'0000, kOtherTohost = kTestData + 0x40;
  TestBuilder halt, other;
  halt.et_halt();
  TestProgram program(halt);
  other.li(X{2}, static_cast<int64_t>(kOtherTohost));
  other.li(X{1}, static_cast<int64_t>(uint64_t{0x0101} << 48 | 'k'));
  other.sd(X{1}, 0, X{2});
  other.li(X{1}, 21 << 1 | 1);
  other.sd(X{1}, 0, X{2});
  const auto words = other.finish();
  ASSERT_TRUE(words.ok());
  ASSERT_TRUE(program.device().write(kOther, std::as_bytes(std::span(*words))).ok());
  LaunchOptions options = onCores(1, 1);
  options.program = {kOther, kOtherTohost, std::nullopt};
  std::string console;
  options.console = [&](std::string_view text) { console += text; };
  const RunResult result = program.launch(options);
  EXPECT_EQ(result.status, RunStatus::exited);
  EXPECT_EQ(result.exit_code, 21u);
  EXPECT_EQ(console, "k");
}

}  // namespace
}  // namespace etalon::sim
