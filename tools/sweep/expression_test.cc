// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

namespace etalon::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

double valueOf(std::string_view text) {
  static const std::map<std::string, double, std::less<>> kValues{
      {"a", 3}, {"b.c", 5}, {"counters.macs", 128}, {"min", 7}};
  const Result<Expression> parsed = Expression::parse(text);
  EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.error().message;
  if (!parsed.ok()) return -1;
  const Result<double> value =
      parsed->evaluate([&](std::string_view name) -> std::optional<double> {
        const auto at = kValues.find(name);
        return at == kValues.end() ? std::nullopt : std::optional(at->second);
      });
  EXPECT_TRUE(value.ok()) << text << ": " << value.error().message;
  return value.ok() ? *value : -1;
}

TEST(Expression, OperatorsBindAsInArithmetic) {
  for (const auto& [text, value] : std::initializer_list<std::pair<const char*, double>>{
           {"1 + 2 * 3", 7},     {"(1 + 2) * 3", 9},
           {"10 - 4 - 3", 3},    {"16 / 4 / 2", 2},
           {"1 / 2", 0.5},       {"-a + 5", 2},
           {"2 * -3", -6},       {"--4", 4},
           {"a * b.c", 15},      {"counters.macs / 2", 64},
           {"min(3, 1, 2)", 1},  {"max(a, b.c) + 1", 6},
           {"min + 1", 8},       {" 2*a ", 6},
           {"64 MiB", 67108864}, {"2 KiB + 1", 2049},
           {"0x10", 16},         {"1.5e-3", 0.0015},
           {"2e+2-1", 199},      {"0xe-1", 13},
       })
    EXPECT_EQ(valueOf(text), value) << text;
  EXPECT_TRUE(std::isinf(valueOf("1 / 0")));
  EXPECT_TRUE(std::isnan(valueOf("0 / 0")));
}

TEST(Expression, ConditionsAreOneOrZero) {
  for (const auto& [text, value] : std::initializer_list<std::pair<const char*, double>>{
           {"a == 3", 1},
           {"a == 4", 0},
           {"a != 4", 1},
           {"a != 3", 0},
           {"a < 4", 1},
           {"a < 3", 0},
           {"a <= 3", 1},
           {"a <= 2", 0},
           {"a > 2", 1},
           {"a > 3", 0},
           {"a >= 3", 1},
           {"a >= 4", 0},
           {"2 * a == b.c + 1", 1},
       }) {
    EXPECT_TRUE(Expression::parse(text)->isCondition()) << text;
    EXPECT_EQ(valueOf(text), value) << text;
  }
  EXPECT_FALSE(Expression::parse("a + 1")->isCondition());
}

TEST(Expression, NamesAreListedOnceInOrder) {
  EXPECT_THAT(Expression::parse("b.c * a + b.c / x_1.y2.3")->names(),
              ElementsAre("b.c", "a", "x_1.y2.3"));
}

TEST(Expression, WhatIsNoneIsRefusedWithItsColumn) {
  const std::string deep(40, '(');
  for (const auto& [text, says] : std::initializer_list<std::pair<std::string, const char*>>{
           {"", "column 1: expected a number, a name or '(', found the end"},
           {"1 +", "column 4: expected a number, a name or '(', found the end"},
           {"(1", "column 3: expected ')', found the end"},
           {"1)", "column 2: expected an operator or the end, found ')'"},
           {"a b", "column 3: expected an operator or the end, found 'b'"},
           {"a.", "column 2: expected an operator or the end, found '.'"},
           {"min(1; 2)", "column 6: expected ',' or ')', found ';'"},
           {"1 2", "column 3: expected an operator or the end, found '2'"},
           {"010", "column 1: '010' is not a number"},
           {"1.5 MiB", "column 1: '1.5MiB' is not a number"},
           {"3x", "column 1: '3x' is not a number"},
           {"1e999",
            "column 1: '1e999' is not a number: write it as 42, 0x2a, 1.5, 1e-3 or 64 MiB"},
           {"a = 3", "column 3: expected an operator or the end, found '='"},
           {"1 < 2 < 3", "column 7: one comparison in a condition"},
           {"(a < 3)", "column 4: expected ')', found '<'"},
           {deep + "1", "nested more than 32 deep"},
       }) {
    const Result<Expression> parsed = Expression::parse(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_THAT(parsed.error().message, HasSubstr(says)) << text;
  }
  std::string many = "1";
  for (int i = 0; i < 127; ++i) many += "+1";
  EXPECT_TRUE(Expression::parse(many).ok());  // 255 terms
  EXPECT_THAT(Expression::parse(many + "+1").error().message, HasSubstr("has 257 terms"));
}

TEST(Expression, ANameWithoutValueIsSaid) {
  EXPECT_EQ(Expression::parse("2 * x.y")
                ->evaluate([](std::string_view) { return std::nullopt; })
                .error()
                .message,
            "'x.y' has no value, which '2 * x.y' needs");
}

}  // namespace
}  // namespace etalon::tools
