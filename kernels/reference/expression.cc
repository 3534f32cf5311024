// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "isa/base/check.h"
#include "isa/base/number.h"
#include "isa/base/text.h"
#include "kernels/reference/broadcast.h"
#include "kernels/reference/expression_functions.h"
#include "kernels/reference/value.h"

namespace etalon::kernels {

constexpr int kDeepest = 64;  // nested brackets and signs: hostile text cannot exhaust the stack

/// Recursive descent over the grammar in expression.h.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const std::vector<std::string>& names)
      : text_(text), names_(names) {}

  Result<Expression> parse() {
    ETALON_RETURN_IF_ERROR(sum(0));
    skipBlanks();
    if (at_ != text_.size()) return errorHere("an operator or the end");
    return std::move(expression_);
  }

 private:
  Status sum(int depth) {
    return operators(depth, '+', "add", '-', "sub", &ExpressionParser::product);
  }
  Status product(int depth) {
    return operators(depth, '*', "mul", '/', "div", &ExpressionParser::factor);
  }

  Status operators(int depth, char first, std::string_view first_name, char second,
                   std::string_view second_name, Status (ExpressionParser::*operand)(int)) {
    ETALON_RETURN_IF_ERROR((this->*operand)(depth));
    while (true) {
      const bool is_first = take(first);
      if (!is_first && !take(second)) return {};
      ETALON_RETURN_IF_ERROR((this->*operand)(depth));
      pushFunction(*findExpressionFunction(is_first ? first_name : second_name));
    }
  }

  Status factor(int depth) {
    if (depth > kDeepest) return errorHere(fmt::format("at most {} nested levels", kDeepest));
    if (take('-')) {
      ETALON_RETURN_IF_ERROR(factor(depth + 1));
      pushFunction(*findExpressionFunction("neg"));
      return {};
    }
    if (take('(')) {
      ETALON_RETURN_IF_ERROR(sum(depth + 1));
      return expect(')');
    }
    skipBlanks();
    const char next = at_ < text_.size() ? text_[at_] : '\0';
    if (std::isdigit(static_cast<unsigned char>(next)) != 0 || next == '.') return number();
    if (std::isalpha(static_cast<unsigned char>(next)) != 0 || next == '_') return name(depth);
    return errorHere("a number, a name, a function or (");
  }

  Status number() {
    size_t end = at_;
    const auto isPart = [&](size_t i) {
      const char c = text_[i];
      const bool exponent_sign =
          (c == '-' || c == '+') && (text_[i - 1] == 'e' || text_[i - 1] == 'E');
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || exponent_sign;
    };
    while (end < text_.size() && (end == at_ || isPart(end))) ++end;
    const Result<float> value = parseFloat(text_.substr(at_, end - at_));
    if (!value.ok()) return error(value.error().message);
    expression_.steps_.push_back(
        {Expression::Step::Kind::Number, static_cast<double>(*value), 0, 0, nullptr});
    at_ = end;
    return {};
  }

  Status name(int depth) {
    size_t end = at_;
    while (end < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == '_'))
      ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    const auto variable = std::find(names_.begin(), names_.end(), word);
    if (variable != names_.end()) {
      at_ = end;
      expression_.steps_.push_back({Expression::Step::Kind::Variable, 0,
                                    static_cast<size_t>(variable - names_.begin()), 0, nullptr});
      return {};
    }
    const ExpressionFunction* function = findExpressionFunction(word);
    if (function == nullptr)
      return error(fmt::format("{} is neither an input ({}) nor a function ({})", quote(word),
                               joined(names_), joined(expressionFunctions())));
    at_ = end;
    return call(*function, depth);
  }

  Status call(const ExpressionFunction& function, int depth) {
    ETALON_RETURN_IF_ERROR(expect('('));
    for (size_t i = 0; i < function.arity; ++i) {
      if (i > 0) ETALON_RETURN_IF_ERROR(expect(','));
      ETALON_RETURN_IF_ERROR(sum(depth + 1));
    }
    ETALON_RETURN_IF_ERROR(expect(')'));
    pushFunction(function);
    return {};
  }

  void pushFunction(const ExpressionFunction& function) {
    expression_.steps_.push_back(
        {Expression::Step::Kind::Function, 0, 0, function.arity, function.apply});
  }

  void skipBlanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool take(char mark) {
    skipBlanks();
    if (at_ >= text_.size() || text_[at_] != mark) return false;
    ++at_;
    return true;
  }

  Status expect(char mark) {
    if (take(mark)) return {};
    return errorHere(std::string(1, mark));
  }

  Error errorHere(std::string_view wanted) const {
    return error(fmt::format("expected {}, found {}", wanted,
                             at_ < text_.size() ? quote(text_.substr(at_, 1)) : "the end"));
  }

  Error error(std::string_view what) const {
    return Error{fmt::format("expression {}, column {}: {}", quote(text_), at_ + 1, what)};
  }

  std::string_view text_;
  const std::vector<std::string>& names_;
  size_t at_ = 0;
  Expression expression_;
};

