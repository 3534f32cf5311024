// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "isa/abi/dim_expression.h"
#include "isa/base/status.h"

namespace etalon::abi {

/// Reads the words of a kernel spec; shared by its two grammars, arguments and extents.
class SpecCursor {
 public:
  explicit SpecCursor(std::string_view text) : text_(text) {}

  void skipBlanks();
  bool atEnd();
  /// Takes a punctuation mark if it comes next.
  bool take(std::string_view mark);
  /// Takes a word only if it is this one and another word follows: `out C` but not `out: f32[M]`.
  bool takeQualifier(std::string_view word);
  /// Takes this word if it comes next.
  bool takeWord(std::string_view word);
  Status expect(std::string_view mark, std::string_view after);
  Result<std::string> name(std::string_view what);
  /// The text of a number: digits, dot, exponent, sign; empty if none comes next.
  std::string_view numberText();
  /// Everything up to a comma outside of brackets, or the end, without blanks at the end.
  std::string_view valueText();
  Result<DimExpression> expression();

  size_t position() const { return at_; }
  Error errorAt(size_t position, std::string_view what) const;
  Error expected(std::string_view wanted);

 private:
  std::string_view peekWord();
  Status sum(DimExpression& into, int depth);
  Status product(DimExpression& into, int depth);
  Status factor(DimExpression& into, int depth);

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace etalon::abi
