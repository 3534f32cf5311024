// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isa/base/status.h"

namespace etalon::tools {

/// Limits on what `.include` may pull in.
constexpr int kMostIncludeDepth = 32;
constexpr size_t kMostSourceBytes = size_t{1} << 20;         ///< of the main file
constexpr size_t kMostExpandedBytes = 2 * kMostSourceBytes;  ///< of all text together

/// Puts the text of each `.include "path"` in its place, between the line markers of the C
/// preprocessor (`# 1 "path"`), so that `et.*` statements in it are rewritten and errors and debug
/// lines name the included file. Paths are relative to the including file. A file that cannot be
/// read is left to the assembler to refuse, because the line may stand under an `.if` that is
/// false; for the same reason a file that includes itself is expanded even under one, up to the
/// depth limit.
///
/// Errors: more than kMostIncludeDepth files inside each other; more than kMostExpandedBytes in
/// all.
Result<std::string> expandIncludes(std::string_view source, const std::string& file_name);

/// A line of a file that the user wrote.
struct SourceLine {
  std::string file;
  int line = 0;
};

/// For each physical line of `source` (index 0 is line 1) the file and line it stands for, by the
/// line markers `# LINE "FILE"` in it; `file_name` before the first marker.
std::vector<SourceLine> mapLines(std::string_view source, const std::string& file_name);

}  // namespace etalon::tools
