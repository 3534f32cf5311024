// SPDX-License-Identifier: Apache-2.0
// Every rule that the description lists under an instruction's `faults` is provoked, by an example of that instruction
// or by a probe that breaks one thing of an example; the diagnostic is complete and nothing else changed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "isa/machines/find_machine.h"
#include "sim/functional/example_runner.h"
#include "sim/functional/fault_probes.h"

namespace etalon::sim {
namespace {

/// One rule of one instruction.
struct ListedFault {
  std::string rule;
  DescribedInstruction instruction;

  friend void PrintTo(const ListedFault& fault, std::ostream* out) {
    *out << fault.instruction.name << " " << fault.rule;
  }
};

std::vector<ListedFault> listedFaults() {
  std::vector<ListedFault> listed;
  const auto loaded = loadExamples(ETALON_BINARY_DIR "/generated/isa/examples.json");
  if (!loaded.ok()) return listed;
  for (const DescribedInstruction& d : *loaded)
    for (const std::string& rule : d.faults) listed.push_back({rule, d});
  return listed;
}

isa::Machine machineFor(const FaultProbe& probe) {
  std::vector<std::string> overrides = probe.machine;
  overrides.push_back("cores=1");
  isa::Machine machine = *isa::openMachine("functional64", overrides);
  // Less than a machine file may say: any example with two elements is then too much.
  if (probe.no_work) machine.macs_log2 = machine.elements_log2 = machine.bytes_log2 = 0;
  return machine;
}

/// What is wrong with the diagnostic of a probe's fault: cause, and the operand that mtval and the text name.
std::string wrongDiagnostic(const FaultProbe& probe, const isa::Fault& fault,
                            const std::vector<ProbeOperand>& operands) {
  if (std::ranges::find(probe.causes, fault.cause) == probe.causes.end())
    return fmt::format("cause {}", isa::causeName(fault.cause));
  if (fault.cause < isa::Cause::unsupported) return "";
  const uint64_t reg_class = fault.value >> 20 & 15, number = fault.value >> 16 & 15,
                 reg = fault.value >> 24 & 255;
  const auto isIt = [&](const ProbeOperand& operand) {
    const uint64_t expected = operand.kind == isa::OperandKind::tile   ? 1
                              : operand.kind == isa::OperandKind::view ? 2
                                                                       : 3;
    return reg_class == expected && reg == operand.reg;
  };
  // A malformed register is named by class and number alone, and the text names the field.
  if (fault.rule == isa::Rule::view_update || fault.rule == isa::Rule::chain_empty_register)
    return std::ranges::any_of(operands, isIt)
               ? ""
               : fmt::format("mtval names register {} of class {}", reg, reg_class);
  // The tiles that a chain register names come after those of the syntax.
  const bool of_chain = !operands.empty() && operands.back().kind == isa::OperandKind::chain &&
                        number + 1 >= operands.size();
  if (of_chain)
    return reg_class == 1 && fault.operand.find(fmt::format("(tr{})", reg)) != std::string::npos
               ? ""
               : "text names " + fault.operand;
  if (number >= operands.size()) return fmt::format("mtval names operand {}", number);
  if (!isIt(operands[number]))
    return fmt::format("mtval names register {} of class {}", reg, reg_class);
  return fault.operand.starts_with(operands[number].name + " (")
             ? ""
             : fmt::format("text names '{}', mtval {}", fault.operand, operands[number].name);
}

/// Tries the probe on the examples that execute; empty if one attempt breaks the rule, else what came instead.
std::string probeProblem(const FaultProbe& probe, const DescribedInstruction& instruction) {
  const isa::Machine machine = machineFor(probe);
  std::string tried;
  for (const ExampleCase& example : instruction.examples) {
    if (!example.fault.empty()) continue;
    for (int attempt = 0; attempt < kProbeAttempts; ++attempt) {
      std::vector<ProbeOperand> operands;
      const auto provoked =
          provokeFault(machine, example.text, [&](ExampleState& before, uint32_t& word) {
            operands = probeOperands(word);
            probe.change({before, word, operands, attempt});
          });
      if (!provoked.ok()) return provoked.error().message;
      const auto& fault = provoked->fault;
      if (!fault) continue;
      if (isa::ruleInfo(fault->rule)->name != probe.rule) {
        tried += fmt::format("\n  {} attempt {}: {}", example.name, attempt,
                             isa::ruleInfo(fault->rule)->name);
        continue;
      }
      std::string wrong = wrongDiagnostic(probe, *fault, operands);
      for (const std::string& line : provoked->problems) wrong += "\n  " + line;
      return wrong;
    }
  }
  return "the probe provokes it with no example" + tried;
}

class Fault : public testing::TestWithParam<ListedFault> {};

TEST_P(Fault, IsProvokedWithACompleteDiagnostic) {
  const auto& [rule, instruction] = GetParam();
  const auto probes = faultProbes();
  const auto probe =
      std::ranges::find_if(probes, [&](const FaultProbe& p) { return p.rule == rule; });
  // examples_test runs the examples, diagnostics included.
  const bool by_example = std::ranges::any_of(
      instruction.examples, [&](const ExampleCase& e) { return e.fault == rule; });
  if (by_example) return;
  ASSERT_NE(probe, probes.end()) << "no example of " << instruction.name << " has `fault: " << rule
                                 << "`, and fault_probes.cc has no probe of it";
  EXPECT_EQ(probeProblem(*probe, instruction), "");
}

INSTANTIATE_TEST_SUITE_P(Isa, Fault, testing::ValuesIn(listedFaults()), [](const auto& info) {
  std::string name = info.param.instruction.name + "__" + info.param.rule;
  std::ranges::replace_if(name, [](char c) { return c == '.' || c == '-'; }, '_');
  return name;
});

TEST(FaultProbes, BelongToRulesThatSomeInstructionLists) {
  const auto listed = listedFaults();
  ASSERT_FALSE(listed.empty());
  for (const FaultProbe& probe : faultProbes()) {
    EXPECT_TRUE(std::ranges::any_of(listed, [&](const ListedFault& fault) {
      return fault.rule == probe.rule;
    })) << probe.rule;
  }
}

}  // namespace
}  // namespace etalon::sim
