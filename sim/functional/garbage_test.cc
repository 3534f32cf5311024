// SPDX-License-Identifier: Apache-2.0
// Random instruction words over random registers: each retires, blocks, or traps with a complete diagnostic of a fault that
// the description lists for it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "isa/base/bits.h"
#include "isa/codec/codec.h"
#include "sim/functional/example_runner.h"
#include "sim/functional/garbage_state.h"
#include "sim/functional/interpreter.h"

namespace etalon::sim {
namespace {

constexpr int kChunks = 300;
constexpr uint64_t kChunkWords = DecodeCache::kPageBytes / 4;
constexpr int kImages = 64;
constexpr uint64_t kImageBytes = 256;

/// Two cores that execute words of one page of code, in memory that earlier garbage has written.
class GarbageRig {
 public:
  explicit GarbageRig(uint64_t seed) : machine_(garbageMachine()), garbage_(seed, machine_) {
    auto memory = Memory::create(machine_);
    EXPECT_TRUE(memory.ok());
    memory_ = std::move(*memory);
    auto launch = LaunchState::create(2, *memory_);
    EXPECT_TRUE(launch.ok());
    launch_ = std::move(*launch);
    cache_ = std::make_unique<DecodeCache>(*memory_);
    const auto description = loadExamples(ETALON_BINARY_DIR "/generated/isa/examples.json");
    EXPECT_TRUE(description.ok());
    for (const DescribedInstruction& d : *description)
      listed_[d.name] = {d.faults.begin(), d.faults.end()};
    for (unsigned i = 0; i < 2; ++i)
      cores_.push_back(std::make_unique<Core>(i, machine_, *memory_, findings_));
  }

  /// New code and descriptor images.
  void refill() {
    std::byte* code = memory_->global().data();
    for (uint64_t i = 0; i < kChunkWords; ++i) storeBytes(code + 4 * i, garbage_.instruction());
    for (int i = 0; i < kImages; ++i) garbage_.image({code + imageOffset(i), kImageBytes});
    memory_->global().init.setRange(0, 4 * kChunkWords + kImages * kImageBytes);
    cache_->clear();
  }

  void randomiseRegisters(Core& core) {
    garbage_.chooseTheme();
    for (int i = 1; i < 32; ++i)
      core.setX(i, i % 4 == 0 ? machine_.global_base + imageOffset(garbage_.below(kImages))
                              : garbage_.scalar());
    for (int i = 0; i < isa::kTileRegisters; ++i) core.tile(i) = garbage_.tile();
    for (int i = 0; i < isa::kViewRegisters; ++i) core.view(i) = garbage_.view();
    for (int i = 0; i < isa::kChainRegisters; ++i) core.chain(i) = garbage_.chain();
  }

  /// Executes word number `i` of the page; what is wrong with how it ended, or nothing.
  std::string step(Core& core, uint64_t i) {
    findings_ = {};
    const uint64_t pc = machine_.global_base + 4 * i, retired = core.retired();
    core.start(pc, *launch_);
    runCore(core, *cache_, 1, nullptr);
    const bool blocked = core.events_ & event::blocked;
    if (findings_.faultCount() == 0) {
      ended_ += blocked ? 0 : 1;
      return blocked || core.retired() == retired + 1 ? ""
                                                      : "neither retired nor trapped nor blocked";
    }
    ++trapped_;
    const isa::Fault& fault = findings_.faults()[0];
    if (findings_.faultCount() != 1 || core.retired() != retired || blocked)
      return "trapped and did something else";
    if (fault.rule == isa::Rule::none || !isa::ruleInfo(fault.rule))
      return "a fault without a rule";
    if (fault.pc != pc || fault.core != core.number() || fault.instruction != core.raw_)
      return "a fault with a wrong place";
    return isListed(fault) ? "" : "a fault that is not listed: " + ruleName(fault);
  }

  uint64_t retired(isa::Counter unit) const {
    return cores_[0]->counter(unit) + cores_[1]->counter(unit);
  }
  Core& core(uint64_t i) { return *cores_[i]; }
  Garbage& garbage() { return garbage_; }
  uint64_t ended() const { return ended_; }
  uint64_t trapped() const { return trapped_; }

 private:
  static uint64_t imageOffset(uint64_t i) { return 4 * kChunkWords + i * kImageBytes; }

  static std::string ruleName(const isa::Fault& fault) {
    return std::string(isa::ruleInfo(fault.rule)->name);
  }
  bool isListed(const isa::Fault& fault) const {
    const isa::InstructionId id = isa::decode(fault.instruction).id;
    if (id == isa::InstructionId::illegal) return fault.rule == isa::Rule::scalar_illegal;
    return listed_.at(std::string(isa::instructionInfo(id).name)).contains(ruleName(fault));
  }

  isa::Machine machine_;
  Garbage garbage_;
  std::map<std::string, std::set<std::string>> listed_;  // faults by instruction
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<LaunchState> launch_;
  std::unique_ptr<DecodeCache> cache_;
  Findings findings_;
  std::vector<std::unique_ptr<Core>> cores_;
  uint64_t ended_ = 0, trapped_ = 0;
};

TEST(Garbage, InstructionsRetireOrTrapWithARule) {
  GarbageRig rig(2024);
  const auto chunks = static_cast<int>(kChunks * fuzzScale());
  for (int chunk = 0; chunk < chunks; ++chunk) {
    rig.refill();
    Core& core = rig.core(rig.garbage().below(2));
    for (uint64_t i = 0; i < kChunkWords; ++i) {
      if (i % 16 == 0) rig.randomiseRegisters(core);
      const std::string wrong = rig.step(core, i);
      ASSERT_EQ(wrong, "") << "chunk " << chunk << ", word " << i << ": "
                           << isa::disassemble(core.raw_);
    }
  }
  // The garbage is worth something only if both outcomes are frequent.
  EXPECT_GT(rig.ended(), rig.trapped() / 4);
  EXPECT_GT(rig.trapped(), rig.ended() / 20);
  for (const auto unit :
       {isa::Counter::retired_setup, isa::Counter::retired_load, isa::Counter::retired_store,
        isa::Counter::retired_matrix, isa::Counter::retired_vector, isa::Counter::retired_sync})
    EXPECT_GT(rig.retired(unit), 100u * fuzzScale()) << "counter " << static_cast<int>(unit);
  EXPECT_GT(rig.retired(isa::Counter::macs), 1000u);
}

TEST(Garbage, IsTheSameEveryTime) {
  const isa::Machine machine = garbageMachine();
  Garbage a(7, machine), b(7, machine);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(a.instruction(), b.instruction());
    ASSERT_EQ(a.tile(), b.tile());
    ASSERT_EQ(a.view(), b.view());
    ASSERT_EQ(a.chain(), b.chain());
  }
}

}  // namespace
}  // namespace etalon::sim
