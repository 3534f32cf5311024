// SPDX-License-Identifier: Apache-2.0
#include "isa/codec/instruction_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "isa/codec/instruction_info.h"

namespace etalon::isa {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(InstructionPage, StandsForEveryInstructionOfTheTable) {
  EXPECT_EQ(instructionPages().size(), instructionTable().size());
  for (const InstructionInfo& info : instructionTable()) {
    const InstructionPage* page = instructionPage(info.name);
    ASSERT_NE(page, nullptr) << info.name;
    EXPECT_EQ(page->name, info.name);
    EXPECT_THAT(page->text, StartsWith(std::string(info.name) + "\n"));
    EXPECT_THAT(page->text, HasSubstr(info.syntax)) << info.name;
    EXPECT_EQ(page->text.find('\0'), std::string_view::npos) << info.name;
    EXPECT_EQ(page->text.data()[page->text.size()], '\0') << info.name;  // the whole literal
  }
}

TEST(InstructionPage, IsNotFoundForOtherNames) {
  for (const char* name : {"", "et.", "et.mm ", "ET.MM", "zzz"})
    EXPECT_EQ(instructionPage(name), nullptr) << name;
}

TEST(InstructionPage, SaysWhatTheManualSays) {
  const std::string_view text = instructionPage("et.mma")->text;
  EXPECT_THAT(text, HasSubstr("31:25    24:20  19:15  14:12  11:7  6:0"));
  EXPECT_THAT(text, HasSubstr("0000001  tb     ta     010    td    0101011"));
  EXPECT_THAT(text, HasSubstr("mm.shape (0x0402)"));
  EXPECT_THAT(text, HasSubstr("SEMANTICS(et_mma)"));
}

}  // namespace
}  // namespace etalon::isa
