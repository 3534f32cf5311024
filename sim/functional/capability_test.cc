// SPDX-License-Identifier: Apache-2.0
// et.cap says what executing shows: every instruction on the operands of its worked examples, one type after another
// changed to every other and all to the same, on machines with few and with many profiles.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "isa/codec/codec.h"
#include "isa/csr.h"
#include "isa/machines/find_machine.h"
#include "isa/state/rule_test.h"
#include "sim/functional/example_runner.h"
#include "sim/functional/example_state.h"
#include "sim/functional/interpreter.h"
#include "sim/functional/probe_operands.h"

namespace etalon::sim {
namespace {

constexpr uint8_t kReservedType = 40;

/// A core that executes single instructions from given registers.
class Rig {
 public:
  explicit Rig(const std::string& profiles)
      : machine_(*isa::openMachine("functional64", {"cores=1", "profiles=" + profiles})),
        memory_(*Memory::create(machine_)),
        launch_(*LaunchState::create(1, *memory_)),
        core_(0, machine_, *memory_, findings_) {}

  /// Executes a word; the fault's cause, if it trapped.
  std::optional<isa::Cause> execute(const ExampleState& state, uint32_t word) {
    for (int i = 1; i < 32; ++i) core_.setX(i, state.x[static_cast<size_t>(i)]);
    for (size_t i = 0; i < state.tiles.size(); ++i)
      core_.tile(static_cast<int>(i)) = state.tiles[i];
    for (size_t i = 0; i < state.views.size(); ++i)
      core_.view(static_cast<int>(i)) = state.views[i];
    for (size_t i = 0; i < state.chains.size(); ++i)
      core_.chain(static_cast<int>(i)) = state.chains[i];
    const uint64_t faults = findings_.faultCount();
    core_.start(machine_.global_base, *launch_);
    core_.raw_ = word;
    core_.events_ = 0;
    executeTile(core_, isa::decode(word));
    if (findings_.faultCount() == faults) return std::nullopt;
    return static_cast<isa::Cause>(core_.readCsr(isa::csr::kMcause));
  }
  /// The rule that the last fault broke.
  isa::Rule rule() const {
    return static_cast<isa::Rule>(core_.readCsr(isa::csr::kMtval) & 0xffff);
  }
  /// What et.cap answers.
  uint64_t answer(uint32_t word, uint64_t types) {
    ExampleState state;
    state.x[5] = word;
    state.x[6] = types;
    EXPECT_FALSE(execute(state, *isa::assembleInstruction("et.cap x7, x5, x6")));
    return core_.x(7);
  }

 private:
  isa::Machine machine_;
  Findings findings_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<LaunchState> launch_;
  Core core_;
};

/// What executing tells of types and profiles: nothing if what is checked between the two failed.
std::optional<bool> executes(Rig& rig, const ExampleState& state, uint32_t word) {
  const auto cause = rig.execute(state, word);
  if (!cause) return true;
  const isa::Rule rule = rig.rule();
  if (rule == isa::Rule::op_types || rule == isa::Rule::op_unsupported ||
      rule == isa::Rule::tile_type)
    return false;
  if (*cause < isa::Cause::aliasing) return std::nullopt;  // shapes, and what chains hold
  return true;
}

/// The typed operands of a word in a state, and access to their types.
class Types {
 public:
  Types(ExampleState& state, uint32_t word) {
    for (const ProbeOperand& operand : probeOperands(word, state)) {
      tiles_.push_back(operand.kind == isa::OperandKind::tile);
      if (tiles_.back()) codes_.push_back(&state.tiles[operand.reg].type);
      if (operand.kind == isa::OperandKind::view) codes_.push_back(&state.views[operand.reg].type);
    }
  }
  size_t count() const { return codes_.size(); }
  bool isTile(size_t i) const { return tiles_[i]; }
  uint8_t& operator[](size_t i) const { return *codes_[i]; }
  uint64_t packed() const {
    uint64_t packed = 0;
    for (size_t i = 0; i < codes_.size(); ++i) packed |= uint64_t{*codes_[i]} << 8 * i;
    return packed;
  }

