// SPDX-License-Identifier: Apache-2.0
#include "isa/state/fault.h"

#include <utility>

namespace etalon::isa {

std::string_view causeName(Cause cause) {
  switch (cause) {
    case Cause::fetch_misaligned: return "fetch_misaligned";
    case Cause::fetch_access: return "fetch_access";
    case Cause::illegal: return "illegal_instruction";
    case Cause::breakpoint: return "breakpoint";
    case Cause::load_misaligned: return "load_misaligned";
    case Cause::load_access: return "load_access";
    case Cause::store_misaligned: return "store_misaligned";
    case Cause::store_access: return "store_access";
    case Cause::ecall: return "ecall";
    case Cause::unsupported: return "unsupported_tuple";
    case Cause::shape: return "shape_type_or_flag";
    case Cause::aliasing: return "aliasing";
    case Cause::local_bounds: return "local_bounds";
    case Cause::global_access: return "global_access";
    case Cause::malformed: return "malformed_descriptor";
    case Cause::work_cap: return "work_cap";
    case Cause::vendor: return "vendor";
  }
  return "unknown";
}

std::string_view ruleText(Rule rule) {
  static constexpr std::pair<Rule, std::string_view> kTexts[] = {
#include "isa/rule_text.inc"
  };
  for (const auto& [known, text] : kTexts)
    if (known == rule) return text;
  return {};
}

}  // namespace etalon::isa
