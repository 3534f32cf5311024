// SPDX-License-Identifier: Apache-2.0
#include "isa/abi/spec_cursor.h"

#include <fmt/format.h>

#include "isa/base/number.h"
#include "isa/base/text.h"

namespace etalon::abi {
namespace {

using Kind = DimExpression::Kind;

constexpr int kMostParentheses = 32;
constexpr size_t kMostTerms = 256;

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool beginsName(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

}  // namespace

void SpecCursor::skipBlanks() {
  while (at_ < text_.size() && isBlank(text_[at_])) ++at_;
}

bool SpecCursor::atEnd() {
  skipBlanks();
  return at_ == text_.size();
}

bool SpecCursor::take(std::string_view mark) {
  skipBlanks();
  if (!text_.substr(at_).starts_with(mark)) return false;
  at_ += mark.size();
  return true;
}

std::string_view SpecCursor::peekWord() {
  skipBlanks();
  size_t end = at_;
  if (end < text_.size() && beginsName(text_[end]))
    while (end < text_.size() && (beginsName(text_[end]) || isDigit(text_[end]))) ++end;
  return text_.substr(at_, end - at_);
}

bool SpecCursor::takeWord(std::string_view word) {
  if (peekWord() != word) return false;
  at_ += word.size();
  return true;
}

bool SpecCursor::takeQualifier(std::string_view word) {
  const size_t begin = at_;
  if (takeWord(word) && !peekWord().empty()) return true;
  at_ = begin;
  return false;
}

Status SpecCursor::expect(std::string_view mark, std::string_view after) {
  if (take(mark)) return {};
  return expected(fmt::format("'{}' after {}", mark, after));
}

Result<std::string> SpecCursor::name(std::string_view what) {
  const std::string_view word = peekWord();
  if (word.empty()) return expected(what);
  at_ += word.size();
  return std::string(word);
}

std::string_view SpecCursor::numberText() {
  skipBlanks();
  size_t end = at_;
  if (end < text_.size() && (text_[end] == '-' || text_[end] == '+')) ++end;
  while (end < text_.size()) {
    const char c = text_[end];
    const char before = end > at_ ? text_[end - 1] : ' ';
    const bool exponent_sign = (c == '-' || c == '+') && (before == 'e' || before == 'E');
    if (!isDigit(c) && !beginsName(c) && c != '.' && !exponent_sign) break;
    ++end;
  }
  const std::string_view number = text_.substr(at_, end - at_);
  at_ = end;
  return number;
}

std::string_view SpecCursor::valueText() {
  skipBlanks();
  size_t end = at_;
  for (int open = 0; end < text_.size(); ++end) {
    const char c = text_[end];
    if (c == '(' || c == '[') ++open;
    if (c == ')' || c == ']') --open;
    if (c == ',' && open <= 0) break;
  }
  std::string_view value = text_.substr(at_, end - at_);
  at_ = end;
  while (!value.empty() && isBlank(value.back())) value.remove_suffix(1);
  return value;
}

Error SpecCursor::errorAt(size_t position, std::string_view what) const {
  return Error{fmt::format("kernel spec, column {}: {}", position + 1, what)};
}

Error SpecCursor::expected(std::string_view wanted) {
  skipBlanks();
  const std::string_view word = peekWord();
  const std::string_view found = word.empty() ? text_.substr(at_, 1) : word;
  return errorAt(
      at_, fmt::format("expected {}, found {}", wanted, found.empty() ? "the end" : quote(found)));
}

Result<DimExpression> SpecCursor::expression() {
  skipBlanks();
  const size_t begin = at_;
  DimExpression result;
  ETALON_RETURN_IF_ERROR(sum(result, 0));
  if (result.postfix.size() > kMostTerms)
    return errorAt(begin, fmt::format("an extent of more than {} terms", kMostTerms));
  result.text = text_.substr(begin, at_ - begin);
  while (!result.text.empty() && isBlank(result.text.back())) result.text.pop_back();
  return result;
}

Status SpecCursor::sum(DimExpression& into, int depth) {
  ETALON_RETURN_IF_ERROR(product(into, depth));
  while (true) {
    skipBlanks();
    const bool plus = take("+");
    if (!plus && (text_.substr(at_).starts_with("->") || !take("-"))) return {};
    ETALON_RETURN_IF_ERROR(product(into, depth));
    into.postfix.push_back({plus ? Kind::Add : Kind::Subtract, 0, ""});
  }
}

Status SpecCursor::product(DimExpression& into, int depth) {
  ETALON_RETURN_IF_ERROR(factor(into, depth));
  while (true) {
    const bool times = take("*");
    if (!times && !take("/")) return {};
    ETALON_RETURN_IF_ERROR(factor(into, depth));
    into.postfix.push_back({times ? Kind::Multiply : Kind::Divide, 0, ""});
  }
}

Status SpecCursor::factor(DimExpression& into, int depth) {
  skipBlanks();
  if (depth > kMostParentheses)
    return errorAt(
        at_, fmt::format("more than {} parentheses and signs in one another", kMostParentheses));
  if (take("-")) {
    ETALON_RETURN_IF_ERROR(factor(into, depth + 1));
    into.postfix.push_back({Kind::Negate, 0, ""});
    return {};
  }
  if (take("(")) {
    ETALON_RETURN_IF_ERROR(sum(into, depth + 1));
    return expect(")", "an expression in parentheses");
  }
  if (const std::string_view word = peekWord(); !word.empty()) {
    at_ += word.size();
    into.postfix.push_back({Kind::Name, 0, std::string(word)});
    return {};
  }
  if (at_ >= text_.size() || !isDigit(text_[at_]))
    return expected("an extent (integer, name or expression)");
  const size_t begin = at_;
  const std::string_view digits = numberText();
  Result<int64_t> value = parseSigned(digits);
  if (!value.ok()) return errorAt(begin, value.error().message);
  into.postfix.push_back({Kind::Constant, *value, ""});
  return {};
}

}  // namespace etalon::abi