 private:
  std::vector<uint8_t*> codes_;
  std::vector<bool> tiles_;
};

/// Answers that executing confirmed, by what they are.
using Confirmed = std::map<bool, int>;

void expectTheSame(Rig& rig, const ExampleState& state, uint32_t word, uint64_t types,
                   Confirmed& confirmed) {
  const auto shown = executes(rig, state, word);
  if (!shown) return;
  ++confirmed[*shown];
  EXPECT_EQ(rig.answer(word, types), uint64_t{*shown})
      << isa::disassemble(word) << " types " << std::hex << types;
}

void tryExample(Rig& rig, const nlohmann::json& example, Confirmed& confirmed) {
  const uint32_t word = *isa::assembleInstruction(example["asm"].get<std::string>());
  ExampleState state;
  ASSERT_TRUE(applySection(example.value("in", nlohmann::json::object()), state).ok());
  const Types types(state, word);
  // What a link names is not asked.
  const int listed = isa::legalTypes(isa::decode(word).id).front().count;
  if (static_cast<int>(types.count()) > listed) return;
  expectTheSame(rig, state, word, types.packed(), confirmed);
  for (size_t i = 0; i < types.count(); ++i) {
    const uint8_t before = types[i];
    for (uint8_t code = 0; code < kElementTypes; ++code) {
      types[i] = code;
      expectTheSame(rig, state, word, types.packed(), confirmed);
    }
    // No view register has a reserved type: et.vld refuses it.
    if (types.isTile(i)) {
      types[i] = kReservedType;
      expectTheSame(rig, state, word, types.packed(), confirmed);
    }
    types[i] = before;
  }
  for (uint8_t code = 0; code < kElementTypes; ++code) {
    for (size_t i = 0; i < types.count(); ++i) types[i] = code;
    expectTheSame(rig, state, word, types.packed(), confirmed);
  }
}

class Capability : public testing::TestWithParam<const char*> {};

TEST_P(Capability, IsWhatExecutingShows) {
  SHOWS(op_capability, profile_complete);
  Rig rig(GetParam());
  const auto described = loadExamples(ETALON_BINARY_DIR "/generated/isa/examples.json");
  ASSERT_TRUE(described.ok());
  for (const DescribedInstruction& d : *described) {
    const isa::InstructionInfo& info = *isa::instructionNamed(d.name);
    // What a chain asks for beside the types of its tiles is in the chain register.
    if (isa::legalTypes(info.id).empty() || d.name == "et.vx") continue;
    Confirmed confirmed;
    for (const ExampleCase& example : d.examples) {
      if (!example.fault.empty()) continue;
      ASSERT_NO_FATAL_FAILURE(tryExample(rig, nlohmann::json::parse(example.text), confirmed));
    }
    EXPECT_GT(confirmed[false], 0) << d.name;
    // Without its own profile an instruction has no types at all.
    const bool has = std::string(GetParam()).find(info.profile) != std::string::npos;
    EXPECT_EQ(confirmed[true] > 0, has) << d.name;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Profiles, Capability,
    testing::Values("Et-base", "Et-base,Et-f16", "Et-base,Et-fp8,Et-sort", "Et-base,Et-mx",
                    "Et-base,Et-f16,Et-f32mm,Et-fp8,Et-sort,Et-rand,Et-mx,Et-i4"),
    [](const auto& info) { return "Machine" + std::to_string(info.index); });

TEST(Capability, InstructionsWithoutTypesAskForTheirProfile) {
  SHOWS(op_capability, profile_complete);
  Rig rig("Et-base");
  for (const isa::InstructionInfo& info : isa::instructionTable()) {
    if (!isa::legalTypes(info.id).empty()) continue;
    EXPECT_EQ(rig.answer(info.match, ~uint64_t{0}), info.profile == "Et-base") << info.name;
  }
}

TEST(Capability, WordsThatEncodeNothingAndHighBitsDoNotCount) {
  SHOWS(op_capability);
  Rig rig("Et-base");
  const auto f32 = static_cast<uint64_t>(ElementType::f32);
  const uint32_t word = isa::instructionNamed("et.add")->match;
  EXPECT_EQ(rig.answer(word, f32 | f32 << 8 | f32 << 16), 1u);
  EXPECT_EQ(rig.answer(word, f32 | f32 << 8 | f32 << 16 | ~uint64_t{0} << 24), 1u);
  EXPECT_EQ(rig.answer(word, f32 | f32 << 8), 0u) << "tb is then an i4";
  EXPECT_EQ(rig.answer(0, 0), 0u);
  EXPECT_EQ(rig.answer(isa::instructionNamed("et.cvt")->match | 3u << 25, f32 | f32 << 8), 0u)
      << "a reserved rounding mode";
}

}  // namespace
}  // namespace etalon::sim
