// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/assembler.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "tools/assembler/include.h"
#include "tools/assembler/mc.h"
#include "tools/assembler/sandbox.h"

namespace etalon::tools {
namespace {

/// 1 MiB of one-instruction lines was seen to take 220 MiB and half a second.
constexpr SandboxLimits kLimits{.memory_bytes = uint64_t{512} << 20, .cpu_seconds = 5};

/// The lines of a text as the user sees them, and the numbers its files have in the debug lines.
class SourceText {
 public:
  SourceText(std::string_view text, const std::string& file_name)
      : text_(text), places_(mapLines(text, file_name)), files_{file_name} {
    for (const SourceLine& place : places_)
      if (std::ranges::find(files_, place.file) == files_.end()) files_.push_back(place.file);
  }

  const std::vector<std::string>& files() const { return files_; }

  /// `.loc` for what stands on a physical line (from 1): the assembler itself gives lines to
  /// instructions only, and an encoded `et.*` statement is a directive to it.
  std::string locationDirective(int physical_line) const {
    const SourceLine& place = placeOf(physical_line);
    const auto file = std::ranges::find(files_, place.file) - files_.begin();
    return fmt::format(".loc {} {}; ", file + 1, place.line);
  }

  /// Replaces the physical line of a diagnostic by its file and line, and quotes that line.
  void place(SourceDiagnostic& diagnostic) const {
    if (!diagnostic.file.empty()) return;  // inside a macro's expansion: no line of the user's
    if (diagnostic.line == 0) {
      diagnostic.file = files_.front();
      return;
    }
    diagnostic.source_line = lineOf(diagnostic.line);
    const SourceLine& place = placeOf(diagnostic.line);
    diagnostic.file = place.file;
    diagnostic.line = place.line;
  }

 private:
  const SourceLine& placeOf(int physical_line) const {
    const auto index = static_cast<size_t>(std::max(physical_line, 1) - 1);
    return places_[std::min(index, places_.size() - 1)];
  }

  std::string lineOf(int physical_line) const {
    std::string_view rest = text_;
    for (int i = 1; i < physical_line; i++) {
      const size_t end = rest.find('\n');
      if (end == std::string_view::npos) return {};
      rest.remove_prefix(end + 1);
    }
    return std::string(rest.substr(0, rest.find('\n')));
  }

  std::string_view text_;
  std::vector<SourceLine> places_;
  std::vector<std::string> files_;
};

/// `encoder` with a debug line in front of every encoding.
XetEncoder withLocations(const XetEncoder& encoder, const SourceText& text) {
  return [&encoder, &text](const XetStatement& statement) -> std::variant<std::string, XetError> {
    if (!encoder)
      return XetError{-1, fmt::format("no encoder for '{}': this assembler was given RISC-V only",
                                      statement.mnemonic)};
    auto answer = encoder(statement);
    if (auto* encoding = std::get_if<std::string>(&answer))
      encoding->insert(0, text.locationDirective(statement.line));
    return answer;
  };
}

Result<Bytes> assembleHere(std::string_view source, const std::string& file_name,
                           const XetEncoder& xet) {
  const Result<std::string> expanded = expandIncludes(source, file_name);
  if (!expanded.ok()) return expanded.error();
  const SourceText text(*expanded, file_name);
  std::vector<SourceDiagnostic> diagnostics;
  const std::string rewritten = rewriteXet(*expanded, withLocations(xet, text), diagnostics);

  // `.incbin` is relative to the file; this process is ours alone, so it may move there.
  const std::string folder = std::filesystem::path(file_name).parent_path().string();
  if (!folder.empty() && ::chdir(folder.c_str()) != 0) {
    // The folder need not exist (text that came from no file): relative paths then find nothing.
  }
  McResult result = runMc(rewritten, text.files());
  if (diagnostics.empty() && result.diagnostics.empty()) return std::move(result.object);
  diagnostics.insert(diagnostics.end(), result.diagnostics.begin(), result.diagnostics.end());
  for (SourceDiagnostic& diagnostic : diagnostics) text.place(diagnostic);
  return errorOf(diagnostics);
}

}  // namespace

Result<std::vector<std::byte>> assemble(std::string_view source, const std::string& file_name,
                                        const XetEncoder& xet) {
  if (source.size() > kMostSourceBytes)
    return Error{fmt::format("{}: the source has {} bytes; at most {} are assembled, so split it",
                             file_name, source.size(), kMostSourceBytes)};
  return runSandboxed(
      "assembling '" + file_name + "'", [&] { return assembleHere(source, file_name, xet); },
      kLimits);
}

}  // namespace etalon::tools
