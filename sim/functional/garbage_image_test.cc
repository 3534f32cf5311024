// SPDX-License-Identifier: Apache-2.0
// Random images as programs, and damaged ELF files: a run ends by itself, by a fault or at the instruction limit; a file
// is refused with its name or runs.
#include <gtest/gtest.h>

#include "isa/base/bits.h"
#include "isa/codec/program_builder.h"
#include "isa/state/rule_test.h"
#include "sim/arch/elf_writer.h"
#include "sim/functional/functional_device.h"
#include "sim/functional/garbage_state.h"
#include "sim/functional/test_support.h"

namespace etalon::sim {
namespace {

constexpr int kPrograms = 3000;
constexpr int kFlips = 4000;
constexpr uint64_t kInstructionLimit = 2000;

/// A device that runs one image after the other, each in the memory the last one left.
class ImageRunner {
 public:
  ImageRunner() : machine_(garbageMachine()) {
    auto device = FunctionalDevice::create(machine_);
    EXPECT_TRUE(device.ok());
    device_ = std::move(*device);
  }

  /// True if the image could be loaded and started; then the run has ended, and says why.
  bool run(const ElfImage& image, unsigned cores) {
    if (!device_->load(image).ok()) return false;
    LaunchOptions options;
    options.cores = cores;
    options.instruction_limit = kInstructionLimit;
    const auto result = device_->launch(options);
    EXPECT_TRUE(result.ok());
    ++ends_[static_cast<size_t>(result->status)];
    EXPECT_LE(result->instructions, kInstructionLimit);
    if (result->status == RunStatus::fault) {
      EXPECT_GT(device_->findings().faultCount(), 0u);
    } else if (result->status != RunStatus::exited) {
      EXPECT_FALSE(result->stopped.empty());
    }
    return true;
  }

  const isa::Machine& machine() const { return machine_; }
  uint64_t ends(RunStatus status) const { return ends_[static_cast<size_t>(status)]; }

 private:
  isa::Machine machine_;
  std::unique_ptr<FunctionalDevice> device_;
  std::array<uint64_t, 4> ends_{};
};

TEST(GarbageImages, EndAsPrograms) {
  ImageRunner runner;
  Garbage garbage(99, runner.machine());
  const auto programs = static_cast<int>(kPrograms * fuzzScale());
  for (int i = 0; i < programs; ++i) {
    std::vector<uint32_t> words(8 + garbage.below(400));
    const bool shaped = !garbage.oneIn(4);
    for (uint32_t& word : words)
      word = shaped ? garbage.instruction() : static_cast<uint32_t>(garbage.word64());
    const uint64_t tohost =
        garbage.oneIn(2) ? kTestEntry + garbage.below(4096) / 8 * 8 : kTestTohost;
    const auto image = ElfImage::parse(writeElf(kTestEntry, words, {{"tohost", tohost}}), "random");
    ASSERT_TRUE(image.ok()) << image.error().message;
    ASSERT_TRUE(runner.run(*image, static_cast<unsigned>(1 + garbage.below(2)))) << "program " << i;
    if (testing::Test::HasFailure()) FAIL() << "program " << i;
  }
  EXPECT_GT(runner.ends(RunStatus::fault), static_cast<uint64_t>(programs) / 4);
}

std::vector<std::byte> soundFile() {
  TestBuilder p;
  auto loop = p.label();
  p.li(isa::X{5}, 3);
  p.bind(loop);
  p.addi(isa::X{5}, isa::X{5}, -1);
  p.bne(isa::X{5}, isa::X{0}, loop);
  p.exit(0);
  return writeElf(kTestEntry, *p.finish(), {{"tohost", kTestTohost}, {"_start", kTestEntry}});
}

TEST(GarbageElf, IsRefusedByNameWhereverItIsCutOff) {
  VIOLATES(image_elf);
  const auto whole = soundFile();
  ASSERT_TRUE(ElfImage::parse(whole, "whole").ok());
  size_t refused = 0;
  for (size_t length = 0; length < whole.size(); ++length) {
    const auto image =
        ElfImage::parse({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(length)}, "cut.elf");
    if (image.ok()) continue;
    ++refused;
    EXPECT_NE(image.error().message.find("cut.elf"), std::string::npos) << image.error().message;
  }
  EXPECT_GT(refused, whole.size() / 2);
}

TEST(GarbageElf, IsRefusedOrRunsWithBitsFlipped) {
  ImageRunner runner;
  Garbage garbage(5, runner.machine());
  const auto whole = soundFile();
  const auto flips = static_cast<int>(kFlips * fuzzScale());
  int refused = 0, ran = 0;
  for (int i = 0; i < flips; ++i) {
    auto file = whole;
    // Half of the damage goes to the headers, where every field is a trap for the reader.
    const size_t span = garbage.oneIn(2) ? std::min<size_t>(128, file.size()) : file.size();
    for (uint64_t n = 1 + garbage.below(6); n > 0; --n)
      file[garbage.below(span)] ^= static_cast<std::byte>(1u << garbage.below(8));
    if (garbage.oneIn(4))
      storeBytes(file.data() + garbage.below(span / 8 - 1) * 8, garbage.scalar());
    const auto image = ElfImage::parse(file, "flipped.elf");
    if (!image.ok()) {
      ++refused;
      ASSERT_NE(image.error().message.find("flipped.elf"), std::string::npos)
          << image.error().message;
    } else {
      ran += runner.run(*image, 1);
    }
  }
  EXPECT_GT(refused, flips / 20);
  EXPECT_GT(ran, flips / 20);
}

}  // namespace
}  // namespace etalon::sim
