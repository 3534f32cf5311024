// SPDX-License-Identifier: Apache-2.0
// 4-bit types in memory as programs see them: what is refused, what counts, what races. Values of loads and
// stores are coverage_test's.
#include <functional>

#include "isa/state/rule_test.h"
#include "sim/functional/vector_test_support.h"

namespace etalon::sim {
namespace {

using isa::Cause;
using isa::Rule;
using isa::Tile;
using isa::View;
using isa::ViewDescriptor;
using isa::X;
using enum ElementType;

constexpr uint64_t kViewImage = kTestData + 0x8000;
constexpr uint32_t kSource = 0x1000;
constexpr X kHart{8};

/// A matrix of 4-bit elements whose rows begin on a byte, and a box of whole rows.
ViewDescriptor matrixView(uint64_t base, uint64_t rows, uint64_t columns) {
  ViewDescriptor v;
  v.base = base;
  v.type = static_cast<uint8_t>(u4);
  v.naxes = v.nbox = 2;
  v.ncol = 1;
  const uint64_t even = columns + columns % 2;
  v.axes[0] = {rows, static_cast<int64_t>(even), 0};
  v.axes[1] = {columns, 1, 0};
  v.box[0] = {static_cast<uint32_t>(rows), 0, 1};
  v.box[1] = {static_cast<uint32_t>(even), 1, 1};
  return v;
}

/// A tile that the view's box fills.
isa::TileRegister tileFor(const ViewDescriptor& v, ElementType type = u4) {
  isa::TileRegister tile =
      denseTile(type, static_cast<uint32_t>(v.rows()), static_cast<uint32_t>(v.columns()), kSource);
  if (tile.elementBits() == 4) tile.istride = (tile.cols + 1) / 2;
  return tile;
}

/// A program with the view in vr1, on a device whose memory has its image.
class FourBit : public VectorBuilder {
 public:
  explicit FourBit(const ViewDescriptor& view) : view_(view) {
    csrrs(kHart, 0xf14, X{0});
    li(X{31}, static_cast<int64_t>(kViewImage));
    et_vld(View{1}, X{31});
  }
  /// `then` on core `number` alone.
  void onCore(int number, const std::function<void()>& then) {
    const Label others = label();
    addi(X{28}, kHart, -number);
    bne(X{28}, X{0}, others);
    then();
    bind(others);
  }
  ViewDescriptor view_;
};

class FourBitRun {
 public:
  explicit FourBitRun(FourBit& p, unsigned cores = 1, const numerics::Contract& contract = {})
      : program_((p.et_halt(), p), {}, contract) {
    std::vector<std::byte> image(isa::kViewImageBytes);
    isa::storeViewImage(p.view_, std::span<std::byte, isa::kViewImageBytes>(image));
    EXPECT_TRUE(program_.device().write(kViewImage, image).ok());
    result_ = program_.run(cores);
  }
  FunctionalDevice& device() { return program_.device(); }
  const Findings& findings() { return device().findings(); }
  std::vector<uint8_t> at(uint64_t address, size_t n) {
    std::vector<uint8_t> values(n);
    EXPECT_TRUE(device().read(address, std::as_writable_bytes(std::span(values))).ok());
    return values;
  }
  void expectFault(Cause cause, Rule rule) {
    ASSERT_EQ(findings().faults().size(), 1u);
    EXPECT_EQ(findings().faults()[0].cause, cause);
    EXPECT_EQ(findings().faults()[0].rule, rule) << findings().faults()[0].detail;
  }
  void expectNoFinding() {
    EXPECT_TRUE(findings().faults().empty()) << findings().faults()[0].detail;
    EXPECT_EQ(device().races().raceCount(), 0u);
    EXPECT_EQ(findings().uninitialisedCount(), 0u);
  }

