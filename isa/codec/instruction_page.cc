// SPDX-License-Identifier: Apache-2.0
#include "isa/codec/instruction_page.h"

#include <algorithm>

namespace etalon::isa {
namespace {

constexpr InstructionPage kPages[] = {
#include "isa/instruction_pages.inc"
};

}  // namespace

std::span<const InstructionPage> instructionPages() { return kPages; }

const InstructionPage* instructionPage(std::string_view name) {
  const auto* found = std::ranges::lower_bound(kPages, name, {}, &InstructionPage::name);
  return found != std::end(kPages) && found->name == name ? found : nullptr;
}

}  // namespace etalon::isa
