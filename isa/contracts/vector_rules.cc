// SPDX-License-Identifier: Apache-2.0
// Arithmetic, conversions, reductions and functions in a contract document.
#include <fmt/format.h>

#include <bit>
#include <charconv>

#include "isa/base/text.h"
#include "isa/contracts/contract_reader.h"
#include "isa/numerics/contract_function.h"
#include "isa/numerics/function.h"

namespace etalon::isa {
namespace {

using numerics::FunctionKind;
using numerics::FunctionRule;
using numerics::PiecewiseFunction;
using numerics::ReductionRule;
using numerics::ReductionShape;
using numerics::TableFunction;
using numerics::VectorContract;

constexpr int64_t kMostCoefficient = int64_t{1} << 40;
constexpr std::array<std::string_view, 3> kShapeWords = {"lanes", "tree", "sequential"};
constexpr std::array<std::string_view, 4> kTableWords = {"f16", "bf16", "f8e4m3", "f8e5m2"};
constexpr ElementType kTableTypes[] = {ElementType::f16, ElementType::bf16, ElementType::f8e4m3,
                                       ElementType::f8e5m2};

Status readArithmetic(const YamlValue& root, numerics::ArithmeticRule& rule) {
  const std::optional<YamlValue> map = root.find("arithmetic");
  if (!map) return {};
  ETALON_RETURN_IF_ERROR(map->allowKeys({"rounding", "subnormals", "zero", "nan", "overflow"}));
  ETALON_RETURN_IF_ERROR(readEnum(*map, "rounding", kDirectionWords, rule.rounding));
  return readRoundingRules(*map, rule.rules);
}

Status readConversions(const YamlValue& root, numerics::ConversionRule& rule) {
  const std::optional<YamlValue> map = root.find("conversions");
  if (!map) return {};
  ETALON_RETURN_IF_ERROR(map->allowKeys({"rounding", "subnormals", "overflow"}));
  ETALON_RETURN_IF_ERROR(readEnum(*map, "rounding", kDirectionWords, rule.rounding));
  ETALON_RETURN_IF_ERROR(readSubnormals(*map, rule.flush_in, rule.flush_out));
  return readEnum(*map, "overflow", kOverflowWords, rule.overflow);
}

Status readReductions(const YamlValue& root, ReductionRule& rule) {
  const std::optional<YamlValue> map = root.find("reductions");
  if (!map) return {};
  ETALON_RETURN_IF_ERROR(map->allowKeys({"shape", "width"}));
  const Result<YamlValue> shape = map->at("shape");
  if (!shape.ok()) return shape.error();
  const Result<size_t> word = readWord(*shape, kShapeWords);
  if (!word.ok()) return word.error();
  if (kShapeWords[*word] == "sequential") {
    // One lane takes every element.
    rule = {ReductionShape::lanes, 1};
    if (const std::optional<YamlValue> width = map->find("width"))
      return width->error("has no meaning where the shape is \"sequential\": leave it out");
    return {};
  }
  rule.shape = static_cast<ReductionShape>(*word);
  ETALON_RETURN_IF_ERROR(requireNumber(*map, "width", 1, 64, rule.width));
  if (!std::has_single_bit(rule.width))
    return map->at("width")->error(
        fmt::format("{} is not a power of two; expected 1, 2, 4, 8, 16, 32 or 64", rule.width));
  return {};
}

/// The keys that a piecewise function of this operation has beside the common ones.
struct FunctionShape {
  bool exponential, logarithm, odd;
  int argument_bits;  // 0: given by the document
};
FunctionShape shapeOf(ElementwiseOp op) {
  switch (op) {
    case ElementwiseOp::exp:
    case ElementwiseOp::exp2:
    case ElementwiseOp::sigmoid: return {true, false, false, 0};
    case ElementwiseOp::log:
    case ElementwiseOp::log2: return {false, true, false, 24};
    case ElementwiseOp::tanh:
    case ElementwiseOp::erf: return {false, false, true, 23};
    case ElementwiseOp::recip: return {false, false, false, 23};
    default: return {false, false, false, 24};
  }
}

Status readShape(const YamlValue& map, const FunctionShape& shape, PiecewiseFunction& f) {
  if (shape.exponential) {
    ETALON_RETURN_IF_ERROR(
        requireNumber(map, "argument_bits", f.segment_bits, 32, f.argument_bits));
    ETALON_RETURN_IF_ERROR(requireNumber(map, "multiplier_bits", 0, 40, f.multiplier_bits));
    return requireNumber(map, "multiplier", 1, kMostCoefficient, f.multiplier);
  }
  if (shape.logarithm) return requireNumber(map, "multiplier", 1, int64_t{1} << 62, f.multiplier);
  if (!shape.odd) return {};
  ETALON_RETURN_IF_ERROR(requireNumber(map, "first_exponent", -40, 7, f.first_exponent));
  ETALON_RETURN_IF_ERROR(requireNumber(map, "last_exponent", f.first_exponent, 7, f.last_exponent));
  ETALON_RETURN_IF_ERROR(requireNumber(map, "linear", 0, kMostCoefficient, f.linear));
  const Result<YamlValue> limit = map.at("limit");
  if (!limit.ok()) return limit.error();
  const Result<uint32_t> bits = readBits(*limit);
  if (!bits.ok()) return bits.error();
  if (*bits >= 0x7f800000)
    return limit->error(fmt::format("{:08x} is not the bits of a finite f32 without sign", *bits));
  f.limit = *bits;
  return {};
}

Status readCoefficients(const YamlValue& map, ElementwiseOp op, PiecewiseFunction& f) {
  const Result<YamlValue> value = map.at("coefficients");
  if (!value.ok()) return value.error();
  const Result<std::vector<YamlValue>> segments = value->asList();
  if (!segments.ok()) return segments.error();
  const uint32_t expected = numerics::segmentCount(op, f);
  if (segments->size() != expected)
    return value->error(
        fmt::format("has {} segments, the reduction makes {}", segments->size(), expected));
  for (const YamlValue& segment : *segments) {
    const Result<std::vector<YamlValue>> terms = segment.asList();
    if (!terms.ok()) return terms.error();
    if (terms->size() != static_cast<size_t>(f.degree) + 1)
      return segment.error(fmt::format("has {} coefficients, degree {} has {}", terms->size(),
                                       f.degree, f.degree + 1));
    for (const YamlValue& term : *terms) {
      const Result<int64_t> number = term.asSigned(-kMostCoefficient, kMostCoefficient);
      if (!number.ok()) return number.error();
      f.coefficients.push_back(*number);
    }
  }
  return {};
}

Status readPiecewise(const YamlValue& map, ElementwiseOp op, PiecewiseFunction& f) {
  const FunctionShape shape = shapeOf(op);
  if (shape.exponential) {
    ETALON_RETURN_IF_ERROR(
        map.allowKeys({"rounding", "segment_bits", "fraction_bits", "degree", "argument_bits",
                       "multiplier", "multiplier_bits", "coefficients"}));
  } else if (shape.logarithm) {
    ETALON_RETURN_IF_ERROR(map.allowKeys(
        {"rounding", "segment_bits", "fraction_bits", "degree", "multiplier", "coefficients"}));
  } else if (shape.odd) {
    ETALON_RETURN_IF_ERROR(
        map.allowKeys({"rounding", "segment_bits", "fraction_bits", "degree", "first_exponent",
                       "last_exponent", "linear", "limit", "coefficients"}));
  } else {
    ETALON_RETURN_IF_ERROR(
        map.allowKeys({"rounding", "segment_bits", "fraction_bits", "degree", "coefficients"}));
  }
  ETALON_RETURN_IF_ERROR(readEnum(map, "rounding", kDirectionWords, f.rounding));
  // The least position of a logarithm is a quarter of a unit from its middle.
  ETALON_RETURN_IF_ERROR(
      requireNumber(map, "segment_bits", shape.logarithm ? 2 : 0, 12, f.segment_bits));
  ETALON_RETURN_IF_ERROR(requireNumber(map, "fraction_bits", 0, 40, f.fraction_bits));
  ETALON_RETURN_IF_ERROR(requireNumber(map, "degree", 0, 7, f.degree));
  ETALON_RETURN_IF_ERROR(readShape(map, shape, f));
  return readCoefficients(map, op, f);
}

/// Rows of hexadecimal words: easier to read and to compare than one number a line.
Status readTable(const YamlValue& map, TableFunction& table) {
  ETALON_RETURN_IF_ERROR(map.allowKeys({"input", "rounding", "values"}));
  const Result<YamlValue> input = map.at("input");
  if (!input.ok()) return input.error();
  const Result<size_t> type = readWord(*input, kTableWords);
  if (!type.ok()) return type.error();
  table.input = kTableTypes[*type];
  ETALON_RETURN_IF_ERROR(readEnum(map, "rounding", kDirectionWords, table.rounding));
  const Result<YamlValue> value = map.at("values");
  if (!value.ok()) return value.error();
  const Result<std::vector<YamlValue>> rows = value->asList();
  if (!rows.ok()) return rows.error();
  for (const YamlValue& row : *rows) {
    const Result<std::string> text = row.asString();
    if (!text.ok()) return text.error();
    for (size_t at = 0; at < text->size(); at += 9) {
      const std::string_view word = std::string_view(*text).substr(at, 8);
      uint32_t bits = 0;
      const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), bits, 16);
      const bool separated = at + 8 >= text->size() || (*text)[at + 8] == ' ';
      if (word.size() != 8 || code != std::errc() || end != word.data() + 8 || !separated)
        return row.error(fmt::format(
            "{} is not a word: expected 8 hexadecimal digits each, one blank between them",
            quote(word)));
      table.values.push_back(bits);
    }
  }
  const size_t expected = size_t{1} << elementInfo(table.input).bits;
  if (table.values.size() != expected)
    return value->error(fmt::format("has {} words, {} has {} codes", table.values.size(),
                                    kTableWords[*type], expected));
  return {};
}

