// SPDX-License-Identifier: Apache-2.0
#include "isa/abi/dim_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "isa/base/text.h"

namespace etalon::abi {
namespace {

using Kind = DimExpression::Kind;

/// nullopt: outside 64 bits.
std::optional<int64_t> apply(Kind kind, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (kind) {
    case Kind::Add:
      return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Kind::Subtract:
      return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Kind::Multiply:
      return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case Kind::Divide:
      if (a == std::numeric_limits<int64_t>::min() && b == -1) return std::nullopt;
      return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
    case Kind::Constant:
    case Kind::Name:
    case Kind::Negate: break;
  }
  ETALON_CHECK(false, "no binary operator");
  return std::nullopt;
}

int64_t pop(std::vector<int64_t>& stack) {
  ETALON_CHECK(!stack.empty(), "the parser builds balanced expressions");
  const int64_t value = stack.back();
  stack.pop_back();
  return value;
}

}  // namespace

std::optional<std::string> DimExpression::plainName() const {
  if (postfix.size() == 1 && postfix[0].kind == Kind::Name) return postfix[0].name;
  return std::nullopt;
}

std::vector<std::string> DimExpression::names() const {
  std::vector<std::string> found;
  for (const Term& term : postfix)
    if (term.kind == Kind::Name) found.push_back(term.name);
  return found;
}

Result<int64_t> evaluate(const DimExpression& expression, const NameLookup& lookup) {
  std::vector<int64_t> stack;
  for (const DimExpression::Term& term : expression.postfix) {
    if (term.kind == Kind::Constant) {
      stack.push_back(term.value);
      continue;
    }
    if (term.kind == Kind::Name) {
      const std::optional<int64_t> value = lookup(term.name);
      if (!value)
        return Error{fmt::format("{} needs {}, which has no value", expression.text, term.name)};
      stack.push_back(*value);
      continue;
    }
    const int64_t b = pop(stack);
    const int64_t a = term.kind == Kind::Negate ? 0 : pop(stack);
    if (term.kind == Kind::Divide && b == 0)
      return Error{
          fmt::format("{} divides by zero{}", expression.text, valuesOfNames(expression, lookup))};
    const std::optional<int64_t> result =
        apply(term.kind == Kind::Negate ? Kind::Subtract : term.kind, a, b);
    if (!result)
      return Error{
          fmt::format("{} leaves 64 bits{}", expression.text, valuesOfNames(expression, lookup))};
    stack.push_back(*result);
  }
  return pop(stack);
}

std::string valuesOfNames(const DimExpression& expression, const NameLookup& lookup) {
  std::vector<std::string> parts;
  for (const std::string& name : expression.names()) {
    const std::optional<int64_t> value = lookup(name);
    std::string part = fmt::format("{} = {}", name, value ? fmt::format("{}", *value) : "?");
    if (std::find(parts.begin(), parts.end(), part) == parts.end())
      parts.push_back(std::move(part));
  }
  return parts.empty() ? "" : fmt::format(" ({})", joined(parts));
}

}  // namespace etalon::abi
