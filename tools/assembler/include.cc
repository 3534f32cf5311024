// SPDX-License-Identifier: Apache-2.0
#include "tools/assembler/include.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>

#include "isa/base/file.h"

namespace etalon::tools {
namespace {

std::string_view trimLeft(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

/// The path of a line `.include "path"`; nothing else may stand on the line but a comment.
std::optional<std::string> includedPath(std::string_view line) {
  constexpr std::string_view kDirective = ".include";
  line = trimLeft(line);
  if (!line.starts_with(kDirective)) return std::nullopt;
  line = trimLeft(line.substr(kDirective.size()));
  if (!line.starts_with('"')) return std::nullopt;
  const size_t close = line.find('"', 1);
  if (close == std::string_view::npos) return std::nullopt;
  const std::string_view rest = trimLeft(line.substr(close + 1));
  if (!rest.empty() && rest != "\r" && !rest.starts_with('#') && !rest.starts_with("//"))
    return std::nullopt;
  return std::string(line.substr(1, close - 1));
}

/// Calls `each` for every line of `text`, without its line end.
template <class Each>
void forEachLine(std::string_view text, const Each& each) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    each(text.substr(0, end), end != std::string_view::npos);
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

/// `# LINE "FILE"`, with whatever flags the preprocessor puts behind it.
std::optional<SourceLine> lineMarker(std::string_view line) {
  if (!line.starts_with("# ")) return std::nullopt;
  SourceLine marker;
  const auto [end, error] =
      std::from_chars(line.data() + 2, line.data() + line.size(), marker.line);
  if (error != std::errc() || marker.line < 0) return std::nullopt;
  std::string_view rest = trimLeft(line.substr(static_cast<size_t>(end - line.data())));
  if (!rest.starts_with('"')) return std::nullopt;
  const size_t close = rest.find('"', 1);
  if (close == std::string_view::npos) return std::nullopt;
  marker.file = std::string(rest.substr(1, close - 1));
  return marker;
}

class Expander {
 public:
  Status append(std::string_view source, const std::string& file_name, int depth) {
    if (depth > kMostIncludeDepth)
      return Error{fmt::format("{}: .include goes deeper than {} files; does it include itself?",
                               file_name, kMostIncludeDepth)};
    const std::vector<SourceLine> lines = mapLines(source, file_name);
    size_t physical = 0;
    Status status;
    forEachLine(source, [&](std::string_view line, bool has_end) {
      if (!status.ok()) return;
      status = appendLine(line, has_end, lines[physical++], depth);
    });
    return status;
  }

  std::string take() { return std::move(text_); }

 private:
  Status appendLine(std::string_view line, bool has_end, const SourceLine& place, int depth) {
    if (const std::optional<std::string> path = includedPath(line)) {
      const std::filesystem::path full = std::filesystem::path(place.file).parent_path() / *path;
      // A quote in a name would end the marker early; such a file is left to the assembler.
      const bool plain = full.string().find_first_of("\"\n\\") == std::string::npos;
      if (Result<std::string> content = readFile(full.string()); plain && content.ok()) {
        text_ += fmt::format("# 1 \"{}\"\n", full.string());
        ETALON_RETURN_IF_ERROR(append(*content, full.string(), depth + 1));
        if (!text_.ends_with('\n')) text_ += '\n';
        text_ += fmt::format("# {} \"{}\"\n", place.line + 1, place.file);
        return {};
      }
    }
    text_ += line;
    if (has_end) text_ += '\n';
    if (text_.size() > kMostExpandedBytes)
      return Error{fmt::format("{}:{}: the source with what it includes is longer than {} bytes",
                               place.file, place.line, kMostExpandedBytes)};
    return {};
  }

  std::string text_;
};

}  // namespace

std::vector<SourceLine> mapLines(std::string_view source, const std::string& file_name) {
  std::vector<SourceLine> lines;
  SourceLine next{file_name, 1};
  forEachLine(source, [&](std::string_view line, bool) {
    lines.push_back(next);
    if (std::optional<SourceLine> marker = lineMarker(line))
      next = *std::move(marker);
    else
      next.line++;
  });
  lines.push_back(next);  // the end of the file has a place too
  return lines;
}

Result<std::string> expandIncludes(std::string_view source, const std::string& file_name) {
  Expander expander;
  if (Status status = expander.append(source, file_name, 0); !status.ok()) return status.error();
  return expander.take();
}

}  // namespace etalon::tools
