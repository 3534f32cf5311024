// SPDX-License-Identifier: Apache-2.0
// Every rule that the description lists under an instruction's `faults` is provoked, by an example of that instruction
// or by a probe that breaks one thing of an example; the diagnostic is complete and nothing else changed. No probe provokes
// a rule that is not listed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "isa/codec/codec.h"
#include "isa/machines/find_machine.h"
#include "isa/state/legal_types.h"
#include "isa/state/rule_test.h"
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

std::vector<DescribedInstruction> description() {
  const auto loaded = loadExamples(ETALON_BINARY_DIR "/generated/isa/examples.json");
  return loaded.ok() ? *loaded : std::vector<DescribedInstruction>{};
}

/// All but op.work-cap, of which work_cap_test.cc proves each cap by itself.
std::vector<ListedFault> listedFaults() {
  std::vector<ListedFault> listed;
  for (const DescribedInstruction& d : description())
    for (const std::string& rule : d.faults)
      if (rule != "op.work-cap") listed.push_back({rule, d});
  return listed;
}

const isa::Machine& machineWith(std::vector<std::string> overrides) {
  static std::map<std::vector<std::string>, isa::Machine> machines;
  overrides.push_back("cores=1");
  const auto known = machines.find(overrides);
  if (known != machines.end()) return known->second;
  return machines.emplace(overrides, *isa::openMachine("functional64", overrides)).first->second;
}

/// Starts of the examples that execute, by name.
std::map<std::string, const ExampleStart*> startsOf(const DescribedInstruction& d) {
  static std::map<std::string, ExampleStart> starts;
  std::map<std::string, const ExampleStart*> all;
  for (const ExampleCase& example : d.examples) {
    if (!example.fault.empty()) continue;
    const auto [at, missing] = starts.try_emplace(example.name);
    if (missing) at->second = *startOf(machineWith({}), example.text);
    all[example.name] = &at->second;
  }
  return all;
}

/// All that probes change.
struct Changeable {
  uint32_t word;
  decltype(ExampleState::x) x;
  decltype(ExampleState::tiles) tiles;
  decltype(ExampleState::views) views;
  decltype(ExampleState::chains) chains;

  explicit Changeable(const ExampleStart& s)
      : word(s.word),
        x(s.before.x),
        tiles(s.before.tiles),
        views(s.before.views),
        chains(s.before.chains) {}
  void restore(ExampleStart& s) const {
    s.word = word;
    s.before.x = x;
    s.before.tiles = tiles;
    s.before.views = views;
    s.before.chains = chains;
  }
  bool operator==(const Changeable&) const = default;
};

/// A fault that a probe provoked.
struct Attempt {
  std::string name;  // example and number
  int number;
  isa::Fault fault;
  std::vector<ProbeOperand> operands;
  std::vector<std::string> problems;
};

/// Tries the probe on the examples that execute, each change once.
std::vector<Attempt> tryProbe(const FaultProbe& probe, const DescribedInstruction& instruction) {
  std::vector<Attempt> faults;
  for (const auto& [name, start] : startsOf(instruction)) {
    const auto operands = probeOperands(start->word, start->before);
    ExampleStart at = *start;
    const Changeable unchanged(at);
    // On another machine the example as it is may fault.
    std::vector<Changeable> tried;
    if (probe.machine.empty()) tried.push_back(unchanged);
    for (int number = 0; number < kProbeAttempts; ++number) {
      unchanged.restore(at);
      probe.change({at.before, at.word, operands, number});
      if (isa::decode(at.word).id != isa::decode(start->word).id) continue;
      const Changeable changed(at);
      if (std::ranges::find(tried, changed) != tried.end()) continue;
      tried.push_back(changed);
      const auto provoked = *stepFrom(machineWith(probe.machine), at.before, at.word);
      if (provoked.fault)
        faults.push_back({fmt::format("{} attempt {}", name, number), number, *provoked.fault,
                          probeOperands(at.word, at.before), provoked.problems});
    }
  }
  return faults;
}

/// The faults that a probe provokes of an instruction; two tests ask.
const std::vector<Attempt>& faultsOf(const FaultProbe& probe, const DescribedInstruction& d) {
  static std::map<std::pair<std::string, std::string>, std::vector<Attempt>> known;
  const auto [at, missing] = known.try_emplace({d.name, probe.rule});
  if (missing) at->second = tryProbe(probe, d);
  return at->second;
}

/// An example that says it faults.
Attempt attemptOf(const ExampleCase& example) {
  const auto start = startOf(machineWith({}), example.text);
  const auto stepped = stepFrom(machineWith({}), start->before, start->word);
  return {example.name, 0, stepped->fault.value_or(isa::Fault{}),
          probeOperands(start->word, start->before), stepped->problems};
}

std::string_view ruleOf(const Attempt& attempt) {
  const isa::RuleInfo* info = isa::ruleInfo(attempt.fault.rule);
  return info ? info->name : "no rule";
}

/// What is wrong with the diagnostic of any fault: the operand that mtval and the text name, and what the runner checks.
std::string wrongDiagnostic(const Attempt& attempt) {
  std::string wrong;
  if (attempt.fault.cause >= isa::Cause::unsupported)
    wrong = wrongOperand(attempt.fault, attempt.operands);
  for (const std::string& line : attempt.problems) wrong += "\n  " + line;
  return wrong.empty() ? "" : fmt::format("{}: {}: {}", attempt.name, ruleOf(attempt), wrong);
}

