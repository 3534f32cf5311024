// SPDX-License-Identifier: Apache-2.0
// Rule op.work-cap, each of its three caps by itself: an example traps where the machine grants less work than the rule
// counts in it (down to 1) and says how much of what that is; it executes where the machine grants as much.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "isa/codec/codec.h"
#include "isa/machines/find_machine.h"
#include "isa/state/rule_test.h"
#include "sim/functional/example_runner.h"
#include "sim/functional/probe_operands.h"

namespace etalon::sim {
namespace {

struct Work {
  uint64_t macs = 0;
  uint64_t elements = 0;
  uint64_t bytes = 0;
};

struct Cap {
  const char* what;
  uint64_t isa::Machine::* log2;
  uint64_t Work::* amount;
  std::vector<isa::Unit> units;  // whose instructions it limits
};
using enum isa::Unit;
const Cap kCaps[] = {
    {"multiply-accumulates", &isa::Machine::macs_log2, &Work::macs, {matrix}},
    {"elements",
     &isa::Machine::elements_log2,
     &Work::elements,
     {matrix, vector, load, store, sync}},
    {"bytes", &isa::Machine::bytes_log2, &Work::bytes, {load, store}},
};

uint64_t elements(const isa::TileRegister& tile) { return tile.rows() * tile.columns(); }

/// The work of an instruction as the rule counts it.
Work workOf(const isa::InstructionInfo& info, const ExampleStart& start) {
  const auto operands = probeOperands(start.word, start.before);
  const auto tile = [&](int number) -> const isa::TileRegister* {
    const ProbeOperand* operand = operandNumbered(operands, number);
    const bool is_tile = operand && operand->kind == isa::OperandKind::tile;
    return is_tile ? &start.before.tiles[operand->reg] : nullptr;
  };
  const auto view = [&](int number) -> const isa::ViewDescriptor* {
    const ProbeOperand* operand = operandNumbered(operands, number);
    const bool is_view = operand && operand->kind == isa::OperandKind::view;
    return is_view ? &start.before.views[operand->reg] : nullptr;
  };
  const isa::TileRegister *first = tile(0), *second = tile(1);
  switch (info.unit) {
    case matrix: return {elements(*first) * tile(2)->rows(), elements(*first), 0};
    case vector:
      if (info.name == "et.lscatter" || !first) return {0, elements(*second), 0};
      if (info.group == "reductions" || info.group == "selection")
        return {0, std::max(elements(*first), elements(*second)), 0};
      return {0, elements(*first), 0};
    case load:
    case store: {
      if (!first) return {};  // a hint
      const int bits = std::max(first->elementBits(), view(1)->elementBits());
      return {0, elements(*first), elements(*first) * static_cast<uint64_t>(bits) / 8};
    }
    case sync:
      if (first) return {0, elements(*first), 0};
      if (view(0)) return {0, view(0)->rows() * view(0)->columns(), 0};
      return {};
    default: return {};
  }
}

const isa::Machine& plentyMachine() {
  static const isa::Machine machine = *isa::openMachine("functional64", {"cores=1"});
  return machine;
}

class WorkCap : public testing::TestWithParam<DescribedInstruction> {
 protected:
  /// The fault of an example on a machine whose instructions may do 2^log2 of what a cap counts.
  static std::optional<isa::Fault> faultOf(const ExampleStart& start, const Cap& cap,
                                           uint64_t log2) {
    isa::Machine machine = plentyMachine();
    machine.*cap.log2 = log2;  // less than a machine file may say
    const auto stepped = stepFrom(machine, start.before, start.word);
    EXPECT_TRUE(stepped.ok());
    EXPECT_TRUE(stepped->problems.empty()) << stepped->problems[0];
    return stepped->fault;
  }

  static void expectTrap(const ExampleStart& start, const Cap& cap, uint64_t amount,
                         uint64_t log2) {
    const auto fault = faultOf(start, cap, log2);
    ASSERT_TRUE(fault) << amount << " " << cap.what << " of 2^" << log2;
    EXPECT_EQ(fault->cause, isa::Cause::work_cap);
    EXPECT_EQ(fault->rule, isa::Rule::op_work_cap);
    EXPECT_EQ(fault->detail, fmt::format("{} {} are more than 2^{} allow in one instruction",
                                         amount, cap.what, log2));
    EXPECT_EQ(wrongOperand(*fault, probeOperands(start.word, start.before)), "");
  }
};

TEST_P(WorkCap, TrapsWhereAnExampleHasMoreAndSaysOfWhat) {
  VIOLATES(op_work_cap);
  const DescribedInstruction& instruction = GetParam();
  const bool listed =
      std::ranges::find(instruction.faults, "op.work-cap") != instruction.faults.end();
  const isa::InstructionInfo& info = *isa::instructionNamed(instruction.name);
  for (const Cap& cap : kCaps) {
    uint64_t most = 0;
    for (const ExampleCase& example : instruction.examples) {
      if (!example.fault.empty()) continue;
      SCOPED_TRACE(example.name);
      const auto start = startOf(plentyMachine(), example.text);
      ASSERT_TRUE(start.ok()) << start.error().message;
      const uint64_t amount = workOf(info, *start).*cap.amount;
      most = std::max(most, amount);
      const uint64_t enough = amount > 1 ? static_cast<uint64_t>(std::bit_width(amount - 1)) : 0;
      if (enough > 0) expectTrap(*start, cap, amount, 0);
      if (enough > 1) expectTrap(*start, cap, amount, enough - 1);
      EXPECT_FALSE(faultOf(*start, cap, enough)) << amount << " " << cap.what;
    }
    // An instruction with a cap has an example that trips it, and the others list no such fault.
    const bool limited = listed && std::ranges::find(cap.units, info.unit) != cap.units.end();
    EXPECT_EQ(most > 1, limited) << cap.what;
  }
}

std::vector<DescribedInstruction> description() {
  const auto loaded = loadExamples(ETALON_BINARY_DIR "/generated/isa/examples.json");
  return loaded.ok() ? *loaded : std::vector<DescribedInstruction>{};
}

INSTANTIATE_TEST_SUITE_P(Isa, WorkCap, testing::ValuesIn(description()), [](const auto& info) {
  std::string name = info.param.name;
  std::ranges::replace(name, '.', '_');
  return name;
});

}  // namespace
}  // namespace etalon::sim
