// SPDX-License-Identifier: Apache-2.0
// libetalon_functional.so through etalon::Device does what the functional model does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/abi/device.h"
#include "isa/contracts/contract_loader.h"
#include "isa/state/rule_test.h"
#include "sim/functional/test_support.h"

namespace etalon::sim {
namespace {

using isa::X;
using testing::ContainsRegex;
using testing::HasSubstr;

constexpr const char* kPlugin = ETALON_BINARY_DIR "/sim/functional/plugin/libetalon_functional.so";

Device openModel(const std::string& configuration = R"({"set": ["cores=2"]})") {
  DeviceOptions options;
  options.configuration = configuration;
  Result<Device> device = Device::openPlugin(kPlugin, options);
  EXPECT_TRUE(device.ok()) << (device.ok() ? "" : device.error().message);
  return *std::move(device);
}

std::vector<std::byte> imageOf(TestBuilder& builder) {
  const auto words = builder.finish();
  EXPECT_TRUE(words.ok()) << (words.ok() ? "" : words.error().message);
  // The tohost word stands in the image, behind the code.
  std::vector<uint32_t> padded = *words;
  padded.resize(1024);
  return writeElf(kTestEntry, padded, {{"tohost", kTestEntry + 2048}});
}

/// Ends the run with the exit code.
void exitWith(TestBuilder& p, int64_t code) {
  p.li(X{1}, code << 1 | 1);
  p.li(X{2}, static_cast<int64_t>(kTestEntry + 2048));
  p.sd(X{1}, 0, X{2});
  auto forever = p.label();
  p.bind(forever);
  p.jal(X{0}, forever);
}

/// Adds 1 to the word at a0 on core 0, and exits with what it became.
std::vector<std::byte> counting() {
  TestBuilder p;
  auto others = p.label();
  p.csrrs(X{5}, 0xf14, X{0});
  p.bne(X{5}, X{0}, others);
  p.lw(X{6}, 0, X{10});
  p.addi(X{6}, X{6}, 1);
  p.sw(X{6}, 0, X{10});
  p.slli(X{1}, X{6}, 1);
  p.ori(X{1}, X{1}, 1);
  p.li(X{2}, static_cast<int64_t>(kTestEntry + 2048));
  p.sd(X{1}, 0, X{2});
  p.bind(others);
  p.et_halt();
  return imageOf(p);
}

Device loaded(const std::vector<std::byte>& image) {
  Device device = openModel();
  const Status status = device.loadImage(image, "test");
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
  return device;
}

TEST(FunctionalPlugin, DescribesItsMachine) {
  Device device = openModel(R"({"machine": "functional64"})");
  EXPECT_EQ(device.description().name, "npu-functional");
  EXPECT_EQ(device.description().cores, 64U);
  EXPECT_EQ(device.description().numerics, "canonical");
  EXPECT_TRUE(device.description().operators.empty());
  EXPECT_THAT(device.description().profiles, testing::Contains("Et-base"));
}

TEST(FunctionalPlugin, HasATitleOfOneLineHoweverMuchIsOverridden) {
  EXPECT_EQ(openModel(R"({"set": ["cores=2"]})").description().title,
            "Functional model, machine base+cores=2");
  const Device device = openModel(
      R"({"machine": "functional64", "set": ["cores=2", "local_bytes=64 KiB", "work_cap.macs_log2=30",
          "work_cap.elements_log2=24", "work_cap.bytes_log2=26", "address_map.global_bytes=2 MiB",
          "profiles=Et-base,Et-f16,Et-fp8,Et-mx,Et-i4,Et-sparse"]})");
  EXPECT_EQ(device.description().title,
            "Functional model, machine functional64 with 7 values overridden");
}

TEST(FunctionalPlugin, DeclaresTheContractItIsGiven) {
  Device device = openModel(R"({"contract": "et1"})");
  EXPECT_EQ(device.description().numerics, "declared");
  EXPECT_THAT(device.description().json, HasSubstr("\"numerics\":{\"name\":\"et1\""));
  TestBuilder p;
  p.csrrs(X{5}, 0xfc5, X{0});
  p.et_halt();
  ASSERT_TRUE(device.loadImage(imageOf(p), "hash").ok());
  ASSERT_TRUE(device.launch({.cores = 1}).ok());
  uint64_t hash = 0;
  ASSERT_TRUE(device.peek(0, ETALON_SPACE_X, 5, std::as_writable_bytes(std::span(&hash, 1))).ok());
  EXPECT_NE(hash, 0U);
  EXPECT_EQ(hash, isa::openContract("et1")->hash);
}

