// SPDX-License-Identifier: Apache-2.0
#include "isa/contracts/contract_reader.h"

#include <fmt/format.h>

#include <charconv>

#include "isa/base/text.h"

namespace etalon::isa {

using numerics::RoundingRules;

Result<size_t> readWord(const YamlValue& value, const std::string_view* words, size_t count) {
  const std::string known = fmt::format("{}", fmt::join(words, words + count, ", "));
  const Result<std::string> text = value.asString();
  if (!text.ok()) return Error{text.error().message + "; one of " + known};
  for (size_t i = 0; i < count; ++i)
    if (words[i] == *text) return i;
  return value.error(fmt::format("is {}; expected one of {}", quote(*text), known));
}

Result<uint32_t> readBits(const YamlValue& value) {
  const Result<std::string> text = value.asString();
  if (!text.ok()) return text.error();
  uint32_t bits = 0;
  const char* const end = text->data() + text->size();
  const auto [stopped, code] = std::from_chars(text->data(), end, bits, 16);
  if (text->size() != 8 || code != std::errc() || stopped != end)
    return value.error(
        fmt::format("is {}; expected the bits of an f32 as 8 hexadecimal digits in quotes, such as "
                    "\"3f800000\" for 1",
                    quote(*text)));
  return bits;
}

Status readSubnormals(const YamlValue& map, bool& flush_in, bool& flush_out) {
  const std::optional<YamlValue> value = map.find("subnormals");
  if (!value) return {};
  ETALON_RETURN_IF_ERROR(value->allowKeys({"in", "out"}));
  ETALON_RETURN_IF_ERROR(readEnum(*value, "in", kKeepWords, flush_in));
  return readEnum(*value, "out", kKeepWords, flush_out);
}

Status readRoundingRules(const YamlValue& map, RoundingRules& rules) {
  ETALON_RETURN_IF_ERROR(readSubnormals(map, rules.flush_in, rules.flush_out));
  ETALON_RETURN_IF_ERROR(readEnum(map, "zero", kZeroWords, rules.positive_zero));
  ETALON_RETURN_IF_ERROR(readEnum(map, "overflow", kOverflowWords, rules.overflow));
  const std::optional<YamlValue> nan = map.find("nan");
  if (!nan) return {};
  const Result<uint32_t> bits = readBits(*nan);
  if (!bits.ok()) return bits.error();
  if ((*bits & 0x7fffffff) <= 0x7f800000)
    return nan->error(
        fmt::format("{:08x} is not the bits of a NaN: exponent bits all 1, fraction not 0, such as "
                    "\"7fc00000\"",
                    *bits));
  rules.nan = *bits;
  return {};
}

}  // namespace etalon::isa