Result<Expression> Expression::parse(std::string_view text, const std::vector<std::string>& names) {
  return ExpressionParser(text, names).parse();
}

double Expression::evaluate(std::span<const double> values) const {
  std::vector<double> stack;
  stack.reserve(steps_.size());
  for (const Step& step : steps_) {
    switch (step.kind) {
      case Step::Kind::Number: stack.push_back(step.number); break;
      case Step::Kind::Variable: stack.push_back(values[step.variable]); break;
      case Step::Kind::Function: {
        const size_t first = stack.size() - step.arity;
        const double result = step.apply(&stack[first]);
        stack.resize(first);
        stack.push_back(result);
        break;
      }
    }
  }
  ETALON_CHECK(stack.size() == 1, "one value is left");
  return stack.front();
}

std::vector<std::string> expressionFunctions() {
  std::vector<std::string> names;
  for (const ExpressionFunction& function : expressionFunctionTable())
    names.emplace_back(function.name);
  return names;
}

namespace {

/// An input laid out for a walk over the output.
struct Operand {
  std::vector<double> values;
  std::vector<uint64_t> indices;
};

}  // namespace

Result<CheckReport> checkExpression(const Call& call, std::string_view expression,
                                    const std::vector<std::string>& names) {
  using enum ElementType;
  const Result<Expression> parsed = Expression::parse(expression, names);
  if (!parsed.ok()) return call.error(parsed.error().message);
  ETALON_RETURN_IF_ERROR(call.expectOutputType({f32, bf16, f16, f8e4m3, f8e5m2}));
  Shape shape;
  for (size_t i = 0; i < call.inputs().size(); ++i) {
    if (call.inputs()[i].array == nullptr) continue;
    const Result<const Array*> array = call.array(i, {f32, bf16, f16, f8e4m3, f8e5m2});
    if (!array.ok()) return array.error();
    const std::optional<Shape> wider = broadcastShape(shape, (*array)->shape);
    if (!wider)
      return call.error(
          fmt::format("{} does not broadcast with the inputs before it", call.describeInput(i)));
    shape = *wider;
  }
  ETALON_RETURN_IF_ERROR(call.expectOutputShape(shape));
  std::vector<Operand> operands;
  for (const CallInput& input : call.inputs()) {
    if (input.array == nullptr)
      operands.push_back({{input.scalar}, broadcastIndices({}, shape)});
    else
      operands.push_back(
          {elementValues(*input.array), broadcastIndices(input.array->shape, shape)});
  }
  std::vector<uint64_t> expected(abi::elementCount(shape));
  std::vector<double> values(operands.size());
  for (size_t element = 0; element < expected.size(); ++element) {
    for (size_t i = 0; i < operands.size(); ++i)
      values[i] = operands[i].values[operands[i].indices[element]];
    expected[element] =
        encode(call.outputType(), {parsed->evaluate(values), 0}, call.output().saturate);
  }
  return compareBits(call.operation(), "replay", call.output(), expected);
}

}  // namespace etalon::kernels
