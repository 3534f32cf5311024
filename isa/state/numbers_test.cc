// SPDX-License-Identifier: Apache-2.0
// Numbers that programs and hardware share, written out once more as the standard has them.
#include <gtest/gtest.h>

#include <string_view>
#include <utility>

#include "isa/element_type.h"
#include "isa/state/fault.h"
#include "isa/state/rule_test.h"

namespace etalon::isa {
namespace {

TEST(ElementTypes, HaveTheirCodesWidthsAndWideTypes) {
  SHOWS(type_codes);
  struct Row {
    std::string_view name;
    int bits;
    std::string_view widens_to;  // empty: not a source of vector instructions
  };
  constexpr Row kRows[] = {
      {"i4", 4, "i32"},     {"u4", 4, "u32"},     {"i8", 8, "i32"},    {"u8", 8, "u32"},
      {"i16", 16, "i32"},   {"u16", 16, "u32"},   {"i32", 32, "i32"},  {"u32", 32, "u32"},
      {"i64", 64, ""},      {"f4e2m1", 4, "f32"}, {"e8m0", 8, "f32"},  {"f8e4m3", 8, "f32"},
      {"f8e5m2", 8, "f32"}, {"f16", 16, "f32"},   {"bf16", 16, "f32"}, {"f32", 32, "f32"}};
  ASSERT_EQ(static_cast<size_t>(kElementTypes), std::size(kRows));
  for (size_t code = 0; code < std::size(kRows); ++code) {
    const ElementInfo& info = kElementInfo[code];
    EXPECT_EQ(info.name, kRows[code].name);
    EXPECT_EQ(info.bits, kRows[code].bits) << info.name;
    if (!kRows[code].widens_to.empty()) {
      EXPECT_EQ(elementInfo(info.widens_to).name, kRows[code].widens_to) << info.name;
    }
  }
}

TEST(Causes, HaveTheirNumbers) {
  SHOWS(fault_causes);
  constexpr std::pair<int, std::string_view> kRows[] = {{0, "fetch_misaligned"},
                                                        {1, "fetch_access"},
                                                        {2, "illegal_instruction"},
                                                        {3, "breakpoint"},
                                                        {4, "load_misaligned"},
                                                        {5, "load_access"},
                                                        {6, "store_misaligned"},
                                                        {7, "store_access"},
                                                        {11, "ecall"},
                                                        {24, "unsupported_tuple"},
                                                        {25, "shape_type_or_flag"},
                                                        {26, "aliasing"},
                                                        {27, "local_bounds"},
                                                        {28, "global_access"},
                                                        {29, "malformed_descriptor"},
                                                        {30, "work_cap"},
                                                        {31, "vendor"}};
  size_t row = 0;
  for (int number = 0; number < 64; ++number) {
    const bool listed = row < std::size(kRows) && kRows[row].first == number;
    EXPECT_EQ(causeName(static_cast<Cause>(number)), listed ? kRows[row++].second : "unknown");
  }
}

}  // namespace
}  // namespace etalon::isa
