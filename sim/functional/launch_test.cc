// SPDX-License-Identifier: Apache-2.0
// Images, the start of a launch, its end, and what a program says to its host.
#include <elf.h>
#include <gmock/gmock.h>

#include "isa/state/rule_test.h"
#include "sim/functional/test_support.h"

namespace etalon::sim {
namespace {

using isa::X;
using testing::HasSubstr;

std::unique_ptr<FunctionalDevice> makeDevice() {
  return *FunctionalDevice::create(*isa::openMachine("base", {"address_map.global_bytes=16 MiB"}));
}

std::vector<std::byte> haltingFile(uint64_t address = kTestEntry,
                                   std::vector<std::pair<std::string, uint64_t>> symbols = {}) {
  TestBuilder p;
  p.et_halt();
  return writeElf(address, *p.finish(), symbols);
}

/// A file with one byte of its headers changed: what parse() says.
std::string refusal(size_t at, uint8_t value) {
  std::vector<std::byte> file = haltingFile();
  file[at] = std::byte{value};
  const auto image = ElfImage::parse(std::move(file), "bad.elf");
  return image.ok() ? "accepted" : image.error().message;
}

/// What load() says of an image.
std::string loadRefusal(std::vector<std::byte> file) {
  const auto image = ElfImage::parse(std::move(file), "bad.elf");
  EXPECT_TRUE(image.ok());
  const Status status = makeDevice()->load(*image);
  return status.ok() ? "accepted" : status.error().message;
}

TEST(Image, IsAnExecutableForTheCore) {
  SHOWS(image_elf, image_entry, image_symbols);
  const auto image = ElfImage::parse(
      haltingFile(kTestEntry, {{"tohost", kTestTohost}, {"fromhost", kTestTohost + 64}}), "good");
  ASSERT_TRUE(image.ok());
  EXPECT_EQ(image->entry(), kTestEntry);
  EXPECT_EQ(image->symbol("tohost"), kTestTohost);
  EXPECT_EQ(image->symbol("fromhost"), kTestTohost + 64);
  EXPECT_TRUE(makeDevice()->load(*image).ok());
  EXPECT_EQ(refusal(offsetof(Elf64_Ehdr, e_type), ET_DYN), "accepted");
}

TEST(Image, ThatIsNoneIsRefusedByName) {
  VIOLATES(image_elf);
  EXPECT_THAT(refusal(0, 'E'), HasSubstr("bad.elf: not an ELF file"));
  EXPECT_THAT(refusal(EI_CLASS, ELFCLASS32), HasSubstr("64-bit little-endian"));
  EXPECT_THAT(refusal(EI_DATA, ELFDATA2MSB), HasSubstr("64-bit little-endian"));
  EXPECT_THAT(refusal(offsetof(Elf64_Ehdr, e_machine), EM_386), HasSubstr("must be RISC-V"));
  EXPECT_THAT(refusal(offsetof(Elf64_Ehdr, e_type), ET_REL), HasSubstr("link it first"));
  EXPECT_THAT(refusal(offsetof(Elf64_Ehdr, e_flags), EF_RISCV_RVC), HasSubstr("compressed"));
  EXPECT_THAT(refusal(sizeof(Elf64_Ehdr), PT_NOTE), HasSubstr("nothing to load"));
}

TEST(Image, MustFitIntoGlobalMemory) {
  VIOLATES(image_segments, image_entry, image_symbols);
  EXPECT_THAT(loadRefusal(haltingFile(0x8100'0000)), HasSubstr("does not fit"));
  EXPECT_THAT(loadRefusal(haltingFile(isa::kLocalWindowBase)), HasSubstr("does not fit"));
  constexpr uint64_t kOwnDevice = uint64_t{1} << isa::kDeviceShift;
  EXPECT_THAT(loadRefusal(haltingFile(kOwnDevice | kTestEntry)), HasSubstr("does not fit"));
  EXPECT_THAT(loadRefusal(haltingFile(kTestEntry, {{"tohost", kOwnDevice | kTestTohost}})),
              HasSubstr("tohost is at 0x1000080000000, which is not memory"));
  EXPECT_THAT(loadRefusal(haltingFile(kTestEntry + 2)), HasSubstr("is not a multiple of 4"));
  EXPECT_THAT(loadRefusal(haltingFile(kTestEntry, {{"tohost", 64}})),
              HasSubstr("tohost is at 0x40, which is not memory"));
}

TEST(Launch, StartsEveryCoreWithItsArguments) {
  SHOWS(launch_registers, launch_memory);
  TestBuilder p;
  p.csrrs(X{5}, 0xf14, X{0});
  p.slli(X{6}, X{5}, 6);
  p.li(X{7}, static_cast<int64_t>(kTestData));
  p.add(X{6}, X{6}, X{7});
  for (uint8_t i = 0; i < 5; ++i) p.sd(X{static_cast<uint8_t>(10 + i)}, 8 * i, X{6});
  p.ld(X{8}, 0, X{10});  // the argument block
  p.sd(X{8}, 40, X{6});
  p.et_halt();
  TestProgram program(p);
  const uint64_t block = *program.device().allocate(8), argument = 0x1234;
  ASSERT_TRUE(program.device().write(block, std::as_bytes(std::span(&argument, 1))).ok());
  LaunchOptions options;
  options.cores = 3;
  options.arguments = block;
  EXPECT_EQ(program.launch(options).status, RunStatus::exited);
  EXPECT_EQ(program.device().findings().uninitialisedCount(), 0u);
  for (uint64_t core = 0; core < 3; ++core) {
    std::array<uint64_t, 6> seen{};
    ASSERT_TRUE(
        program.device().read(kTestData + 64 * core, std::as_writable_bytes(std::span(seen))).ok());
    EXPECT_EQ(seen, (std::array<uint64_t, 6>{block, 3, 1, 1, 0, argument}));
  }
}

TEST(Launch, EndsWhenAllCoresHaveHalted) {
  SHOWS(launch_end, sync_halt);
  // Core 0 halts at once; the others go on.
  TestBuilder p;
  const auto halt = p.label(), loop = p.label();
  p.csrrs(X{5}, 0xf14, X{0});
  p.beq(X{5}, X{0}, halt);
  p.li(X{6}, 5000);
  p.bind(loop);
  p.addi(X{6}, X{6}, -1);
  p.bne(X{6}, X{0}, loop);
  p.li(X{7}, static_cast<int64_t>(kTestData));
  p.sd(X{5}, 0, X{7});
  p.bind(halt);
  p.et_halt();
  TestProgram program(p);
  const RunResult result = program.run(2);
  EXPECT_EQ(result.status, RunStatus::exited);
  EXPECT_EQ(result.exit_code, 0u);
  EXPECT_GT(result.instructions, 10000u);
  uint64_t written = 0;
  ASSERT_TRUE(
      program.device().read(kTestData, std::as_writable_bytes(std::span(&written, 1))).ok());
  EXPECT_EQ(written, 1u);
}

/// A program that speaks to its host and records what stands in tohost and fromhost afterwards.
struct Conversation {
  std::string console;
  RunResult result;
  uint64_t answer = 0, tohost = 1, fromhost = 0;
};
constexpr uint64_t kBlock = kTestData + 0x100, kText = kTestData + 0x200;

Conversation converse(uint64_t value, std::array<uint64_t, 4> block) {
  TestBuilder p;
  p.li(X{5}, static_cast<int64_t>(kTestTohost));
  p.li(X{6}, static_cast<int64_t>(value));
  p.sd(X{6}, 0, X{5});
  p.ld(X{7}, 0, X{5});
  p.li(X{8}, static_cast<int64_t>(kTestData));
  p.sd(X{7}, 0, X{8});
  p.et_halt();
  auto image = ElfImage::parse(
      writeElf(kTestEntry, *p.finish(), {{"tohost", kTestTohost}, {"fromhost", kTestTohost + 8}}),
      "test");
  const auto device = makeDevice();
  EXPECT_TRUE(device->load(*image).ok());
  EXPECT_TRUE(device->write(kTestTohost, std::vector<std::byte>(64)).ok());
  EXPECT_TRUE(device->write(kBlock, std::as_bytes(std::span(block))).ok());
  EXPECT_TRUE(device->write(kText, std::as_bytes(std::span("host", 4))).ok());
  Conversation c;
  LaunchOptions options;
  options.console = [&](std::string_view text) { c.console += text; };
  c.result = *device->launch(options);
  const auto word = [&](uint64_t address) {
    uint64_t read = 0;
    EXPECT_TRUE(device->read(address, std::as_writable_bytes(std::span(&read, 1))).ok());
    return read;
  };
  c.answer = word(kBlock);
  c.fromhost = word(kTestTohost + 8);
  if (c.result.instructions > 8) c.tohost = word(kTestData);
  return c;
}

TEST(Host, WritesTextForAProgram) {
  SHOWS(host_call, host_answer);
  const Conversation c = converse(kBlock, {64, 1, kText, 4});
  EXPECT_EQ(c.console, "host");
  EXPECT_EQ(c.answer, 4u);
  EXPECT_EQ(c.fromhost, 1u);
  EXPECT_EQ(c.tohost, 0u);
  EXPECT_EQ(converse(kBlock, {64, 1, 16, 4}).answer, ~uint64_t{0});                 // no memory
  EXPECT_EQ(converse(kBlock, {64, 1, kText, (1 << 20) + 1}).answer, ~uint64_t{0});  // too long
  EXPECT_EQ(converse(kBlock, {5, 0, 0, 0}).answer, ~uint64_t{0});                   // no such call
}

TEST(Host, EndsTheLaunchForAProgram) {
  SHOWS(host_call, host_exit);
  const Conversation call = converse(kBlock, {93, 7, 0, 0});
  EXPECT_EQ(call.result.status, RunStatus::exited);
  EXPECT_EQ(call.result.exit_code, 7u);
  EXPECT_EQ(converse(9 << 1 | 1, {}).result.exit_code, 9u);
}

TEST(Host, PrintsACharacterWhateverItsLowestBit) {
  SHOWS(host_console, host_answer);
  for (const char character : {'h', 'i'}) {
    const Conversation c = converse(uint64_t{0x0101} << 48 | static_cast<uint8_t>(character), {});
    EXPECT_EQ(c.console, std::string(1, character));
    EXPECT_EQ(c.result.exit_code, 0u);
    EXPECT_EQ(c.tohost, 0u);
  }
}

}  // namespace
}  // namespace etalon::sim
