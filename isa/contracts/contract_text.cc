// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "isa/base/sha256.h"
#include "isa/contracts/contract_loader.h"
#include "isa/contracts/contract_reader.h"

namespace etalon::isa {
namespace {

using numerics::Contract;
using numerics::Direction;
using numerics::FunctionKind;
using numerics::FunctionRule;
using numerics::NumberFormat;
using numerics::PiecewiseFunction;
using numerics::ProductRule;
using numerics::RoundingRules;

std::string_view word(Direction direction) {
  return kDirectionWords[static_cast<size_t>(direction)];
}

std::string formatText(NumberFormat format) {
  return fmt::format("e{}m{}", format.exponent_bits, format.mantissa_bits);
}

std::string rulesText(const RoundingRules& rules) {
  return fmt::format("in={} out={} zero={} overflow={} nan={:08x}", kKeepWords[rules.flush_in],
                     kKeepWords[rules.flush_out], kZeroWords[rules.positive_zero],
                     kOverflowWords[static_cast<size_t>(rules.overflow)], rules.nan);
}

std::string ruleText(const ProductRule& rule) {
  return fmt::format(
      "products={} order={}[{}] group={} sum={} width={} guard={} cut={} exponent={} tree={} "
      "joins={} accumulator={} rounding={} join={} spill={} {} {} {}",
      int{rule.rounds_products}, static_cast<int>(rule.order), fmt::join(rule.permutation, ","),
      rule.group, static_cast<int>(rule.sum), rule.width, rule.guard, word(rule.cut),
      static_cast<int>(rule.exponent), static_cast<int>(rule.tree), int{rule.joins_in_sum},
      formatText(rule.accumulator), word(rule.rounding), word(rule.join), rule.spill_every,
      formatText(rule.spill), word(rule.spill_rounding), rulesText(rule.rules));
}

std::string functionText(const FunctionRule& rule) {
  if (rule.kind == FunctionKind::table)
    return fmt::format("table {} {} {:08x}", elementInfo(rule.table.input).name,
                       word(rule.table.rounding), fmt::join(rule.table.values, ","));
  const PiecewiseFunction& f = rule.piecewise;
  return fmt::format(
      "piecewise {} segments={} fraction={} degree={} argument={} multiplier={}/{} "
      "exponents={}..{} "
      "linear={} limit={:08x} {}",
      word(f.rounding), f.segment_bits, f.fraction_bits, f.degree, f.argument_bits, f.multiplier,
      f.multiplier_bits, f.first_exponent, f.last_exponent, f.linear, f.limit,
      fmt::join(f.coefficients, ","));
}

}  // namespace

std::string contractText(const Contract& contract) {
  std::string text = fmt::format("multiply {}\n", ruleText(contract.product));
  std::map<std::pair<ElementType, ElementType>, std::string> pairs;
  for (const numerics::ProductOverride& override : contract.overrides)
    for (const ElementType a : override.a)
      for (const ElementType b : override.b)
        if (override.rule != contract.product) pairs[{a, b}] = ruleText(override.rule);
  for (const auto& [pair, rule] : pairs)
    text += fmt::format("multiply {} {} {}\n", elementInfo(pair.first).name,
                        elementInfo(pair.second).name, rule);
  const numerics::VectorContract& vector = contract.vector;
  text += fmt::format("arithmetic {} {}\n", word(vector.arithmetic.rounding),
                      rulesText(vector.arithmetic.rules));
  text +=
      fmt::format("conversions {} in={} out={} overflow={}\n", word(vector.conversion.rounding),
                  kKeepWords[vector.conversion.flush_in], kKeepWords[vector.conversion.flush_out],
                  kOverflowWords[static_cast<size_t>(vector.conversion.overflow)]);
  text += fmt::format("reductions {} {}\n", static_cast<int>(vector.reduction.shape),
                      vector.reduction.width);
  for (const ElementwiseInfo& info : kElementwiseOps)
    if (const FunctionRule* rule = vector.function(info.op))
      text += fmt::format("function {} {}\n", info.name, functionText(*rule));
  return text;
}

uint64_t contractHash(const Contract& contract) {
  static const std::string kCanonical = contractText({});
  const std::string text = contractText(contract);
  if (text == kCanonical) return 0;
  const auto digest = sha256(text);
  uint64_t hash = 0;
  for (size_t i = 0; i < 8; ++i) hash = hash << 8 | digest[i];
  return hash;
}

}  // namespace etalon::isa
