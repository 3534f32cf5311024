// SPDX-License-Identifier: Apache-2.0
// The rule of a multiply-accumulate in a contract document.
#include <fmt/format.h>

#include "isa/contracts/contract_reader.h"

namespace etalon::isa {
namespace {

using numerics::Direction;
using numerics::GroupSum;
using numerics::NumberFormat;
using numerics::ProductRule;
using numerics::TermOrder;

constexpr std::array<std::string_view, 2> kProductWords = {"exact", "rounded"};
constexpr std::array<std::string_view, 2> kOrderWords = {"ascending", "descending"};
constexpr std::array<std::string_view, 3> kSumWords = {"chain", "aligned", "tree"};
constexpr std::array<std::string_view, 2> kExponentWords = {"value", "operands"};
constexpr std::array<std::string_view, 2> kTreeWords = {"adjacent", "halves"};
constexpr std::array<std::string_view, 2> kJoinWords = {"in_sum", "after"};
constexpr std::array<std::string_view, 3> kFormatWords = {"f32", "bf16", "f16"};
constexpr NumberFormat kFormats[] = {{8, 23}, {8, 7}, {5, 10}};

Status readFormat(const YamlValue& map, std::string_view key, NumberFormat& format) {
  const std::optional<YamlValue> value = map.find(key);
  if (!value) return {};
  if (!value->asMap().ok()) {
    const Result<size_t> index = readWord(*value, kFormatWords);
    if (!index.ok())
      return Error{index.error().message + ", or {exponent_bits: ..., mantissa_bits: ...}"};
    format = kFormats[*index];
    return {};
  }
  ETALON_RETURN_IF_ERROR(value->allowKeys({"exponent_bits", "mantissa_bits"}));
  ETALON_RETURN_IF_ERROR(requireNumber(*value, "exponent_bits", 2, 8, format.exponent_bits));
  return requireNumber(*value, "mantissa_bits", 1, 50, format.mantissa_bits);
}

/// `ascending`, `descending`, or a permutation of 0..n-1.
Status readOrder(const YamlValue& map, ProductRule& rule) {
  const std::optional<YamlValue> value = map.find("order");
  if (!value) return {};
  const Result<std::vector<YamlValue>> places = value->asList();
  if (!places.ok()) {
    const Result<size_t> index = readWord(*value, kOrderWords);
    if (!index.ok())
      return Error{index.error().message + ", or a permutation such as [0, 2, 1, 3]"};
    rule.order = static_cast<TermOrder>(*index);
    return {};
  }
  if (places->empty() || places->size() > numerics::kMostPermutation)
    return value->error(fmt::format("has {} places; a permutation has 1 to {}", places->size(),
                                    numerics::kMostPermutation));
  std::vector<bool> taken(places->size());
  for (const YamlValue& place : *places) {
    const Result<uint64_t> number = place.asUnsigned(0, places->size() - 1);
    if (!number.ok()) return number.error();
    if (taken[*number])
      return place.error(fmt::format("{} stands twice; a permutation has each of 0 to {} once",
                                     *number, places->size() - 1));
    taken[*number] = true;
    rule.permutation.push_back(static_cast<uint16_t>(*number));
  }
  rule.order = TermOrder::permuted;
  return {};
}

/// `align`, which aligned sums have and no others.
Status readAlignment(const YamlValue& map, ProductRule& rule) {
  const std::optional<YamlValue> align = map.find("align");
  if (rule.sum != GroupSum::aligned)
    return align ? align->error("belongs to \"sum\": \"aligned\" alone") : Status();
  if (!align)
    return map.error(
        "an aligned sum says how: add \"align\": {\"width\": ...}, with a number of "
        "bits or \"exact\"");
  ETALON_RETURN_IF_ERROR(align->allowKeys({"width", "guard", "cut", "exponent"}));
  const Result<YamlValue> width = align->at("width");
  if (!width.ok()) return width.error();
  const Result<std::string> word = width->asString();
  const bool exact = word.ok() && *word == "exact";
  if (!exact) {
    const Status status = readNumber(*align, "width", 1, numerics::kMostAlignment, rule.width);
    if (!status.ok()) return Error{status.error().message + ", or \"exact\""};
  }
  for (const std::string_view key : {"guard", "cut"})
    if (const std::optional<YamlValue> value = align->find(key); exact && value)
      return value->error("has no meaning where the width is \"exact\": leave it out");
  ETALON_RETURN_IF_ERROR(readNumber(*align, "guard", 0, numerics::kMostAlignment, rule.guard));
  ETALON_RETURN_IF_ERROR(readEnum(*align, "cut", kDirectionWords, rule.cut));
  ETALON_RETURN_IF_ERROR(readEnum(*align, "exponent", kExponentWords, rule.exponent));
  if (rule.exponent == numerics::AddendExponent::operands && rule.rounds_products)
    return align->at("exponent")
        ->error(
            "is 'operands', which only exact products have: use \"value\", or \"products\": "
            "\"exact\"");
  return {};
}

Status readAccumulator(const YamlValue& map, ProductRule& rule) {
  const std::optional<YamlValue> accumulator = map.find("accumulator");
  if (!accumulator) return {};
  ETALON_RETURN_IF_ERROR(accumulator->allowKeys({"joins", "format", "rounding"}));
  bool after = false;
  ETALON_RETURN_IF_ERROR(readEnum(*accumulator, "joins", kJoinWords, after));
  rule.joins_in_sum = !after;
  ETALON_RETURN_IF_ERROR(readFormat(*accumulator, "format", rule.accumulator));
  const std::optional<YamlValue> rounding = accumulator->find("rounding");
  if (rounding && rule.joins_in_sum)
    return rounding->error(
        "is that of an addition after the sum: leave it out, or say \"joins\": "
        "\"after\"");
  return readEnum(*accumulator, "rounding", kDirectionWords, rule.join);
}

/// The size of a group, which must suit the sum.
Status readGroup(const YamlValue& map, ProductRule& rule) {
  ETALON_RETURN_IF_ERROR(readNumber(
      map, "group", 1, rule.sum == GroupSum::tree ? numerics::kMostTree : numerics::kMostGroup,
      rule.group));
  if (rule.sum == GroupSum::chain && rule.joins_in_sum && rule.group != 1)
    return map.at("group")->error(
        "has no meaning in a chain that goes on from the accumulator: leave it out, or say that "
        "the "
        "accumulator joins \"after\"");
  return {};
}

Status readSpill(const YamlValue& map, ProductRule& rule) {
  const std::optional<YamlValue> spill = map.find("spill");
  if (!spill) return {};
  ETALON_RETURN_IF_ERROR(spill->allowKeys({"every", "format", "rounding"}));
  ETALON_RETURN_IF_ERROR(requireNumber(*spill, "every", 1, 1 << 24, rule.spill_every));
  if (rule.spill_every % rule.group != 0)
    return spill->at("every")->error(
        fmt::format("{} terms are no whole number of groups of {}", rule.spill_every, rule.group));
  if (const Result<YamlValue> format = spill->at("format"); !format.ok()) return format.error();
  ETALON_RETURN_IF_ERROR(readFormat(*spill, "format", rule.spill));
  return readEnum(*spill, "rounding", kDirectionWords, rule.spill_rounding);
}

}  // namespace

Status readProductRule(const YamlValue& map, ProductRule& rule) {
  ETALON_RETURN_IF_ERROR(
      map.allowKeys({"products", "order", "group", "sum", "align", "tree", "accumulator",
                     "rounding", "spill", "subnormals", "zero", "nan", "overflow"}));
  ETALON_RETURN_IF_ERROR(readEnum(map, "products", kProductWords, rule.rounds_products));
  ETALON_RETURN_IF_ERROR(readOrder(map, rule));
  ETALON_RETURN_IF_ERROR(readEnum(map, "sum", kSumWords, rule.sum));
  ETALON_RETURN_IF_ERROR(readAlignment(map, rule));
  if (const std::optional<YamlValue> tree = map.find("tree"); tree && rule.sum != GroupSum::tree)
    return tree->error("belongs to \"sum\": \"tree\" alone");
  ETALON_RETURN_IF_ERROR(readEnum(map, "tree", kTreeWords, rule.tree));
  ETALON_RETURN_IF_ERROR(readAccumulator(map, rule));
  ETALON_RETURN_IF_ERROR(readGroup(map, rule));
  ETALON_RETURN_IF_ERROR(readEnum(map, "rounding", kDirectionWords, rule.rounding));
  ETALON_RETURN_IF_ERROR(readSpill(map, rule));
  return readRoundingRules(map, rule.rules);
}

}  // namespace etalon::isa
