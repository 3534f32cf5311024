// SPDX-License-Identifier: Apache-2.0
// Executes every worked example of the ISA description. One test an example: --gtest_filter='*et_mm_*'.
#include <gtest/gtest.h>

#include "isa/machines/find_machine.h"
#include "sim/functional/example_runner.h"

namespace etalon::sim {
namespace {

/// One core is enough for a single instruction, and makes a fresh device cheap.
const isa::Machine& exampleMachine() {
  static const isa::Machine machine = *isa::openMachine("functional64", {"cores=1"});
  return machine;
}

std::vector<DescribedInstruction> description() {
  auto loaded = loadExamples(ETALON_BINARY_DIR "/generated/isa/examples.json");
  return loaded.ok() ? *loaded : std::vector<DescribedInstruction>{};
}

std::vector<ExampleCase> allExamples() {
  std::vector<ExampleCase> all;
  for (const DescribedInstruction& d : description())
    all.insert(all.end(), d.examples.begin(), d.examples.end());
  return all;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += "\n  " + line;
  return text;
}

class Example : public testing::TestWithParam<ExampleCase> {};

TEST_P(Example, ComesOutAsWritten) {
  const auto lines = runExample(exampleMachine(), GetParam().text);
  EXPECT_TRUE(lines.empty()) << GetParam().text << joined(lines);
}

INSTANTIATE_TEST_SUITE_P(Isa, Example, testing::ValuesIn(allExamples()),
                         [](const auto& info) { return info.param.name; });

/// Instructions whose whole meaning is a trap.
bool alwaysTraps(const std::string& name) { return name == "ecall" || name == "ebreak"; }

TEST(Examples, AreThereForEveryInstruction) {
  const auto instructions = description();
  ASSERT_FALSE(instructions.empty());
  for (const DescribedInstruction& d : instructions) {
    bool works = false;
    for (const ExampleCase& example : d.examples) works |= example.fault.empty();
    EXPECT_NE(works, alwaysTraps(d.name)) << d.name << ": examples without a fault: " << works;
  }
}

// The runner itself: what it must notice. Each text is a true example with one thing made wrong.
struct WrongExample {
  const char* what;
  const char* text;
  const char* said;
};
class WrongExampleTest : public testing::TestWithParam<WrongExample> {};

TEST_P(WrongExampleTest, IsNoticed) {
  const auto lines = runExample(exampleMachine(), GetParam().text);
  EXPECT_NE(joined(lines).find(GetParam().said), std::string::npos) << joined(lines);
}

constexpr const char* kMm =
    R"("asm": "et.mm tr0, tr1, tr2", "in": {"tr1": {"type": "bf16", "rows": [[1, 2]]},
  "tr2": {"type": "bf16", "rows": [[3], [4]]}, "tr0": {"type": "f32", "shape": [1, 1]}})";
std::string withMm(const char* rest) { return std::string("{") + kMm + ", " + rest + "}"; }

const std::string kWrongValue = withMm(R"("out": {"tr0": [[12]]})");
const std::string kNoChange = withMm(R"("out": {})");
const std::string kWrongShape = withMm(R"("out": {"tr0": [[11, 0]]})");
const std::string kNoFault = withMm(R"("fault": "mm.shape")");

const WrongExample kWrong[] = {
    {"register", R"j({"asm": "addi x1, x0, 1", "out": {"x1": 2}})j", "x1 is 0x1, expected 0x2"},
    {"other_register", R"j({"asm": "addi x1, x0, 1", "out": {}})j", "x1 is 0x1, expected 0x0"},
    {"pc", R"j({"asm": "jal x0, 8", "out": {}})j", "pc is 8, expected 4"},
    {"csr", R"j({"asm": "csrrwi x0, mscratch, 3", "out": {}})j",
     "csr mscratch is 0x3, expected 0x0"},
    {"memory",
     R"j({"asm": "sb x1, 0(x2)", "in": {"x1": 1, "x2": 2415919104, "mem": {"0x90000000": [0]}}, "out": {}})j",
     "memory byte 0x90000000 is 0x01"},
    {"unwritten", R"j({"asm": "lb x1, 0(x2)", "in": {"x2": 2415919104}, "out": {}})j",
     "that `in` does not give"},
    {"tile_value", kWrongValue.c_str(), "local byte 0x1002"},
    {"tile_untouched", kNoChange.c_str(), "local byte 0x1000"},
    {"tile_shape", kWrongShape.c_str(), "row 0 has 2 elements"},
    {"no_fault", kNoFault.c_str(), "did not trap with mm.shape"},
    {"fault", R"j({"asm": "ecall", "out": {}})j", "trapped"},
    {"other_fault", R"j({"asm": "ecall", "fault": "mm.shape"})j", "not mm.shape"},
    {"blocked", R"j({"asm": "et.wait x1, 0, x2", "in": {"x2": 1}, "out": {}})j", "did not retire"},
    {"unknown_key", R"j({"asm": "ecall", "in": {"y1": 0}, "out": {}})j", "y1: unknown key"},
    {"inexact",
     R"j({"asm": "et.fence.t tr0", "in": {"tr0": {"type": "f8e4m3", "rows": [[17.5]]}}, "out": {}})j",
     "17.5 is no value of f8e4m3"},
};

INSTANTIATE_TEST_SUITE_P(Runner, WrongExampleTest, testing::ValuesIn(kWrong),
                         [](const auto& info) { return info.param.what; });

}  // namespace
}  // namespace etalon::sim
