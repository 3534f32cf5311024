// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/status.h"

namespace etalon::tools {

/// Value of a dotted name, or nullopt if it has none.
using NumberLookup = std::function<std::optional<double>(std::string_view)>;

/// Arithmetic of a study: constraints and metrics.
///
///     condition = sum ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) sum
///     sum       = product { ( "+" | "-" ) product }
///     product   = factor { ( "*" | "/" ) factor }
///     factor    = NUMBER | SIZE | NAME | "-" factor | "(" sum ")" | ( "min" | "max" ) "(" sum { "," sum } ")"
///
/// A NUMBER is 42, 0x2a, 1.5 or 1e-3, a SIZE 64 MiB (KiB, MiB, GiB), a NAME words with dots between: matrix.rows.
/// Values are IEEE doubles, each operation rounded once, so that results are the same bits on every host; whole
/// numbers are exact up to 2^53.
class Expression {
 public:
  /// Errors name the column, counted from 1, what was found and what was expected.
  static Result<Expression> parse(std::string_view text);

  const std::string& text() const { return text_; }
  /// True if it compares: its value is 1 or 0.
  bool isCondition() const { return is_condition_; }
  /// Every name, in order of first appearance.
  const std::vector<std::string>& names() const { return names_; }
  /// Errors: a name without value. Division by zero gives what IEEE says: an infinity or a NaN.
  Result<double> evaluate(const NumberLookup& lookup) const;

 private:
  friend class ExpressionParser;
  enum class Op : uint8_t {
    number,
    name,
    add,
    subtract,
    multiply,
    divide,
    negate,
    least,
    most,
    equal,
    unequal,
    less,
    less_equal,
    greater,
    greater_equal,
  };
  struct Term {
    Op op;
    double number = 0;
    size_t name = 0;  // index in names_
  };
  static double apply(Op op, double a, double b);

  std::string text_;
  bool is_condition_ = false;
  std::vector<std::string> names_;
  std::vector<Term> postfix_;
};

}  // namespace etalon::tools