TEST(FunctionalPlugin, HasNoOperatorsGraphsCollectivesOrFaults) {
  Device device = openModel();
  using enum DeviceFeature;
  for (const DeviceFeature feature : {free, reset, load_image, step, peek, counters})
    EXPECT_TRUE(device.has(feature)) << deviceFeatureName(feature);
  for (const DeviceFeature feature : {run_graph, run_collective, inject_fault})
    EXPECT_FALSE(device.has(feature)) << deviceFeatureName(feature);
  EXPECT_FALSE(device.runOperator({"matmul", {}, {}, {}}).ok());
  EXPECT_EQ(device.failure()->status, ETALON_NOT_SUPPORTED);
}

TEST(FunctionalPlugin, RefusesConfigurationsThatItDoesNotUnderstand) {
  const auto message = [](const std::string& configuration) {
    DeviceOptions options;
    options.configuration = configuration;
    return Device::openPlugin(kPlugin, options).error().message;
  };
  EXPECT_THAT(message("base"), HasSubstr("no JSON object"));
  EXPECT_THAT(message(R"({"machin": "base"})"), HasSubstr("'machin' is not understood"));
  EXPECT_THAT(message(R"({"machine": 4})"), HasSubstr("'machine' is not understood"));
  EXPECT_THAT(message(R"({"machine": "nonesuch"})"), HasSubstr("unknown machine 'nonesuch'"));
  EXPECT_THAT(message(R"({"contract": "nonesuch"})"), HasSubstr("unknown contract 'nonesuch'"));
  EXPECT_THAT(message(R"({"set": [2]})"), HasSubstr("holds texts"));
  EXPECT_THAT(message(R"({"set": ["cores=65"]})"), HasSubstr("65"));
}

TEST(FunctionalPlugin, LaunchesAgainOnLiveMemoryAndTakesAnotherImage) {
  Device device = openModel();
  const DeviceBuffer count = *device.alloc(4, "count");
  ASSERT_TRUE(device.write(count.address(), std::vector<std::byte>(4)).ok());
  for (unsigned launch = 1; launch <= 4; ++launch) {
    if (launch % 2 == 1) {
      ASSERT_TRUE(device.loadImage(counting(), "counting").ok());
    }
    const auto result = device.launch({.argument_block = count.address()});
    ASSERT_TRUE(result.ok()) << result.error().message;
    EXPECT_EQ(result->end, ETALON_END_EXITED);
    EXPECT_EQ(result->exit_code, launch);
    EXPECT_EQ(result->race_count, 0U);
    EXPECT_EQ(result->uninitialised_read_count, 0U);
  }
}

TEST(FunctionalPlugin, CountsWhatTheModelCounts) {
  Device device = loaded(counting());
  const DeviceBuffer count = *device.alloc(4, "count");
  ASSERT_TRUE(device.write(count.address(), std::vector<std::byte>(4)).ok());
  const auto result = device.launch({.cores = 1, .argument_block = count.address()});
  ASSERT_TRUE(result.ok());
  const auto counters = device.counters();
  ASSERT_TRUE(counters.ok());
  for (const auto& [name, value] : *counters)
    EXPECT_EQ(value, name == "retired_scalar" ? result->instructions : 0) << name;
  EXPECT_GE(counters->size(), 10U);
}

TEST(FunctionalPlugin, StepsThroughALaunchAndShowsItsState) {
  Device device = loaded(counting());
  const DeviceBuffer count = *device.alloc(4, "count");
  ASSERT_TRUE(device.write(count.address(), std::vector<std::byte>(4, std::byte{1})).ok());
  ASSERT_TRUE(device.beginSteps({.cores = 1, .argument_block = count.address()}).ok());
  std::vector<etalon_event> events, all;
  DeviceLaunchResult result;
  do {
    const auto stepped = device.step(2, events);
    ASSERT_TRUE(stepped.ok()) << stepped.error().message;
    result = *stepped;
    all.insert(all.end(), events.begin(), events.end());
    if (result.end != ETALON_END_RUNNING) break;
    uint64_t pc = 0;
    ASSERT_TRUE(device.peek(0, ETALON_SPACE_PC, 0, std::as_writable_bytes(std::span(&pc, 1))).ok());
    EXPECT_EQ(pc, kTestEntry + 4 * all.size());
  } while (true);
  EXPECT_EQ(result.end, ETALON_END_EXITED);
  EXPECT_EQ(result.exit_code, 0x01010102U);
  EXPECT_EQ(result.instructions, all.size());
  ASSERT_GE(all.size(), 6U);
  EXPECT_EQ(all[3].pc, kTestEntry + 12);  // addi x6, x6, 1
  EXPECT_EQ(all[3].x_register, 6U);
  EXPECT_EQ(all[3].x_value, 0x01010102U);
  EXPECT_EQ(all[4].x_register, 0U);  // the store
  EXPECT_FALSE(device.step(1, events).ok());
  EXPECT_EQ(device.failure()->status, ETALON_INVALID);
}

