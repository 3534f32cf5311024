// SPDX-License-Identifier: Apache-2.0
// Files that a user hands over: cut short, bytes turned over, fields overwritten, stretches moved. Each is refused by its
// name or read to the end; a crash, a hang or a sanitizer's report is what this test is for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>

#include "isa/abi/kernel_note.h"
#include "isa/base/bits.h"
#include "isa/base/file.h"
#include "isa/base/fuzz_scale.h"
#include "isa/machines/find_machine.h"
#include "isa/machines/machine.h"
#include "sim/arch/elf_writer.h"
#include "tools/io/array_file.h"
#include "tools/io/npy.h"
#include "tools/io/safetensors.h"
#include "tools/program/program.h"
#include "tools/program/source_lines.h"

namespace etalon::tools {
namespace {

constexpr uint64_t kEntry = 0x80000000;
constexpr int kVariants = 10000;

/// A number in `size` bytes, little endian.
std::string le(uint64_t value, size_t size) {
  return {reinterpret_cast<const char*>(&value), size};
}
std::vector<std::byte> bytesOf(const std::string& text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}
std::string textOf(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// DWARF 4 of one unit: line 3 of a.s at the entry, 8 bytes long.
std::vector<sim::ElfSection> lineSections() {
  using namespace std::string_literals;
  // A compile unit without children: offset of its lines, name, folder.
  const std::string abbreviations = "\x01\x11\0\x10\x17\x03\x08\x1b\x08\0\0\0"s;
  const std::string unit = le(4, 2) + le(0, 4) + le(8, 1) + "\x01" + le(0, 4) + "a.s\0/src\0"s;
  // Instructions of 1 byte, special opcodes from 13 on with lines from -5 and 14 of them.
  const std::string tables = "\x01\x01\x01\xfb\x0e\x0d\0\x01\x01\x01\x01\0\0\0\x01\0\0\x01"s +
                             "\0"s + "a.s\0\0\0\0\0"s;  // no folders, one file
  const std::string program = "\0\x09\x02"s + le(kEntry, 8) + "\x03\x02\x01"s + "\x02\x08"s +
                              "\0\x01\x01"s;  // address, 2 lines on, row; 8 bytes on, end
  const std::string lines = le(4, 2) + le(tables.size(), 4) + tables + program;
  return {{".debug_abbrev", bytesOf(abbreviations)},
          {".debug_info", bytesOf(le(unit.size(), 4) + unit)},
          {".debug_line", bytesOf(le(lines.size(), 4) + lines)}};
}

std::string validElf() {
  std::vector<sim::ElfSection> sections = lineSections();
  sections.push_back({std::string(abi::kNoteSection),
                      abi::encodeKernelNote("f(x: i32[n, 2*n], out y: f32[n], a: f32 = 1.5)", 32)});
  const uint32_t words[] = {0x13, 0x6f};  // nop; j .
  return textOf(sim::writeElf(kEntry, words, {{"_start", kEntry}, {"tohost", kEntry}}, sections));
}

/// Everything that `etalon run` asks an image, but to run it.
Status readElf(const std::string& path) {
  const Result<Program> program = openProgram(path);
  if (!program.ok()) return program.error();
  SourceLines lines(program->image);
  for (const uint64_t pc : {uint64_t{0}, kEntry, program->image.entry(), ~uint64_t{0}})
    (void)lines.at(pc).text();
  const auto note = program->image.section(abi::kNoteSection);
  if (!note) return {};
  const auto spec = abi::parseKernelNote(*note);
  return spec.ok() ? Status() : Status(Error{path + ": " + spec.error().message});
}

Array iota(ElementType type, const std::vector<uint64_t>& shape) {
  Array array = makeArray(type, shape).value();
  for (size_t i = 0; i < array.data.size(); ++i) array.data[i] = static_cast<std::byte>(i);
  return array;
}

/// What reads an array reads all its bytes.
Status touch(const Result<Array>& array) {
  if (!array.ok()) return array.error();
  if (array->data.size() != arrayBytes(array->type, array->shape).value())
    return Error{"an array with data of another size than its shape"};
  return {};
}

std::string validNpy() { return formatNpy(iota(ElementType::i16, {3, 60})).value(); }
Status readNpyFile(const std::string& path) { return touch(readArray(path, std::nullopt)); }

std::string validSafetensors() {
  const Array a = iota(ElementType::f32, {2, 30}), b = iota(ElementType::u8, {7});
  return formatSafetensors({{"a", &a}, {"b", &b}}).value();
}
Status readSafetensorsFile(const std::string& path) {
  const Result<std::vector<SafetensorsEntry>> entries = listSafetensors(path);
  if (!entries.ok()) return entries.error();
  for (const SafetensorsEntry& entry : *entries)
    if (entry.type) ETALON_RETURN_IF_ERROR(touch(readArray(path + ":" + entry.name, std::nullopt)));
  return {};
}

std::string validMachine() { return readFile(ETALON_SOURCE_DIR "/isa/machines/base.yaml").value(); }
Status readMachine(const std::string& path) {
  static const auto kProfiles = isa::shippedProfiles().value();
  const Result<isa::Machine> machine = isa::loadMachine(path, kProfiles);
  return machine.ok() ? isa::checkMachine(*machine) : machine.error();
}

struct Format {
  const char* file;
  std::string (*valid)();
  Status (*read)(const std::string& path);
  size_t head;  // bytes in front in which half of the damage falls
};
constexpr Format kFormats[] = {
    {"a.elf", validElf, readElf, 120},
    {"a.npy", validNpy, readNpyFile, 80},
    {"a.safetensors", validSafetensors, readSafetensorsFile, 120},
    {"base.yaml", validMachine, readMachine, 1 << 20},
};

/// One kind of damage, at one place.
void damage(std::string& text, size_t head, std::mt19937_64& random) {
  constexpr uint64_t kEdges[] = {0,        1,          2,          0x7f,       0xff,        0xffff,
                                 1u << 31, 0xffffffff, 1ull << 62, 1ull << 63, ~uint64_t{0}};
  const size_t span = std::min(random() % 2 ? head : text.size(), text.size());
  if (span == 0) return;
  const size_t at = random() % span;
  const size_t size = std::min<size_t>(size_t{1} << random() % 4, text.size() - at);
  switch (random() % 8) {
    case 0: return text.resize(random() % text.size());
    case 1: {
      const uint64_t edge = kEdges[random() % std::size(kEdges)];
      std::memcpy(&text[at], &edge, size);
      return;
    }
    case 2: {  // the number there, a little more or less
      uint64_t value = 0;
      std::memcpy(&value, &text[at], size);
      value += random() % 17 - 8;
      std::memcpy(&text[at], &value, size);
      return;
    }
    case 3: text.insert(at, text.substr(random() % text.size(), random() % 40)); return;
    case 4: text.erase(at, random() % 40); return;
    default:
      for (uint64_t n = random() % 4 + 1; n > 0; --n)
        text[random() % span] ^= static_cast<char>(1 + random() % 255);
  }
}

class HostileFile : public testing::TestWithParam<Format> {};

TEST_P(HostileFile, IsRefusedByNameOrRead) {
  const Format& format = GetParam();
  const std::filesystem::path folder =
      testing::TempDir() + "hostile_files_" + std::to_string(::getpid());
  std::filesystem::create_directory(folder);
  const std::string path = folder / format.file;
  const std::string good = format.valid();
  ASSERT_TRUE(writeFile(path, good).ok());
  const Status whole = format.read(path);
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  const auto variants = static_cast<int>(kVariants * fuzzScale());
  std::mt19937_64 random(17);
  int refused = 0, read = 0;
  for (int i = 0; i < variants; ++i) {
    std::string text = good;
    for (uint64_t n = random() % 2 + 1; n > 0; --n) damage(text, format.head, random);
    std::filesystem::remove(path);  // to replace a file costs a flush to disk
    ASSERT_TRUE(writeFile(path, text).ok());
    const Status status = format.read(path);
    ++(status.ok() ? read : refused);
    if (!status.ok()) {
      ASSERT_THAT(status.error().message, testing::HasSubstr(format.file)) << "variant " << i;
    }
  }
  EXPECT_GT(refused, variants / 4);
  EXPECT_GT(read, variants / 50) << "damage that every reader refuses at once tests little";
  std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Formats, HostileFile, testing::ValuesIn(kFormats), [](const auto& info) {
  const std::string file = info.param.file;
  return file.substr(file.find('.') + 1);
});

/// Else the test above would damage debug information that nobody reads.
TEST(HostileFile, TheWholeImageHasASourceLine) {
  if (!SourceLines::available()) GTEST_SKIP() << "this build has no libdw";
  const auto image = sim::ElfImage::parse(bytesOf(validElf()), "a.elf");
  ASSERT_TRUE(image.ok()) << image.error().message;
  EXPECT_EQ(SourceLines(*image).at(kEntry + 4).text(), "/src/a.s:3 (_start+0x4)");
  EXPECT_EQ(SourceLines(*image).at(kEntry + 8).line, 0);
}

}  // namespace
}  // namespace etalon::tools
