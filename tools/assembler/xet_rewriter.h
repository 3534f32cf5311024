// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tools/assembler/diagnostic.h"

namespace etalon::tools {

/// One `et.*` statement as written. Views point into the source.
struct XetStatement {
  std::string_view mnemonic;  ///< `et.` included, as spelled
  std::vector<std::string_view>
      operands;  ///< split at top-level commas, blanks and comments trimmed
  int line = 0;  ///< physical line in the source, from 1
};

/// Why a statement cannot be encoded.
struct XetError {
  int operand =
      -1;  ///< index of the operand at fault, -1: the mnemonic or the statement as a whole
  std::string message;
};

/// Turns one statement into text that the RISC-V assembler knows, on one line: `.insn r 0x2b, ...`
/// or
/// `.4byte 0x...`. Must refuse operands it does not know, macro arguments (`\arg`) included.
using XetEncoder = std::function<std::variant<std::string, XetError>(const XetStatement&)>;

/// Replaces each statement whose mnemonic begins with `et.` by what `encoder` makes of it.
///
/// Source is text for LLVM's RISC-V assembler: labels before a statement, `;` between statements,
/// comments `#`, `//` and `/* */`, strings and character constants are understood; comments inside
/// or right behind an `et.*` statement are dropped with it. The result has the same number of
/// lines, and everything in front of the first `et.` statement of a line keeps its column. `et.` is
/// a reserved prefix: a macro of such a name is never called. A statement that is refused is
/// dropped and a diagnostic appended (its `file` left empty), so that the assembler can go on to
/// find the other errors of the text.
std::string rewriteXet(std::string_view source, const XetEncoder& encoder,
                       std::vector<SourceDiagnostic>& diagnostics);

}  // namespace etalon::tools