TEST(FunctionalPlugin, SaysHowAProgramEnded) {
  TestBuilder fault;
  fault.lw(X{1}, 0, X{0});
  Device device = loaded(imageOf(fault));
  auto result = device.launch({.cores = 1});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->end, ETALON_END_FAULT);
  ASSERT_TRUE(result->fault.has_value());
  EXPECT_EQ(result->fault->pc, kTestEntry);
  EXPECT_EQ(result->fault->cause, static_cast<uint64_t>(isa::Cause::load_access));
  EXPECT_THAT(result->detail, ContainsRegex("core 0 at pc 0x80001000: .*mem.scalar-bounds"));

  TestBuilder deadlock;
  deadlock.li(X{5}, 1);
  deadlock.et_wait(X{0}, 3, X{5});
  ASSERT_TRUE(device.loadImage(imageOf(deadlock), "deadlock").ok());
  result = device.launch({.cores = 1});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->end, ETALON_END_DEADLOCK);
  EXPECT_THAT(result->detail, HasSubstr("core 0 at pc 0x80001004 waits"));

  TestBuilder forever;
  auto loop = forever.label();
  forever.bind(loop);
  forever.jal(X{0}, loop);
  ASSERT_TRUE(device.loadImage(imageOf(forever), "forever").ok());
  result = device.launch({.cores = 1, .instruction_limit = 100});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->end, ETALON_END_INSTRUCTION_LIMIT);
  EXPECT_EQ(result->instructions, 100U);
}

TEST(FunctionalPlugin, GivesUpWhenItsTimeIsOver) {
  TestBuilder forever;
  auto loop = forever.label();
  forever.bind(loop);
  forever.jal(X{0}, loop);
  DeviceOptions options;
  options.timeout_ns = 50'000'000;
  Result<Device> device = Device::openPlugin(kPlugin, options);
  ASSERT_TRUE(device.ok());
  ASSERT_TRUE(device->loadImage(imageOf(forever), "forever").ok());
  const auto result = device->launch({.cores = 1});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->end, ETALON_END_TIMEOUT);
}

TEST(FunctionalPlugin, CountsUnwrittenReads) {
  TestBuilder p;
  p.lw(X{6}, 0, X{10});
  p.sw(X{6}, 4, X{10});
  p.et_halt();
  Device device = loaded(imageOf(p));
  const DeviceBuffer buffer = *device.alloc(8, "buffer");
  const auto result = device.launch({.argument_block = buffer.address()});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->uninitialised_read_count, 2U);
  EXPECT_THAT(result->detail, HasSubstr("uninitialised read"));
}

TEST(FunctionalPlugin, PrintsToTheConsole) {
  TestBuilder p;
  p.li(X{7}, 0x0101);
  p.slli(X{7}, X{7}, 48);
  p.addi(X{7}, X{7}, 'h');
  p.li(X{2}, static_cast<int64_t>(kTestEntry + 2048));
  p.sd(X{7}, 0, X{2});
  exitWith(p, 0);
  Device device = loaded(imageOf(p));
  std::string printed;
  DeviceLaunch launch;
  launch.cores = 1;
  launch.console = [&](std::string_view text) { printed += text; };
  ASSERT_TRUE(device.launch(launch).ok());
  EXPECT_EQ(printed, "h");
}