Status readFunctions(const YamlValue& root, VectorContract& contract) {
  const std::optional<YamlValue> map = root.find("functions");
  if (!map) return {};
  const auto entries = map->asMap();
  if (!entries.ok()) return entries.error();
  std::vector<std::string> known;
  for (const ElementwiseInfo& info : kElementwiseOps)
    if (numerics::unaryFunction(info.op) != nullptr) known.emplace_back(info.name);
  for (const auto& [name, value] : *entries) {
    FunctionRule rule;
    bool found = false;
    for (const ElementwiseInfo& info : kElementwiseOps) {
      if (info.name != name || numerics::unaryFunction(info.op) == nullptr) continue;
      rule.op = info.op;
      found = true;
    }
    if (!found)
      return value.error(
          fmt::format("{} is no function; expected one of {}", quote(name), joined(known)));
    ETALON_RETURN_IF_ERROR(readFunction(value, rule));
    if (rule.kind != FunctionKind::correctly_rounded) contract.functions.push_back(std::move(rule));
  }
  return {};
}

}  // namespace

Status readFunction(const YamlValue& value, FunctionRule& rule) {
  constexpr std::string_view kForms =
      "\"correctly_rounded\", {\"piecewise\": ...} or {\"table\": ...}";
  const auto entries = value.asMap();
  if (!entries.ok()) {
    const Result<std::string> word = value.asString();
    if (word.ok() && *word == "correctly_rounded") return {};
    return value.error(fmt::format("expected {}", kForms));
  }
  ETALON_RETURN_IF_ERROR(value.allowKeys({"piecewise", "table"}));
  if (entries->size() != 1) return value.error(fmt::format("expected one of {}", kForms));
  if (const std::optional<YamlValue> piecewise = value.find("piecewise")) {
    if (rule.op == ElementwiseOp::sin || rule.op == ElementwiseOp::cos)
      return piecewise->error("sin and cos have no piecewise form; declare a table");
    rule.kind = FunctionKind::piecewise;
    return readPiecewise(*piecewise, rule.op, rule.piecewise);
  }
  rule.kind = FunctionKind::table;
  return readTable(*value.find("table"), rule.table);
}

Status readVectorContract(const YamlValue& root, VectorContract& contract) {
  ETALON_RETURN_IF_ERROR(readArithmetic(root, contract.arithmetic));
  ETALON_RETURN_IF_ERROR(readConversions(root, contract.conversion));
  ETALON_RETURN_IF_ERROR(readReductions(root, contract.reduction));
  return readFunctions(root, contract);
}

}  // namespace etalon::isa
