// SPDX-License-Identifier: Apache-2.0
// Windows of cores: what they let through, where that comes out, and what they refuse.
#include "sim/functional/cluster_test_support.h"

namespace etalon::sim {
namespace {

using isa::Cause;
using isa::Rule;
using isa::Window;
using isa::X;
namespace right = isa::right;
using testing::HasSubstr;

constexpr uint64_t kSeen = 0x5000'0000;  // where programs see kTestData
constexpr uint64_t kBytes = 0x1000;
constexpr Window kCode{kTestEntry, 0x10000, 0, right::execute, 0};
constexpr Window kHost{kTestTohost, 8, 0, right::read | right::write, 0};

Window dataWindow(uint8_t rights, uint8_t device = 0) {
  return {kSeen, kBytes, kTestData - kSeen, rights, device};
}

class WindowedRun : public ClusterRun {
 public:
  explicit WindowedRun(isa::ProgramBuilder& p, unsigned devices = 1) : ClusterRun(p, devices) {}
  /// Core 0 has its code and tohost, and these windows.
  void confine(std::initializer_list<Window> windows, unsigned agent = 0) {
    unsigned i = 0;
    device().setWindow(agent, i++, kCode);
    device().setWindow(agent, i++, kHost);
    for (const Window& window : windows) device().setWindow(agent, i++, window);
  }
};

TEST(Windows, MoveWhatACoreSees) {
  SHOWS(window_access, window_meaning);
  ClusterBuilder p;
  p.address(5, kSeen);
  p.li(X{6}, 77);
  p.sd(X{6}, 0, X{5});
  p.sw(X{6}, kBytes / 2 - 4, X{5});
  p.address(7, kSeen + kBytes - 8);
  p.amoadd_d(X{0}, X{6}, X{7});
  p.lr_d(X{10}, X{7});
  p.sc_d(X{11}, X{6}, X{7});
  p.lw(X{12}, 0, X{5});
  p.exit(3);
  WindowedRun run(p);
  run.confine({dataWindow(right::read | right::write)});
  EXPECT_EQ(run.run().exit_code, 3u);
  EXPECT_EQ(run.at<uint64_t>(kTestData), 77u);
  EXPECT_EQ(run.at<uint32_t>(kTestData + kBytes / 2 - 4), 77u);
  EXPECT_EQ(run.at<uint64_t>(kTestData + kBytes - 8), 77u);
  EXPECT_EQ(run.device().core(0).x(10), 77u);
  EXPECT_EQ(run.device().core(0).x(11), 0u);
  EXPECT_EQ(run.device().core(0).x(12), 77u);
  EXPECT_EQ(run.run().exit_code, 3u) << "a launch keeps them";
  for (unsigned i = 0; i < isa::Windows::kCount; ++i) run.device().setWindow(0, i, {});
  EXPECT_EQ(run.fault().cause, Cause::store_access) << "without any, there is nothing at kSeen";
}

TEST(Windows, MoveViewsAndSignals) {
  SHOWS(window_access, window_meaning, window_view);
  ClusterBuilder p;
  p.setTile(0, denseTile(ElementType::i32, 1, 8, 0));
  p.setView(0, kSeen, 8);
  p.setView(1, kSeen + 64, 8);
  p.et_ld(isa::Tile{0}, isa::View{0}, 0);
  p.et_st(isa::Tile{0}, isa::View{1}, 0);
  p.et_st_add(isa::Tile{0}, isa::View{1});
  p.et_fence_v(isa::View{1});
  p.signal(0x6000'0000, 5);
  p.exit(0);
  WindowedRun run(p);
  run.confine({dataWindow(right::read | right::write),
               {0x6000'0000, 4, semaphoreOf(1, 3) - 0x6000'0000, right::write, 0}});
  const std::vector<int32_t> values{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_TRUE(run.device().write(kTestData, std::as_bytes(std::span(values))).ok());
  EXPECT_EQ(run.run().status, RunStatus::exited);
  run.expectNoFinding();
  for (uint64_t i = 0; i < 8; ++i)
    EXPECT_EQ(run.at<int32_t>(kTestData + 64 + 4 * i), 2 * values[i]);
  EXPECT_EQ(run.device().memory().semaphores(1)[3], 5u);
}

TEST(Windows, MoveCode) {
  SHOWS(window_access, window_meaning);
  constexpr uint64_t kAlias = 0x7000'0044;  // not by whole pages
  ClusterBuilder p;
  auto there = p.label(), next = p.label();
  p.address(5, kAlias - kTestEntry);
  p.la(X{6}, there);
  p.add(X{6}, X{6}, X{5});
  p.jalr(X{0}, 0, X{6});
  p.word(0);
  p.bind(there);
  p.jal(X{7}, next);
  p.word(0);
  p.bind(next);
  p.exit(4);
  WindowedRun run(p);
  run.confine({{kAlias, 0x1000, kTestEntry - kAlias, right::execute, 0}});
  EXPECT_EQ(run.run().exit_code, 4u);
  EXPECT_EQ(run.device().core(0).x(7), run.device().core(0).x(6) + 4) << "pc as the program has it";
}

TEST(Windows, LeaveACoreItsOwnLocalMemoryAndDevicePage) {
  SHOWS(window_access);
  ClusterBuilder p;
  p.li(X{6}, 9);
  for (const uint64_t page : {isa::kLocalWindowBase, coreWindow(0, 0)}) {
    p.address(5, page + 64);
    p.sd(X{6}, 0, X{5});
    p.address(5, page + kClusterLocalBytes + 8);
    p.sw(X{6}, 0, X{5});
    p.signal(page + kClusterLocalBytes + 8);
  }
  p.setTile(0, denseTile(ElementType::i32, 1, 8, 0));
  p.setView(0, isa::kLocalWindowBase + 64, 2);
  p.setTile(1, denseTile(ElementType::i32, 1, 2, 256));
  p.et_ld(isa::Tile{1}, isa::View{0}, 0);
  p.exit(0);
  WindowedRun run(p);
  run.confine({});
  EXPECT_EQ(run.run().status, RunStatus::exited);
  EXPECT_EQ(run.device().memory().semaphores(0)[2], 10u);
}

TEST(Windows, CountInOrderAndFromTheFirstThatHasTheAccess) {
  SHOWS(window_meaning);
  ClusterBuilder p;
  p.address(5, kSeen);
  p.ld(X{6}, 0, X{5});
  p.ld(X{7}, 16, X{5});
  p.sd(X{6}, 8, X{5});
  p.exit(0);
  WindowedRun run(p);
  run.confine({{kSeen, 16, kTestData + 0x100 - kSeen, right::read, 0},
               {kSeen, 32, kTestData + 0x200 - kSeen, right::read | right::write, 0}});
  const std::vector<uint64_t> values{1, 2, 3, 4};
  EXPECT_TRUE(run.device().write(kTestData + 0x100, std::as_bytes(std::span(values))).ok());
  EXPECT_TRUE(run.device().write(kTestData + 0x200, std::as_bytes(std::span(values))).ok());
  EXPECT_EQ(run.run().status, RunStatus::exited);
  EXPECT_EQ(run.device().core(0).x(6), 1u);
  EXPECT_EQ(run.device().core(0).x(7), 3u) << "the first one ends before it";
  EXPECT_EQ(run.at<uint64_t>(kTestData + 0x208), 1u) << "the first one may not be written";
  EXPECT_EQ(run.at<uint64_t>(kTestData + 0x108), 2u);
}

/// One access that no window has; the windows: `rights` on kSeen, and next to it the same again.
struct Refused {
  const char* name;
  uint8_t rights;
  Cause cause;
  void (*access)(ClusterBuilder&);
  const char* said;
};
class RefusedAccess : public testing::TestWithParam<Refused> {};

TEST_P(RefusedAccess, TrapsAndSaysWhatIsMissing) {
  SHOWS(window_access, window_view);
  VIOLATES(window_access);
  const Refused& c = GetParam();
  ClusterBuilder p;
  p.setTile(0, denseTile(ElementType::i32, 1, 8, 0));
  p.setView(0, kSeen + kBytes - 32, 8);
  p.setView(1, kSeen + kBytes - 28, 8);
  p.address(5, kSeen);
  p.address(6, kSeen + kBytes - 4);
  c.access(p);
  p.exit(0);
  WindowedRun run(p);
  Window next = dataWindow(c.rights);
  next.base += kBytes;
  run.confine({dataWindow(c.rights), next});
  const isa::Fault fault = run.fault();
  EXPECT_EQ(fault.cause, c.cause);
  EXPECT_EQ(fault.rule, Rule::window_access);
  EXPECT_THAT(fault.detail, HasSubstr("no window of core 0 has bytes"));
  EXPECT_THAT(fault.detail, HasSubstr(c.said));
  EXPECT_THAT(fault.detail, HasSubstr("window 0 0x80001000..0x80010fff to execute"));
  EXPECT_THAT(fault.hint, HasSubstr("the host sets windows"));
}

constexpr uint8_t kAll = right::all;
using P = ClusterBuilder;
const Refused kRefused[] = {
    {"a_load", right::write | right::execute, Cause::load_access, [](P& p) { p.lw(X{7}, 0, X{5}); },
     "0x50000000..0x50000003 to read:"},
    {"a_store", right::read | right::execute, Cause::store_access,
     [](P& p) { p.sb(X{7}, 1, X{5}); }, "0x50000001..0x50000001 to write:"},
    {"an_atomic", right::read, Cause::store_access, [](P& p) { p.amoadd_d(X{7}, X{7}, X{5}); },
     "to read and write:"},
    {"an_atomic_that_may_not_read", right::write, Cause::store_access,
     [](P& p) { p.amoswap_w(X{7}, X{7}, X{5}); }, "to read and write:"},
    {"a_load_reserved", right::write, Cause::load_access, [](P& p) { p.lr_w(X{7}, X{5}); },
     "to read:"},
    {"a_store_conditional", right::read, Cause::store_access,
     [](P& p) { p.sc_w(X{7}, X{7}, X{5}); }, "to read and write:"},
    {"across_two_windows", kAll, Cause::load_access, [](P& p) { p.ld(X{7}, 0, X{6}); },
     "0x50000ffc..0x50001003"},
    {"below", kAll, Cause::load_access, [](P& p) { p.lb(X{7}, -1, X{5}); }, "0x4fffffff"},
    {"a_device_register", kAll, Cause::load_access,
     [](P& p) {
       p.li(X{7}, kTimeRegister);
       p.ld(X{7}, 0, X{7});
     },
     "0x1000..0x1007 to read"},
    {"an_instruction", right::read | right::write, Cause::fetch_access,
     [](P& p) { p.jalr(X{0}, 0, X{5}); }, "to execute:"},
    {"a_descriptor", right::write, Cause::load_access, [](P& p) { p.et_tld(isa::Tile{1}, X{5}); },
     "to read:"},
    {"a_descriptor_stored", right::read, Cause::store_access,
     [](P& p) { p.et_tst(isa::Tile{1}, X{5}); }, "to write:"},
    {"a_view_read", right::write, Cause::global_access,
     [](P& p) { p.et_ld(isa::Tile{0}, isa::View{0}, 0); }, "0x50000fe0..0x50000fff to read:"},
    {"a_view_written", right::read, Cause::global_access,
     [](P& p) { p.et_st(isa::Tile{0}, isa::View{0}, 0); }, "to write:"},
    {"a_view_updated", right::write, Cause::global_access,
     [](P& p) { p.et_st_add(isa::Tile{0}, isa::View{0}); }, "to read and write:"},
    {"a_view_across_two_windows", kAll, Cause::global_access,
     [](P& p) { p.et_ld(isa::Tile{0}, isa::View{1}, 0); }, "0x50000fe4..0x50001003"},
    {"a_view_fenced", right::write, Cause::global_access, [](P& p) { p.et_fence_v(isa::View{0}); },
     "to read:"},
    {"a_signal", right::read, Cause::global_access, [](P& p) { p.et_sig(X{5}, X{5}); },
     "0x50000000..0x50000003 to write:"},
};
INSTANTIATE_TEST_SUITE_P(Of, RefusedAccess, testing::ValuesIn(kRefused),
                         [](const auto& info) { return info.param.name; });

TEST(Windows, GiveAnInstructionAnAddressThatIsOne) {
  VIOLATES(window_meaning);
  ClusterBuilder p;
  p.address(5, kSeen);
  p.jalr(X{0}, 0, X{5});
  WindowedRun run(p);
  run.confine({{kSeen, kBytes, kTestEntry + 2 - kSeen, right::execute, 0}});
  EXPECT_EQ(run.fault().cause, Cause::fetch_access);
}

TEST(Windows, CountBeforeAliasing) {
  SHOWS(window_meaning);
  VIOLATES(alias_overlap);
  ClusterBuilder p;
  p.setTile(0, denseTile(ElementType::i32, 1, 8, 0x100));
  p.setView(0, kSeen, 8);
  p.et_ld(isa::Tile{0}, isa::View{0}, 0);
  p.exit(0);
  for (const uint64_t offset : {0x120, 0x118}) {
    WindowedRun run(p);
    run.confine({{kSeen, kBytes, coreWindow(0, offset) - kSeen, right::read, 0}});
    if (offset == 0x120)
      EXPECT_EQ(run.run().status, RunStatus::exited);
    else
      EXPECT_EQ(run.fault().cause, Cause::aliasing) << "the view is the tile's own bytes";
  }
}

TEST(Windows, OfACoreHoldForOthersThatAccessItsLocalMemory) {
  SHOWS(window_incoming);
  VIOLATES(window_incoming);
  const auto program = [](ClusterBuilder& p) {
    p.on(1, 0, [&] {
      p.address(5, coreWindow(1, 0x100));
      p.lw(X{6}, 0, X{5});
      p.setTile(0, denseTile(ElementType::i32, 1, 4, 0));
      p.setView(0, coreWindow(1, 0x100), 4);
      p.et_ld(isa::Tile{0}, isa::View{0}, 0);
      p.signal(semaphoreOf(1, 7));
    });
    p.et_halt();
  };
  const Window reads{coreWindow(1, 0x100), 16, 0x123456, right::read, 0};
  const Window signals{semaphoreOf(1, 7), 4, 0, right::write, 0};
  const auto windows = [&](std::initializer_list<Window> some) {
    ClusterBuilder p;
    program(p);
    auto run = std::make_unique<WindowedRun>(p);
    unsigned i = 0;
    run->device().setWindow(1, i++, kCode);
    for (const Window& window : some) run->device().setWindow(1, i++, window);
    return run;
  };
  EXPECT_EQ(windows({reads, signals})->run(2).status, RunStatus::exited);
  const isa::Fault load = windows({signals})->fault(2);
  EXPECT_EQ(load.cause, Cause::load_access);
  EXPECT_EQ(load.rule, Rule::window_access);
  EXPECT_EQ(load.core, 0u) << "who accesses traps";
  EXPECT_THAT(load.detail, HasSubstr("no window of core 1 has bytes 0x4010000100"));
  Window narrow = reads;
  narrow.size = 8;
  const isa::Fault view = windows({narrow, signals})->fault(2);
  EXPECT_EQ(view.cause, Cause::global_access);
  EXPECT_THAT(view.detail, HasSubstr("no window of core 1"));
  const isa::Fault signal = windows({reads})->fault(2);
  EXPECT_EQ(signal.cause, Cause::global_access);
  EXPECT_THAT(signal.detail, HasSubstr("to write"));
}

TEST(Windows, GiveTheMemoryOfAnotherDevice) {
  SHOWS(window_meaning, window_incoming);
  ClusterBuilder p;
  p.on(1, [&] {
    p.address(5, kSeen);
    p.ld(X{6}, 0, X{5});
    p.sd(X{6}, 8, X{5});
    p.setTile(0, denseTile(ElementType::i32, 1, 4, 0));
    p.setView(0, kSeen, 4);
    p.et_ld(isa::Tile{0}, isa::View{0}, 0);
  });
  p.et_halt();
  WindowedRun run(p, 2);
  run.confine({dataWindow(right::read | right::write, 2)});
  const uint64_t value = 42;
  EXPECT_TRUE(run.device().write(ofDevice(2, kTestData), std::as_bytes(std::span(&value, 1))).ok());
  EXPECT_EQ(run.run().status, RunStatus::exited);
  EXPECT_EQ(run.device().core(0).x(6), 42u);
  EXPECT_EQ(run.at<uint64_t>(ofDevice(2, kTestData + 8)), 42u);
  EXPECT_EQ(run.at<uint64_t>(kTestData + 8), 0u);
}

TEST(Windows, AreInSnapshots) {
  ClusterBuilder p;
  p.address(5, kSeen);
  p.ld(X{6}, 0, X{5});
  p.lb(X{6}, -1, X{5});
  WindowedRun run(p);
  run.confine({dataWindow(right::read)});
  std::vector<std::byte> bytes;
  const auto keep = [&](std::span<const std::byte> piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
    return Status();
  };
  ASSERT_TRUE(run.device().snapshot(keep, "").ok());
  auto restored = FunctionalDevice::restore(run.device().machine(), {}, bytes, {});
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  FunctionalDevice& device = *restored->device;
  EXPECT_EQ(device.memory().windows(0), run.device().memory().windows(0));
  EXPECT_EQ(device.launch({})->status, RunStatus::fault);
  EXPECT_EQ(device.findings().faults()[0].value, kSeen - 1) << "not before";
}

}  // namespace
}  // namespace etalon::sim