TEST(FunctionalPlugin, PeeksAtEveryKindOfState) {
  SHOWS(state_registers);
  TestBuilder p;
  p.li(X{5}, 0x1234);
  p.et_tset(isa::Tile{3}, X{5}, X{0}, X{0});
  p.csrrw(X{0}, 0x340, X{5});
  p.li(X{6}, 0x10000000);
  p.sd(X{5}, 16, X{6});
  p.et_halt();
  Device device = loaded(imageOf(p));
  ASSERT_TRUE(device.launch({.cores = 1}).ok());
  const auto peek = [&](etalon_space space, uint64_t index, size_t bytes) {
    std::vector<std::byte> data(bytes);
    const Status status = device.peek(0, space, index, data);
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().message);
    data.resize(std::max<size_t>(bytes, 8));
    return loadBytes<uint64_t>(data.data());
  };
  EXPECT_EQ(peek(ETALON_SPACE_X, 5, 8), 0x1234U);
  EXPECT_EQ(peek(ETALON_SPACE_CSR, 0x340, 8), 0x1234U);
  EXPECT_EQ(peek(ETALON_SPACE_TILE, 3, 32), 0x1234U);
  EXPECT_EQ(peek(ETALON_SPACE_LOCAL, 16, 8), 0x1234U);
  EXPECT_EQ(peek(ETALON_SPACE_SEMAPHORE, 63, 4), 0U);
  peek(ETALON_SPACE_VIEW, 15, 256);
  peek(ETALON_SPACE_CHAIN, 7, 128);

  const auto refused = [&](unsigned core, uint32_t space, uint64_t index, size_t bytes) {
    std::vector<std::byte> data(bytes);
    return device.peek(core, static_cast<etalon_space>(space), index, data).error().message;
  };
  EXPECT_THAT(refused(2, ETALON_SPACE_X, 0, 8), HasSubstr("no core 2; the machine has 2"));
  EXPECT_THAT(refused(0, ETALON_SPACE_X, 32, 8), HasSubstr("numbered 0 to 31"));
  EXPECT_THAT(refused(0, ETALON_SPACE_X, 1, 4), HasSubstr("4 bytes asked for; a x register has 8"));
  EXPECT_THAT(refused(0, ETALON_SPACE_CSR, 0x999, 8), HasSubstr("no CSR 0x999"));
  EXPECT_THAT(refused(0, ETALON_SPACE_TILE, 32, 32), HasSubstr("numbered 0 to 31"));
  EXPECT_THAT(refused(0, ETALON_SPACE_LOCAL, 8 << 20, 1), HasSubstr("local memory has 8388608"));
  EXPECT_THAT(refused(0, 99, 0, 8), HasSubstr("no space 99"));
}

TEST(FunctionalPlugin, RefusesWhatCannotBeDone) {
  Device device = openModel();
  EXPECT_THAT(device.launch({}).error().message, HasSubstr("no image is loaded"));
  EXPECT_THAT(device.loadImage(std::vector<std::byte>(64), "zeros").error().message,
              HasSubstr("zeros: not an ELF file"));
  EXPECT_THAT(device.alloc(uint64_t{1} << 60, "x").error().message, HasSubstr("no memory"));
  ASSERT_TRUE(device.loadImage(counting(), "counting").ok());
  EXPECT_THAT(device.launch({.cores = 3}).error().message, HasSubstr("cannot launch on 3 cores"));
  EXPECT_FALSE(device.write(0x1000, std::vector<std::byte>(4)).ok());
}

TEST(FunctionalPlugin, ResetForgetsImagesAndMemory) {
  Device device = loaded(counting());
  const DeviceBuffer before = *device.alloc(4, "before");
  ASSERT_TRUE(device.reset().ok());
  EXPECT_THAT(device.launch({}).error().message, HasSubstr("no image is loaded"));
  EXPECT_EQ(device.alloc(4, "after")->address(), before.address());
}

TEST(FunctionalPlugin, RunsInAWorker) {
  Result<Device> device = Device::openWorker(kPlugin, {.configuration = R"({"set": ["cores=1"]})"});
  ASSERT_TRUE(device.ok()) << device.error().message;
  const DeviceBuffer count = *device->alloc(4, "count");
  ASSERT_TRUE(device->write(count.address(), std::vector<std::byte>(4)).ok());
  ASSERT_TRUE(device->loadImage(counting(), "counting").ok());
  const auto result = device->launch({.argument_block = count.address()});
  ASSERT_TRUE(result.ok()) << result.error().message;
  EXPECT_EQ(result->exit_code, 1U);
  EXPECT_TRUE(device->close().ok());
}

TEST(FunctionalPlugin, TellsAProgramThatWroteOutsideOfABuffer) {
  TestBuilder p;
  p.sw(X{0}, -4, X{10});
  p.et_halt();
  Device device = loaded(imageOf(p));
  const DeviceBuffer buffer = *device.alloc(8, "buffer");
  const auto result = device.launch({.cores = 1, .argument_block = buffer.address()});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message,
              HasSubstr("outside of 'buffer' was overwritten, 4 bytes before its begin"));
}

}  // namespace
}  // namespace etalon::sim