/// The first operand with the register of operand `number`: they break together.
const ProbeOperand& firstOfRegister(const std::vector<ProbeOperand>& operands, int number) {
  const ProbeOperand& broken = *operandNumbered(operands, number);
  return *std::ranges::find_if(operands, [&](const ProbeOperand& operand) {
    return operand.kind == broken.kind && operand.reg == broken.reg;
  });
}

/// True if a rule of tiles is about an operand of a product: A and B may be transposed and linked, metadata linked, and a
/// u4 tile of another type is no metadata.
bool isAboutProduct(const std::string& rule, const std::string& operand) {
  const bool is_source = operand == "ta" || operand == "tb",
             is_metadata = operand == "metadata of ta";
  if (rule == "tile.transpose") return !is_source;
  if (rule == "tile.link") return !is_source && !is_metadata;
  return rule != "tile.type" || !is_metadata;
}

/// True if every type of an operand of the syntax has 8 bits: no place is misaligned for it.
bool hasBytesOnly(isa::InstructionId id, int number) {
  const auto rows = isa::legalTypes(id);
  return !rows.empty() && number < rows.front().count &&
         std::ranges::all_of(
             rows,
             [&](const isa::LegalTypes& row) {
               for (size_t code = 0; code < kElementTypes; ++code)
                 if (row.masks[static_cast<size_t>(number)] >> code & 1 &&
                     kElementInfo[code].bits != 8)
                   return false;
               return true;
             });
}

/// Numbers of the tile operands that some example has and that the rule is about.
std::set<int> breakableOperands(const std::string& rule, const DescribedInstruction& instruction) {
  std::set<int> numbers;
  const isa::InstructionInfo& info = *isa::instructionNamed(instruction.name);
  const bool product = info.unit == isa::Unit::matrix;
  for (const auto& [name, start] : startsOf(instruction))
    for (const ProbeOperand& operand : probeOperands(start->word, start->before))
      if (operand.kind == isa::OperandKind::tile &&
          (!product || isAboutProduct(rule, operand.name)) &&
          (rule != "tile.align" || !hasBytesOnly(info.id, operand.number)))
        numbers.insert(operand.number);
  return numbers;
}

class Fault : public testing::TestWithParam<ListedFault> {};

TEST_P(Fault, IsProvokedWithACompleteDiagnostic) {
  SHOWS(fault_precise, fault_value);
  const auto& [rule, instruction] = GetParam();
  const auto probes = faultProbes();
  const auto probe =
      std::ranges::find_if(probes, [&](const FaultProbe& p) { return p.rule == rule; });
  bool provoked = false;
  for (const ExampleCase& example : instruction.examples) {
    if (example.fault != rule) continue;
    provoked = true;
    const Attempt attempt = attemptOf(example);
    EXPECT_EQ(ruleOf(attempt), rule);
    EXPECT_EQ(wrongDiagnostic(attempt), "");
  }
  if (probe == probes.end()) {
    ASSERT_TRUE(provoked) << "no example of " << instruction.name << " has `fault: " << rule
                          << "`, and fault_probes.cc has no probe of it";
    return;
  }
  std::set<int> named;
  std::string others;
  for (const Attempt& attempt : faultsOf(*probe, instruction)) {
    if (ruleOf(attempt) != rule) {
      others += fmt::format("\n  {}: {}", attempt.name, ruleOf(attempt));
      continue;
    }
    provoked = true;
    EXPECT_NE(std::ranges::find(probe->causes, attempt.fault.cause), probe->causes.end())
        << attempt.name << ": " << isa::causeName(attempt.fault.cause);
    EXPECT_EQ(wrongDiagnostic(attempt), "");
    // A change may have made another operand of it.
    if (!probe->names_operand || !operandNumbered(attempt.operands, attempt.number)) continue;
    const auto number = static_cast<int>(attempt.fault.value >> 16 & 15);
    EXPECT_EQ(number, firstOfRegister(attempt.operands, attempt.number).number) << attempt.name;
    named.insert(number);
  }
  EXPECT_TRUE(provoked) << "the probe provokes it with no example" << others;
  if (probe->names_operand) {
    EXPECT_EQ(named, breakableOperands(rule, instruction)) << others;
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, Fault, testing::ValuesIn(listedFaults()), [](const auto& info) {
  std::string name = info.param.instruction.name + "__" + info.param.rule;
  std::ranges::replace_if(name, [](char c) { return c == '.' || c == '-'; }, '_');
  return name;
});

class Instruction : public testing::TestWithParam<DescribedInstruction> {};

TEST_P(Instruction, RaisesOnlyFaultsItLists) {
  const DescribedInstruction& instruction = GetParam();
  for (const FaultProbe& probe : faultProbes())
    for (const Attempt& attempt : faultsOf(probe, instruction)) {
      EXPECT_NE(std::ranges::find(instruction.faults, ruleOf(attempt)), instruction.faults.end())
          << ruleOf(attempt) << " is not among the faults of " << instruction.name << ": "
          << attempt.name << " of the probe of " << probe.rule;
      EXPECT_EQ(wrongDiagnostic(attempt), "");
    }
}

INSTANTIATE_TEST_SUITE_P(Isa, Instruction, testing::ValuesIn(description()), [](const auto& info) {
  std::string name = info.param.name;
  std::ranges::replace(name, '.', '_');
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
