// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/xet_rewriter.h"

#include <algorithm>
#include <cctype>

namespace etalon::tools {
namespace {

bool isWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$' ||
         c == '\\' || c == '@';
}

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v'; }

class Rewriter {
 public:
  Rewriter(std::string_view source, const XetEncoder& encoder,
           std::vector<SourceDiagnostic>& diagnostics)
      : source_(source), encoder_(encoder), diagnostics_(diagnostics) {}

  std::string run() {
    while (at_ < source_.size()) {
      skipBlanksAndComments();
      if (at_ >= source_.size()) break;
      if (isSeparator(source_[at_])) {
        advance(1);
      } else if (skipLabel()) {
        continue;
      } else if (startsXet()) {
        replaceStatement();
      } else {
        skipStatement();
      }
    }
    result_.append(source_.substr(copied_));
    return std::move(result_);
  }

 private:
  static bool isSeparator(char c) { return c == '\n' || c == ';'; }

  void advance(size_t count) {
    const size_t end = std::min(at_ + count, source_.size());
    for (; at_ < end; at_++) {
      if (source_[at_] == '\n') {
        line_++;
        line_start_ = at_ + 1;
      }
    }
  }

  bool lookingAt(std::string_view text) const { return source_.substr(at_).starts_with(text); }

  /// Length of the comment, string or character constant that begins here; 0 if none does.
  /// A string never reaches past its line, so that a missing quote spoils one line only.
  size_t opaqueLength() const {
    const std::string_view rest = source_.substr(at_);
    if (rest.starts_with("/*")) {
      const size_t end = rest.find("*/", 2);
      return end == std::string_view::npos ? rest.size() : end + 2;
    }
    if (rest.starts_with("//") || rest.starts_with("#"))
      return std::min(rest.find('\n'), rest.size());
    if (rest.starts_with("\"")) {
      for (size_t i = 1; i < rest.size() && rest[i] != '\n'; i++) {
        if (rest[i] == '"') return i + 1;
        if (rest[i] == '\\' && i + 1 < rest.size() && rest[i + 1] != '\n') i++;
      }
      return std::min(rest.find('\n'), rest.size());
    }
    if (rest.starts_with("'")) {
      const size_t close = rest.starts_with("'\\") ? 3 : 2;
      if (close < rest.size() && rest[close] == '\'') return close + 1;
    }
    return 0;
  }

  bool startsComment() const { return lookingAt("#") || lookingAt("//") || lookingAt("/*"); }

  void skipBlanksAndComments() {
    while (at_ < source_.size()) {
      if (isBlank(source_[at_]))
        advance(1);
      else if (startsComment())
        advance(opaqueLength());
      else
        return;
    }
  }

  size_t wordLength() const {
    size_t length = 0;
    while (at_ + length < source_.size() && isWordCharacter(source_[at_ + length])) length++;
    return length;
  }

  bool skipLabel() {
    size_t length = lookingAt("\"") ? opaqueLength() : wordLength();
    if (length == 0) return false;
    while (at_ + length < source_.size() && isBlank(source_[at_ + length])) length++;
    if (at_ + length >= source_.size() || source_[at_ + length] != ':') return false;
    advance(length + 1);
    return true;
  }

  bool startsXet() const {
    const std::string_view word = source_.substr(at_, wordLength());
    return word.size() > 3 && (word[0] == 'e' || word[0] == 'E') &&
           (word[1] == 't' || word[1] == 'T') && word[2] == '.';
  }

  void skipStatement() {
    while (at_ < source_.size() && !isSeparator(source_[at_]))
      advance(std::max<size_t>(opaqueLength(), 1));
  }

  static int columnOf(size_t at, size_t line_start) {
    return static_cast<int>(at - line_start) + 1;
  }

  /// Where an operand stands: its text, and the line and column of its first character.
  struct Operand {
    size_t begin, end;
    int line, column;
  };

  /// Reads the operands up to the end of the statement. Comments at either end of one are no part
  /// of it; one in its middle is.
  std::vector<Operand> readOperands() {
    std::vector<Operand> operands;
    int depth = 0;
    bool fresh = true;
    const auto startOperand = [&] {
      operands.push_back({at_, at_, line_, columnOf(at_, line_start_)});
      fresh = false;
    };
    while (true) {
      skipBlanksAndComments();
      if (at_ >= source_.size() || isSeparator(source_[at_])) break;
      if (source_[at_] == ',' && depth == 0) {
        if (fresh) startOperand();  // nothing between two commas is an operand, an empty one
        advance(1);
        fresh = true;
        continue;
      }
      if (fresh) startOperand();
      depth += source_[at_] == '(' ? 1 : source_[at_] == ')' && depth > 0 ? -1 : 0;
      advance(std::max<size_t>(opaqueLength(), 1));
      operands.back().end = at_;
    }
    if (fresh && !operands.empty()) startOperand();  // a trailing comma
    return operands;
  }

  /// What the encoder says; it never sees an operand that spans lines.
  std::variant<std::string, XetError> encode(const XetStatement& statement) const {
    for (size_t i = 0; i < statement.operands.size(); i++)
      if (statement.operands[i].find('\n') != std::string_view::npos)
        return XetError{static_cast<int>(i), "a comment over several lines inside an operand"};
    auto answer = encoder_(statement);
    if (const auto* text = std::get_if<std::string>(&answer))
      ETALON_CHECK(text->find('\n') == std::string::npos, "an encoding must stay on one line");
    return answer;
  }

  void replaceStatement() {
    const size_t begin = at_;
    const int first_line = line_;
    const int first_column = columnOf(at_, line_start_);
    XetStatement statement;
    statement.mnemonic = source_.substr(at_, wordLength());
    statement.line = line_;
    advance(statement.mnemonic.size());
    const std::vector<Operand> operands = readOperands();
    for (const Operand& operand : operands)
      statement.operands.push_back(source_.substr(operand.begin, operand.end - operand.begin));

    result_.append(source_.substr(copied_, begin - copied_));
    copied_ = at_;
    const auto answer = encode(statement);
    if (const auto* text = std::get_if<std::string>(&answer)) {
      result_ += *text;
    } else {
      const auto& error = std::get<XetError>(answer);
      SourceDiagnostic diagnostic{"", first_line, first_column, error.message, ""};
      if (error.operand >= 0 && static_cast<size_t>(error.operand) < operands.size()) {
        diagnostic.line = operands[static_cast<size_t>(error.operand)].line;
        diagnostic.column = operands[static_cast<size_t>(error.operand)].column;
      }
      diagnostics_.push_back(std::move(diagnostic));
    }
    // A comment inside the statement may have held line ends.
    result_.append(static_cast<size_t>(line_ - first_line), '\n');
  }

  std::string_view source_;
  const XetEncoder& encoder_;
  std::vector<SourceDiagnostic>& diagnostics_;
  std::string result_;
  size_t copied_ = 0;  // source before this is in the result already
  size_t at_ = 0;
  size_t line_start_ = 0;  // offset of the first character of the current line
  int line_ = 1;
};

}  // namespace

std::string rewriteXet(std::string_view source, const XetEncoder& encoder,
                       std::vector<SourceDiagnostic>& diagnostics) {
  return Rewriter(source, encoder, diagnostics).run();
}

}  // namespace etalon::tools
