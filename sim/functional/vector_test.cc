// SPDX-License-Identifier: Apache-2.0
// What vector instructions compute, beyond the worked examples of the description.
#include <cmath>

#include "isa/state/rule_test.h"
#include "sim/functional/vector_test_support.h"

namespace etalon::sim {
namespace {

using isa::Chain;
using isa::ChainDescriptor;
using isa::Tile;
using isa::X;
using testing::Test;

constexpr uint32_t kA = 0x1000, kB = 0x2000, kD = 0x3000, kR = 0x4000;
constexpr ElementType kF32 = ElementType::f32;

/// Runs the program to its end and expects no finding.
RunResult runClean(TestProgram& program) {
  const RunResult result = program.run();
  EXPECT_EQ(result.status, RunStatus::exited);
  EXPECT_TRUE(program.device().findings().faults().empty())
      << program.device().findings().faults()[0].detail;
  EXPECT_EQ(program.device().findings().uninitialisedCount(), 0u);
  return result;
}

TEST(Elementwise, BroadcastsARowAndAColumnByZeroStrides) {
  SHOWS(vec_shape, tile_layout);
  VectorBuilder p;
  p.storeFloats(kA, {1, 2, 3});
  p.storeFloats(kB, {10, 20});
  isa::TileRegister row = denseTile(kF32, 2, 3, kA), column = denseTile(kF32, 2, 3, kB);
  row.istride = 0;
  column.istride = 4;
  column.step = 0;
  p.setTile(0, denseTile(kF32, 2, 3, kD));
  p.setTile(1, row);
  p.setTile(2, column);
  p.et_add(Tile{0}, Tile{1}, Tile{2});
  p.exit(0);
  TestProgram program(p);
  runClean(program);
  EXPECT_EQ(localFloats(program, kD, 6), (std::vector<float>{11, 12, 13, 21, 22, 23}));
}

TEST(Elementwise, WorksInPlaceOnBothSources) {
  SHOWS(alias_in_place, alias_reads_first);
  VectorBuilder p;
  p.storeFloats(kA, {1, 2, 3, 4});
  p.setTile(0, denseTile(kF32, 2, 2, kA));
  p.et_add(Tile{0}, Tile{0}, Tile{0});
  p.exit(0);
  TestProgram program(p);
  runClean(program);
  EXPECT_EQ(localFloats(program, kA, 4), (std::vector<float>{2, 4, 6, 8}));
}

TEST(Elementwise, WorksInPlaceWhereShapesAreOneInCanonicalForm) {
  SHOWS(alias_in_place);
  VectorBuilder p;
  p.storeFloats(kA, {1, 2, 3, 4});
  isa::TileRegister outer = denseTile(kF32, 2, 2, kA);
  outer.outer = 2;
  outer.inner = 1;
  outer.ostride = 8;
  outer.istride = 0;
  p.setTile(0, denseTile(kF32, 2, 2, kA));
  p.setTile(1, outer);
  p.et_neg(Tile{0}, Tile{1});
  p.exit(0);
  TestProgram program(p);
  runClean(program);
  EXPECT_EQ(localFloats(program, kA, 4), (std::vector<float>{-1, -2, -3, -4}));
}

TEST(Elementwise, CountsInstructionsAndElements) {
  VectorBuilder p;
  p.storeFloats(kA, {1, 2, 3, 4, 5, 6});
  p.setTile(0, denseTile(kF32, 2, 3, kD));
  p.setTile(1, denseTile(kF32, 2, 3, kA));
  p.setTile(2, denseTile(kF32, 2, 1, kR));
  p.et_exp(Tile{0}, Tile{1});
  p.et_red_sum(Tile{2}, Tile{1});
  p.exit(0);
  TestProgram program(p);
  runClean(program);
  EXPECT_EQ(program.device().counterTotal(isa::Counter::retired_vector), 2u);
  EXPECT_EQ(program.device().counterTotal(isa::Counter::vector_elements), 12u);
}

TEST(Elementwise, DoesNothingWithAnEmptyDestination) {
  SHOWS(op_empty, alias_empty);
  VectorBuilder p;
  isa::TileRegister nowhere = denseTile(kF32, 0, 3, 0xfffffff0);
  p.setTile(0, nowhere);
  p.et_add(Tile{0}, Tile{0}, Tile{0});
  p.exit(0);
  TestProgram program(p);
  runClean(program);
  EXPECT_EQ(program.device().counterTotal(isa::Counter::retired_vector), 1u);
}

/// A chain with one step on the two sources, its result to td.
ChainDescriptor oneStepChain(const isa::ChainStep& step) {
  ChainDescriptor chain;
  chain.nsteps = 1;
  chain.flags = 0;
  chain.steps[0] = step;
  chain.td_selector = kSelectorTemporary + step.destination;
  return chain;
}

TEST(ChainInstruction, ReadsWindowsBeforeAndBehindTheTile) {
  SHOWS(chain_displacement);
  // Three-tap maximum over a row, the tile being the middle column of each window.
  VectorBuilder p;
  p.storeFloats(kA, {5, 1, 2, 7, 0});
  ChainDescriptor chain;
  chain.nsteps = 2;
  chain.flags = 0;
  chain.constants[0] = static_cast<uint32_t>(-4);
  chain.constants[1] = 4;
  chain.steps[0] = floatStep(ElementwiseOp::max, 0, kSelectorDisplacedA, kSelectorTile);
  chain.steps[1] = floatStep(ElementwiseOp::max, 1, kSelectorTemporary, kSelectorDisplacedA + 1);
  chain.td_selector = kSelectorTemporary + 1;
  p.setChain(1, chain);
  p.setTile(0, denseTile(kF32, 1, 3, kD));
  p.setTile(1, denseTile(kF32, 1, 3, kA + 4));
  p.et_vx(Tile{0}, Tile{1}, Tile{1}, Chain{1});
  p.exit(0);
  TestProgram program(p);
  runClean(program);
  EXPECT_EQ(localFloats(program, kD, 3), (std::vector<float>{5, 7, 7}));
}

TEST(ChainInstruction, TakesTheConstantsOfItsTimeOfIssue) {
  SHOWS(chain_constant, reg_read_at_issue);
  VectorBuilder p;
  p.storeFloats(kA, {1, 2});
  p.setChain(1,
             oneStepChain(floatStep(ElementwiseOp::mul, 0, kSelectorTile, kSelectorConstant + 3)));
  p.setTile(0, denseTile(kF32, 1, 2, kD));
  p.setTile(1, denseTile(kF32, 1, 2, kA));
  p.li(X{5}, static_cast<int64_t>(bitsOf(10)));
  p.et_cset(Chain{1}, X{5}, 3);
  p.et_vx(Tile{0}, Tile{1}, Tile{1}, Chain{1});
  p.exit(0);
  TestProgram program(p);
  runClean(program);
  EXPECT_EQ(localFloats(program, kD, 2), (std::vector<float>{10, 20}));
}

TEST(ChainInstruction, ReducesWithoutTdAndDoesNotAskWhatItDoesNotRead) {
  SHOWS(chain_operands, chain_reduction);
  // td and tb name registers that were never set up.
  VectorBuilder p;
  p.storeFloats(kA, {1, 2, 3, 4});
  ChainDescriptor chain =
      oneStepChain(floatStep(ElementwiseOp::mul, 2, kSelectorTile, kSelectorTile));
  chain.flags = ChainDescriptor::kNoDestination | ChainDescriptor::kReduce;
  chain.reduction_tile = 5;
  chain.reduction_selector = kSelectorTemporary + 2;
  p.setChain(1, chain);
  p.setTile(1, denseTile(kF32, 2, 2, kA));
  p.setTile(5, denseTile(kF32, 2, 1, kR));
  p.et_vx(Tile{9}, Tile{1}, Tile{8}, Chain{1});
  p.exit(0);
  TestProgram program(p);
  runClean(program);
  EXPECT_EQ(localFloats(program, kR, 2), (std::vector<float>{5, 25}));
}

TEST(ChainInstruction, GoesOnWithLanesThatItsPlainReductionFolds) {
  // Two chunks of 64 ones, then the fold: 128.
  VectorBuilder p;
  ChainDescriptor chain =
      oneStepChain(floatStep(ElementwiseOp::add, 0, kSelectorTile, kSelectorConstant));
  chain.flags =
      ChainDescriptor::kNoDestination | ChainDescriptor::kReduce | ChainDescriptor::kAccumulate;
  chain.reduction_tile = 5;
  chain.reduction_selector = kSelectorTemporary;
  p.setChain(1, chain);
  p.setTile(1, denseTile(kF32, 1, 64, kA));
  p.setTile(5, denseTile(kF32, 1, 64, kR));
  p.setTile(6, denseTile(kF32, 1, 1, kD));
  p.li(X{5}, static_cast<int64_t>(bitsOf(1)));
  p.li(X{6}, static_cast<int64_t>(bitsOf(-0.0f)));
  p.et_iota(Tile{1}, X{5}, X{0}, X{0});
  p.et_iota(Tile{5}, X{6}, X{0}, X{0});
  p.et_vx(Tile{9}, Tile{1}, Tile{1}, Chain{1});
  p.et_vx(Tile{9}, Tile{1}, Tile{1}, Chain{1});
  p.et_red_sum(Tile{6}, Tile{5});
  p.exit(0);
  TestProgram program(p);
  runClean(program);
  EXPECT_EQ(localFloats(program, kD, 1), (std::vector<float>{128}));
}

TEST(ChainInstruction, ReadsItsThirdSourceFromTheDescriptor) {
  SHOWS(chain_operands, chain_in_place);
  VectorBuilder p;
  p.storeFloats(kA, {2, 3});
  p.storeFloats(kB, {10, 100});
  p.storeFloats(kR, {1, 1});
  ChainDescriptor chain = oneStepChain(
      floatStep(ElementwiseOp::fma, 0, kSelectorTile, kSelectorTile + 1, kSelectorTile + 2));
  chain.third_source = 7;
  p.setChain(7, chain);
  p.setTile(0, denseTile(kF32, 1, 2, kA));
  p.setTile(2, denseTile(kF32, 1, 2, kB));
  p.setTile(7, denseTile(kF32, 1, 2, kR));
  p.et_vx(Tile{0}, Tile{0}, Tile{2}, Chain{7});  // in place on a
  p.exit(0);
  TestProgram program(p);
  runClean(program);
  EXPECT_EQ(localFloats(program, kA, 2), (std::vector<float>{21, 301}));
}

TEST(ChainInstruction, MasksByRowAndColumn) {
  SHOWS(chain_mask);
  // Keeps the lower triangle: row - column >= 0.
  VectorBuilder p;
  p.storeFloats(kA, {1, 1, 1, 1, 1, 1, 1, 1, 1});
  ChainDescriptor chain = oneStepChain(
      floatStep(ElementwiseOp::mask, 0, kSelectorTile, kSelectorConstant, kSelectorConstant + 4));
  chain.constants[2] = 1;
  chain.constants[3] = static_cast<uint32_t>(-1);
  chain.constants[4] = bitsOf(-INFINITY);
  p.setChain(1, chain);
  p.setTile(0, denseTile(kF32, 3, 3, kD));
  p.setTile(1, denseTile(kF32, 3, 3, kA));
  p.et_vx(Tile{0}, Tile{1}, Tile{1}, Chain{1});
  p.exit(0);
  TestProgram program(p);
  runClean(program);
  const float inf = INFINITY;
  EXPECT_EQ(localFloats(program, kD, 9), (std::vector<float>{1, -inf, -inf, 1, 1, -inf, 1, 1, 1}));
}

TEST(Reductions, GiveTheirIdentityForRowsWithoutColumns) {
  SHOWS(op_empty);
  VectorBuilder p;
  p.setTile(1, denseTile(kF32, 2, 0, kA));
  p.setTile(2, denseTile(kF32, 2, 1, kD));
  p.setTile(3, denseTile(ElementType::i32, 2, 1, kR));
  p.et_red_sum(Tile{2}, Tile{1});
  p.et_argmax(Tile{3}, Tile{1});
  p.exit(0);
  TestProgram program(p);
  runClean(program);
  EXPECT_EQ(localWords(program, kD, 2), (std::vector<uint32_t>{0x80000000, 0x80000000}));
  EXPECT_EQ(localWords(program, kR, 2), (std::vector<uint32_t>{0xffffffff, 0xffffffff}));
}

TEST(Reductions, LeaveTheBitsOfWhatTheyAccumulateIntoWhenThereIsNothing) {
  SHOWS(red_columns, red_argument_accumulate);
  constexpr uint32_t kPayload = 0x7f812345;  // a NaN that is not canonical
  VectorBuilder p;
  p.store(kD, {kPayload, kPayload});
  p.store(kR, {7});
  p.setTile(1, denseTile(kF32, 0, 2, kA));
  p.setTile(2, denseTile(kF32, 1, 2, kD));
  p.setTile(3, denseTile(kF32, 1, 0, kA));
  p.setTile(4, denseTile(kF32, 1, 1, kD));
  p.setTile(5, denseTile(ElementType::i32, 1, 1, kR));
  p.et_cred_sum_acc(Tile{2}, Tile{1});
  p.et_argmax_acc(Tile{4}, Tile{3}, Tile{5}, X{0});
  p.exit(0);
  TestProgram program(p);
  runClean(program);
  EXPECT_EQ(localWords(program, kD, 2), (std::vector<uint32_t>{kPayload, kPayload}));
  EXPECT_EQ(localWords(program, kR, 1), (std::vector<uint32_t>{7}));
}

TEST(Scans, ChunkedByTheirCarryEqualTheWhole) {
  SHOWS(scan_start);
  VectorBuilder p;
  p.storeFloats(kA, {0.1f, 0.2f, 0.3f, 0.4f, 0.5f});
  p.store(kR, {0x80000000});
  p.setTile(1, denseTile(kF32, 1, 5, kA));
  p.setTile(2, denseTile(kF32, 1, 5, kB));
  p.setTile(3, denseTile(kF32, 1, 2, kA));
  p.setTile(4, denseTile(kF32, 1, 2, kD));
  p.setTile(5, denseTile(kF32, 1, 3, kA + 8));
  p.setTile(6, denseTile(kF32, 1, 3, kD + 8));
  p.setTile(7, denseTile(kF32, 1, 1, kR));
  p.et_scan_sum(Tile{2}, Tile{1});
  p.et_scan_sum_carry(Tile{4}, Tile{3}, Tile{7});
  p.et_scan_sum_carry(Tile{6}, Tile{5}, Tile{7});
  p.exit(0);
  TestProgram program(p);
  runClean(program);
  EXPECT_EQ(localWords(program, kD, 5), localWords(program, kB, 5));
  EXPECT_EQ(localWords(program, kR, 1)[0], localWords(program, kB, 5)[4]);
}

TEST(Movement, SetsTheStickyStatusWithTheFirstPcOfAnIndexOutside) {
  SHOWS(move_index_outside);
  VectorBuilder p;
  p.storeFloats(kA, {1, 2});
  p.store(kB, {0, 2});
  p.setTile(0, denseTile(kF32, 1, 2, kD));
  p.setTile(1, denseTile(kF32, 1, 2, kA));
  p.setTile(2, denseTile(ElementType::i32, 1, 2, kB));
  const uint64_t first = kTestEntry + p.here();
  p.et_lgather(Tile{0}, Tile{1}, Tile{2});
  p.et_lscatter(Tile{0}, Tile{1}, Tile{2});
  p.csrrs(X{10}, 0x7c0, X{0});
  p.csrrs(X{11}, 0x7c3, X{0});
  p.li(X{12}, static_cast<int64_t>(first));
  p.sub(X{11}, X{11}, X{12});
  p.slli(X{11}, X{11}, 8);
  p.or_(X{10}, X{10}, X{11});
  p.exitWithRegister(X{10});
  TestProgram program(p);
  EXPECT_EQ(runClean(program).exit_code, 1u);
  EXPECT_EQ(localFloats(program, kD, 2), (std::vector<float>{1, 0}));
}

TEST(Movement, ReadsAndWritesOnlyWhatTheIndicesName) {
  // ta has one written element, td none: a record of whole tiles would report reads of nothing written.
  VectorBuilder p;
  p.storeFloats(kA + 4, {9});
  p.store(kB, {1});
  p.setTile(0, denseTile(kF32, 1, 1, kD));
  p.setTile(1, denseTile(kF32, 1, 3, kA));
  p.setTile(2, denseTile(ElementType::i32, 1, 1, kB));
  p.setTile(3, denseTile(kF32, 1, 2, kR));
  p.et_lgather(Tile{0}, Tile{1}, Tile{2});
  p.et_lscatter(Tile{3}, Tile{0}, Tile{2});
  p.li(X{5}, static_cast<int64_t>(isa::kLocalWindowBase + kR));
  p.lw(X{6}, 0, X{5});  // the element that the scatter did not write
  p.exit(0);
  TestProgram program(p);
  program.run();
  EXPECT_EQ(localFloats(program, kD, 1), (std::vector<float>{9}));
  ASSERT_EQ(program.device().findings().uninitialised().size(), 1u);
  EXPECT_EQ(program.device().findings().uninitialised()[0].size, 4u);
}

}  // namespace
}  // namespace etalon::sim
