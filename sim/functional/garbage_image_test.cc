// SPDX-License-Identifier: Apache-2.0
// Damaged ELF files: a file is refused with its name or runs, and a run ends by itself, by a fault or at the instruction
// limit. Random images as programs are in validation/fuzz.
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
    EXPECT_LE(result->instructions, kInstructionLimit);
    if (result->status == RunStatus::fault) {
      EXPECT_GT(device_->findings().faultCount(), 0u);
    } else if (result->status != RunStatus::exited) {
      EXPECT_FALSE(result->stopped.empty());
    }
    return true;
  }

  const isa::Machine& machine() const { return machine_; }

 private:
  isa::Machine machine_;
  std::unique_ptr<FunctionalDevice> device_;
};

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
