// SPDX-License-Identifier: Apache-2.0
// Atomic updates of memory as several cores see them: sums, other cores' windows, and what the model finds.
#include <functional>

#include "isa/state/rule_test.h"
#include "sim/functional/vector_test_support.h"

namespace etalon::sim {
namespace {

using isa::Tile;
using isa::View;
using isa::X;

constexpr ElementType kF32 = ElementType::f32, kI32 = ElementType::i32;
constexpr uint32_t kSource = 0x1000;  // of the tile, in the core's own local memory
constexpr uint64_t kViewImage = kTestData + 0x8000;
constexpr uint64_t kTarget = kTestData;  // zeros that count as written
constexpr X kHart{8};

/// A program of all cores: tile 1 has the elements {1 + core, 1}, view 1 sees two elements from `target` on.
class Updates : public VectorBuilder {
 public:
  Updates(ElementType type, uint64_t target) {
    view_.base = target;
    view_.type = static_cast<uint8_t>(type);
    view_.naxes = view_.nbox = view_.ncol = 1;
    view_.axes[0] = {.dim = 2, .stride = 4, .origin = 0};
    view_.box[0] = {.extent = 2, .axis = 0, .step = 1};
    csrrs(kHart, 0xf14, X{0});
    li(X{31}, static_cast<int64_t>(isa::kLocalWindowBase + kSource));
    addi(X{28}, kHart, 1);
    li(X{29}, 1);
    if (type == kF32) {
      fcvt_s_w(X{28}, X{28});
      fcvt_s_w(X{29}, X{29});
    }
    sw(X{28}, 0, X{31});
    sw(X{29}, 4, X{31});
    setTile(1, denseTile(type, 1, 2, kSource));
    li(X{31}, static_cast<int64_t>(kViewImage));
    et_vld(View{1}, X{31});
  }
  void meet() {
    li(X{28}, -1);
    et_barrier(X{28}, X{28});
  }
  /// `then` on core 0 alone.
  void onCore0(const std::function<void()>& then) {
    const Label others = label();
    bne(kHart, X{0}, others);
    then();
    bind(others);
  }

  isa::ViewDescriptor view_;
};

/// Runs the program, et.halt at its end, on the cores.
class UpdateRun {
 public:
  UpdateRun(Updates& p, unsigned cores) : program_((p.et_halt(), p)) {
    std::vector<std::byte> image(isa::kViewImageBytes);
    isa::storeViewImage(p.view_, std::span<std::byte, isa::kViewImageBytes>(image));
    EXPECT_TRUE(program_.device().write(kViewImage, image).ok());
    result_ = program_.run(cores);
    EXPECT_EQ(result_.status, RunStatus::exited);
    EXPECT_TRUE(findings().faults().empty()) << findings().faults()[0].detail;
  }
  template <class T>
  std::vector<T> at(uint64_t address) {
    std::vector<T> values(2);
    EXPECT_TRUE(program_.device().read(address, std::as_writable_bytes(std::span(values))).ok());
    return values;
  }
  FunctionalDevice& device() { return program_.device(); }
  const Findings& findings() { return device().findings(); }
  const RaceDetector& races() { return device().races(); }
  uint64_t exitCode() const { return result_.exit_code; }

