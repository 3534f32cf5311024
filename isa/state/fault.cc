// SPDX-License-Identifier: Apache-2.0
#include "isa/state/fault.h"

#include <utility>

namespace etalon::isa {

std::string_view ruleText(Rule rule) {
  static constexpr std::pair<Rule, std::string_view> kTexts[] = {
#include "isa/rule_text.inc"
  };
  for (const auto& [known, text] : kTexts)
    if (known == rule) return text;
  return {};
}

}  // namespace etalon::isa