 private:
  TestProgram program_;
  RunResult result_;
};

TEST(FourBit, OddRowsGoToMemoryAndBackInWholeBytes) {
  SHOWS(view_four_bit, dma_nibble, tile_nibble);
  FourBit p(matrixView(kTestData, 2, 3));
  p.store(kSource, {0xf321'f654});  // rows {4, 5, 6, -} and {1, 2, 3, -}
  p.setTile(1, tileFor(p.view_));
  p.et_st(Tile{1}, View{1}, 0);
  p.setTile(2, [&] {
    isa::TileRegister wide = tileFor(p.view_, i8);
    wide.base = 0x2000;
    return wide;
  }());
  p.et_ld(Tile{2}, View{1}, 0);
  FourBitRun run(p);
  run.expectNoFinding();
  EXPECT_EQ(run.at(kTestData, 5), (std::vector<uint8_t>{0x54, 0x06, 0x21, 0x03, 0}));
  EXPECT_EQ(run.at(isa::kLocalWindowBase + 0x2000, 8),
            (std::vector<uint8_t>{4, 5, 6, 0, 1, 2, 3, 0}));
  // Six elements each way.
  EXPECT_EQ(run.device().counterTotal(isa::Counter::store_bytes), 3u);
  EXPECT_EQ(run.device().counterTotal(isa::Counter::load_bytes), 3u);
}

TEST(FourBit, UsefulBytesOfOddCountsRoundUp) {
  FourBit p(matrixView(kTestData, 1, 3));
  p.setTile(1, tileFor(p.view_));
  p.et_ld(Tile{1}, View{1}, 0);
  FourBitRun run(p);
  run.expectNoFinding();
  EXPECT_EQ(run.device().counterTotal(isa::Counter::load_bytes), 2u);
}

TEST(FourBit, TheOtherHalfOfTheLastByteIsWrittenToo) {
  SHOWS(dma_nibble);
  ViewDescriptor v = matrixView(0, 1, 3);
  v.base = kTestData + kTestDataBytes;  // nobody wrote there
  FourBit p(v);
  p.store(kSource, {0x0321});
  p.setTile(1, tileFor(v));
  p.et_st(Tile{1}, View{1}, 0);
  p.et_fence();
  p.li(X{31}, static_cast<int64_t>(v.base));
  p.lbu(X{5}, 1, X{31});
  FourBitRun run(p);
  run.expectNoFinding();
}

/// Core 0 stores elements 0 to 2, core 1 those that begin `bytes` further, at once.
uint64_t racesOf(uint64_t bytes) {
  FourBit p(matrixView(kTestData, 1, 3));
  p.store(kSource, {0x0321});
  p.setTile(1, tileFor(p.view_));
  p.onCore(1, [&] {
    p.li(X{28}, static_cast<int64_t>(2 * bytes));
    p.et_vseek(View{1}, X{28}, 1);
  });
  p.view_.axes[1].dim = 3 + 2 * bytes;
  p.view_.box[1].extent = 4;
  p.et_st(Tile{1}, View{1}, 0);
  FourBitRun run(p, 2);
  EXPECT_TRUE(run.findings().faults().empty());
  return run.device().races().raceCount();
}

TEST(FourBit, StoresOfSeveralCoresRaceByWholeBytes) {
  SHOWS(dma_nibble);
  EXPECT_GT(racesOf(0), 0u);
  EXPECT_GT(racesOf(1), 0u);
  EXPECT_EQ(racesOf(2), 0u);
}

TEST(FourBit, TheHighHalfOfAByteIsNoPlaceForAnotherCore) {
  // Elements of stride 2 stand in low halves: storing one writes the byte.
  FourBit p(matrixView(kTestData, 1, 2));
  p.view_.axes[1].stride = 2;
  p.store(kSource, {0x0021});
  p.setTile(1, tileFor(p.view_));
  p.onCore(0, [&] { p.et_st(Tile{1}, View{1}, 0); });
  p.onCore(1, [&] {
    p.li(X{31}, static_cast<int64_t>(kTestData));
    p.lbu(X{5}, 0, X{31});
  });
  FourBitRun run(p, 2);
  EXPECT_TRUE(run.findings().faults().empty());
  EXPECT_GT(run.device().races().raceCount(), 0u);
}

/// A change of a view, the instruction on it and a tile as its box, and the fault.
struct Refused {
  const char* name;
  void (*change)(ViewDescriptor& v);
  void (*program)(FourBit& p);
  Cause cause;
  Rule rule;
};

void load(FourBit& p) { p.et_ld(Tile{1}, View{1}, 0); }
void store(FourBit& p) { p.et_st(Tile{1}, View{1}, 0); }

const Refused kRefused[] = {
    {"StrideOfThree", [](auto& v) { v.axes[1].stride = 3; }, load, Cause::malformed,
     Rule::view_malformed},
    {"StrideOfMinusOne", [](auto& v) { v.axes[1].stride = -1; }, load, Cause::malformed,
     Rule::view_malformed},
    {"TwoOddStrides", [](auto& v) { v.axes[0].stride = 5; }, load, Cause::malformed,
     Rule::view_malformed},
    {"OddStrideOfAnOuterBoxDim", [](auto& v) { std::swap(v.box[0], v.box[1]); }, load,
     Cause::malformed, Rule::view_malformed},
    {"StepAlongNibbles", [](auto& v) { v.box[1].step = 2; }, load, Cause::malformed,
     Rule::view_malformed},
    {"LeastStride", [](auto& v) { v.axes[0].stride = INT64_MIN; }, load, Cause::malformed,
     Rule::view_malformed},
    {"OddOrigin", [](auto& v) { v.axes[1].origin = 1; }, load, Cause::malformed,
     Rule::view_position},
    {"OddExtent", [](auto& v) { v.box[1].extent = 3; }, load, Cause::malformed,
     Rule::view_position},
    {"NegativeOddOrigin", [](auto& v) { v.axes[1].origin = INT64_MIN + 1; }, load, Cause::malformed,
     Rule::view_position},
    {"IndexOfNibbles",
     [](auto& v) {
       v.naxes = v.nbox = 1;
       v.axes[0] = {8, 1, 0};
       v.box[0] = {4, 0, 1};
     },
     [](FourBit& p) {
       p.setTile(3, denseTile(i32, 2, 2, 0x3000));
       p.et_gather(Tile{1}, View{1}, Tile{3}, 0, 0);
     },
     Cause::malformed, Rule::view_position},
    {"RowsThatShareAByte", [](auto& v) { v.axes[0].stride = 2; }, store, Cause::aliasing,
     Rule::dma_store_overlap},
    {"ViewOverTheTile", [](auto& v) { v.base = isa::kLocalWindowBase + kSource + 1; }, store,
     Cause::aliasing, Rule::alias_view},
    {"BeyondMemory", [](auto& v) { v.base = isa::kLocalWindowBase - 1; }, load,
     Cause::global_access, Rule::view_bounds},
    {"TypesThatDoNotConvert", [](auto&) {},
     [](FourBit& p) {
       p.setTile(1, tileFor(p.view_, i64));
       load(p);
     },
     Cause::shape, Rule::op_types},
    {"StepOfATile", [](auto&) {},
     [](FourBit& p) {
       isa::TileRegister tile = tileFor(p.view_);
       tile.step = 2;
       p.setTile(1, tile);
       store(p);
     },
     Cause::local_bounds, Rule::tile_align},
};

class FourBitRefusal : public testing::TestWithParam<int> {};

TEST_P(FourBitRefusal, TrapsByItsRule) {
  VIOLATES(view_four_bit);
  const Refused& refused = kRefused[GetParam()];
  ViewDescriptor v = matrixView(kTestData, 2, 4);
  refused.change(v);
  FourBit p(v);
  p.setTile(1, tileFor(v));
  refused.program(p);
  FourBitRun run(p);
  run.expectFault(refused.cause, refused.rule);
}

INSTANTIATE_TEST_SUITE_P(Views, FourBitRefusal,
                         testing::Range(0, static_cast<int>(std::size(kRefused))),
                         [](const auto& info) { return std::string(kRefused[info.param].name); });

TEST(FourBit, ConvertsByADeclaredContract) {
  FourBit p(matrixView(kTestData, 1, 2));
  p.view_.type = static_cast<uint8_t>(f4e2m1);
  p.storeFloats(kSource, {2.75f, -0.75f});
  p.setTile(1, tileFor(p.view_, f32));
  p.et_st(Tile{1}, View{1}, 0);
  numerics::Contract contract;
  contract.hash = 1;
  contract.vector.conversion.rounding = numerics::Direction::toward_zero;
  FourBitRun declared(p, 1, contract);
  declared.expectNoFinding();
  EXPECT_EQ(declared.at(kTestData, 1)[0], 0x94);  // 2 and -0.5, not 3 and -1
}

}  // namespace
}  // namespace etalon::sim
