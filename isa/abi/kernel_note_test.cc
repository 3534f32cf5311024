// SPDX-License-Identifier: Apache-2.0
#include "isa/abi/kernel_note.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "isa/state/rule_test.h"

namespace etalon::abi {
namespace {

using ::testing::HasSubstr;

std::vector<std::byte> bytes(const std::string& text) {
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}
std::string refusal(const std::vector<std::byte>& section) {
  const auto spec = parseKernelNote(section);
  return spec.ok() ? (*spec ? "accepted" : "none") : spec.error().message;
}
void patch(std::vector<std::byte>& section, size_t at, uint32_t value) {
  std::memcpy(&section[at], &value, sizeof value);
}

// The layout as the header states it, spelled out.
TEST(KernelNote, HasThePublishedLayout) {
  SHOWS(note_layout, note_descriptor);
  const std::string wanted(
      "\7\0\0\0\21\0\0\0\1\0\0\0Etalon\0\0\1\0\0\0\10\0\0\0a(b:i32)"
      "\0\0\0\0",
      12 + 8 + 8 + 12);
  const std::vector<std::byte> encoded = encodeKernelNote("a(b:i32)", 8);
  const std::vector<std::byte> expected = bytes(wanted);
  EXPECT_EQ(encoded, expected);
  EXPECT_EQ(parseKernelNote(expected).value().value().arguments[0].name, "b");
}

TEST(KernelNote, SkipsForeignNotes) {
  SHOWS(note_layout);
  std::vector<std::byte> section = bytes(std::string("\4\0\0\0\2\0\0\0\3\0\0\0GNU\0ab\0\0", 20));
  EXPECT_EQ(refusal(section), "none");
  const std::vector<std::byte> ours = encodeKernelNote("k()", 0);
  section.insert(section.end(), ours.begin(), ours.end());
  EXPECT_EQ(refusal(section), "accepted");
  EXPECT_EQ(refusal({}), "none");
}

TEST(KernelNote, SaysWhatIsWrong) {
  VIOLATES(note_layout, note_descriptor, note_size);
  const std::vector<std::byte> good = encodeKernelNote("k(a: i32)", 8);
  ASSERT_EQ(refusal(good), "accepted");
  std::vector<std::byte> twice = good;
  twice.insert(twice.end(), good.begin(), good.end());
  EXPECT_EQ(refusal(twice), ".note.etalon: two launch notes; an image has one kernel");
  std::vector<std::byte> bad = good;
  patch(bad, 20, 2);
  EXPECT_EQ(refusal(bad), ".note.etalon: version 2; known: 1");
  EXPECT_EQ(refusal(encodeKernelNote("k(a: i32)", 16)),
            ".note.etalon: the program's argument block has 16 bytes, but the spec of 'k' makes 8 "
            "(1 arguments and 0 symbols of 8)");
  EXPECT_THAT(refusal(encodeKernelNote("k(a: i33)", 8)),
              HasSubstr(".note.etalon: kernel spec, column 6: unknown element type"));
  bad = good;
  patch(bad, 4, 8 + 9);
  EXPECT_EQ(refusal(bad), ".note.etalon: the spec does not end in NUL");
  patch(bad, 4, 7);
  EXPECT_EQ(refusal(bad), ".note.etalon: the descriptor has 7 bytes; it begins with 8");
  patch(bad, 4, 0xfffffff0);
  EXPECT_THAT(refusal(bad), HasSubstr("a note of 7 + 4294967280 bytes, but only"));
  bad = good;
  patch(bad, 0, 0xffffffff);
  EXPECT_THAT(refusal(bad), HasSubstr("a note of 4294967295 + 18 bytes"));
}

TEST(KernelNote, EveryTruncationIsAnError) {
  VIOLATES(note_layout);
  const std::vector<std::byte> good = encodeKernelNote("k(a: i32, A: f32[a])", 16);
  // The last bytes are padding, which may be absent at the end of a section.
  const size_t needed = 28 + std::strlen("k(a: i32, A: f32[a])") + 1;
  for (size_t length = 1; length < good.size(); ++length)
    EXPECT_EQ(refusal({good.begin(), good.begin() + static_cast<ptrdiff_t>(length)}) == "accepted",
              length >= needed)
        << length;
}

// Any outcome is right but a crash or a sanitizer's report.
TEST(KernelNote, SurvivesMutations) {
  const std::vector<std::byte> good = encodeKernelNote("k(a: i32, A: f32[a])", 16);
  std::mt19937 random(2);
  int refused = 0;
  for (int i = 0; i < 50000; ++i) {
    std::vector<std::byte> bad = good;
    for (int n = 0; n < 2; ++n) bad[random() % bad.size()] = static_cast<std::byte>(random());
    refused += refusal(bad) != "accepted";
  }
  EXPECT_GT(refused, 25000);
}

}  // namespace
}  // namespace etalon::abi
