// SPDX-License-Identifier: Apache-2.0
// The work of every matrix and vector instruction of the instruction table.
#include <gtest/gtest.h>

#include <map>

#include "isa/codec/instruction_info.h"
#include "isa/elementwise_op.h"
#include "sim/units/matrix_work.h"
#include "sim/units/test_tokens.h"
#include "sim/units/vector_work.h"

namespace etalon::sim {
namespace {

using isa::InstructionInfo;
using isa::OperandKind;
using isa::Role;
using isa::TileOperands;

/// Operands of an instruction: tiles of 8 x 16 f32 in the order of its syntax, roles as `roles` says, d: destination, s: source,
/// i: inout, e: second destination.
TileOperands operandsOf(const isa::Instruction& in, const std::string& roles) {
  static const isa::MachineLimits kLimits;
  TileOperands operands(in, kLimits, {});
  for (size_t i = 0; i < roles.size(); ++i) {
    const Role role = roles[i] == 'd'   ? Role::destination
                      : roles[i] == 's' ? Role::source
                      : roles[i] == 'i' ? Role::inout
                                        : Role::second_destination;
    operands.tile(0, tileAt(static_cast<uint32_t>(i) << 16, 8, 16, ElementType::f32), role);
  }
  return operands;
}

struct Expected {
  VectorWalk walk;
  std::string roles;
  unsigned sources, simple, exponentials, functions;
  bool reduces, folds, wide_result;
};

/// By mnemonic, from the description of the instructions and docs/spec/microarchitecture.md.
Expected expectedOf(const std::string& name) {
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  const auto starts = [&](const char* part) { return name.rfind(part, 0) == 0; };
  const bool acc = has(".acc");
  if (starts("et.red."))
    return {VectorWalk::row_reduction, acc ? "is" : "ds", 1, 0, 0, 0, true, !acc, false};
  if (starts("et.cred.") || starts("et.carg"))
    return {VectorWalk::column_reduction, acc ? "is" : "ds", 1, 0, 0, 0, false, false, false};
  if (starts("et.arg"))
    return {VectorWalk::row_reduction, acc ? "isi" : "ds", 1, 0, 0, 0, true, true, false};
  if (starts("et.scan.") && has(".carry"))
    return {VectorWalk::row_scan, "dsi", 1, 1, 0, 0, false, false, true};
  if (starts("et.scan.")) return {VectorWalk::row_scan, "ds", 1, 1, 0, 0, false, false, true};
  if (starts("et.recur")) return {VectorWalk::row_scan, "dssi", 2, 1, 0, 0, false, false, true};
  if (name == "et.copy") return {VectorWalk::move, "ds", 1, 0, 0, 0, false, false, true};
  if (name == "et.permute") return {VectorWalk::move, "dss", 1, 0, 0, 0, false, false, true};
  if (name == "et.transpose") return {VectorWalk::transpose, "ds", 1, 0, 0, 0, false, false, true};
  if (starts("et.lgather") || starts("et.lscatter"))
    return {VectorWalk::indexed, "dss", 2, 0, 0, 0, false, false, true};
  if (name == "et.iota") return {VectorWalk::stream, "d", 0, 2, 0, 0, false, false, true};
  if (starts("et.rand."))
    return {VectorWalk::stream, "d", 0, has("uniform") ? 23U : 20U, 0, 0, false, false, true};
  if (starts("et.sort") || starts("et.topk"))
    return {VectorWalk::sort, "dse", 1, 0, 0, 0, false, false, true};
  if (starts("et.quant")) return {VectorWalk::stream, "dse", 1, 4, 0, 0, false, false, true};
  if (starts("et.dequant")) return {VectorWalk::stream, "dss", 2, 1, 0, 0, false, false, true};
  return {VectorWalk::stream, "", 0, 0, 0, 0, false, false, true};  // element-wise
}

TEST(VectorWorkOf, EveryVectorInstructionHasItsWalk) {
  int count = 0;
  for (const InstructionInfo& info : isa::instructionTable()) {
    if (info.unit != isa::Unit::vector || info.id == isa::InstructionId::et_vx) continue;
    ++count;
    const std::string name(info.name);
    SCOPED_TRACE(name);
    const isa::Instruction in{.id = info.id, .raw = info.match};
    Expected e = expectedOf(name);
    if (e.roles.empty()) {
      // td and a source a tile operand of the syntax.
      for (const isa::OperandInfo& operand : info.operands())
        if (operand.kind == OperandKind::tile) e.roles += e.roles.empty() ? 'd' : 's';
      e.sources = static_cast<unsigned>(e.roles.size()) - 1;
      const bool exponential = name == "et.exp" || name == "et.exp2";
      bool function = false;
      for (const char* slow :
           {"et.log", "et.log2", "et.sqrt", "et.rsqrt", "et.recip", "et.tanh", "et.sigmoid",
            "et.erf", "et.sin", "et.cos", "et.div", "et.div.x", "et.rdiv.x", "et.rem", "et.rem.x"})
        function |= name == slow;
      e.exponentials = exponential ? 1 : 0;
      e.functions = function ? 1 : 0;
      e.simple = exponential || function ? 0 : 1;
    }
    const VectorWork work = vectorWork(operandsOf(in, e.roles), nullptr);
    EXPECT_EQ(work.walk, e.walk);
    EXPECT_EQ(work.rows, 8u);
    EXPECT_EQ(work.cols, 16u);
    EXPECT_EQ(work.sources, e.sources);
    EXPECT_EQ(work.simple_steps, e.simple);
    EXPECT_EQ(work.exp_steps, e.exponentials);
    EXPECT_EQ(work.function_steps, e.functions);
    EXPECT_EQ(work.reduces, e.reduces);
    EXPECT_EQ(work.folds, e.folds);
    EXPECT_EQ(work.ordered, name != "et.permute" && name != "et.transpose");
    EXPECT_EQ(work.result_bits, e.wide_result ? 32u : 0u);
  }
  EXPECT_GT(count, 100);
}

TEST(VectorWorkOf, AChainCountsItsStepsAndWhatItReads) {
  isa::ChainDescriptor chain;
  chain.flags = isa::ChainDescriptor::kReduce;
  chain.nsteps = 5;
  const ElementwiseOp ops[] = {ElementwiseOp::sub, ElementwiseOp::exp, ElementwiseOp::mul,
                               ElementwiseOp::div, ElementwiseOp::mask};
  for (size_t s = 0; s < 5; ++s) chain.steps[s].op = static_cast<uint8_t>(ops[s]);
  const isa::Instruction in{.id = isa::InstructionId::et_vx};
  // td, a at three displacements, b, and the reduction tile.
  TileOperands operands = operandsOf(in, "dsse");
  const std::array<int32_t, 3> displacements = {0, 4, 8};
  operands.displace(1, displacements);
  VectorWork expected{.walk = VectorWalk::stream,
                      .rows = 8,
                      .cols = 16,
                      .simple_steps = 3,
                      .exp_steps = 1,
                      .function_steps = 1,
                      .reduces = true,
                      .folds = true,
                      .sources = 4,
                      .source_bits = 32,
                      .result_bits = 32};
  EXPECT_EQ(vectorWork(operands, &chain), expected);
  // Without td, with lanes: no wide result, no fold.
  chain.flags |= isa::ChainDescriptor::kNoDestination | isa::ChainDescriptor::kAccumulate;
  expected.folds = false;
  expected.sources = 2;
  expected.result_bits = 0;
  EXPECT_EQ(vectorWork(operandsOf(in, "ssi"), &chain), expected);
}

TEST(VectorWorkOfDeathTest, AnInstructionOfAnotherUnitHasNone) {
  EXPECT_DEATH(vectorWork(operandsOf({.id = isa::InstructionId::et_mm}, "dss"), nullptr),
               "another unit");
  EXPECT_DEATH(matrixWork(operandsOf({.id = isa::InstructionId::et_add}, "dss")), "another unit");
  EXPECT_DEATH(vectorWork(operandsOf({.id = isa::InstructionId::et_vx}, "dss"), nullptr),
               "without its chain");
}

TEST(MatrixWorkOf, ExtentsAreLogicalAndLinksSaySparse) {
  static const isa::MachineLimits kLimits;
  TileOperands operands({.id = isa::InstructionId::et_mma}, kLimits, {});
  auto a = tileAt(0, 40, 12, ElementType::bf16);
  a.transpose = true;
  operands.tile(0, tileAt(0, 12, 20, ElementType::f32), Role::inout);
  operands.tile(1, a, Role::source);
  operands.tile(2, tileAt(0, 40, 20, ElementType::i4), Role::source);
  MatrixWork expected{.m = 12,
                      .n = 20,
                      .k = 40,
                      .a_bits = 16,
                      .b_bits = 4,
                      .a_transposed = true,
                      .accumulates = true};
  EXPECT_EQ(matrixWork(operands), expected);
  // Scales of A are operand 4; metadata, operand 3, make it sparse.
  operands.tile(4, tileAt(0, 1, 1, ElementType::e8m0), Role::linked, {4, "scales of ta"});
  EXPECT_EQ(matrixWork(operands), expected);
  operands.tile(3, tileAt(0, 1, 1, ElementType::u4), Role::linked, {3, "metadata of ta"});
  expected.sparse = true;
  EXPECT_EQ(matrixWork(operands), expected);
}

}  // namespace
}  // namespace etalon::sim
