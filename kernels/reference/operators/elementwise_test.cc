// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/reference/expression.h"
#include "kernels/reference/test_support.h"

namespace etalon::kernels {
namespace {

using enum ElementType;

double evaluate(std::string_view text, double a = 0, double b = 0, double c = 0) {
  const Result<Expression> expression = Expression::parse(text, {"a", "b", "c"});
  EXPECT_TRUE(expression.ok()) << expression.error().message;
  return expression->evaluate(std::vector<double>{a, b, c});
}

std::string refusal(std::string_view text) {
  const Result<Expression> expression = Expression::parse(text, {"a", "b", "c"});
  EXPECT_FALSE(expression.ok()) << text;
  return expression.ok() ? "" : expression.error().message;
}

TEST(Expression, BindsProductsTighterThanSumsAndRunsLeftToRight) {
  EXPECT_EQ(evaluate("a - b - c", 10, 3, 2), 5);
  EXPECT_EQ(evaluate("a + b * c", 1, 2, 3), 7);
  EXPECT_EQ(evaluate("(a + b) * c", 1, 2, 3), 9);
  EXPECT_EQ(evaluate("a / b / c", 24, 3, 2), 4);
  EXPECT_EQ(evaluate("-a * -2.5e0", 2), 5);
  EXPECT_EQ(evaluate("max(a, min(b, c)) + relu(-1)", 1, 5, 3), 3);
}

TEST(Expression, RoundsEveryOperationToF32) {
  // (1 + 2^-23)^2 = 1 + 2^-22 + 2^-46: rounded, then 1 + 2^-22 is taken away.
  const double x = 1 + 0x1p-23;
  EXPECT_EQ(evaluate("a * a - b", x, 1 + 0x1p-22), 0);
  EXPECT_EQ(evaluate("fma(a, a, -b)", x, 1 + 0x1p-22), 0x1p-46);
  EXPECT_EQ(evaluate("a + b - a", 0x1p24, 1), 0);
  EXPECT_EQ(evaluate("0.1"), static_cast<double>(0.1F));
}

TEST(Expression, HasTheFunctionsByTheirNames) {
  EXPECT_EQ(evaluate("exp2(a) + log2(b)", 3, 0.25), 6);
  EXPECT_EQ(evaluate("sqrt(a) * rsqrt(a) * recip(b)", 16, 4), 0.25);
  EXPECT_EQ(evaluate("round(2.5) + floor(-0.5) + ceil(0.5) + trunc(-1.5)"), 1);
  EXPECT_EQ(evaluate("sigmoid(a) + tanh(a) + erf(a) + exp(a) + log(b)", 0, 1), 1.5);
  EXPECT_EQ(evaluate("add(sub(a, b), neg(div(mul(a, b), abs(-2))))", 6, 4), -10);
}

TEST(Expression, NamesTheColumnOfWhatItDoesNotUnderstand) {
  EXPECT_EQ(
      refusal("a + "),
      "expression 'a + ', column 5: expected a number, a name, a function or (, found the end");
  EXPECT_EQ(refusal("a b"),
            "expression 'a b', column 3: expected an operator or the end, found 'b'");
  EXPECT_EQ(refusal("max(a)"), "expression 'max(a)', column 6: expected ,, found ')'");
  EXPECT_THAT(refusal("a + d"),
              testing::HasSubstr("column 5: 'd' is neither an input (a, b, c) nor"));
  EXPECT_THAT(refusal("1e99"), testing::HasSubstr("column 1: "));
  EXPECT_THAT(refusal(std::string(100000, '(')), testing::HasSubstr("at most 64 nested levels"));
  EXPECT_THAT(refusal(std::string(100000, '-')), testing::HasSubstr("at most 64 nested levels"));
  EXPECT_THAT(refusal(""), testing::HasSubstr("found the end"));
}

TEST(Elementwise, BroadcastsItsInputsAndReadsScalars) {
  const Array x = arrayOfValues(bf16, {2, 3}, {1, 2, 3, -4, 5, 6});
  const Array w = arrayOfValues(f32, {3}, {1, 10, 100});
  const Array b = arrayOfValues(f32, {2, 1}, {0.5, 1});
  const Array y = arrayOfValues(f32, {2, 3}, {2.5, 40.5, 600.5, 0, 101, 1201});
  const Attributes attributes{{"expression", "relu(x * w * scale + b)"}};
  const Named arrays{{"x", &x}, {"w", &w}, {"b", &b}, {"y", &y}};
  const CheckReport report = reportOf(runCheck("elementwise", arrays, attributes, {{"scale", 2}}));
  EXPECT_TRUE(report.passed) << report.first_mismatch;
  EXPECT_EQ(report.verdict, "replay");
  for (uint64_t index = 0; index < 6; ++index) {
    const Array bad = withFlippedBit(y, index, static_cast<int>(index * 5));
    const Named mutated{{"x", &x}, {"w", &w}, {"b", &b}, {"y", &bad}};
    EXPECT_FALSE(reportOf(runCheck("elementwise", mutated, attributes, {{"scale", 2}})).passed);
  }
}

TEST(Elementwise, RoundsOnceMoreToTheOutput) {
  const Array x = arrayOfValues(f32, {2}, {1 + 0x1p-8, 1e6});
  const Array half = arrayOf(f16, {2}, {0x3C04, 0x7C00});
  const Array narrow = arrayOf(f8e4m3, {2}, {0x38, 0x7E});
  const Attributes identity{{"expression", "x"}};
  EXPECT_TRUE(reportOf(runCheck("elementwise", {{"x", &x}, {"y", &half}}, identity)).passed);
  EXPECT_TRUE(reportOf(runCheck("elementwise", {{"x", &x}, {"y", &narrow}},
                                {{"expression", "x"}, {"saturate", "1"}}))
                  .passed);
}

TEST(Elementwise, NamesWhatDoesNotBroadcast) {
  const Array a = arrayOfValues(f32, {2}, {1, 2});
  const Array b = arrayOfValues(f32, {3}, {1, 2, 3});
  EXPECT_EQ(messageOf(runCheck("elementwise", {{"a", &a}, {"b", &b}, {"y", &b}},
                               {{"expression", "a + b"}})),
            "check elementwise: b: f32[3] does not broadcast with the inputs before it");
  EXPECT_THAT(messageOf(runCheck("elementwise", {{"a", &a}, {"y", &a}})),
              testing::HasSubstr("attribute expression is missing"));
}

TEST(NamedExpressions, ComputeWhatTheirNamesSay) {
  const Array a = arrayOfValues(f32, {2}, {1 + 0x1p-23, 1});
  const Array b = arrayOfValues(f32, {2}, {1 + 0x1p-23, -3});
  const Array c = arrayOfValues(f32, {2}, {-(1 + 0x1p-22), 1});
  const Array split = arrayOfValues(f32, {2}, {0, 0});
  const Array fused = arrayOfValues(f32, {2}, {0x1p-46, 0});
  const auto passes = [&](const char* name, const Array& y) {
    return reportOf(runCheck(name, {{"A", &a}, {"B", &b}, {"C", &c}, {"y", &y}})).passed;
  };
  EXPECT_TRUE(passes("mul_add_relu", split));
  EXPECT_FALSE(passes("mul_add_relu", fused));
  EXPECT_TRUE(passes("fma_relu", fused));
  EXPECT_FALSE(passes("fma_relu", split));
}

TEST(NamedExpressions, AreNearTheFunctionsTheyApproximate) {
  // Values from the definitions, in double, rounded to bf16, which hides the order of operations.
  const double x = 1.5;
  const Array in = arrayOfValues(f32, {1}, {x});
  const double gelu = 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
  const double cube = x + 0.044715 * x * x * x;
  const double gelu_tanh = 0.5 * x * (1 + std::tanh(std::sqrt(2 / 3.14159265358979) * cube));
  const double silu = x / (1 + std::exp(-x));
  const std::pair<const char*, double> cases[] = {
      {"gelu", gelu}, {"gelu_tanh", gelu_tanh}, {"silu", silu}};
  for (const auto& [name, value] : cases) {
    const Array y = arrayOf(bf16, {1}, {encode(bf16, {value, 0})});
    EXPECT_TRUE(reportOf(runCheck(name, {{"x", &in}, {"y", &y}})).passed) << name;
    const Array bad = withFlippedBit(y, 0, 0);
    EXPECT_FALSE(reportOf(runCheck(name, {{"x", &in}, {"y", &bad}})).passed) << name;
  }
}

}  // namespace
}  // namespace etalon::kernels
