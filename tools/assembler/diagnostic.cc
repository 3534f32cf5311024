// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

namespace etalon::tools {
namespace {

constexpr size_t kMostDiagnostics = 20;
constexpr size_t kMostLineCharacters = 200;

std::string placeOf(const SourceDiagnostic& diagnostic) {
  if (diagnostic.line == 0) return diagnostic.file;
  if (diagnostic.column == 0) return fmt::format("{}:{}", diagnostic.file, diagnostic.line);
  return fmt::format("{}:{}:{}", diagnostic.file, diagnostic.line, diagnostic.column);
}

/// The source line and a caret. Tabs are kept in front of the caret, so that it stands right below.
std::string quote(const SourceDiagnostic& diagnostic) {
  if (diagnostic.source_line.empty()) return {};
  const std::string shown = diagnostic.source_line.substr(0, kMostLineCharacters);
  std::string text = "\n" + shown;
  if (diagnostic.column > 0 && static_cast<size_t>(diagnostic.column) <= shown.size()) {
    text += '\n';
    for (int i = 0; i + 1 < diagnostic.column; i++)
      text += shown[static_cast<size_t>(i)] == '\t' ? '\t' : ' ';
    text += '^';
  }
  return text;
}

}  // namespace

Error errorOf(const std::vector<SourceDiagnostic>& diagnostics) {
  ETALON_CHECK(!diagnostics.empty(), "an error without a diagnostic");
  std::string text;
  for (size_t i = 0; i < std::min(diagnostics.size(), kMostDiagnostics); i++) {
    if (i > 0) text += '\n';
    text += placeOf(diagnostics[i]) + ": " + diagnostics[i].message + quote(diagnostics[i]);
  }
  if (diagnostics.size() > kMostDiagnostics)
    text += fmt::format("\nand {} more", diagnostics.size() - kMostDiagnostics);
  return Error{text};
}

}  // namespace etalon::tools
