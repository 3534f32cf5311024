// SPDX-License-Identifier: Apache-2.0
// The functional model as a device: buffers, images one after another, launches in pieces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/codec/codec.h"
#include "isa/state/rule_test.h"
#include "sim/functional/test_support.h"

namespace etalon::sim {
namespace {

using isa::X;
using testing::HasSubstr;

constexpr uint64_t kMiB = 1 << 20;

std::unique_ptr<FunctionalDevice> makeDevice(const std::vector<std::string>& overrides) {
  const auto machine = isa::openMachine("base", overrides);
  EXPECT_TRUE(machine.ok());
  auto device = FunctionalDevice::create(*machine);
  EXPECT_TRUE(device.ok());
  return *std::move(device);
}

ElfImage makeImage(uint64_t address, std::vector<uint32_t> words) {
  auto image = ElfImage::parse(writeElf(address, words, {}), "test");
  EXPECT_TRUE(image.ok());
  return *std::move(image);
}

/// An image of one segment: `words`, then zeros up to `bytes`.
ElfImage withZeros(uint64_t address, std::vector<uint32_t> words, uint64_t bytes) {
  std::vector<std::byte> file = writeElf(address, words, {});
  storeBytes(file.data() + 64 + 40, bytes);  // p_memsz of the first program header
  auto image = ElfImage::parse(std::move(file), "test");
  EXPECT_TRUE(image.ok());
  return *std::move(image);
}

TEST(FunctionalMemory, GivesTheWholeOfItAndTakesItBack) {
  auto device = makeDevice({"address_map.global_bytes=1 MiB"});
  const auto whole = device->allocate(kMiB - 4096);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  EXPECT_FALSE(device->allocate(1).ok());
  ASSERT_TRUE(device->release(*whole).ok());
  EXPECT_FALSE(device->release(*whole).ok());
  EXPECT_TRUE(device->allocate(kMiB - 4096).ok());
}

TEST(FunctionalMemory, FillsTheGapOfABufferThatWasGivenBack) {
  auto device = makeDevice({"address_map.global_bytes=1 MiB"});
  std::vector<uint64_t> buffers;
  for (int i = 0; i < 4; ++i) buffers.push_back(*device->allocate(100'000));
  ASSERT_TRUE(device->release(buffers[1]).ok());
  const auto larger = device->allocate(900'000);
  ASSERT_FALSE(larger.ok());
  EXPECT_THAT(larger.error().message, HasSubstr("left in one piece"));
  EXPECT_EQ(*device->allocate(100'000), buffers[1]);
}

TEST(FunctionalMemory, ForgetsWhatStoodInABufferThatWasGivenBack) {
  auto device = makeDevice({});
  const uint64_t buffer = *device->allocate(64);
  ASSERT_TRUE(device->write(buffer, std::vector<std::byte>(64)).ok());
  const auto unset = [&] {
    const auto place = device->memory().find(0, buffer, 64);
    return place->region->init.firstUnset(place->offset, 64).has_value();
  };
  EXPECT_FALSE(unset());
  ASSERT_TRUE(device->release(buffer).ok());
  EXPECT_TRUE(unset());
}

TEST(FunctionalMemory, NeverHandsOutAnImagesPlace) {
  auto device = makeDevice({"address_map.global_bytes=1 MiB"});
  ASSERT_TRUE(device->load(makeImage(0x80000000, {1, 2, 3})).ok());
  EXPECT_FALSE(device->allocate(kMiB - 4096).ok());
  const auto rest = device->allocate(kMiB - 2 * 4096);
  ASSERT_TRUE(rest.ok()) << rest.error().message;
  EXPECT_GE(*rest, 0x80001000U);
}

TEST(FunctionalMemory, NeverHandsOutAnImagesPlaceAboveABuffer) {
  auto device = makeDevice({"address_map.global_bytes=1 MiB"});
  const uint64_t upper = *device->allocate(100'000), lower = *device->allocate(100'000);
  ASSERT_LT(lower, upper);
  ASSERT_TRUE(device->release(upper).ok());
  ASSERT_TRUE(device->load(makeImage(upper, {1, 2, 3})).ok());
  // The place of the buffer that was given back, less the image's page.
  const auto whole = device->allocate(100'000);
  ASSERT_FALSE(whole.ok());
  EXPECT_THAT(whole.error().message, HasSubstr("102400 of 1048576 bytes"));
  const auto rest = device->allocate(98'000);
  ASSERT_TRUE(rest.ok()) << rest.error().message;
  EXPECT_EQ(*rest, upper + 4096);
  EXPECT_FALSE(device->allocate(1).ok()) << "what is below an image is the images'";
  ASSERT_TRUE(device->release(lower).ok());
  EXPECT_FALSE(device->allocate(1).ok());
}

TEST(FunctionalImage, TheNextOneReplacesTheLastWithItsZeros) {
  SHOWS(image_segments);
  auto device = makeDevice({});
  ASSERT_TRUE(device->load(makeImage(0x80000000, {1, 2, 3, 4})).ok());
  ASSERT_TRUE(device->load(withZeros(0x80000000, {9}, 12)).ok());
  std::vector<std::byte> memory(16);
  ASSERT_TRUE(device->read(0x80000000, memory).ok());
  EXPECT_EQ(loadBytes<uint64_t>(memory.data()), 9U);
  EXPECT_EQ(loadBytes<uint64_t>(memory.data() + 8), uint64_t{4} << 32);
}

TEST(FunctionalImage, DoesNotOverwriteABuffer) {
  auto device = makeDevice({"address_map.global_bytes=1 MiB"});
  const uint64_t buffer = *device->allocate(kMiB - 4096);
  const std::vector<std::byte> before(4, std::byte{7});
  ASSERT_TRUE(device->write(buffer, before).ok());
  const Status loaded = device->load(makeImage(0x80000000, {1}));
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.error().message, HasSubstr("would overwrite the buffer at 0x80000000"));
  std::vector<std::byte> after(4);
  ASSERT_TRUE(device->read(buffer, after).ok());
  EXPECT_EQ(after, before);
  ASSERT_TRUE(device->release(buffer).ok());
  EXPECT_TRUE(device->load(makeImage(0x80000000, {1})).ok());
}

/// Three cores that count to different numbers, signal each other by atomics and halt; one stores to tohost at last.
void buildCounting(TestBuilder& p) {
  auto loop = p.label(), last = p.label();
  p.csrrs(X{5}, 0xf14, X{0});
  p.addi(X{6}, X{5}, 1);
  p.slli(X{6}, X{6}, 9);
  p.li(X{7}, kTestData);
  p.bind(loop);
  p.amoadd_d(X{8}, X{6}, X{7});
  p.addi(X{6}, X{6}, -1);
  p.bne(X{6}, X{0}, loop);
  p.li(X{9}, 2);
  p.beq(X{5}, X{9}, last);
  p.et_halt();
  p.bind(last);
  p.ld(X{10}, 0, X{7});
  p.slli(X{10}, X{10}, 1);
  p.ori(X{10}, X{10}, 1);
  p.li(X{2}, kTestTohost);
  p.sd(X{10}, 0, X{2});
}

class Pieces : public testing::TestWithParam<uint64_t> {};

TEST_P(Pieces, ALaunchInPiecesIsTheLaunch) {
  std::vector<std::pair<unsigned, uint64_t>> whole, pieces;
  RunResult expected;
  {
    TestBuilder p;
    buildCounting(p);
    TestProgram program(p);
    const CommitSink commits = [&](const Core&, const Commit& c) {
      whole.push_back({c.core, c.pc});
    };
    LaunchOptions options;
    options.cores = 3;
    options.commits = &commits;
    expected = program.launch(options);
  }
  TestBuilder p;
  buildCounting(p);
  TestProgram program(p);
  const CommitSink commits = [&](const Core&, const Commit& c) {
    pieces.push_back({c.core, c.pc});
  };
  LaunchOptions options;
  options.cores = 3;
  options.commits = &commits;
  ASSERT_TRUE(program.device().start(options).ok());
  std::optional<RunResult> result;
  while (!result) {
    const size_t before = pieces.size();
    result = program.device().advance(GetParam());
    EXPECT_LE(pieces.size() - before, GetParam());
  }
  EXPECT_FALSE(program.device().started());
  EXPECT_EQ(result->status, RunStatus::exited);
  EXPECT_NE(expected.exit_code, 0U);
  EXPECT_EQ(result->exit_code, expected.exit_code);
  EXPECT_EQ(result->instructions, expected.instructions);
  EXPECT_EQ(pieces, whole);
}

INSTANTIATE_TEST_SUITE_P(Of, Pieces, testing::Values(1, 7, 255, 256, 257, 1000, 1'000'000));

TEST(Pieces, EndByTheLimitAndByDeadlockToo) {
  TestBuilder p;
  auto forever = p.label();
  p.bind(forever);
  p.jal(X{0}, forever);
  TestProgram program(p);
  LaunchOptions options;
  options.instruction_limit = 600;
  ASSERT_TRUE(program.device().start(options).ok());
  EXPECT_FALSE(program.device().advance(599).has_value());
  const auto result = program.device().advance(100);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->status, RunStatus::instruction_limit);
  EXPECT_EQ(result->instructions, 600U);

  TestBuilder q;
  q.li(X{5}, 1);
  q.et_wait(X{0}, 3, X{5});
  TestProgram waiting(q);
  ASSERT_TRUE(waiting.device().start({}).ok());
  std::optional<RunResult> end;
  for (int i = 0; i < 10 && !end; ++i) end = waiting.device().advance(1);
  ASSERT_TRUE(end.has_value());
  EXPECT_EQ(end->status, RunStatus::deadlock);
}

}  // namespace
}  // namespace etalon::sim
