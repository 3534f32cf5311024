// SPDX-License-Identifier: Apache-2.0
// How the parts of a contract document are read. Internal to isa/contracts.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "isa/base/yaml.h"
#include "isa/numerics/contract.h"

namespace etalon::isa {

/// The words of an enumeration, in the order of its values.
inline constexpr std::array<std::string_view, 6> kDirectionWords = {
    "nearest_even", "nearest_away", "toward_zero", "toward_positive", "toward_negative", "odd"};
inline constexpr std::array<std::string_view, 3> kOverflowWords = {"ieee", "infinity", "saturate"};
inline constexpr std::array<std::string_view, 2> kKeepWords = {"keep", "flush"};
inline constexpr std::array<std::string_view, 2> kZeroWords = {"ieee", "positive"};

/// One of `words`, as its index; the message lists them.
Result<size_t> readWord(const YamlValue& value, const std::string_view* words, size_t count);

template <size_t N>
Result<size_t> readWord(const YamlValue& value, const std::array<std::string_view, N>& words) {
  return readWord(value, words.data(), N);
}

/// Reads map[key] into target by one of the functions below; leaves it if there is no such key.
template <class T, size_t N>
Status readEnum(const YamlValue& map, std::string_view key,
                const std::array<std::string_view, N>& words, T& target) {
  const std::optional<YamlValue> value = map.find(key);
  if (!value) return {};
  const Result<size_t> index = readWord(*value, words);
  if (!index.ok()) return index.error();
  target = static_cast<T>(*index);
  return {};
}
template <class T>
Status readNumber(const YamlValue& map, std::string_view key, int64_t least, int64_t most,
                  T& target) {
  const std::optional<YamlValue> value = map.find(key);
  if (!value) return {};
  const Result<int64_t> number = value->asSigned(least, most);
  if (!number.ok()) return number.error();
  target = static_cast<T>(*number);
  return {};
}
/// The same, and an error if the key is missing.
template <class T>
Status requireNumber(const YamlValue& map, std::string_view key, int64_t least, int64_t most,
                     T& target) {
  const Result<YamlValue> value = map.at(key);
  if (!value.ok()) return value.error();
  return readNumber(map, key, least, most, target);
}

/// `subnormals`, `zero`, `nan` and `overflow` of a map, all optional.
Status readRoundingRules(const YamlValue& map, numerics::RoundingRules& rules);
/// `subnormals: {in, out}`.
Status readSubnormals(const YamlValue& map, bool& flush_in, bool& flush_out);
/// 8 hexadecimal digits in quotes.
Result<uint32_t> readBits(const YamlValue& value);

/// The rule of `multiply.default` or of an override.
Status readProductRule(const YamlValue& map, numerics::ProductRule& rule);
/// The sections arithmetic, conversions, reductions and functions of the document.
Status readVectorContract(const YamlValue& root, numerics::VectorContract& contract);
/// One function: `correctly_rounded`, `{piecewise: ...}` or `{table: ...}`.
Status readFunction(const YamlValue& value, numerics::FunctionRule& rule);

}  // namespace etalon::isa
