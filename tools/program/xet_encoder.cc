// SPDX-License-Identifier: Apache-2.0
#include "tools/program/xet_encoder.h"

#include <fmt/format.h>

#include <string>

#include "isa/codec/codec.h"

namespace etalon::tools {
namespace {

/// The operand that a message quotes, so that the caret stands under it; -1 if none.
int operandAtFault(const XetStatement& statement, const std::string& message) {
  for (size_t i = 0; i < statement.operands.size(); ++i)
    if (message.find(fmt::format("'{}'", statement.operands[i])) != std::string::npos)
      return static_cast<int>(i);
  return -1;
}

std::variant<std::string, XetError> encodeStatement(const XetStatement& statement) {
  std::string text(statement.mnemonic);
  for (size_t i = 0; i < statement.operands.size(); ++i) {
    text += i == 0 ? " " : ", ";
    text += statement.operands[i];
  }
  const Result<uint32_t> word = isa::assembleInstruction(text);
  if (!word.ok())
    return XetError{operandAtFault(statement, word.error().message), word.error().message};
  return fmt::format(".4byte {:#010x}", *word);
}

}  // namespace

XetEncoder xetEncoder() { return encodeStatement; }

}  // namespace etalon::tools
