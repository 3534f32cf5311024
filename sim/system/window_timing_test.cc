// SPDX-License-Identifier: Apache-2.0
// Windows cost no time, and what they lead to is where it would be without them.
#include "isa/state/rule_test.h"
#include "sim/functional/cluster_test_support.h"
#include "sim/system/timed_test_support.h"

namespace etalon::sim {
namespace {

using isa::X;
namespace right = isa::right;

/// Loads, stores, atomics, DMA and fences on 4 KiB at `data`, and a loop whose code lies `code` from where the image has it.
ClusterBuilder program(uint64_t data, uint64_t code) {
  ClusterBuilder p;
  auto loop = p.label();
  p.address(5, data);
  p.li(X{6}, 5);
  p.setTile(0, denseTile(ElementType::i32, 4, 64, 0));
  p.setTile(1, denseTile(ElementType::i32, 4, 64, 0x1000));
  p.setView(0, data + 0x400, 256);
  p.setView(1, data + 0x800, 256);
  p.setTile(0, denseTile(ElementType::i32, 1, 256, 0));
  p.setTile(1, denseTile(ElementType::i32, 1, 256, 0x1000));
  p.la(X{7}, loop);
  p.address(10, code);
  p.add(X{7}, X{7}, X{10});
  p.jalr(X{0}, 0, X{7});
  p.bind(loop);
  p.ld(X{11}, 0, X{5});
  p.add(X{11}, X{11}, X{6});
  p.sd(X{11}, 0, X{5});
  p.fence(3, 3, X{0}, X{0});
  p.amoadd_d(X{12}, X{11}, X{5});
  p.et_ld(isa::Tile{0}, isa::View{0}, 0);
  p.et_add(isa::Tile{1}, isa::Tile{0}, isa::Tile{0});
  p.et_st(isa::Tile{1}, isa::View{1}, 0);
  p.et_fence_v(isa::View{1});
  p.lw(X{13}, 0, X{5});
  p.addi(X{6}, X{6}, -1);
  p.bne(X{6}, X{0}, loop);
  p.et_fence();
  p.et_halt();
  return p;
}

struct WindowRun {
  Cycles time = 0;
  std::vector<uint64_t> data;
};
WindowRun runWith(uint64_t data, uint64_t code, std::initializer_list<isa::Window> windows) {
  ClusterBuilder p = program(data, code);
  TimedProgram timed(p);
  std::vector<int32_t> values(256);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int32_t>(i);
  EXPECT_TRUE(timed.device().write(kTestData + 0x400, std::as_bytes(std::span(values))).ok());
  unsigned index = 0;
  for (const isa::Window& window : windows) timed.device().setWindow(0, index++, window);
  const TimedTestResult result = timed.run();
  EXPECT_EQ(result.end.status, RunStatus::exited);
  for (const isa::Fault& fault : timed.device().findings().faults()) ADD_FAILURE() << fault.detail;
  WindowRun run{result.end.time, std::vector<uint64_t>(512)};
  EXPECT_TRUE(timed.device().read(kTestData, std::as_writable_bytes(std::span(run.data))).ok());
  return run;
}

TEST(TimedWindows, CostNothing) {
  SHOWS(window_meaning);
  constexpr uint8_t kData = right::read | right::write;
  const WindowRun plain = runWith(kTestData, 0, {});
  EXPECT_GT(plain.time, 1000u);
  EXPECT_NE(plain.data[0x800 / 8 + 1], 0u);
  const auto expectPlain = [&](const WindowRun& run) {
    EXPECT_EQ(run.time, plain.time);
    EXPECT_EQ(run.data, plain.data);
  };
  const isa::Window code{kTestEntry, 0x1000, 0, right::execute, 0};
  expectPlain(runWith(kTestData, 0, {code, {kTestData, 0x1000, 0, kData, 0}}));
  // Elsewhere: the program differs in the constants that it loads, which are as long.
  constexpr uint64_t kAway = 0x2000'0000;
  expectPlain(runWith(kTestData + kAway, 0, {code, {kTestData + kAway, 0x1000, -kAway, kData, 0}}));
}

TEST(TimedWindows, MoveCodeToo) {
  SHOWS(window_meaning);
  constexpr uint64_t kAway = 0x1000'0000;
  const WindowRun plain = runWith(kTestData, 0, {});
  const WindowRun moved = runWith(kTestData, kAway,
                                  {{kTestEntry, 0x1000, 0, right::execute, 0},
                                   {kTestEntry + kAway, 0x1000, -kAway, right::execute, 0},
                                   {kTestData, 0x1000, 0, right::read | right::write, 0}});
  EXPECT_EQ(moved.data, plain.data);
  EXPECT_LE(moved.time, plain.time + 64) << "lines are cached by where they are, not by their name";
}

TEST(TimedWindows, TrapWhereTheFunctionalModelTraps) {
  VIOLATES(window_access);
  for (const bool view : {false, true}) {
    ClusterBuilder p;
    p.setTile(0, denseTile(ElementType::i32, 1, 8, 0));
    p.setView(0, kTestData, 8);
    p.address(5, kTestData);
    view ? p.et_ld(isa::Tile{0}, isa::View{0}, 0) : p.ld(X{6}, 0, X{5});
    p.et_halt();
    TimedProgram timed(p);
    timed.device().setWindow(0, 7, {kTestEntry, 0x1000, 0, right::execute, 0});
    EXPECT_EQ(timed.run().end.status, RunStatus::fault);
    EXPECT_EQ(timed.device().findings().faults().at(0).rule, isa::Rule::window_access);
  }
}

}  // namespace
}  // namespace etalon::sim
