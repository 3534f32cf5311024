// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/status.h"

namespace etalon::abi {

/// One extent of a tensor in a kernel spec: an integer, a name, or an expression of them with + - *
/// / and parentheses.
///
/// Arithmetic is exact in 64 bits; division rounds toward minus infinity, as the output extents of
/// convolutions want it.
struct DimExpression {
  enum class Kind { Constant, Name, Add, Subtract, Multiply, Divide, Negate };
  struct Term {
    Kind kind;
    int64_t value = 0;  // Constant
    std::string name;   // Name
  };

  std::string text;           // as written
  std::vector<Term> postfix;  // operands before operators

  /// The name if the expression is nothing else: such an extent can be solved from a shape.
  std::optional<std::string> plainName() const;
  /// Every name, in order of appearance, repetitions included.
  std::vector<std::string> names() const;
};

/// Value of a name, or nullopt if it is not known.
using NameLookup = std::function<std::optional<int64_t>(std::string_view)>;

/// Errors: a name without value, division by zero, a result outside 64 bits; each quotes the
/// expression.
Result<int64_t> evaluate(const DimExpression& expression, const NameLookup& lookup);

/// ` (H = 4, pad = 1)`: the known values of an expression's names, for messages; empty if it has
/// none.
std::string valuesOfNames(const DimExpression& expression, const NameLookup& lookup);

}  // namespace etalon::abi
