// SPDX-License-Identifier: Apache-2.0
// Random programs are varied enough, and end the same however they are run. ETALON_FUZZ_SCALE makes it longer;
// scripts/random-programs has the same programs in any number.
#include <gtest/gtest.h>

#include <iostream>

#include "isa/base/fuzz_scale.h"
#include "isa/codec/codec.h"
#include "validation/fuzz/campaign.h"
#include "validation/fuzz/census.h"
#include "validation/fuzz/image.h"

namespace etalon::fuzz {
namespace {

constexpr const char* kPlugin = ETALON_BINARY_DIR "/sim/functional/plugin/libetalon_functional.so";
constexpr uint64_t kPrograms = 200;
/// Programs in which everything has to appear.
constexpr uint64_t kMostForAll = 3000;

uint64_t scaled(uint64_t programs) {
  return std::max<uint64_t>(20, static_cast<uint64_t>(static_cast<double>(programs) * fuzzScale()));
}

/// What has not come yet, as text; nothing once all has.
std::string missing(const Census& census) {
  std::string text;
  for (const isa::InstructionInfo& info : isa::instructionTable())
    if (census.made(info.id) == 0) text += " " + std::string(info.name);
  for (const isa::Cause cause :
       {isa::Cause::fetch_misaligned, isa::Cause::fetch_access, isa::Cause::illegal,
        isa::Cause::breakpoint, isa::Cause::load_misaligned, isa::Cause::load_access,
        isa::Cause::store_misaligned, isa::Cause::store_access, isa::Cause::ecall,
        isa::Cause::unsupported, isa::Cause::shape, isa::Cause::aliasing, isa::Cause::local_bounds,
        isa::Cause::global_access, isa::Cause::malformed, isa::Cause::work_cap})
    if (census.faults(cause) == 0) text += " fault " + std::string(isa::causeName(cause));
  for (int i = 0; i < kOverlaps; ++i)
    if (census.overlaps(static_cast<Overlap>(i)) == 0)
      text += " operands " + std::string(overlapName(static_cast<Overlap>(i)));
  for (const etalon_end end :
       {ETALON_END_EXITED, ETALON_END_FAULT, ETALON_END_DEADLOCK, ETALON_END_INSTRUCTION_LIMIT})
    if (census.ends(end) == 0) text += " end " + std::string(endName(end));
  return text;
}

TEST(RandomPrograms, HaveEveryInstructionFaultOverlapAndEnd) {
  Census census;
  const auto model = modelTarget(
      [&](const sim::Core&, const sim::Commit& commit) { census.addRetired(commit.instruction); },
      [&](const sim::FunctionalDevice& device, const Outcome& outcome) {
        census.addRun(device, outcome);
      });
  const Generator generator(ProgramOptions{.seed = 2});
  for (uint64_t i = 0; i < kMostForAll && (i < scaled(kPrograms) || !missing(census).empty());
       ++i) {
    const Program program = generator.make(i);
    census.addProgram(program);
    const auto image = makeImage(program);
    ASSERT_TRUE(image.ok()) << image.error().message;
    const auto outcome = model->run({*image, &program});
    ASSERT_TRUE(outcome.ok()) << outcome.error().message;
    if (program.race_free) {
      ASSERT_EQ(outcome->parts.at("races"), 0u) << program.name() << "\n" << outcome->text;
    }
  }
  EXPECT_EQ(missing(census), "");
  std::cout << census.report();
  const uint64_t programs = census.programs();
  EXPECT_GT(census.ends(ETALON_END_EXITED), programs / 2);
  EXPECT_GT(census.ends(ETALON_END_FAULT), programs / 10);
  EXPECT_LT(census.ends(ETALON_END_FAULT), programs / 2);
  EXPECT_LT(census.ends(ETALON_END_DEADLOCK), programs / 10);
  EXPECT_LT(census.ends(ETALON_END_INSTRUCTION_LIMIT), programs / 20);
  // Programs that mostly fault would show little of what legal ones do.
  EXPECT_LT(census.trapped(), census.steps() / 10);
  uint64_t retired = 0;
  for (const isa::InstructionInfo& info : isa::instructionTable())
    retired += census.retired(info.id) != 0 ? 1 : 0;
  EXPECT_GT(retired, isa::instructionTable().size() * 95 / 100);
}

TEST(RandomPrograms, EndTheSameAgainThroughSnapshotsAndBehindThePlugInBoundary) {
  std::vector<std::unique_ptr<Target>> targets;
  targets.push_back(modelTarget());
  targets.push_back(modelTarget());
  targets.push_back(snapshotTarget());
  targets.push_back(deviceTarget({.plugin = kPlugin, .stepped = true}));
  targets.push_back(deviceTarget({.plugin = kPlugin, .worker = true, .registers_each = 16}));
  Campaign campaign(ProgramOptions{.seed = 5}, std::move(targets));
  const uint64_t programs = scaled(kPrograms);
  for (uint64_t i = 0; i < programs; ++i) {
    const auto failure = campaign.check(campaign.generator().make(i));
    ASSERT_FALSE(failure) << failure->program.name() << " on " << failure->target << ": "
                          << failure->what << "\n"
                          << listing(failure->program) << failure->expected.text << failure->found;
  }
  std::cout << campaign.programs() << " programs on 5 targets\n";
}

TEST(RandomPrograms, AreTheSameForASeedAndANumber) {
  const Generator a(ProgramOptions{.seed = 9}), b(ProgramOptions{.seed = 9}),
      other(ProgramOptions{.seed = 10});
  for (uint64_t i : {7u, 3u, 7u, 100u}) {
    EXPECT_EQ(*makeImage(a.make(i)), *makeImage(b.make(i)));
    EXPECT_NE(*makeImage(a.make(i)), *makeImage(other.make(i)));
    EXPECT_NE(*makeImage(a.make(i)), *makeImage(a.make(i + 1)));
  }
}

TEST(RandomPrograms, LeaveOutGroupsOfWeightZero) {
  ProgramOptions options{.seed = 4};
  for (auto& [group, weight] : options.weights) weight = group == "matrix" ? 1 : 0;
  options.weights["quantise"] = 0;
  options.faulty = options.garbage = options.endless = 0;
  const Generator generator(options);
  uint64_t products = 0;
  for (uint64_t i = 0; i < 10; ++i) {
    const Program program = generator.make(i);
    for (const auto& steps : program.cores)
      forEachStep(steps, [&](const Step& step) {
        const isa::InstructionId id = isa::decode(step.word).id;
        if (step.kind != Step::Kind::instruction || step.together != 0) return;
        EXPECT_EQ(isa::instructionInfo(id).group, "matrix");
        ++products;
      });
  }
  EXPECT_GT(products, 50u);
}

/// A device that forgets one bit of global memory when a certain instruction is in the program.
class ForgetfulTarget final : public Target {
 public:
  explicit ForgetfulTarget(isa::InstructionId id)
      : id_(id), model_(modelTarget([this](const sim::Core&, const sim::Commit& commit) {
          retired_ |= commit.instruction.id == id_;
        })) {}
  std::string name() const override { return "forgetful"; }
  Result<Outcome> run(const RunRequest& request) override {
    retired_ = false;
    auto outcome = model_->run(request);
    if (outcome.ok() && retired_) outcome->parts["global memory"] ^= 1;
    return outcome;
  }

 private:
  isa::InstructionId id_;
  bool retired_ = false;
  std::unique_ptr<Target> model_;
};

TEST(RandomPrograms, ShowADefectThatShrinksToItsInstruction) {
  std::vector<std::unique_ptr<Target>> targets;
  targets.push_back(modelTarget());
  targets.push_back(std::make_unique<ForgetfulTarget>(isa::InstructionId::et_scan_sum));
  Campaign campaign(ProgramOptions{.seed = 6}, std::move(targets));
  std::optional<Failure> failure;
  for (uint64_t i = 0; i < 500 && !failure; ++i)
    failure = campaign.check(campaign.generator().make(i));
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->target, "forgetful");
  EXPECT_TRUE(failure->what.starts_with("global memory: ")) << failure->what;
  const Shrunk shrunk = campaign.shrinkFailure(*failure);
  ASSERT_EQ(stepCount(shrunk.program), 1u) << listing(shrunk.program);
  EXPECT_NE(listing(shrunk.program).find("et.scan.sum "), std::string::npos);
  EXPECT_TRUE(campaign.check(shrunk.program));
}

}  // namespace
}  // namespace etalon::fuzz
