// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "isa/base/fuzz_scale.h"
#include "isa/contracts/contract_document.h"
#include "isa/state/rule_test.h"

namespace etalon::isa {
namespace {

using numerics::Contract;
using numerics::Direction;
using numerics::ProductRule;
using ::testing::HasSubstr;

using namespace test;  // NOLINT: its documents

ProductRule rule(const std::string& text) { return read(multiply(text)).product; }
std::string refusal(const std::string& text) {
  const auto contract = parseContract(text, "d/chip.json");
  return contract.ok() ? "accepted" : contract.error().message;
}

TEST(ContractLoader, WhatIsNotSaidIsCanonical) {
  SHOWS(contract_document);
  const Contract contract = read(document(""));
  EXPECT_EQ(contract.name, "chip");
  EXPECT_EQ(contract.title, "A chip");
  EXPECT_EQ(contract.product, ProductRule{});
  EXPECT_EQ(contract.vector, numerics::VectorContract{});
  EXPECT_EQ(contract.hash, 0u);
}

TEST(ContractLoader, ReadsEveryFieldOfAProductRule) {
  const ProductRule r = rule(R"("products": "exact", "order": [1, 0, 3, 2], "group": 16,
      "sum": "aligned", "align": {"width": 25, "guard": 3, "cut": "odd", "exponent": "operands"},
      "accumulator": {"joins": "after", "format": {"exponent_bits": 8, "mantissa_bits": 13},
                      "rounding": "toward_positive"},
      "rounding": "toward_zero", "spill": {"every": 128, "format": "bf16", "rounding": "nearest_away"},
      "subnormals": {"in": "flush", "out": "flush"}, "zero": "positive", "nan": "7fffffff",
      "overflow": "saturate")");
  ProductRule want;
  want.order = numerics::TermOrder::permuted;
  want.permutation = {1, 0, 3, 2};
  want.group = 16;
  want.sum = numerics::GroupSum::aligned;
  want.width = 25;
  want.guard = 3;
  want.cut = Direction::odd;
  want.exponent = numerics::AddendExponent::operands;
  want.joins_in_sum = false;
  want.accumulator = {8, 13};
  want.join = Direction::toward_positive;
  want.rounding = Direction::toward_zero;
  want.spill_every = 128;
  want.spill = {8, 7};
  want.spill_rounding = Direction::nearest_away;
  want.rules = {true, true, true, numerics::Overflow::saturate, 0x7fffffff};
  EXPECT_EQ(r, want);
  EXPECT_EQ(rule("\"sum\": \"aligned\", \"align\": {\"width\": \"exact\"}").width, 0u);
  EXPECT_EQ(rule("\"sum\": \"tree\", \"group\": 8, \"tree\": \"halves\"").tree,
            numerics::TreeShape::halves);
  EXPECT_TRUE(rule("\"products\": \"rounded\"").rounds_products);
  EXPECT_EQ(rule("\"order\": \"descending\"").order, numerics::TermOrder::descending);
}

TEST(ContractLoader, GivesPairsRulesOfTheirOwn) {
  SHOWS(contract_pairs);
  const Contract contract = read(document(R"("multiply": {"default": {"rounding": "toward_zero"},
      "overrides": [{"a": ["f8e4m3", "f8e5m2"], "b": ["f8e4m3"], "rule": {"products": "rounded"}}]})"));
  ProductRule own;
  own.rounds_products = true;
  EXPECT_EQ(contract.productRule(ElementType::f8e5m2, ElementType::f8e4m3), own);
  EXPECT_EQ(contract.productRule(ElementType::f8e4m3, ElementType::f8e5m2), contract.product);
}

TEST(ContractLoader, ReadsTheVectorUnit) {
  const numerics::VectorContract vector =
      read(document(R"("arithmetic": {"rounding": "odd", "subnormals": {"in": "flush"},
                       "zero": "positive", "nan": "ffc00000", "overflow": "infinity"},
      "conversions": {"rounding": "nearest_away", "subnormals": {"out": "flush"}, "overflow": "saturate"},
      "reductions": {"shape": "tree", "width": 8},
      "functions": {"sqrt": "correctly_rounded",
        "rsqrt": {"piecewise": {"rounding": "toward_zero", "segment_bits": 1, "fraction_bits": 30,
                  "degree": 1, "coefficients": [[1073741824, -5], [759250125, 0]]}}})"))
          .vector;
  EXPECT_EQ(vector.arithmetic.rounding, Direction::odd);
  EXPECT_EQ(vector.arithmetic.rules,
            (numerics::RoundingRules{true, false, true, numerics::Overflow::infinity, 0xffc00000}));
  EXPECT_EQ(vector.conversion, (numerics::ConversionRule{Direction::nearest_away, false, true,
                                                         numerics::Overflow::saturate}));
  EXPECT_EQ(vector.reduction, (numerics::ReductionRule{numerics::ReductionShape::tree, 8}));
  ASSERT_EQ(vector.functions.size(), 1u);
  const numerics::PiecewiseFunction& f = vector.function(ElementwiseOp::rsqrt)->piecewise;
  EXPECT_EQ(f.coefficients, (std::vector<int64_t>{1073741824, -5, 759250125, 0}));
  EXPECT_EQ(f.rounding, Direction::toward_zero);
  const auto sequential = read(document("\"reductions\": {\"shape\": \"sequential\"}")).vector;
  EXPECT_EQ(sequential.reduction, (numerics::ReductionRule{numerics::ReductionShape::lanes, 1}));
}

TEST(ContractLoader, ReadsTables) {
  std::string rows;
  for (int i = 0; i < 64; ++i)
    rows += (i == 0 ? "" : ", ") +
            fmt::format("\"{:08x} {:08x} {:08x} {:08x}\"", 4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3);
  const std::string text = document(
      "\"functions\": {\"exp\": {\"table\": {\"input\": \"f8e4m3\", \"values\": [" + rows + "]}}}");
  const numerics::VectorContract vector = read(text).vector;
  const numerics::TableFunction& table = vector.function(ElementwiseOp::exp)->table;
  ASSERT_EQ(table.values.size(), 256u);
  for (uint32_t i = 0; i < 256; ++i) EXPECT_EQ(table.values[i], i);
  std::string wrong = text;
  EXPECT_THAT(refusal(wrong.replace(wrong.find("00000001"), 8, "0000001g")),
              HasSubstr("functions.exp.table.values[0]: '0000001g' is not a word"));
  wrong = text;
  EXPECT_THAT(refusal(wrong.replace(wrong.find("f8e4m3"), 6, "bf16")),
              HasSubstr("values: has 256 words, bf16 has 65536 codes"));
}

// File, line, place in the document, the value, and what would be right.
TEST(ContractLoader, SaysWhatIsWrongWhereAndWhatWouldBeRight) {
  VIOLATES(contract_document, contract_pairs, contract_spill);
  const std::pair<std::string, std::string> kCases[] = {
      {document("\"multply\": {}"),
       "d/chip.json:1: unknown key 'multply' (line 4); known: name, title, multiply, arithmetic, "
       "conversions, reductions, functions"},
      {document("\"arithmetic\": {}, \"arithmetic\": {}"),
       "d/chip.json:4: duplicate key 'arithmetic': only one may stay"},
      {"{\"title\": \"x\"}", "d/chip.json:1: the key 'name' is missing"},
      {"{\"name\": \"ship\", \"title\": \"x\"}",
       "d/chip.json:1: name: 'ship' is not the name of the file; expected 'chip'"},
      {multiply("\"rounding\": \"nearest\""),
       "d/chip.json:4: multiply.default.rounding: is 'nearest'; expected one of nearest_even, "
       "nearest_away, toward_zero, toward_positive, toward_negative, odd"},
      {multiply("\"group\": 0"), "d/chip.json:4: multiply.default.group: 0 is outside 1 to 65536"},
      {multiply("\"group\": \"16\""),
       "d/chip.json:4: multiply.default.group: is the quoted text '16'; expected a whole number, 1 "
       "to 65536"},
      {multiply("\"group\": 16"),
       "d/chip.json:4: multiply.default.group: has no meaning in a chain that goes on from the "
       "accumulator: leave it out, or say that the accumulator joins \"after\""},
      {multiply("\"sum\": \"tree\", \"group\": 1025"),
       "d/chip.json:4: multiply.default.group: 1025 is outside 1 to 1024"},
      {multiply("\"sum\": \"aligned\""),
       "d/chip.json:4: multiply.default: an aligned sum says how: add \"align\": {\"width\": ...}, "
       "with a number of bits or \"exact\""},
      {multiply("\"align\": {\"width\": 25}"),
       "d/chip.json:4: multiply.default.align: belongs to \"sum\": \"aligned\" alone"},
      {multiply("\"tree\": \"halves\""),
       "d/chip.json:4: multiply.default.tree: belongs to \"sum\": \"tree\" alone"},
      {multiply("\"sum\": \"aligned\", \"align\": {\"width\": 0}"),
       "d/chip.json:4: multiply.default.align.width: 0 is outside 1 to 1024, or \"exact\""},
      {multiply("\"sum\": \"aligned\", \"align\": {\"width\": \"exact\", \"guard\": 2}"),
       "d/chip.json:4: multiply.default.align.guard: has no meaning where the width is \"exact\": "
       "leave it out"},
      {multiply("\"products\": \"rounded\", \"sum\": \"aligned\", \"align\": {\"width\": 9, "
                "\"exponent\": \"operands\"}"),
       "d/chip.json:4: multiply.default.align.exponent: is 'operands', which only exact products "
       "have: use \"value\", or \"products\": \"exact\""},
      {multiply("\"order\": [0, 0]"),
       "d/chip.json:4: multiply.default.order[1]: 0 stands twice; a permutation has each of 0 to 1 "
       "once"},
      {multiply("\"order\": [0, 2]"),
       "d/chip.json:4: multiply.default.order[1]: 2 is outside 0 to 1"},
      {multiply("\"order\": []"),
       "d/chip.json:4: multiply.default.order: has 0 places; a permutation has 1 to 1024"},
      {multiply("\"order\": \"random\""),
       "d/chip.json:4: multiply.default.order: is 'random'; expected one of ascending, descending, "
       "or a permutation such as [0, 2, 1, 3]"},
      {multiply("\"accumulator\": {\"rounding\": \"odd\"}"),
       "d/chip.json:4: multiply.default.accumulator.rounding: is that of an addition after the "
       "sum: "
       "leave it out, or say \"joins\": \"after\""},
      {multiply("\"accumulator\": {\"format\": \"f64\"}"),
       "d/chip.json:4: multiply.default.accumulator.format: is 'f64'; expected one of f32, bf16, "
       "f16, or {exponent_bits: ..., mantissa_bits: ...}"},
      {multiply("\"accumulator\": {\"format\": {\"exponent_bits\": 8, \"mantissa_bits\": 51}}"),
       "d/chip.json:4: multiply.default.accumulator.format.mantissa_bits: 51 is outside 1 to 50"},
      {multiply(
           "\"accumulator\": {\"joins\": \"after\"}, \"group\": 16, \"spill\": {\"every\": 100, "
           "\"format\": \"bf16\"}"),
       "d/chip.json:4: multiply.default.spill.every: 100 terms are no whole number of groups of "
       "16"},
      {multiply("\"spill\": {\"every\": 128}"),
       "d/chip.json:4: multiply.default.spill: the key 'format' is missing"},
      {multiply("\"nan\": \"7f800000\""),
       "d/chip.json:4: multiply.default.nan: 7f800000 is not the bits of a NaN: exponent bits all "
       "1, "
       "fraction not 0, such as \"7fc00000\""},
      {multiply("\"nan\": \"7fc0\""),
       "d/chip.json:4: multiply.default.nan: is '7fc0'; expected the bits of an f32 as 8 "
       "hexadecimal "
       "digits in quotes, such as \"3f800000\" for 1"},
      {multiply("\"subnormals\": {\"in\": true}"),
       "d/chip.json:4: multiply.default.subnormals.in: is 'true'; expected text: write it in "
       "quotes "
       "if it is meant as text, \"true\"; one of keep, flush"},
      {document(
           "\"multiply\": {\"overrides\": [{\"a\": [\"bf16\"], \"b\": [\"i64\"], \"rule\": {}}]}"),
       "d/chip.json:4: multiply.overrides[0].b[0]: is 'i64'; expected one of f4e2m1, f8e4m3, "
       "f8e5m2, "
       "f16, bf16, f32, i4, u4, i8, u8"},
      {document(
           "\"multiply\": {\"overrides\": [{\"a\": [\"bf16\"], \"b\": [\"bf16\"], \"rule\": {}}, "
           "{\"a\": [\"f16\", \"bf16\"], \"b\": [\"bf16\"], \"rule\": {}}]}"),
       "d/chip.json:4: multiply.overrides[1]: the pair bf16 x bf16 has a rule in overrides[0] "
       "already"},
      {document("\"multiply\": {\"overrides\": [{\"a\": [\"bf16\", \"bf16\"], \"b\": [\"bf16\"], "
                "\"rule\": {}}]}"),
       "d/chip.json:4: multiply.overrides[0].a[1]: bf16 stands twice"},
      {document("\"reductions\": {\"shape\": \"lanes\", \"width\": 48}"),
       "d/chip.json:4: reductions.width: 48 is not a power of two; expected 1, 2, 4, 8, 16, 32 or "
       "64"},
      {document("\"reductions\": {\"shape\": \"sequential\", \"width\": 4}"),
       "d/chip.json:4: reductions.width: has no meaning where the shape is \"sequential\": leave "
       "it "
       "out"},
      {document("\"functions\": {\"add\": \"correctly_rounded\"}"),
       "d/chip.json:4: functions.add: 'add' is no function; expected one of exp, exp2, log, log2, "
       "sqrt, rsqrt, recip, tanh, sigmoid, erf, sin, cos"},
      {document("\"functions\": {\"sin\": {\"piecewise\": {\"segment_bits\": 0}}}"),
       "d/chip.json:4: functions.sin.piecewise: sin and cos have no piecewise form; declare a "
       "table"},
      {document("\"functions\": {\"exp\": \"fast\"}"),
       "d/chip.json:4: functions.exp: expected \"correctly_rounded\", {\"piecewise\": ...} or "
       "{\"table\": ...}"},
      {document(
           "\"functions\": {\"recip\": {\"piecewise\": {\"segment_bits\": 1, \"fraction_bits\": "
           "30, \"degree\": 0, \"coefficients\": [[1]]}}}"),
       "d/chip.json:4: functions.recip.piecewise.coefficients: has 1 segments, the reduction makes "
       "2"},
      {document(
           "\"functions\": {\"recip\": {\"piecewise\": {\"segment_bits\": 0, \"fraction_bits\": "
           "30, \"degree\": 1, \"coefficients\": [[1]]}}}"),
       "d/chip.json:4: functions.recip.piecewise.coefficients[0]: has 1 coefficients, degree 1 has "
       "2"},
      {document(
           "\"functions\": {\"recip\": {\"piecewise\": {\"segment_bits\": 0, \"fraction_bits\": "
           "30, \"degree\": 0, \"coefficients\": [[1099511627777]]}}}"),
       "d/chip.json:4: functions.recip.piecewise.coefficients[0][0]: 1099511627777 is outside "
       "-1099511627776 to 1099511627776"},
      {document("\"functions\": {\"recip\": {\"piecewise\": {\"multiplier\": 3}}}"),
       "d/chip.json:4: functions.recip.piecewise: unknown key 'multiplier' (line 4); known: "
       "rounding, "
       "segment_bits, fraction_bits, degree, coefficients"},
      {document(
           "\"functions\": {\"tanh\": {\"piecewise\": {\"segment_bits\": 0, \"fraction_bits\": "
           "9, \"degree\": 0, \"first_exponent\": 2, \"last_exponent\": 1}}}"),
       "d/chip.json:4: functions.tanh.piecewise.last_exponent: 1 is outside 2 to 7"},
  };
  for (const auto& [text, message] : kCases) EXPECT_EQ(refusal(text), message) << text;
}

TEST(ContractLoader, TheStandardsNameIsTaken) {
  EXPECT_EQ(parseContract("{\"name\": \"canonical\", \"title\": \"x\"}", "canonical.json")
                .error()
                .message,
            "canonical.json:1: name: 'canonical' is the name of the standard's own arithmetic");
}

TEST(ContractLoader, AnUnknownNameListsTheKnownOnes) {
  EXPECT_EQ(openContract("et2").error().message,
            "unknown contract 'et2'; known: et1 (or give the path of a .json file)");
  EXPECT_THAT(openContract("./et2.json").error().message, HasSubstr("cannot read './et2.json'"));
}

// Any outcome is right but a crash, and an error names the file.
TEST(ContractLoader, SurvivesHostileFiles) {
  const std::string good =
      document(R"("multiply": {"default": {"order": [1, 0], "group": 4, "sum": "aligned",
 "align": {"width": 25, "guard": 1}, "spill": {"every": 8, "format": {"exponent_bits": 8, "mantissa_bits": 9}},
 "nan": "7fffffff"}, "overrides": [{"a": ["bf16"], "b": ["bf16"], "rule": {"sum": "tree"}}]},
 "functions": {"tanh": {"piecewise": {"segment_bits": 0, "fraction_bits": 9, "degree": 1, "first_exponent": 0,
 "last_exponent": 0, "linear": 5, "limit": "3f800000", "coefficients": [[1, -2]]}}})");
  ASSERT_EQ(refusal(good), "accepted");
  const std::vector<std::string> absurd = {"18446744073709551615",
                                           "-9223372036854775808",
                                           "1e308",
                                           "[]",
                                           "{}",
                                           "null",
                                           "\"\"",
                                           "-1",
                                           "4096"};
  const auto mutations = static_cast<size_t>(3000 * fuzzScale());
  std::mt19937 random(3);
  size_t refused = 0;
  for (size_t i = 0; i < good.size() + mutations; ++i) {
    std::string text = good;
    if (i < good.size()) {
      text.resize(i);
    } else if (i % 3 == 0) {
      for (int n = 0; n < 3; ++n) text[random() % text.size()] = static_cast<char>(random());
    } else if (i % 3 == 1) {
      const size_t bit = random() % (8 * text.size());
      text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << bit % 8));
    } else {
      const size_t value = text.find(": ", random() % text.rfind(": ")) + 2;
      text.replace(value, text.find_first_of(",}\n", value) - value,
                   absurd[random() % absurd.size()]);
    }
    const std::string message = refusal(text);
    if (message == "accepted") continue;
    ++refused;
    ASSERT_THAT(message, HasSubstr("chip.json")) << text;
  }
  EXPECT_GT(refused, good.size() / 2 + mutations / 2);
}

}  // namespace
}  // namespace etalon::isa
