// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "isa/codec/program_builder.h"
#include "isa/machines/find_machine.h"
#include "sim/arch/elf_writer.h"
#include "sim/functional/functional_device.h"

namespace etalon::sim {

inline constexpr uint64_t kTestTohost = 0x80000000;
inline constexpr uint64_t kTestEntry = 0x80001000;
/// A page of zeros that counts as written.
inline constexpr uint64_t kTestData = 0x80100000;
inline constexpr uint64_t kTestDataBytes = 0x10000;

/// A program builder that can end the run.
class TestBuilder : public isa::ProgramBuilder {
 public:
  /// Ends the run with an exit code, through x1 and x2.
  void exit(int64_t code) {
    li(isa::X{1}, code << 1 | 1);
    exitWith();
  }
  /// Ends the run with the value of a register (not x2) as exit code.
  void exitWithRegister(isa::X x) {
    slli(isa::X{1}, x, 1);
    ori(isa::X{1}, isa::X{1}, 1);
    exitWith();
  }

 private:
  void exitWith() {
    li(isa::X{2}, static_cast<int64_t>(kTestTohost));
    sd(isa::X{1}, 0, isa::X{2});
  }
};

/// A program on a fresh device, or a cluster of them, of the machine `functional64`.
class TestProgram {
 public:
  explicit TestProgram(isa::ProgramBuilder& builder, const std::vector<std::string>& overrides = {},
                       numerics::Contract contract = {}, Values values = Values::computed,
                       unsigned devices = 1) {
    const auto words = builder.finish();
    EXPECT_TRUE(words.ok()) << (words.ok() ? "" : words.error().message);
    const auto machine = isa::openMachine("functional64", overrides);
    EXPECT_TRUE(machine.ok()) << (machine.ok() ? "" : machine.error().message);
    auto device = FunctionalDevice::create(*machine, std::move(contract), values, devices);
    EXPECT_TRUE(device.ok()) << (device.ok() ? "" : device.error().message);
    device_ = std::move(*device);
    auto image = ElfImage::parse(writeElf(kTestEntry, *words, {{"tohost", kTestTohost}}), "test");
    EXPECT_TRUE(image.ok()) << (image.ok() ? "" : image.error().message);
    EXPECT_TRUE(device_->load(*image).ok());
    for (uint64_t id = 1; id <= devices; ++id) {
      const uint64_t field = devices == 1 ? 0 : id << isa::kDeviceShift;
      EXPECT_TRUE(device_->write(field + kTestTohost, std::vector<std::byte>(64)).ok());
      EXPECT_TRUE(device_->write(field + kTestData, std::vector<std::byte>(kTestDataBytes)).ok());
    }
  }

  RunResult run(unsigned cores = 1, uint64_t limit = 10'000'000) {
    LaunchOptions options;
    options.cores = cores;
    options.instruction_limit = limit;
    return launch(options);
  }
  RunResult launch(const LaunchOptions& options) {
    const auto result = device_->launch(options);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
    return *result;
  }
  FunctionalDevice& device() { return *device_; }
  std::unique_ptr<FunctionalDevice> takeDevice() { return std::move(device_); }

 private:
  std::unique_ptr<FunctionalDevice> device_;
};

}  // namespace etalon::sim
