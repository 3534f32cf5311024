// SPDX-License-Identifier: Apache-2.0
#include "tools/sweep/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "isa/base/number.h"
#include "isa/base/text.h"

namespace etalon::tools {
namespace {

constexpr int kMostParentheses = 32;
constexpr size_t kMostTerms = 256;

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isWord(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace

/// Recursive descent over the grammar of Expression; appends operands before operators.
class ExpressionParser {
 public:
  using Op = Expression::Op;

  explicit ExpressionParser(Expression& into) : out_(into), text_(into.text_) {}

  Status parse() {
    ETALON_RETURN_IF_ERROR(sum(0));
    if (const std::optional<Op> comparison = takeComparison()) {
      out_.is_condition_ = true;
      ETALON_RETURN_IF_ERROR(sum(0));
      add(*comparison);
      skipBlanks();
      const size_t place = at_;
      if (takeComparison())
        return Error{fmt::format("column {}: one comparison in a condition; write two conditions",
                                 place + 1)};
    }
    skipBlanks();
    if (at_ != text_.size()) return expected("an operator or the end");
    if (out_.postfix_.size() > kMostTerms)
      return Error{fmt::format("has {} terms; the limit is {}", out_.postfix_.size(), kMostTerms)};
    return {};
  }

 private:
  void skipBlanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool take(std::string_view mark) {
    skipBlanks();
    if (!text_.substr(at_).starts_with(mark)) return false;
    at_ += mark.size();
    return true;
  }

  /// The word at this place, dots inside, without taking it; empty if none.
  std::string_view peekWord() {
    skipBlanks();
    size_t end = at_;
    while (end < text_.size() &&
           (isWord(text_[end]) ||
            (text_[end] == '.' && end > at_ && end + 1 < text_.size() && isWord(text_[end + 1]))))
      ++end;
    return text_.substr(at_, end - at_);
  }

  Error expected(std::string_view wanted) {
    skipBlanks();
    const std::string_view word = peekWord();
    const std::string_view found = word.empty() ? text_.substr(at_, 1) : word;
    return Error{fmt::format("column {}: expected {}, found {}", at_ + 1, wanted,
                             found.empty() ? "the end" : quote(found))};
  }

  std::optional<Op> takeComparison() {
    // Longest first where one begins like another.
    static constexpr std::array<std::pair<std::string_view, Op>, 6> kMarks{
        {{"==", Op::equal},
         {"!=", Op::unequal},
         {"<=", Op::less_equal},
         {">=", Op::greater_equal},
         {"<", Op::less},
         {">", Op::greater}}};
    for (const auto& [mark, op] : kMarks)
      if (take(mark)) return op;
    return std::nullopt;
  }

  void add(Op op) { out_.postfix_.push_back({op, 0, 0}); }

  Status sum(int depth) {
    ETALON_RETURN_IF_ERROR(product(depth));
    for (;;) {
      const Op op = take("+") ? Op::add : take("-") ? Op::subtract : Op::number;
      if (op == Op::number) return {};
      ETALON_RETURN_IF_ERROR(product(depth));
      add(op);
    }
  }

  Status product(int depth) {
    ETALON_RETURN_IF_ERROR(factor(depth));
    for (;;) {
      const Op op = take("*") ? Op::multiply : take("/") ? Op::divide : Op::number;
      if (op == Op::number) return {};
      ETALON_RETURN_IF_ERROR(factor(depth));
      add(op);
    }
  }

  Status factor(int depth) {
    if (depth > kMostParentheses)
      return Error{fmt::format("column {}: nested more than {} deep", at_ + 1, kMostParentheses)};
    if (take("-")) {
      ETALON_RETURN_IF_ERROR(factor(depth + 1));
      add(Op::negate);
      return {};
    }
    if (take("(")) {
      ETALON_RETURN_IF_ERROR(sum(depth + 1));
      return take(")") ? Status() : Status(expected("')'"));
    }
    const std::string_view word = peekWord();
    if (word.empty()) return expected("a number, a name or '('");
    if (isDigit(word[0])) return number();
    at_ += word.size();
    if ((word == "min" || word == "max") && take("("))
      return call(word == "min" ? Op::least : Op::most, depth + 1);
    const auto known = std::ranges::find(out_.names_, word);
    out_.postfix_.push_back({Op::name, 0, static_cast<size_t>(known - out_.names_.begin())});
    if (known == out_.names_.end()) out_.names_.emplace_back(word);
    return {};
  }

  Status call(Op op, int depth) {
    ETALON_RETURN_IF_ERROR(sum(depth));
    while (take(",")) {
      ETALON_RETURN_IF_ERROR(sum(depth));
      add(op);
    }
    return take(")") ? Status() : Status(expected("',' or ')'"));
  }

  Status number() {
    const size_t begin = at_;
    while (at_ < text_.size() &&
           (isWord(text_[at_]) || text_[at_] == '.' ||
            ((text_[at_] == '-' || text_[at_] == '+') && at_ > begin &&
             (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E') && !isHex(begin))))
      ++at_;
    std::string digits(text_.substr(begin, at_ - begin));
    for (const std::string_view unit : {"KiB", "MiB", "GiB"})
      if (peekWord() == unit) {
        at_ += unit.size();
        digits += unit;
      }
    double value = 0;
    const bool padded = digits.size() > 1 && digits[0] == '0' && isDigit(digits[1]);
    if (const Result<uint64_t> whole = parseBytes(digits); whole.ok()) {
      value = static_cast<double>(*whole);
    } else {
      const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (padded || code != std::errc() || end != digits.data() + digits.size() ||
          !std::isfinite(value))
        return Error{
            fmt::format("column {}: {} is not a number: write it as 42, 0x2a, 1.5, 1e-3 or 64 MiB",
                        begin + 1, quote(digits))};
    }
    out_.postfix_.push_back({Op::number, value, 0});
    return {};
  }

  bool isHex(size_t begin) const {
    return text_.substr(begin).starts_with("0x") || text_.substr(begin).starts_with("0X");
  }

  Expression& out_;
  std::string_view text_;
  size_t at_ = 0;
};

Result<Expression> Expression::parse(std::string_view text) {
  Expression expression;
  expression.text_ = text;
  ETALON_RETURN_IF_ERROR(ExpressionParser(expression).parse());
  return expression;
}

double Expression::apply(Op op, double a, double b) {
  switch (op) {
    case Op::add: return a + b;
    case Op::subtract: return a - b;
    case Op::multiply: return a * b;
    case Op::divide: return a / b;
    case Op::least: return std::min(a, b);
    case Op::most: return std::max(a, b);
    case Op::equal: return a == b ? 1 : 0;
    case Op::unequal: return a != b ? 1 : 0;
    case Op::less: return a < b ? 1 : 0;
    case Op::less_equal: return a <= b ? 1 : 0;
    case Op::greater: return a > b ? 1 : 0;
    case Op::greater_equal: return a >= b ? 1 : 0;
    case Op::number:
    case Op::name:
    case Op::negate: break;
  }
  ETALON_CHECK(false, "no binary operator");
  return 0;
}

Result<double> Expression::evaluate(const NumberLookup& lookup) const {
  std::vector<double> stack;
  for (const Term& term : postfix_) {
    if (term.op == Op::number) {
      stack.push_back(term.number);
      continue;
    }
    if (term.op == Op::name) {
      const std::optional<double> value = lookup(names_[term.name]);
      if (!value)
        return Error{
            fmt::format("{} has no value, which {} needs", quote(names_[term.name]), quote(text_))};
      stack.push_back(*value);
      continue;
    }
    ETALON_CHECK(!stack.empty(), "the parser builds balanced expressions");
    if (term.op == Op::negate) {
      stack.back() = -stack.back();
      continue;
    }
    const double b = stack.back();
    stack.pop_back();
    ETALON_CHECK(!stack.empty(), "the parser builds balanced expressions");
    stack.back() = apply(term.op, stack.back(), b);
  }
  ETALON_CHECK(stack.size() == 1, "the parser builds balanced expressions");
  return stack.back();
}

}  // namespace etalon::tools