 private:
  TestProgram program_;
  RunResult result_;
};

void expectNoFinding(UpdateRun& run) {
  EXPECT_EQ(run.races().raceCount(), 0u);
  EXPECT_EQ(run.races().orderDependenceCount(), 0u);
  EXPECT_EQ(run.findings().uninitialisedCount(), 0u);
}

TEST(AtomicUpdate, SumsIntegersOfEveryCoreInGlobalMemory) {
  SHOWS(dma_atomic, sync_atomic);
  Updates p(kI32, kTarget);
  p.et_st_add(Tile{1}, View{1});
  p.et_st_add(Tile{1}, View{1});
  UpdateRun run(p, 64);
  expectNoFinding(run);
  EXPECT_EQ(run.at<int32_t>(kTarget), (std::vector<int32_t>{64 * 65, 128}));
  EXPECT_EQ(run.device().counterTotal(isa::Counter::store_bytes), 64u * 2 * 8);
  EXPECT_EQ(run.device().counterTotal(isa::Counter::retired_store), 128u);
}

TEST(AtomicUpdate, ReachesTheLocalMemoryOfAnotherCore) {
  SHOWS(dma_atomic, map_core_window);
  const uint64_t target = isa::kCoreWindowBase + isa::kCoreWindowStride + 0x2000;  // of core 1
  Updates p(kI32, target);
  p.onCore0([&] {
    p.li(X{5}, static_cast<int64_t>(target));
    p.sd(X{0}, 0, X{5});
  });
  p.meet();
  p.et_st_add(Tile{1}, View{1});
  p.meet();
  UpdateRun run(p, 3);
  expectNoFinding(run);
  EXPECT_EQ(run.at<int32_t>(target), (std::vector<int32_t>{1 + 2 + 3, 3}));
}

TEST(AtomicUpdate, MeetsRiscvAtomicsOnOneElement) {
  SHOWS(sync_atomic, mem_amo_region);
  Updates p(kI32, kTarget);
  p.et_st_add(Tile{1}, View{1});
  p.li(X{5}, static_cast<int64_t>(kTarget));
  p.li(X{6}, 100);
  p.amoadd_w(X{0}, X{6}, X{5});
  UpdateRun run(p, 4);
  expectNoFinding(run);
  EXPECT_EQ(run.at<int32_t>(kTarget), (std::vector<int32_t>{1 + 2 + 3 + 4 + 400, 4}));
}

TEST(AtomicUpdate, OfFloatsByTwoCoresIsReportedOrderDependent) {
  VIOLATES(sync_order_dependent);
  Updates p(kF32, kTarget);
  const uint64_t add = kTestEntry + p.here();
  p.et_st_add(Tile{1}, View{1});
  UpdateRun run(p, 2);
  EXPECT_EQ(run.at<float>(kTarget), (std::vector<float>{3, 2}));
  EXPECT_EQ(run.races().raceCount(), 0u);
  ASSERT_EQ(run.races().orderDependences().size(), 1u);
  const RaceReport& report = run.races().orderDependences()[0];
  EXPECT_EQ(report.first.site.core, 0);
  EXPECT_EQ(report.second.site.core, 1);
  EXPECT_EQ(report.first.site.pc, add);
  EXPECT_EQ(report.second.site.pc, add);
  EXPECT_EQ(report.offset, kTarget - 0x80000000);
}

TEST(AtomicUpdate, OfFloatsScatteredByTwoCoresIsReportedOnlyWhereTheyMeet) {
  // Two indices on core 0 and two on core 1: {core, 1 + core}. Element 1 alone takes both.
  Updates p(kF32, kTarget);
  p.view_.axes[0].dim = 3;
  p.view_.ncol = 0;
  p.li(X{31}, static_cast<int64_t>(isa::kLocalWindowBase + kSource + 0x100));
  p.addi(X{28}, kHart, 1);
  p.sw(kHart, 0, X{31});
  p.sw(X{28}, 4, X{31});
  p.setTile(1, denseTile(kF32, 2, 1, kSource));
  p.setTile(2, denseTile(kI32, 1, 2, kSource + 0x100));
  p.et_scatter_add(Tile{1}, View{1}, Tile{2}, 0);
  UpdateRun run(p, 2);
  EXPECT_EQ(run.at<float>(kTarget), (std::vector<float>{1, 3}));
  ASSERT_EQ(run.races().orderDependences().size(), 1u);
  EXPECT_EQ(run.races().orderDependences()[0].offset, kTarget + 4 - 0x80000000);
}

TEST(AtomicUpdate, OfFloatsInOrderIsNoFinding) {
  SHOWS(sync_order_dependent);
  Updates p(kF32, kTarget);
  p.onCore0([&] { p.et_st_add(Tile{1}, View{1}); });
  p.meet();
  const auto others = p.label();
  p.beq(kHart, X{0}, others);
  p.et_st_add(Tile{1}, View{1});
  p.bind(others);
  UpdateRun run(p, 2);
  expectNoFinding(run);
  EXPECT_EQ(run.at<float>(kTarget), (std::vector<float>{3, 2}));
}

TEST(AtomicUpdate, ByFloatingMaximumIsFreeOfOrder) {
  Updates p(kF32, kTarget);
  p.et_st_max(Tile{1}, View{1});
  UpdateRun run(p, 5);
  expectNoFinding(run);
  EXPECT_EQ(run.at<float>(kTarget), (std::vector<float>{5, 1}));
}

TEST(AtomicUpdate, RacesWithAPlainStoreOfAnotherCore) {
  Updates p(kI32, kTarget);
  p.et_st_add(Tile{1}, View{1});
  p.onCore0([&] { p.et_st(Tile{1}, View{1}, 0); });
  UpdateRun run(p, 2);
  EXPECT_EQ(run.races().raceCount(), 1u);
  EXPECT_EQ(run.races().orderDependenceCount(), 0u);
}

TEST(AtomicUpdate, OfBytesThatNobodyWroteIsAnUninitialisedRead) {
  const uint64_t target = isa::kLocalWindowBase + 0x3000;
  Updates p(kI32, target);
  p.et_st_min(Tile{1}, View{1});
  UpdateRun run(p, 1);
  ASSERT_EQ(run.findings().uninitialisedCount(), 1u);
  EXPECT_EQ(run.findings().uninitialised()[0].address, isa::kCoreWindowBase + 0x3000);
}

TEST(AtomicUpdate, BreaksTheReservationOfAnotherCore) {
  Updates p(kI32, kTarget);
  const auto other = p.label(), spin = p.label();
  p.li(X{5}, static_cast<int64_t>(kTarget));
  p.bne(kHart, X{0}, other);
  p.lr_w(X{6}, X{5});
  p.meet();
  p.meet();
  p.sc_w(X{6}, X{6}, X{5});
  p.exitWithRegister(X{6});
  p.bind(spin);
  p.jal(X{0}, spin);
  p.bind(other);
  p.meet();
  p.et_st_add(Tile{1}, View{1});
  p.meet();
  UpdateRun run(p, 2);
  EXPECT_EQ(run.exitCode(), 1u);
  EXPECT_EQ(run.at<int32_t>(kTarget), (std::vector<int32_t>{2, 1}));
}

}  // namespace
}  // namespace etalon::sim
