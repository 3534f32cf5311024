// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace etalon::isa {

/// A page of the manual as plain text, generated from the ISA description (isa/gen/manual_page.py): the same as
/// instructions/NAME.md of the manual without markup. Lines end in '\n'; paragraphs are at most 100 columns.
struct InstructionPage {
  std::string_view name;
  std::string_view text;
};

/// Every page, by ascending name.
std::span<const InstructionPage> instructionPages();

/// nullptr if there is no such instruction.
const InstructionPage* instructionPage(std::string_view name);

}  // namespace etalon::isa
