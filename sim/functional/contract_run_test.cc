// SPDX-License-Identifier: Apache-2.0
// The functional model executes a declared numerics contract in every kind of instruction that
// rounds. What it computes is held against references in isa/numerics; here is that it does.
#include "isa/csr.h"
#include "isa/state/view_descriptor.h"
#include "sim/functional/vector_test_support.h"

namespace etalon::sim {
namespace {

using isa::Tile;
using isa::TileRegister;
using isa::View;
using isa::X;
using enum ElementType;
using numerics::Contract;
using numerics::Direction;

constexpr uint32_t kA = 0x1000, kB = 0x2000, kC = 0x3000, kD = 0x4000;
constexpr Tile kTd{0}, kTa{1}, kTb{2}, kTc{3};

// 1 + 1.5 * 2^-24: up to 1 + 2^-23 to nearest, down to 1 toward zero.
constexpr uint32_t kOne = 0x3f800000, kAboveOne = 0x3f800001, kTiny = 0x33c00000;
// 1 + 1.5 * 2^-8: up to 1 + 2^-7 = 3f81 in bf16 to nearest, down to 1 = 3f80 toward zero.
constexpr uint32_t kBetweenBf16 = 0x3f80c000;

/// Everything toward zero, sums of rows one after another, recip by a polynomial that is 3.
Contract towardZero() {
  Contract contract;
  contract.name = "toward_zero";
  contract.hash = 0x123456789abcdef0;
  contract.product.rounding = Direction::toward_zero;
  contract.vector.arithmetic.rounding = Direction::toward_zero;
  contract.vector.conversion.rounding = Direction::toward_zero;
  contract.vector.reduction.width = 1;
  numerics::FunctionRule recip{ElementwiseOp::recip, numerics::FunctionKind::piecewise, {}, {}};
  recip.piecewise.coefficients = {3};
  contract.vector.functions.push_back(recip);
  return contract;
}

/// A program that leaves a word at kD, and what it is canonically and under towardZero().
struct Case {
  const char* name;
  void (*program)(VectorBuilder&);
  uint32_t canonical, contract;
};

/// Single f32 elements at kA, kB, kC and kD under the registers of the same letters.
void setElements(VectorBuilder& p, uint32_t a, uint32_t b, uint32_t c) {
  p.store(kA, {a});
  p.store(kB, {b});
  p.store(kC, {c});
  p.store(kD, {0});
  const uint32_t places[] = {kD, kA, kB, kC};
  for (uint8_t i = 0; i < 4; ++i) p.setTile(i, denseTile(f32, 1, 1, places[i]));
}

/// A view register of one f32 in global memory that holds `bits`.
void setView(VectorBuilder& p, uint32_t bits) {
  isa::ViewDescriptor view;
  view.base = kTestData + 0x1000;
  view.type = static_cast<uint8_t>(f32);
  view.naxes = 1;
  view.nbox = 1;
  view.ncol = 1;
  view.axes[0] = {1, 4, 0};
  view.box[0] = {1, 0, 1};
  std::array<std::byte, isa::kViewImageBytes> image;
  isa::storeViewImage(view, image);
  p.li(X{31}, static_cast<int64_t>(kTestData));
  for (int at = 0; at < isa::kViewImageBytes; at += 8) {
    p.li(X{28}, loadBytes<int64_t>(image.data() + at));
    p.sd(X{28}, at, X{31});
  }
  p.et_vld(View{0}, X{31});
  p.li(X{31}, static_cast<int64_t>(view.base));
  p.li(X{28}, static_cast<int32_t>(bits));
  p.sw(X{28}, 0, X{31});
  p.et_fence();
}

const Case kCases[] = {
    {"Matrix",
     [](VectorBuilder& p) {
       p.store(kA, {0x39c0});  // 1.5 * 2^-12 and 2^-12 in bf16
       p.store(kB, {0x3980});
       p.store(kD, {kOne});
       p.setTile(0, denseTile(f32, 1, 1, kD));
       p.setTile(1, denseTile(bf16, 1, 1, kA));
       p.setTile(2, denseTile(bf16, 1, 1, kB));
       p.et_mma(kTd, kTa, kTb);
     },
     kAboveOne, kOne},
    {"MatrixWithScales",
     [](VectorBuilder& p) {
       p.store(kA, {0x3c});  // 1.5 in f8e4m3, scaled by 2^-24
       p.store(kB, {0x38});
       p.store(kC, {127 - 24});
       p.store(kD, {kOne});
       TileRegister a = denseTile(f8e4m3, 1, 1, kA);
       a.link_valid = true;
       a.link = 3;
       p.setTile(0, denseTile(f32, 1, 1, kD));
       p.setTile(1, a);
       p.setTile(2, denseTile(f8e4m3, 1, 1, kB));
       p.setTile(3, denseTile(e8m0, 1, 1, kC));
       p.et_mma(kTd, kTa, kTb);
     },
     kAboveOne, kOne},
    {"Elementwise",
     [](VectorBuilder& p) {
       setElements(p, kOne, kTiny, 0);
       p.et_add(kTd, kTa, kTb);
     },
     kAboveOne, kOne},
    {"Fma",
     [](VectorBuilder& p) {
       setElements(p, kTiny, kOne, kOne);
       p.et_fma(kTd, kTa, kTb, kTc);
     },
     kAboveOne, kOne},
    {"Function",
     [](VectorBuilder& p) {
       setElements(p, kOne, 0, 0);
       p.et_recip(kTd, kTa);
     },
     kOne, 0x40400000},
    {"Chain",
     [](VectorBuilder& p) {
       setElements(p, kOne, kTiny, 0);
       isa::ChainDescriptor chain;
       chain.flags = 0;
       chain.nsteps = 1;
       chain.td_selector = kSelectorTemporary;
       chain.steps[0] = floatStep(ElementwiseOp::add, 0, kSelectorTile, kSelectorTile + 1);
       p.setChain(0, chain);
       p.et_vx(kTd, kTa, kTb, isa::Chain{0});
     },
     kAboveOne, kOne},
    {"WriteOfANarrowDestination",
     [](VectorBuilder& p) {
       setElements(p, kBetweenBf16, 0x80000000, 0);
       p.setTile(0, denseTile(bf16, 1, 1, kD));
       p.et_add(kTd, kTa, kTb);
     },
     0x3f81, 0x3f80},
    {"Conversion",
     [](VectorBuilder& p) {
       setElements(p, kBetweenBf16, 0, 0);
       p.setTile(0, denseTile(bf16, 1, 1, kD));
       p.et_cvt(kTd, kTa, 0);
     },
     0x3f81, 0x3f80},
    {"BlockQuantise",
     [](VectorBuilder& p) {
       p.store(kA, {bitsOf(256), bitsOf(17.5f)});  // scale 1; 17.5 between 16 and 18 of f8e4m3
       p.store(kD, {0});
       p.setTile(0, denseTile(f8e4m3, 1, 2, kD));
       p.setTile(1, denseTile(f32, 1, 2, kA));
       p.setTile(2, denseTile(e8m0, 1, 1, kB));
       p.et_quant(kTd, kTa, kTb);
     },
     0x5978, 0x5878},
    {"BlockDequantise",
     [](VectorBuilder& p) {
       p.store(kA, {0x3c});      // 1.5 in f8e4m3
       p.store(kB, {127 - 24});  // half way between 1 and 2 times the least f16
       p.store(kD, {0});
       p.setTile(0, denseTile(f16, 1, 1, kD));
       p.setTile(1, denseTile(f8e4m3, 1, 1, kA));
       p.setTile(2, denseTile(e8m0, 1, 1, kB));
       p.et_dequant(kTd, kTa, kTb);
     },
     2, 1},
    {"DmaLoad",
     [](VectorBuilder& p) {
       setElements(p, 0, 0, 0);
       setView(p, kBetweenBf16);
       p.setTile(0, denseTile(bf16, 1, 1, kD));
       p.et_ld(kTd, View{0}, 0);
     },
     0x3f81, 0x3f80},
    {"RowSum",
     [](VectorBuilder& p) {
       std::vector<uint32_t> row(65, 0);
       row[0] = bitsOf(0x1p24f);
       row[1] = row[33] = bitsOf(1);  // lanes 1 and 33 make 2 before they meet lane 0
       p.store(kA, row);
       p.setTile(0, denseTile(f32, 1, 1, kD));
       p.setTile(1, denseTile(f32, 1, 65, kA));
       p.et_red_sum(kTd, kTa);
     },
     0x4b800001, 0x4b800000},
    {"ColumnSum",
     [](VectorBuilder& p) {
       p.store(kA, {kOne, kTiny});
       p.setTile(0, denseTile(f32, 1, 1, kD));
       p.setTile(1, denseTile(f32, 2, 1, kA));
       p.et_cred_sum(kTd, kTa);
     },
     kAboveOne, kOne},
    {"Scan",
     [](VectorBuilder& p) {
       p.store(kA, {kTiny, kOne});
       p.setTile(0, denseTile(f32, 1, 2, kD - 4));
       p.setTile(1, denseTile(f32, 1, 2, kA));
       p.et_scan_sum(kTd, kTa);
     },
     kAboveOne, kOne},
    {"Recurrence",
     [](VectorBuilder& p) {
       setElements(p, kOne, kOne, kTiny);
       p.et_recur(kTd, kTa, kTb, kTc);
     },
     kAboveOne, kOne},
};

class ContractRun : public testing::TestWithParam<int> {
 protected:
  uint32_t run(Contract contract) {
    VectorBuilder p;
    kCases[GetParam()].program(p);
    p.exit(0);
    TestProgram program(p, {"cores=1"}, std::move(contract));
    const RunResult result = program.run();
    EXPECT_EQ(result.status, RunStatus::exited);
    for (const isa::Fault& fault : program.device().findings().faults())
      ADD_FAILURE() << fault.detail;
    return localWords(program, kD, 1)[0];
  }
};
INSTANTIATE_TEST_SUITE_P(Instructions, ContractRun, testing::Range(0, int(std::size(kCases))),
                         [](const auto& info) { return std::string(kCases[info.param].name); });

TEST_P(ContractRun, RoundsAsDeclared) {
  EXPECT_EQ(run({}), kCases[GetParam()].canonical);
  EXPECT_EQ(run(towardZero()), kCases[GetParam()].contract);
}

TEST(ContractRun, TheHashIsInItsRegister) {
  for (const auto& [contract, hash] :
       {std::pair{Contract{}, uint64_t{0}}, std::pair{towardZero(), towardZero().hash}}) {
    TestBuilder p;
    p.csrrs(X{5}, isa::csr::kEtcontract, X{0});
    p.exit(0);
    TestProgram program(p, {"cores=1"}, contract);
    EXPECT_EQ(program.run().status, RunStatus::exited);
    EXPECT_EQ(program.device().core(0).x(5), hash);
  }
}

}  // namespace
}  // namespace etalon::sim
